import CProcessClock
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
