// The real module exports Foundation too, to whose run loops display links are added.
@_exported public import Foundation
// It has `CFTimeInterval`.
@_exported public import SimulatedAppleCore
