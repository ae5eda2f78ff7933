import ApusTimers

/// The little that a host needs of time: what it is, and one call later on the continuous clock.
struct HostTime: Sendable {
    /// Reads the continuous clock.
    var now: @Sendable () -> ContinuousInstant
    /// Calls the action once after that long; the result cancels it.
    var schedule: @Sendable (Duration, _ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    init(
        now: @escaping @Sendable () -> ContinuousInstant,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    ) {
        self.now = now
        self.schedule = schedule
    }

    /// Time as the engine keeps it.
    init(engine: TimerEngine) {
        now = { engine.time.continuous() }
        schedule = { delay, action in
            let timer = engine.schedule(after: delay, clock: .continuous, action)
            return { _ = timer.cancel() }
        }
    }
}
