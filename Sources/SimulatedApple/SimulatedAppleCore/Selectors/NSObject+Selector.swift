import ApusTimers
public import Foundation

extension NSObject {
    /// Returns whether the object has this method.
    public func responds(to selector: Selector) -> Bool { selector.isMethod(of: self) }

    /// Calls a method without arguments; unlike on a phone, its result is not returned.
    public func perform(_ selector: Selector) { selector(self) }

    /// Calls a method with an argument; unlike on a phone, its result is not returned.
    public func perform(_ selector: Selector, with object: Any?) { selector(self, object) }

    /// Calls a method after a delay, in seconds, from the current run loop in its default mode.
    ///
    /// The object and the argument are retained until then. The call is cancelled when the app's process ends.
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

    /// Cancels all delayed calls of methods of this object.
    public class func cancelPreviousPerformRequests(withTarget target: Any) {
        let target = target as AnyObject
        DelayedCall.cancel { $0.target.value === target }
    }

    /// Cancels the delayed calls of a method of this object with this argument: the same object, or an equal one.
    public class func cancelPreviousPerformRequests(withTarget target: Any, selector: Selector, object: Any?) {
        let target = target as AnyObject
        DelayedCall.cancel {
            $0.target.value === target && $0.selector == selector && $0.hasArgument(object)
        }
    }
}

/// A method call that waits for its timer.
private struct DelayedCall: Sendable {
    let timer: Handover<Timer>
    let target: Handover<NSObject>
    let selector: Selector
    let argument: Handover<Any?>

    private static let waiting = Locked<[DelayedCall]>([])

    static func add(_ call: DelayedCall) { waiting.withLock { $0.append(call) } }

    /// Removes and returns calls; the caller releases the calls outside the lock, because the release can run code of
    /// the app.
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
