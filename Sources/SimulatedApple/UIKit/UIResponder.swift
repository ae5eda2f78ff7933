/// The base class of app delegates, scene delegates, views and view controllers. The simulation has no events that it
/// could respond to.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// Whom an event goes to that this one does not handle.
    open var next: UIResponder? { nil }
    /// Whether it has the keyboard. There is none here.
    open var isFirstResponder: Bool { false }
    /// False: there is no keyboard here.
    @discardableResult
    open func becomeFirstResponder() -> Bool { false }
    /// True: there is no keyboard here.
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
}
