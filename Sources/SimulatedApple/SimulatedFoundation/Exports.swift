#if SimulatedApple
    // These modules are what `import Foundation` gives an app on a phone. The targets of apps import this module
    // implicitly, by a compiler flag in docs/simulated-apple.md.
    @_exported public import Foundation
    @_exported public import Observation
    @_exported public import SimulatedAppleCore
    public import SimulatedCombine
    @_exported public import SimulatedSecurity
    @_exported public import SimulatedURLSession

    // Apple's Foundation exports these two names of Combine, and no others.

    /// The protocol of Combine.
    public typealias ObservableObject = SimulatedCombine.ObservableObject
    /// The property wrapper of Combine.
    public typealias Published = SimulatedCombine.Published
#endif
