// The signatures contain types of these modules. The real module exports Foundation and SwiftUI for the same reason.
@_exported public import ActivityKit
@_exported public import Foundation
@_exported public import SimulatedAppleCore
@_exported public import SimulatedSwiftUICore
