import SimulatedAppleCore

/// An event of the user, for methods that take one beside the sender. It has no touches here.
@preconcurrency @MainActor
open class UIEvent: NSObject {}

/// A method that a control, a bar button or a gesture recognizer calls. Its object is not retained.
@MainActor
struct TargetAction {
    private weak var target: AnyObject?
    private let goesToResponder: Bool
    private let selector: Selector

    /// A method of `target`, or, if that is `nil`, of the first responder above the sender that has it.
    init(_ target: Any?, _ selector: Selector) {
        self.target = target as AnyObject?
        goesToResponder = target == nil
        self.selector = selector
    }

    /// Whether it was made of these.
    func isSame(as target: Any?, _ selector: Selector) -> Bool {
        self.selector == selector && (target.map { self.target === $0 as AnyObject } ?? goesToResponder)
    }

    /// Whether it is one of an object's actions, or of any if that is `nil`, and calls that method, or any.
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
    /// Calls a method of an object at these events, with the control and the event as far as it has parameters. The object is
    /// not retained; `nil` is the first responder above the control that has the method.
    ///
    /// Rules: Apple, documentation/uikit/uicontrol/addtarget(_:action:for:).
    public func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {
        for index in targets.indices where targets[index].action.isSame(as: target, action) {
            return targets[index].events.formUnion(controlEvents)
        }
        targets.append((TargetAction(target, action), controlEvents))
    }

    /// Ends that methods are called at these events: those of `target`, or of any object; `action`, or any method.
    public func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {
        for index in targets.indices where targets[index].action.isOne(of: target, action) {
            targets[index].events.subtract(controlEvents)
        }
        targets.removeAll { $0.events.isEmpty }
    }
}
