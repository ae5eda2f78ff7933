import ApusTimers

extension Trigger: Codable {
    /// Reads an object with ``name`` and the properties that go with it, as in
    /// `{"name": "every", "intervalNanoseconds": 3600000000000, "count": 3}`.
    ///
    /// The others are `{"name": "at", "instant": …}`, `{"name": "after", "delayNanoseconds": …}`, and
    /// `{"name": "calendar", …}` with what `CalendarTrigger` writes; `every` may have an `anchor`. Instants are integers,
    /// nanoseconds since 1970.
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

    /// Writes an object with ``name`` and those properties that have a value; see ``init(from:)``.
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
