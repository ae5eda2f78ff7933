import ApusTimers
import CProcessClock
import Dispatch
import Foundation

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
