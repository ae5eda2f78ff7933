// The real module exports Foundation too, because apps add display links to Foundation's run loops.
@_exported public import Foundation
// SimulatedAppleCore declares `CFTimeInterval`.
@_exported public import SimulatedAppleCore
