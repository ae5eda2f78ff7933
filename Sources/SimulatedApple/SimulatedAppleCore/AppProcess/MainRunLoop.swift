import ApusTimers
import CProcessClock
import Dispatch
import Foundation

/// Foundation's timers in the process of an app, as on a phone.
///
/// Foundation on Linux does not keep `Timer.tolerance`, and fires a `Timer(timeInterval:repeats:block:)` at once. Module
/// CProcessClock has functions in the place of those.
///
/// Rules: Apple, "Timer" and "tolerance": a timer fires at its fire date or up to its tolerance later, never before; the
/// fire dates of one that repeats stay what they were, however late it fired. Core Foundation's source: the tolerance of
/// one that repeats is at most half of its interval. When the system wakes an app for it is Apple's choice; here the
/// app is woken as rarely as possible: at the end of the earliest tolerance, and whatever has reached its date fires
/// then.
enum RunLoopTimers {
    /// Begins with it, once time is virtual. False when this Foundation is not as it has to be for this.
    static func begin() -> Bool { run_loop_timers_begin() && areAsOnPhone }

    /// Not optimized, as the tests' apps are not: the optimizer puts the initializer of a timer with an interval in the
    /// place of its call, and then nothing can stand in for it.
    @_optimize(none)
    private static var areAsOnPhone: Bool {
        let (timer, later) = (
            Timer(timeInterval: 10, repeats: true) { _ in }, Timer(timeInterval: 30, repeats: true) { _ in }
        )
        timer.tolerance = 1
        let isLater = abs(later.fireDate.timeIntervalSince(timer.fireDate) - 20) < 0.001
        defer { for timer in [timer, later] { timer.invalidate() } }
        return timer.tolerance == 1 && isLater
    }

    static let warning = """
        this Foundation keeps no Timer.tolerance, or fires a Timer(timeInterval:repeats:block:) at once: timers of this \
        app do not behave as on a phone there
        """
}

/// The main run loop while the user scrolls: it runs in another mode, so timers of the `default` mode wait.
///
/// Rule: Apple, Threading Programming Guide, "Run Loops": event tracking has a mode of its own, which is a common mode.
final class ScrollingLoop: Sendable {
    /// `UITrackingRunLoopMode` of UIKit.
    static let mode = RunLoop.Mode("UITrackingRunLoopMode")

    private let isScrolling = Locked(false)

    init() {
        let isCommon = main_run_loop_add_common_mode(Self.mode.rawValue)
        precondition(isCommon, "Foundation has no main run loop")
        // A run loop without a timer in its mode would end at once.
        RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .common)
    }

    /// The main run loop enters or leaves the mode when its thread comes to it. From any thread.
    func set(_ isScrolling: Bool) {
        let wasScrolling = self.isScrolling.withLock { value in
            defer { value = isScrolling }
            return value
        }
        guard isScrolling != wasScrolling else { return }
        process_clock_wake()
        if isScrolling {
            RunLoop.main.perform(inModes: [.default]) { [self] in
                while self.isScrolling.withLock({ $0 }), RunLoop.main.run(mode: Self.mode, before: .distantFuture) {}
            }
        }
        // The main queue wakes the run loop.
        DispatchQueue.main.async {}
    }
}
