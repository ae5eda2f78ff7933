public import ApusTimers

/// The rules of a countdown as a pure state machine, without clock, lock, store or notifications.
///
/// It has one method for each event. After a change, ``Countdown`` derives from the new state what must be done.
struct CountdownMachine: Sendable {
    enum State: Sendable, Hashable {
        case idle
        /// The countdown ends at `stop`; `shown` is the same instant on the wall clock, for display and for the record.
        case running(stop: ContinuousInstant, shown: WallInstant)
        case paused(remaining: Duration)
        case finished(at: WallInstant, unseen: Bool)
    }

    private(set) var state = State.idle
    /// The number of state changes so far, which identifies the state for which a timer was armed.
    private(set) var epoch = 0

    init() {}

    /// Restores the state from a record; a countdown whose stop instant has passed is then finished and unseen.
    init(_ record: CountdownRecord?, now: HostReading) {
        switch record?.state {
        case nil:
            break
        case .running(let stop):
            let left = stop.duration(from: now)
            state =
                left > .zero
                ? .running(stop: now.continuous.advanced(by: left), shown: now.wall.advanced(by: left))
                : .finished(at: now.wall.advanced(by: left), unseen: true)
        case .paused(let remaining):
            state = .paused(remaining: remaining)
        case .finished(let instant, let unseen):
            state = .finished(at: instant, unseen: unseen)
        }
    }

    /// Returns the record to store; `nil` for an idle countdown.
    func record(boot: String?) -> CountdownRecord? {
        switch state {
        case .idle: nil
        case .running(let stop, let shown):
            CountdownRecord(.running(stop: StoredInstant(wall: shown, boot: boot, continuous: stop)))
        case .paused(let remaining): CountdownRecord(.paused(remaining: remaining))
        case .finished(let instant, let unseen): CountdownRecord(.finished(at: instant, unseen: unseen))
        }
    }

    func remaining(at now: ContinuousInstant) -> Duration {
        switch state {
        case .idle, .finished: .zero
        case .running(let stop, _): max(.zero, now.duration(to: stop))
        case .paused(let remaining): remaining
        }
    }

    // MARK: Events

    mutating func start(for duration: Duration, now: HostReading) {
        precondition(duration > .zero, "the duration was validated")
        enter(.running(stop: now.continuous.advanced(by: duration), shown: now.wall.advanced(by: duration)))
    }

    mutating func pause(now: HostReading) -> Bool {
        // A countdown whose stop instant has been reached is about to finish.
        guard case .running(let stop, _) = state, stop > now.continuous else { return false }
        enter(.paused(remaining: now.continuous.duration(to: stop)))
        return true
    }

    mutating func resume(now: HostReading) -> Bool {
        guard case .paused(let remaining) = state else { return false }
        start(for: remaining, now: now)
        return true
    }

    enum ExtendAction: Equatable {
        case changed
        /// The countdown is neither running nor paused.
        case ignored
        /// No time would remain.
        case refused
    }

    mutating func extend(by duration: Duration, now: HostReading) -> ExtendAction {
        let left = remaining(at: now.continuous)
        let sum = (left + duration.clamped).clamped
        switch state {
        case .running where left > .zero:
            guard sum > .zero else { return .refused }
            start(for: sum, now: now)
        case .paused:
            guard sum > .zero else { return .refused }
            enter(.paused(remaining: sum))
        case .idle, .running, .finished:
            return .ignored
        }
        return .changed
    }

    mutating func cancel() -> Bool {
        if case .idle = state { return false }
        enter(.idle)
        return true
    }

    mutating func acknowledge() -> Bool {
        guard case .finished = state else { return false }
        enter(.idle)
        return true
    }

    /// Finishes the countdown at the instant for which the engine was armed.
    ///
    /// - Returns: The instant of the finish; `nil` if the timer was armed for an earlier state.
    mutating func stopReached(epoch: Int, now: HostReading, isWatched: Bool) -> WallInstant? {
        guard epoch == self.epoch, case .running(let stop, _) = state else { return nil }
        precondition(now.continuous >= stop, "the engine fires no timer before its deadline")
        let instant = now.wall.advanced(by: now.continuous.duration(to: stop))
        enter(.finished(at: instant, unseen: !isWatched))
        return instant
    }

    /// Adapts the wall-clock reading of the stop instant to the new wall clock, and returns whether the countdown runs.
    mutating func wallClockChanged(now: HostReading) -> Bool {
        guard case .running(let stop, _) = state else { return false }
        state = .running(stop: stop, shown: now.wall.advanced(by: now.continuous.duration(to: stop)))
        return true
    }

    private mutating func enter(_ state: State) {
        self.state = state
        epoch += 1
    }
}

/// The stored record of a countdown; an idle countdown has none.
public struct CountdownRecord: Codable, Sendable, Hashable {
    /// The state of the countdown.
    public enum State: Sendable, Hashable {
        /// The countdown runs until an instant.
        case running(stop: StoredInstant)
        /// The countdown is paused with a remaining time.
        case paused(remaining: Duration)
        /// The countdown has finished; `unseen` is true if no observer was called.
        case finished(at: WallInstant, unseen: Bool)
    }

    /// The state of the countdown.
    public var state: State

    /// Creates a record.
    public init(_ state: State) { self.state = state }

    private enum Name: String, Codable { case running, paused, finished }
    private enum Key: String, CodingKey {
        case version, state, stopWall, stopContinuous, boot, remaining, finishedAt, unseen
    }

    /// Decodes a record.
    ///
    /// - Throws: `DecodingError` if the record is incomplete, has another version or is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        try RecordCoding.checkVersion(container, .version, of: "countdown")
        switch try container.decode(Name.self, forKey: .state) {
        case .running:
            state = .running(
                stop: StoredInstant(
                    wall: try container.decode(WallInstant.self, forKey: .stopWall),
                    boot: try container.decodeIfPresent(String.self, forKey: .boot),
                    continuous: try container.decode(ContinuousInstant.self, forKey: .stopContinuous)))
        case .paused:
            state = .paused(remaining: try container.decode(Duration.self, forKey: .remaining))
        case .finished:
            state = .finished(
                at: try container.decode(WallInstant.self, forKey: .finishedAt),
                unseen: try container.decode(Bool.self, forKey: .unseen))
        }
    }

    /// Encodes the record, with instants and durations in nanoseconds, under stable names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(RecordCoding.version, forKey: .version)
        switch state {
        case .running(let stop):
            try container.encode(Name.running, forKey: .state)
            try container.encode(stop.wall, forKey: .stopWall)
            try container.encodeIfPresent(stop.boot, forKey: .boot)
            try container.encode(stop.continuous, forKey: .stopContinuous)
        case .paused(let remaining):
            try container.encode(Name.paused, forKey: .state)
            try container.encode(remaining, forKey: .remaining)
        case .finished(let instant, let unseen):
            try container.encode(Name.finished, forKey: .state)
            try container.encode(instant, forKey: .finishedAt)
            try container.encode(unseen, forKey: .unseen)
        }
    }
}
