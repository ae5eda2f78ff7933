/// The schedule of a recurrence rule in a text or a calendar file, and the names of the parts that were ignored.
public struct RecurrenceText: Sendable, Hashable {
    /// The schedule.
    public let schedule: CalendarSchedule
    /// The names of the parts that have no effect on the schedule, each once, in the order of the text.
    ///
    /// They are the names of properties and components of an event, such as `SUMMARY` and `VALARM`. If DTSTART is a
    /// date, BYHOUR, BYMINUTE and BYSECOND are ignored too.
    public let ignored: [String]

    /// Whether a text begins as properties do.
    ///
    /// The command reads such a text as a rule, and not as the path of a file.
    package static func isProperties(_ text: String) -> Bool { RecurrenceParser.isProperty(text.trimmingWhitespace) }

    /// Whether a text begins as an event or a calendar file does.
    package static func isEvent(_ text: String) -> Bool { ICalendar.isContained(in: text) }

    init(schedule: CalendarSchedule, ignored: [String]) {
        self.schedule = schedule
        var seen: Set<String> = []
        self.ignored = ignored.filter { seen.insert($0).inserted }
    }

    /// Reads properties of RFC 5545, a `VEVENT`, or an iCalendar file with one event.
    ///
    /// A changed occurrence of the event (RECURRENCE-ID) is left out at its former time and due at its new one. An
    /// event without RRULE is due at DTSTART.
    ///
    /// - Parameters:
    ///   - text: The properties, on lines of their own or separated by spaces; or the text of the event or file.
    ///   - start: The start of properties without DTSTART.
    /// - Throws: ``ScheduleTextError``. For an event or a file, the column of the error is counted within the line.
    public init(_ text: String, start: CivilDateTime? = nil) throws(ScheduleTextError) {
        self = try RecurrenceParser.parse(text, start: start.map { .at($0) })
    }

    /// Reads a rule that a person types.
    ///
    /// Without DTSTART, the rule starts at `now`, rounded down to the minute or the hour unless the rule names seconds.
    init(_ text: String, typedAt now: CivilDateTime) throws(ScheduleTextError) {
        self = try RecurrenceParser.parse(text, start: .typed(at: now))
    }
}

extension CalendarSchedule {
    /// Reads a recurrence rule of RFC 5545, or an event as ``RecurrenceText`` does.
    ///
    /// The properties of a rule, such as `DTSTART:20261124T090000` and `RRULE:FREQ=MONTHLY;BYDAY=-1FR`, are on lines of
    /// their own or separated by spaces. EXDATE and RDATE are read too.
    ///
    /// - Parameters:
    ///   - recurrence: The properties, or the text of the event.
    ///   - start: The start of a text without DTSTART.
    /// - Throws: ``ScheduleTextError`` with the column.
    public init(recurrence: String, start: CivilDateTime? = nil) throws(ScheduleTextError) {
        self = try RecurrenceText(recurrence, start: start).schedule
    }

    /// The schedule as properties of RFC 5545, one on each line; nil if such properties cannot express it.
    public var recurrence: String? {
        guard case .recurrence(let rule) = rule, from == nil, until == nil, count == nil, spread == 0 else {
            return nil
        }
        // If the zone is UTC, date-times in UTC are read as those of the zone, so they cannot be printed separately.
        guard timeZone != "UTC" || rule.utcExceptions.isEmpty && rule.utcExtras.isEmpty else { return nil }
        var dates: [CivilDate] = []
        for exclusion in exclusions {
            guard case .dates(let range) = exclusion, range.lowerBound == range.upperBound,
                dates.last.map({ $0 < range.lowerBound }) ?? true
            else { return nil }
            dates.append(range.lowerBound)
        }
        return RecurrenceParser.print(rule, except: dates, timeZone: timeZone)
    }
}
