import ApusBackground
import ApusTimers

/// The host's time as the screens show it, and work that comes back to the main loop.
extension BackgroundHost {
    /// The present moment.
    var now: WallInstant { engine.time.wall() }

    /// The present moment as text.
    var stamp: String { now.iso8601 }

    /// What the wall clock, as it is set now, will show at an instant of the continuous clock.
    func wall(at instant: ContinuousInstant) -> WallInstant {
        now.advanced(by: engine.time.continuous().duration(to: instant))
    }

    /// Does something on the main loop, and waits for it.
    func onMainLoop<Result: Sendable>(_ work: @escaping @MainActor @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            mainLoop.run { continuation.resume(returning: work()) }
        }
    }

    /// A suspended timer whose ticks are work of the main loop, also while the user scrolls.
    func ticker(
        every interval: Duration, tolerance: Duration = .zero, _ tick: @escaping @MainActor @Sendable () -> Void
    ) -> RepeatingTimer {
        do throws(TimerError) {
            return try RepeatingTimer(every: interval, tolerance: tolerance, engine: engine) { [mainLoop] _ in
                mainLoop.run(in: .common, tick)
            }
        } catch {
            preconditionFailure("the app's intervals are positive: \(error)")
        }
    }
}

extension Duration {
    /// As a number of seconds.
    var seconds: Double { Double(wholeNanoseconds) / 1e9 }

    /// In seconds with one decimal place, rounded down.
    var tenths: String {
        let tenths = max(0, wholeNanoseconds) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
