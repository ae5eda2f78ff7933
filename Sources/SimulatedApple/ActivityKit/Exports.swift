// The signatures contain types of these modules.
@_exported public import Foundation
@_exported public import SimulatedAppleCore
