import ApusCalendar
import ApusTimers

extension Trigger: Codable {
    /// Decodes an object with ``name`` and the properties of that kind of trigger, such as `{"name": "every",
    /// "intervalNanoseconds": 3600000000000, "count": 3}`.
    ///
    /// The objects of the other kinds are `{"name": "at", "instant": …}`, `{"name": "after", "delayNanoseconds": …}`,
    /// and `{"name": "calendar", …}` with the fields of `CalendarTrigger`. A trigger `every` may have an `anchor`.
    /// Instants are integers: nanoseconds since 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let name = try container.decode(String.self, forKey: "name")
        switch name {
        case "at": self = .at(try container.decode(WallInstant.self, forKey: "instant"))
        case "after": self = .after(try container.decode(durationForKey: "delay"))
        case "every":
            self = .every(
                try container.decode(durationForKey: "interval"),
                anchoredAt: try container.decodeIfPresent(WallInstant.self, forKey: "anchor"),
                count: try container.decodeIfPresent(Int.self, forKey: "count"))
        case "calendar": self.init(kind: .calendar(try CalendarTrigger(from: decoder)))
        default:
            throw DecodingError.unknown(
                name, accepted: ["at", "after", "every", "calendar"], at: container.codingPath + [FieldName("name")])
        }
    }

    /// Encodes an object with ``name`` and the properties that have a value; see ``init(from:)``.
    ///
    /// - Throws: `EncodingError` for a duration of 292 years or more, which no job may have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try container.encode(name, forKey: "name")
        if let calendar { return try calendar.encode(to: encoder) }
        try container.encodeIfPresent(instant, forKey: "instant")
        if let delay { try container.encode(duration: delay, forKey: "delay") }
        if let interval { try container.encode(duration: interval, forKey: "interval") }
        try container.encodeIfPresent(anchor, forKey: "anchor")
        try container.encodeIfPresent(count, forKey: "count")
    }
}

extension CalendarTrigger: Codable {
    private enum Key: String, CodingKey {
        case schedule, timeZone, gap, repeated, count
    }

    /// Decodes an object with a `schedule` in its stored form and a `timeZone`; `gap`, `repeated` and `count` may be
    /// missing.
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

    /// Encodes an object; see ``init(from:)``.
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

    /// The JSON text that a store keeps for the trigger.
    package var stored: String {
        guard let json else { preconditionFailure("a schedule was not validated before it was stored") }
        return json
    }

    /// Whether all values of the schedule are in range, so that it can be encoded, and its stored form is within the
    /// limit.
    var isStorable: Bool { json.map { $0.utf8.count <= JobLimits.scheduleBytes } ?? false }

    private var json: String? { (try? JobJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Decodes a trigger from its stored text; returns `nil` if the text is invalid.
    package init?(stored: String) {
        guard let trigger = try? JobJSON.decode(CalendarTrigger.self, from: Array(stored.utf8)) else { return nil }
        self = trigger
    }
}
