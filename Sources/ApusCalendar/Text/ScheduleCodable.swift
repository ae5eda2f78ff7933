/// Stores a schedule as an object with its rule as text, and its bounds and exclusions.
///
///     {"rule": "every weekday at 18:30", "timeZone": "Europe/Berlin", "until": "2027-12-31T23:59:59",
///      "except": ["2026-12-24/2026-12-26", {"rule": "every month on the last friday at 18:30"}]}
///
/// - `rule`: the rule in the first of these forms that is parsed as the same rule: words, cron, a calendar event of
///   systemd, properties of RFC 5545. When decoding, every form is accepted.
/// - `fields`, instead of `rule`: a rule that none of these forms can express; see ``StoredFields``.
/// - `timeZone`: the IANA name.
/// - `from`, `until`: local date-times, `2026-12-24T18:00:00`.
/// - `count`: 0 to 10000.
/// - `except`: dates `2026-12-24`, ranges of dates `2026-12-24/2026-12-26`, and other schedules.
/// - `spread`: seconds, 0 to 31622400.
///
/// Keys without a value are left out.
extension CalendarSchedule: Codable {
    private enum Key: String, CodingKey {
        case rule, fields, timeZone, from, until, count, except, spread
    }

    /// The maximum depth of schedules that exclude schedules, because the cost of a search grows with it.
    static let largestDepth = 4

    /// Decodes a schedule from its stored form.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a value is missing or out of range, or the rule is not valid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .rule) {
            switch Result(catching: { () throws(ScheduleTextError) in try Self.read(text) }) {
            case .success(let schedule): self = schedule
            case .failure(let error):
                throw DecodingError.dataCorruptedError(
                    forKey: .rule, in: container, debugDescription: error.description)
            }
        } else {
            self.init(.fields(try container.decode(StoredFields.self, forKey: .fields).fields))
        }
        func bounded(_ key: Key, _ range: ClosedRange<Int>) throws -> Int? {
            guard let value = try container.decodeIfPresent(Int.self, forKey: key) else { return nil }
            guard range.contains(value) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "\(value) is not from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        if let zone = try container.decodeIfPresent(String.self, forKey: .timeZone) { timeZone = zone }
        // The words of the rule may have set both bounds, and EXDATE may have set exclusions.
        from = try container.decodeIfPresent(CivilDateTime.self, forKey: .from) ?? from
        until = try container.decodeIfPresent(CivilDateTime.self, forKey: .until) ?? until
        count = try bounded(.count, 0...Self.largestCount)
        spread = try bounded(.spread, 0...Self.largestSpread) ?? 0
        exclusions += try container.decodeIfPresent([Exclusion].self, forKey: .except) ?? []
        if depth > Self.largestDepth {
            throw DecodingError.dataCorruptedError(
                forKey: .except, in: container,
                debugDescription: "schedules exclude schedules more than \(Self.largestDepth) levels deep")
        }
    }

    /// Encodes the schedule in its stored form, which is decoded as an equal schedule.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` if a value of the schedule is outside its documented range.
    public func encode(to encoder: any Encoder) throws {
        func invalid(_ what: String) -> EncodingError {
            .invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: what))
        }
        guard (0...Self.largestSpread).contains(spread), (0...Self.largestCount).contains(count ?? 0),
            depth <= Self.largestDepth
        else { throw invalid("the spread, the count or the depth of the exclusions is out of range") }
        var container = encoder.container(keyedBy: Key.self)
        if let text = ruleText {
            try container.encode(text, forKey: .rule)
        } else if case .fields(let fields) = rule {
            let stored = StoredFields(fields)
            guard (try? stored.fields) == fields else { throw invalid("a field is out of range") }
            try container.encode(stored, forKey: .fields)
        } else {
            throw invalid("a part of the recurrence rule is out of range")
        }
        try container.encodeIfPresent(timeZone, forKey: .timeZone)
        try container.encodeIfPresent(from, forKey: .from)
        try container.encodeIfPresent(until, forKey: .until)
        try container.encodeIfPresent(count, forKey: .count)
        if !exclusions.isEmpty { try container.encode(exclusions, forKey: .except) }
        if spread != 0 { try container.encode(spread, forKey: .spread) }
    }

    /// The rule as text, in the first form that reads back as the same rule; nil if none does.
    package var ruleText: String? {
        let bare = CalendarSchedule(rule)
        for form in ScheduleForm.allCases {
            let said = form == .words ? bare.storedWords : bare.text(in: form)
            guard let text = said?.replacing("\n", with: " ") else { continue }
            if let read = try? Self.read(text), read == bare { return text }
        }
        return nil
    }

    /// Parses a stored text, whose meaning never depends on the time of reading.
    private static func read(_ text: String) throws(ScheduleTextError) -> CalendarSchedule {
        switch ScheduleForm(notationOf: text) {
        case .words: try SchedulePhrase.parse(text, today: nil, isStored: true)
        case .cron: try CalendarSchedule(cron: text)
        case .calendar: try CalendarSchedule(onCalendar: text)
        case .rrule: try CalendarSchedule(recurrence: text)
        }
    }

    private var depth: Int {
        exclusions.map { exclusion in
            switch exclusion {
            case .dates: 0
            case .schedule(let other): 1 + other.depth
            }
        }.max() ?? 0
    }
}

extension CalendarSchedule.Exclusion: Codable {
    /// Decodes `2026-12-24`, `2026-12-24/2026-12-26`, or a schedule.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if it is none of these.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            self = .schedule(try container.decode(CalendarSchedule.self))
            return
        }
        let ends = text.split(separator: "/", omittingEmptySubsequences: false).map { CivilDate($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "“\(text)” is not a date such as 2026-12-24, nor a range such as 2026-12-24/2026-12-26")
        }
        self = .dates(first...last)
    }

    /// Encodes a date, a range of dates with a slash, or a schedule.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` if a date is not of the years 1 to 9999, or if the schedule cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .schedule(let other): try container.encode(other)
        case .dates(let range):
            let ends = [range.lowerBound, range.upperBound]
            guard ends.allSatisfy({ CivilDate($0.description) == $0 }) else {
                throw EncodingError.invalidValue(
                    range, .init(codingPath: encoder.codingPath, debugDescription: "a date outside the years 1 to 9999")
                )
            }
            try container.encode(ends[0] == ends[1] ? "\(ends[0])" : "\(ends[0])/\(ends[1])")
        }
    }
}
