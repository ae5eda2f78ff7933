import ApusTimers
public import Foundation

extension NSObject {
    /// Whether the object has that method.
    public func responds(to selector: Selector) -> Bool { selector.isMethod(of: self) }

    /// Calls a method without arguments. Its result is not returned, unlike on a phone.
    public func perform(_ selector: Selector) { selector(self) }

    /// Calls a method with an argument. Its result is not returned, unlike on a phone.
    public func perform(_ selector: Selector, with object: Any?) { selector(self, object) }

    /// Calls a method after a delay, from the current run loop in its default mode, unless the app's process has ended. The
    /// object and the argument are retained until then.
    ///
    /// Rules: Apple, documentation/objectivec/nsobject-swift.class/perform(_:with:afterdelay:).
    public func perform(_ selector: Selector, with argument: Any?, afterDelay delay: TimeInterval) {
        let date = Date(timeIntervalSinceReferenceDate: CFAbsoluteTimeGetCurrent() + max(delay, 0))
        let timer = Timer(fire: date, interval: 0, repeats: false) { timer in
            for call in DelayedCall.take(where: { $0.timer.value === timer }) { call.perform() }
        }
        let call = DelayedCall(
            timer: Handover(timer), target: Handover(self), selector: selector, argument: Handover(argument))
        DelayedCall.add(call)
        SimulatedPhone.lastProcess?.atEnd { [timer = call.timer] in
            DelayedCall.cancel { $0.timer.value === timer.value }
        }
        RunLoop.current.add(timer, forMode: .default)
    }

    /// Ends that methods of that object are called after a delay.
    public class func cancelPreviousPerformRequests(withTarget target: Any) {
        let target = target as AnyObject
        DelayedCall.cancel { $0.target.value === target }
    }

    /// Ends that a method of that object is called after a delay with that argument: the same object, or an equal one.
    public class func cancelPreviousPerformRequests(withTarget target: Any, selector: Selector, object: Any?) {
        let target = target as AnyObject
        DelayedCall.cancel {
            $0.target.value === target && $0.selector == selector && $0.hasArgument(object)
        }
    }
}

/// A call that waits for its timer.
private struct DelayedCall: Sendable {
    let timer: Handover<Timer>
    let target: Handover<NSObject>
    let selector: Selector
    let argument: Handover<Any?>

    private static let waiting = Locked<[DelayedCall]>([])

    static func add(_ call: DelayedCall) { waiting.withLock { $0.append(call) } }

    /// Removes those calls. They are released, which may run code of the app, after the lock is.
    static func take(where isTaken: (DelayedCall) -> Bool) -> [DelayedCall] {
        waiting.withLock { calls in
            let taken = calls.filter(isTaken)
            calls.removeAll(where: isTaken)
            return taken
        }
    }

    static func cancel(where isCancelled: (DelayedCall) -> Bool) {
        for call in take(where: isCancelled) { call.timer.value.invalidate() }
    }

    func perform() { selector(target.value, argument.value) }

    func hasArgument(_ object: Any?) -> Bool {
        switch (argument.value, object) {
        case (nil, nil): true
        case (let mine?, let other?):
            mine as AnyObject === other as AnyObject || (mine as? NSObject)?.isEqual(other) == true
        default: false
        }
    }
}
