import ApusBackground
import ApusTimers

/// The host's time as the screens show it, and work on its main loop.
extension BackgroundHost {
    var now: WallInstant { engine.time.wall() }

    /// The wall clock as text.
    var stamp: String { now.iso8601 }

    /// Returns the reading of the wall clock at an instant of the continuous clock.
    ///
    /// The reading is right if the wall clock is not set before that instant.
    func wall(at instant: ContinuousInstant) -> WallInstant {
        now.advanced(by: engine.time.continuous().duration(to: instant))
    }

    /// Runs work on the main loop, and waits for its result.
    func onMainLoop<Result: Sendable>(_ work: @escaping @MainActor @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            mainLoop.run { continuation.resume(returning: work()) }
        }
    }

    /// Returns a paused timer whose ticks run on the main loop, also while the user scrolls.
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
    var seconds: Double { Double(wholeNanoseconds) / 1e9 }

    /// The duration in seconds with one decimal place, rounded down.
    var tenths: String {
        let tenths = max(0, wholeNanoseconds) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
