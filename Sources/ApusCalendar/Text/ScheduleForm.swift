/// The forms in which a schedule is written.
public enum ScheduleForm: String, Sendable, Hashable, Codable, CaseIterable {
    /// `every weekday at 18:30`
    case words
    /// `30 18 * * 1-5`, of five to seven fields, or `@daily`.
    case cron
    /// An event of systemd's calendar: `Mon..Fri *-*-* 18:30:00`.
    case calendar
    /// A recurrence rule of RFC 5545: `RRULE:FREQ=DAILY`.
    case rrule

    /// The form that a text seems to have: words begin with *every*, recurrence rules have `FREQ=` or begin with
    /// `BEGIN:`, and cron's fields are five to seven without a colon, or begin with `CRON_TZ=` or `TZ=`. What is none of
    /// these is an event of systemd's calendar.
    ///
    /// - Parameter text: The text of a schedule.
    public init(of text: String) {
        let tokens = Token.split(text)
        let first = tokens.first?.text.lowercased() ?? ""
        if first.hasPrefix("@") && !first.dropFirst().allSatisfy(\.isNumber) || tokens.first?.cronZone != nil {
            self = .cron
        } else if first == "every" {
            self = .words
        } else if text.uppercased().contains("FREQ=") || ICalendar.isContained(in: text) {
            self = .rrule
        } else if (5...7).contains(tokens.count), !tokens.contains(where: { $0.text.contains(":") }) {
            self = .cron
        } else {
            self = .calendar
        }
    }
}

extension CalendarSchedule {
    /// Reads a schedule in any of the forms.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - form: Its form; nil to detect it.
    ///   - now: The local date-time of the reader: where every second week is counted from, and where a recurrence rule
    ///     without DTSTART begins.
    /// - Throws: ``ScheduleTextError`` when the text cannot be read in that form.
    public init(text: String, form: ScheduleForm? = nil, now: CivilDateTime) throws(ScheduleTextError) {
        switch form ?? ScheduleForm(of: text) {
        case .words: try self.init(words: text, today: now.date)
        case .cron: try self.init(cron: text)
        case .calendar: try self.init(onCalendar: text)
        case .rrule: self = try RecurrenceText(text, typedAt: now).schedule
        }
    }

    /// The schedule in a form; nil where that cannot say it.
    ///
    /// - Parameter form: The form.
    /// - Returns: A text that is read as this schedule again.
    public func text(in form: ScheduleForm) -> String? {
        switch form {
        case .words: words
        case .cron: cron
        case .calendar: onCalendar
        case .rrule: recurrence
        }
    }
}
