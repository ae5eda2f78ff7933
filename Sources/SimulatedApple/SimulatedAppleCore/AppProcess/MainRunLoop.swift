import ApusTimers
import CProcessClock
import Dispatch
import Foundation

/// Foundation's timers in an app's process, which behave as on a phone.
///
/// Foundation on Linux ignores `Timer.tolerance`, and fires a `Timer(timeInterval:repeats:block:)` at once. The module
/// CProcessClock replaces the functions of Foundation that cause this.
///
/// Rules: Apple, "Timer" and "tolerance": a timer fires at its fire date or up to its tolerance later, never earlier,
/// and the fire dates of a repeating timer do not move when it fires late. Core Foundation's source: the tolerance of a
/// repeating timer is at most half of its interval. Apple leaves open when the system wakes an app for a timer. Here
/// the app is woken as rarely as possible: at the end of the earliest tolerance, when all timers that have reached
/// their dates fire.
enum RunLoopTimers {
    /// Replaces Foundation's functions, and returns whether timers behave as on a phone from then on.
    ///
    /// Time must already be virtual.
    static func begin() -> Bool {
        let isReplaced = run_loop_timers_begin { AppLink.current?.perform(.warn(RunLoopTimers.warningOfOptimizedCode)) }
        return isReplaced && areAsOnPhone
    }

    /// Whether timers now behave as on a phone.
    ///
    /// The property is not optimized, because the optimizer would inline the initializer of a timer with an interval,
    /// and an inlined function cannot be replaced.
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

    private static let warningOfOptimizedCode = """
        optimized code has created a Timer that fires at once; if it is a Timer(timeInterval:repeats:block:), compile the \
        app's target with -Onone, because the optimizer replaces this call by its body in Foundation on Linux
        """

    static let warning = """
        timers of this app do not behave as on a phone: this version of Foundation ignores Timer.tolerance, or fires a \
        Timer(timeInterval:repeats:block:) at once
        """
}

/// Runs the main run loop in another mode while the user scrolls, so that timers of the `default` mode wait.
///
/// Rule: Apple, Threading Programming Guide, "Run Loops": event tracking has a mode of its own, which is a common mode.
final class ScrollingLoop: Sendable {
    /// The mode `UITrackingRunLoopMode` of UIKit.
    static let mode = RunLoop.Mode("UITrackingRunLoopMode")

    private let isScrolling = Locked(false)

    init() {
        let isCommon = main_run_loop_add_common_mode(Self.mode.rawValue)
        guard isCommon else { fatalError("Foundation has no main run loop") }
        // A run loop without a timer in its mode would return at once.
        RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .common)
    }

    /// Makes the main run loop enter or leave the mode when it next runs; call it on any thread.
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
        // Work on the main queue wakes the run loop.
        DispatchQueue.main.async {}
    }
}
