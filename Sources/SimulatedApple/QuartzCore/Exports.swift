// As the real module does: display links are added to Foundation's run loops.
@_exported public import Foundation
// For `CFTimeInterval`.
@_exported public import SimulatedAppleCore
