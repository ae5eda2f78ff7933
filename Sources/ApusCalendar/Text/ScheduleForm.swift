/// The forms in which a schedule is written.
public enum ScheduleForm: String, Sendable, Hashable, Codable, CaseIterable {
    /// Words, such as `every weekday at 18:30`.
    case words
    /// A cron expression of five to seven fields, such as `30 18 * * 1-5`, or a name such as `@daily`.
    case cron
    /// A calendar event of systemd, such as `Mon..Fri *-*-* 18:30:00`.
    case calendar
    /// A recurrence rule of RFC 5545, such as `RRULE:FREQ=DAILY`.
    case rrule

    /// Detects the form of a text.
    ///
    /// A recurrence rule contains `FREQ=`, or begins with a property, a part of a rule, or `BEGIN:`. A cron expression
    /// is a name after `@`, begins with `CRON_TZ=`, `TZ=` or `cron(`, or consists of fields without a colon. Another
    /// text is a calendar event if it is a valid one, or if it contains no word of schedules. All other texts are
    /// words.
    ///
    /// - Parameter text: The text of a schedule.
    public init(of text: String) {
        let form = Self(notationOf: text)
        guard form == .calendar else {
            self = form
            return
        }
        // In `9:00 daily`, the word looks like the name of a zone, so a zone must have a slash or a capital letter
        // here.
        let event = try? OnCalendarParser.parse(text)
        let isEvent = event.map { $0.timeZone?.contains { $0 == "/" || $0.isUppercase } ?? true } ?? !text.beginsInWords
        self = isEvent ? .calendar : .words
    }

    /// Detects the form of a text without parsing it; words must begin with *every*, as printed ones do.
    init(notationOf text: String) {
        let tokens = Token.split(text)
        let first = tokens.first?.text.lowercased() ?? ""
        if first.hasPrefix("@") && !first.dropFirst().allSatisfy(\.isNumber) || tokens.first?.cronZone != nil {
            self = .cron
        } else if first.hasPrefix("cron(") {
            self = .cron
        } else if first == "every" {
            self = .words
        } else if text.uppercased().contains("FREQ=") || RecurrenceText.isProperties(text)
            || ICalendar.isContained(in: text)
        {
            self = .rrule
        } else if (4...7).contains(tokens.last?.text.isZoneAfterFields == true ? tokens.count - 1 : tokens.count)
            || tokens.count > 7 && tokens.prefix(5).allSatisfy(\.text.isField),
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
    /// Whether the text can be a field of minutes or hours in cron; such a field contains no names.
    fileprivate var isField: Bool { allSatisfy { $0.isNumber || "*?/,-~+H()".contains($0) } }

    /// Whether the text is `UTC` or the name of a zone with a slash, and not a field such as `MON-FRI/2`.
    fileprivate var isZoneAfterFields: Bool {
        guard ZoneDatabase.isName(self) else { return false }
        return self == "UTC" || split(separator: "/").dropFirst().first?.first?.isLetter == true
    }

    /// Whether the text contains a word of schedules that are written in words.
    ///
    /// The name of one day of the week does not count, because calendar events contain such names too.
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
    /// Parses a schedule in any of the forms.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - form: Its form; nil to detect it.
    ///   - now: The reader's local date-time. An interval such as `every 2 weeks` is counted from it, and a recurrence
    ///     rule without DTSTART begins at it.
    /// - Throws: ``ScheduleTextError`` if the text is not valid in that form.
    public init(text: String, form: ScheduleForm? = nil, now: CivilDateTime) throws(ScheduleTextError) {
        let form = form ?? ScheduleForm(of: text)
        if form == .cron || form == .calendar {
            do { try WindowsZones.check(text) } catch {
                throw error.suggesting(instead: text) { text throws(ScheduleTextError) in
                    _ = try CalendarSchedule(reading: text, form, now)
                    return text
                }
            }
        }
        try self.init(reading: text, form, now)
    }

    private init(reading text: String, _ form: ScheduleForm, _ now: CivilDateTime) throws(ScheduleTextError) {
        switch form {
        case .words: try self.init(words: text, today: now.date)
        case .cron: try self.init(cronLine: text)
        case .calendar: try self.init(onCalendar: text)
        case .rrule: self = try RecurrenceText(text, typedAt: now).schedule
        }
    }

    /// Parses cron fields, after which a time zone may follow.
    ///
    /// There are separate error messages for a missing field, and for text that follows the fields as in a crontab
    /// line.
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
                    error = tokens[5].error(
                        "only the fields; what follows them in a line of a crontab is a command")
                    error.suggestions = [fields]
                }
            } else if tokens.count == 6, let year = tokens[5].number, year >= 1970, read("0 " + text) {
                error = tokens[5].error("a year only as the seventh field, with seconds as the first one")
                error.suggestions = ["0 " + text.trimmingWhitespace]
            } else if tokens.count == 4, read(text + " *") {
                error = Token(text: "", column: text.count + 1).error(
                    "a fifth field: minute, hour, day of the month, month, day of the week")
                error.suggestions = [text.trimmingWhitespace + " *"]
            }
            throw error
        }
    }

    /// Returns the schedule as a text, or nil if the form cannot express it.
    ///
    /// - Parameter form: The form.
    /// - Returns: A text that is parsed as this schedule again.
    public func text(in form: ScheduleForm) -> String? {
        switch form {
        case .words: words
        case .cron: cron
        case .calendar: onCalendar
        case .rrule: recurrence
        }
    }
}
