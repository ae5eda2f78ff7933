import ApusTimers

/// The logic of a stopwatch, without clock, lock or store: one method an event, each says whether it changed anything.
struct StopwatchMachine: Sendable {
    enum State: Sendable, Hashable {
        case idle
        /// So much had passed at an instant.
        case running(elapsed: Duration, since: ContinuousInstant)
        case paused(elapsed: Duration)
    }

    private(set) var state = State.idle
    private(set) var laps: [Duration] = []

    init() {}

    /// What a record says by now.
    init(_ record: StopwatchRecord?, now: HostReading) {
        guard let record else { return }
        laps = record.laps
        switch record.state {
        case .running(let elapsed, let instant):
            // A wall clock that was set back over a restart of the machine must not take away what had passed.
            let since = max(.zero, .zero - instant.duration(from: now))
            state = .running(elapsed: (elapsed + since).clamped, since: now.continuous)
        case .paused(let elapsed):
            state = .paused(elapsed: elapsed)
        }
    }

    /// What is to be stored.
    func record(now: HostReading) -> StopwatchRecord? {
        switch state {
        case .idle: nil
        case .running:
            StopwatchRecord(.running(elapsed: elapsed(at: now.continuous), at: now.stored(in: .zero)), laps: laps)
        case .paused(let elapsed): StopwatchRecord(.paused(elapsed: elapsed), laps: laps)
        }
    }

    func elapsed(at now: ContinuousInstant) -> Duration {
        switch state {
        case .idle: .zero
        case .running(let elapsed, let since): (elapsed + since.duration(to: now)).clamped
        case .paused(let elapsed): elapsed
        }
    }

    // MARK: Events

    /// From zero, whatever it did before.
    mutating func start(now: HostReading) {
        state = .running(elapsed: .zero, since: now.continuous)
        laps = []
    }

    mutating func pause(now: HostReading) -> Bool {
        guard case .running = state else { return false }
        state = .paused(elapsed: elapsed(at: now.continuous))
        return true
    }

    mutating func resume(now: HostReading) -> Bool {
        guard case .paused(let elapsed) = state else { return false }
        state = .running(elapsed: elapsed, since: now.continuous)
        return true
    }

    mutating func lap(now: HostReading) -> Bool {
        guard case .running = state else { return false }
        laps.append(elapsed(at: now.continuous))
        return true
    }

    mutating func reset() -> Bool {
        if case .idle = state { return false }
        self = StopwatchMachine()
        return true
    }
}
