public import ApusTimers

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
