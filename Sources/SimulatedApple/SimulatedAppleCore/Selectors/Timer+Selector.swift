public import Foundation

/// A timer that calls a method of an object.
///
/// It retains the object until it is invalidated or has fired for the last time.
private final class TargetTimer: Timer {
    private var target: AnyObject?
    private var selector: Selector?
    private var info: Any?
    private var isRepeating = false

    override var userInfo: Any? { info }

    static func make(
        _ date: Date, _ interval: TimeInterval, _ target: Any, _ selector: Selector, _ info: Any?, _ repeats: Bool
    ) -> TargetTimer {
        let timer = TargetTimer(fire: date, interval: interval, repeats: repeats) { ($0 as? TargetTimer)?.callTarget() }
        (timer.target, timer.selector, timer.info) = (target as AnyObject, selector, info)
        timer.isRepeating = repeats
        return timer
    }

    private func callTarget() {
        if let target, let selector { selector(target, self) }
        // Foundation on Linux would retain the timer's block after its last call.
        if !isRepeating { invalidate() }
    }

    override func invalidate() {
        super.invalidate()
        (target, info) = (nil, nil)
    }
}

/// A protocol to which only `Timer` conforms.
///
/// The initializers in its extension, unlike those of a class, can return an object of a subclass.
public protocol TargetTimerMaking {}

extension Timer: TargetTimerMaking {}

extension TargetTimerMaking where Self: Timer {
    /// Creates a timer that calls a method with the timer as its argument; add the timer to a run loop.
    ///
    /// The timer retains the object and `userInfo` until it is invalidated. The interval is in seconds.
    ///
    /// Rules: Apple, documentation/foundation/timer/init(timeinterval:target:selector:userinfo:repeats:).
    public init(
        timeInterval seconds: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) {
        // The date is computed here, because the timer of `Timer(timeInterval:repeats:block:)` fires at once if the
        // optimizer replaces that call by its body in Foundation on Linux.
        let date = Date(timeIntervalSinceReferenceDate: CFAbsoluteTimeGetCurrent() + max(seconds, 0.0001))
        self.init(
            fireAt: date, interval: seconds, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
    }

    /// Creates a timer that calls a method with the timer as its argument, first at a date; add the timer to a run
    /// loop.
    ///
    /// The timer retains the object and `userInfo` until it is invalidated. The interval is in seconds.
    ///
    /// Rules: Apple, documentation/foundation/timer/init(fireat:interval:target:selector:userinfo:repeats:).
    public init(
        fireAt date: Date, interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) {
        let timer = TargetTimer.make(date, interval, target, selector, userInfo, repeats)
        // The cast succeeds for `Timer`; its subclasses do not inherit initializers of extensions.
        self = timer as! Self
    }
}

extension Timer {
    /// Creates a timer that calls a method with the timer as its argument, and adds the timer to the current run loop
    /// in the default mode.
    ///
    /// The timer retains the object and `userInfo` until it is invalidated. The interval is in seconds.
    ///
    /// Rules: Apple, documentation/foundation/timer/scheduledtimer(timeinterval:target:selector:userinfo:repeats:).
    @discardableResult
    public class func scheduledTimer(
        timeInterval seconds: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = Timer(
            timeInterval: seconds, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}
