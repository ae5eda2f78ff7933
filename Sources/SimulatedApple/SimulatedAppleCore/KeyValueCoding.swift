public import Foundation

// Parts of Apple's Foundation that Linux lacks.

extension UserDefaults {
    /// Stores a value, like `set(_:forKey:)`.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
    /// Returns a value, like `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
}

/// An observation of a property; no method of the simulated frameworks creates one.
open class NSKeyValueObservation: NSObject {
    override fileprivate init() { super.init() }
    /// Ends the observation.
    open func invalidate() {}
}

extension Timer {
    /// Creates a timer that never fires and is not valid, as `Timer()` does on a phone.
    ///
    /// The initializer has a parameter because `Timer` on Linux has no `init()`, and an extension cannot declare one.
    @_disfavoredOverload
    public convenience init(_ nothing: Void = ()) {
        self.init(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        invalidate()
    }
}
