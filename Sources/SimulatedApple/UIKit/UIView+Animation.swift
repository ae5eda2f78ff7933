import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

extension UIView {
    /// How an animation goes. Only the name is here.
    public struct AnimationOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Touches reach the views meanwhile.
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        /// It begins where the last one is.
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        /// It repeats without end.
        public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
        /// It goes back, too.
        public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
        /// Slow at both ends.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slow at the beginning.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slow at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// At one speed.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        /// One view dissolves into another.
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    }

    /// Makes changes at once, and calls `completion` when the animation is over.
    ///
    /// A view's properties have their new values as soon as `animations` returns; only what the screen shows comes
    /// later, and there is no screen here. `completion` is called on the main loop after `delay` and `duration` of
    /// the device's uptime, with `true`; with both zero in the next pass of the main loop. It is never called for an
    /// animation that repeats, and not in a process that has ended. While the app is suspended no time passes for it.
    ///
    /// Rule: Apple, documentation/uikit/uiview/animate(withduration:delay:options:animations:completion:).
    ///
    /// - Parameters:
    ///   - duration: How long it lasts, in seconds.
    ///   - delay: How long it waits before it begins, in seconds.
    ///   - options: How it goes. Only `repeat` has an effect here.
    ///   - animations: Makes the changes. It is called before this returns, whatever the delay is.
    ///   - completion: Called at the end.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        guard let completion, !options.contains(.repeat) else { return }
        let host = SimulatedPhone.process.host
        let handler = Handover(completion)
        host.engine.schedule(after: .seconds(max(0, delay) + max(0, duration)), clock: .uptime) {
            host.mainLoop.run(in: .common) { handler.value(true) }
        }
    }

    /// Makes changes at once, and calls `completion` when the animation is over; see
    /// ``animate(withDuration:delay:options:animations:completion:)``.
    public class func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) { animate(withDuration: duration, delay: 0, animations: animations, completion: completion) }

    /// The same with a spring, which has no effect here.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping dampingRatio: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(withDuration: duration, delay: delay, options: options, animations: animations, completion: completion)
    }

    /// The same for a change of one view's contents.
    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        animate(
            withDuration: duration, delay: 0, options: options, animations: animations ?? {}, completion: completion)
    }

    /// Makes changes without an animation.
    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }
}
