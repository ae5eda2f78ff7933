public import ApusTimers

/// The logic of a countdown, without clock, lock, store or notifications: one method an event, each says whether it
/// changed anything. What there is to do after a change follows from the new state: see ``Countdown``.
struct CountdownMachine: Sendable {
    enum State: Sendable, Hashable {
        case idle
        /// The wall instant is what is shown and stored; the continuous one decides.
        case running(stop: ContinuousInstant, shown: WallInstant)
        case paused(remaining: Duration)
        case finished(at: WallInstant, unseen: Bool)
    }

    private(set) var state = State.idle
    /// Which state this is, counted: what was begun for an earlier one is out of date.
    private(set) var epoch = 0

    init() {}

    /// What a record says by now. What ended since then has ended unseen.
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

    /// What is to be stored.
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
        // One whose stop has come is about to finish.
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
        /// Nothing is counted down.
        case ignored
        /// Nothing would be left of it.
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

    /// The instant for which the engine was armed has come: when the countdown finished, unless that is out of date.
    mutating func stopReached(epoch: Int, now: HostReading, isWatched: Bool) -> WallInstant? {
        guard epoch == self.epoch, case .running(let stop, _) = state else { return nil }
        precondition(now.continuous >= stop, "the engine fires no timer before its deadline")
        let instant = now.wall.advanced(by: now.continuous.duration(to: stop))
        enter(.finished(at: instant, unseen: !isWatched))
        return instant
    }

    /// The wall clock was set: the countdown stays where it is, so its instant is called something else.
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

/// What is stored of a countdown. A countdown that is idle has no record.
public struct CountdownRecord: Codable, Sendable, Hashable {
    /// What the countdown does.
    public enum State: Sendable, Hashable {
        /// It runs, and ends at an instant.
        case running(stop: StoredInstant)
        /// It is paused with that much left.
        case paused(remaining: Duration)
        /// It has ended; `unseen` when the end was not yet shown.
        case finished(at: WallInstant, unseen: Bool)
    }

    /// What the countdown does.
    public var state: State

    /// A record.
    public init(_ state: State) { self.state = state }

    private enum Name: String, Codable { case running, paused, finished }
    private enum Key: String, CodingKey {
        case version, state, stopWall, stopContinuous, boot, remaining, finishedAt, unseen
    }

    /// Reads a record.
    ///
    /// - Throws: `DecodingError` when it is incomplete, of another version, or makes no sense.
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

    /// Writes the record: instants and durations in nanoseconds, under names that stay.
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
