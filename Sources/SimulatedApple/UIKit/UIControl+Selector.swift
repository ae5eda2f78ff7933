import SimulatedAppleCore

/// An event, which is passed to action methods that take it as a second argument; it has no touches here.
@preconcurrency @MainActor
open class UIEvent: NSObject {}

/// A method that a control, a bar button or a gesture recognizer calls on an object without retaining the object.
@MainActor
struct TargetAction {
    private weak var target: AnyObject?
    private let goesToResponder: Bool
    private let selector: Selector

    /// Creates the action that calls a method of `target`.
    ///
    /// If `target` is `nil`, the method is called on the first object that has it, from the sender upward in the chain
    /// of responders.
    init(_ target: Any?, _ selector: Selector) {
        self.target = target as AnyObject?
        goesToResponder = target == nil
        self.selector = selector
    }

    /// Whether the action was created with these arguments.
    func isSame(as target: Any?, _ selector: Selector) -> Bool {
        self.selector == selector && (target.map { self.target === $0 as AnyObject } ?? goesToResponder)
    }

    /// Whether the action belongs to the target and calls the selector; `nil` stands for any target or any selector.
    func isOne(of target: Any?, _ selector: Selector?) -> Bool {
        (target == nil || self.target === target as AnyObject?) && (selector == nil || selector == self.selector)
    }

    func perform(by sender: AnyObject, above responder: UIResponder?) {
        let chain = sequence(first: responder) { $0?.next }.lazy.compactMap { $0 }
        let object = goesToResponder ? chain.first { selector.isMethod(of: $0) } : target
        if let object { selector(object, sender, UIEvent()) }
    }
}

extension UIControl {
    /// Calls a method of an object at these events.
    ///
    /// The method receives the control and the event, as far as it has parameters for them. The object is not retained.
    /// With `nil`, the method is called on the first object that has it, from the control upward in the chain of
    /// responders.
    ///
    /// Rules: Apple, documentation/uikit/uicontrol/addtarget(_:action:for:).
    public func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {
        for index in targets.indices where targets[index].action.isSame(as: target, action) {
            return targets[index].events.formUnion(controlEvents)
        }
        targets.append((TargetAction(target, action), controlEvents))
    }

    /// Stops calling a method of an object at these events; `nil` stands for all objects, or for all methods.
    public func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {
        for index in targets.indices where targets[index].action.isOne(of: target, action) {
            targets[index].events.subtract(controlEvents)
        }
        targets.removeAll { $0.events.isEmpty }
    }
}
