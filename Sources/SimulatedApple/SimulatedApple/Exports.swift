// A package that depends on the product imports these modules. Without the trait there must be no module `UIKit` in the
// build, because every `#if canImport(UIKit)` of every package in it would be true.
#if SimulatedApple
    @_exported public import ApusDevice
    @_exported public import ApusVirtualTime
    @_exported public import SimulatedAppleCore
#endif
