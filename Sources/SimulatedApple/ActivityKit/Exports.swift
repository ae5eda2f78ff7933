// The names of these modules are in the signatures.
@_exported public import Foundation
@_exported public import SimulatedAppleCore
