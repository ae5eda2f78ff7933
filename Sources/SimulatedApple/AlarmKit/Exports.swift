// The names of these modules are in the signatures, as those of Foundation and SwiftUI are in the real module's.
@_exported public import ActivityKit
@_exported public import Foundation
@_exported public import SimulatedAppleCore
@_exported public import SimulatedSwiftUICore
