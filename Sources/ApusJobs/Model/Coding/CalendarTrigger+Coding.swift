import ApusCalendar

extension CalendarTrigger: Codable {
    private enum Key: String, CodingKey {
        case schedule, timeZone, gap, repeated, count
    }

    /// Reads an object with a `schedule` in its stored form and a `timeZone`; `gap`, `repeated` and `count` may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decode(CalendarSchedule.self, forKey: .schedule),
            timeZone: try container.decode(String.self, forKey: .timeZone),
            policy: ClockPolicy(
                gap: try container.decodeIfPresent(GapPolicy.self, forKey: .gap) ?? .after,
                repeated: try container.decodeIfPresent(RepeatedPolicy.self, forKey: .repeated) ?? .first),
            count: try container.decodeIfPresent(Int.self, forKey: .count))
    }

    /// Writes an object; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for a schedule with values out of range, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(schedule, forKey: .schedule)
        try container.encode(timeZone, forKey: .timeZone)
        try container.encode(policy.gap, forKey: .gap)
        try container.encode(policy.repeated, forKey: .repeated)
        try container.encodeIfPresent(count, forKey: .count)
    }

    /// The form in a store: the same as JSON.
    package var stored: String {
        guard let json else { preconditionFailure("a schedule was not validated before it was stored") }
        return json
    }

    /// Whether all values of the schedule are in their ranges, and so can be written.
    var isStorable: Bool { json.map { $0.utf8.count <= JobLimits.scheduleBytes } ?? false }

    private var json: String? { (try? JobJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Reads the form in a store.
    package init?(stored: String) {
        guard let trigger = try? JobJSON.decode(CalendarTrigger.self, from: Array(stored.utf8)) else { return nil }
        self = trigger
    }
}
