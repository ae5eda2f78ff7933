// A package that depends on the product imports these modules. Without the trait, the build must not contain a module
// `UIKit`, because such a module would make every `#if canImport(UIKit)` of every package in the build true.
#if SimulatedApple
    @_exported public import ApusDevice
    @_exported public import ApusVirtualTime
    @_exported public import SimulatedAppleCore
#endif
