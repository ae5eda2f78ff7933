// The signatures contain types of these modules. The real module exports Foundation too.
@_exported public import Foundation
@_exported public import SimulatedAppleCore
