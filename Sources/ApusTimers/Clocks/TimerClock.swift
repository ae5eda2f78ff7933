/// A Swift `Clock` over a ``TimerEngine``, for everything that takes a clock, for example `debounce(for:clock:)` of
/// swift-async-algorithms.
///
/// `sleep(until:tolerance:)` creates no task, honours the tolerance, and when cancelled leaves no timer.
public struct TimerClock<Instant: NanosecondInstant>: Clock {
    /// Time is measured in `Swift.Duration`, to the nanosecond.
    public typealias Duration = Swift.Duration

    /// The engine that the sleeps run on.
    public let engine: TimerEngine

    /// The clock of that engine which the instant's type names.
    public init(engine: TimerEngine) { self.engine = engine }

    /// The present instant.
    public var now: Instant { engine.time.now() }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until `deadline`, or up to `tolerance` later (nil: none). An instant that has passed
    /// returns at once.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the engine shut down.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await engine.sleep(until: deadline, tolerance: tolerance ?? .zero)
    }
}

extension TimerClock where Instant == ContinuousInstant {
    /// The monotonic clock that counts while the machine sleeps.
    public static func continuous(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}

extension TimerClock where Instant == UptimeInstant {
    /// The monotonic clock that stops while the machine sleeps.
    public static func uptime(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}

extension TimerClock where Instant == WallInstant {
    /// The time of day: sleeps are looked at again when it is set.
    public static func wall(engine: TimerEngine = .shared) -> TimerClock { TimerClock(engine: engine) }
}
