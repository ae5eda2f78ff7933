// What a package gets that depends on the product. Without the trait there is nothing here, and no module `UIKit` in the
// build: every `#if canImport(UIKit)` of every package in it would see that.
#if SimulatedApple
    @_exported public import ApusDevice
    @_exported public import ApusVirtualTime
    @_exported public import SimulatedAppleCore
#endif
