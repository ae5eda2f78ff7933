#if SimulatedApple
    // What an app has on a phone without more than `import Foundation`. An app's target imports this module without saying so:
    // docs/simulated-apple.md has the flag.
    @_exported public import Foundation
    @_exported public import Observation
    @_exported public import SimulatedAppleCore
    public import SimulatedCombine
    @_exported public import SimulatedURLSession

    // Apple's Foundation has these two names of Combine, and no others.

    /// Combine's.
    public typealias ObservableObject = SimulatedCombine.ObservableObject
    /// Combine's.
    public typealias Published = SimulatedCombine.Published
#endif
