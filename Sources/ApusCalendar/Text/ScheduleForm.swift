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

    /// The form that a text seems to have: recurrence rules have `FREQ=` or begin with `BEGIN:`, and cron's fields are five
    /// to seven without a colon, a name after `@`, or begin with `CRON_TZ=` or `TZ=`. What is an event of systemd's calendar
    /// is one; everything else is words.
    ///
    /// - Parameter text: The text of a schedule.
    public init(of text: String) {
        let form = Self(notationOf: text)
        guard form == .calendar else {
            self = form
            return
        }
        // What would be the name of a zone may be a word: `9:00 daily`.
        let event = try? OnCalendarParser.parse(text)
        let isEvent = event.map { $0.timeZone?.contains { $0 == "/" || $0.isUppercase } ?? true } ?? !text.beginsInWords
        self = isEvent ? .calendar : .words
    }

    /// The same without reading the text: words begin with *every*, as they are printed.
    init(notationOf text: String) {
        let tokens = Token.split(text)
        let first = tokens.first?.text.lowercased() ?? ""
        if first.hasPrefix("@") && !first.dropFirst().allSatisfy(\.isNumber) || tokens.first?.cronZone != nil {
            self = .cron
        } else if first == "every" {
            self = .words
        } else if text.uppercased().contains("FREQ=") || ICalendar.isContained(in: text) {
            self = .rrule
        } else if (4...7).contains(tokens.count) || tokens.count > 7 && tokens.prefix(5).allSatisfy(\.text.isField),
            !tokens.prefix(7).contains(where: { $0.text.contains(":") }),
            tokens.first(where: { $0.cronZone == nil })?.text.isField == true, tokens[1].text.isField
        {
            self = .cron
        } else {
            self = .calendar
        }
    }
}

extension String {
    /// Whether it can be cron's field of minutes or hours, which have no names.
    fileprivate var isField: Bool { allSatisfy { $0.isNumber || "*?/,-~+H()".contains($0) } }

    /// Whether it is `UTC` or a name of a zone with a slash, and no field such as `MON-FRI/2`.
    fileprivate var isZoneAfterFields: Bool {
        guard ZoneDatabase.isName(self) else { return false }
        return self == "UTC" || split(separator: "/").dropFirst().first?.first?.isLetter == true
    }

    /// Whether some word is one of schedules in words.
    fileprivate var beginsInWords: Bool {
        let tokens = PhraseToken.split(self)
        let vocabulary = Vocabulary.of(tokens)
        return tokens.contains { token in
            vocabulary.senses[token.lower]?.contains { sense in
                if case .weekday = sense.meaning { sense.isPlural } else { true }
            } ?? false
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
        case .cron: try self.init(cronLine: text)
        case .calendar: try self.init(onCalendar: text)
        case .rrule: self = try RecurrenceText(text, typedAt: now).schedule
        }
    }

    /// Reads fields of cron, after which a time zone may stand. What follows the fields in a line of a crontab is an
    /// error of its own, as is a field that is missing.
    private init(cronLine text: String) throws(ScheduleTextError) {
        let tokens = Token.split(text)
        if let last = tokens.last, tokens.count > 1, last.text.isZoneAfterFields {
            self = try CalendarSchedule(cron: String(text.prefix(last.column - 1)))
            guard timeZone == nil else { throw last.error("one time zone") }
            timeZone = last.text
            return
        }
        do { self = try CalendarSchedule(cron: text) } catch {
            func read(_ text: String) -> Bool { (try? CalendarSchedule(cron: text)) != nil }
            var error = error
            if tokens.count > 5, !tokens[5].text.isField, Names.weekday(tokens[5].text.prefix(3)) == nil {
                let fields = String(text.prefix(tokens[5].column - 1)).trimmingWhitespace
                if read(fields) {
                    error = tokens[5].error("the fields alone: the rest of a line of a crontab is a command")
                    error.suggestions = [fields]
                }
            } else if tokens.count == 4, read(text + " *") {
                error = Token(text: "", column: text.count + 1).error(
                    "a fifth field: minute, hour, day of the month, month, day of the week")
                error.suggestions = [text.trimmingWhitespace + " *"]
            }
            throw error
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
