import ApusTimers

/// What is stored of a stopwatch. A stopwatch that was reset has no record.
public struct StopwatchRecord: Codable, Sendable, Hashable {
    /// What the stopwatch does.
    public enum State: Sendable, Hashable {
        /// It runs: at an instant, `elapsed` had passed.
        case running(elapsed: Duration, at: StoredInstant)
        /// It stands still.
        case paused(elapsed: Duration)
    }

    /// What the stopwatch does.
    public var state: State
    /// What had passed at each lap, the earliest first.
    public var laps: [Duration]

    /// A record.
    public init(_ state: State, laps: [Duration] = []) {
        self.state = state
        self.laps = laps
    }

    private enum Name: String, Codable { case running, paused }
    private enum Key: String, CodingKey { case version, state, elapsed, wall, continuous, boot, laps }

    /// Reads a record.
    ///
    /// - Throws: `DecodingError` when it is incomplete, of another version, or makes no sense.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        try RecordCoding.checkVersion(container, .version, of: "stopwatch")
        let elapsed = try container.decode(Duration.self, forKey: .elapsed)
        laps = try container.decode([Int64].self, forKey: .laps).map { .nanoseconds($0) }
        switch try container.decode(Name.self, forKey: .state) {
        case .running:
            state = .running(
                elapsed: elapsed,
                at: StoredInstant(
                    wall: try container.decode(WallInstant.self, forKey: .wall),
                    boot: try container.decodeIfPresent(String.self, forKey: .boot),
                    continuous: try container.decode(ContinuousInstant.self, forKey: .continuous)))
        case .paused:
            state = .paused(elapsed: elapsed)
        }
    }

    /// Writes the record: instants and durations in nanoseconds, under names that stay.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(RecordCoding.version, forKey: .version)
        try container.encode(laps.map(\.wholeNanoseconds), forKey: .laps)
        switch state {
        case .running(let elapsed, let instant):
            try container.encode(Name.running, forKey: .state)
            try container.encode(elapsed, forKey: .elapsed)
            try container.encode(instant.wall, forKey: .wall)
            try container.encodeIfPresent(instant.boot, forKey: .boot)
            try container.encode(instant.continuous, forKey: .continuous)
        case .paused(let elapsed):
            try container.encode(Name.paused, forKey: .state)
            try container.encode(elapsed, forKey: .elapsed)
        }
    }
}
