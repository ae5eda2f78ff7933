import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser

struct Every: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "every",
        abstract: "Run a command repeatedly: at an interval, or on a calendar schedule.",
        discussion: """
            An interval counts from now, and does not drift: \(DurationText.acceptedForms.joined(separator: ", ")).
            A number with the name of a unit follows the clock if it divides an hour or a day: "15 minutes" is due at \
            :00, :15, :30 and :45, whereas "15m" counts from now. A schedule follows the clock of a time zone: apus \
            every day at 9:00 …, every weekday at 18:30, every monday,thursday 9:00, every 2 weeks on friday 17:00, \
            every month on the 1st at 8:00, every month on the last friday 17:00, every year on 24 dec 18:00, \
            every 15 minutes between 9:00 and 17:00. 1d is 24 hours; "day at 9:00" is nine o'clock on every day, even \
            if the clock changes. apus preview shows when a schedule is due.
            """)

    @Argument(
        help: "The interval, or the schedule without the word “every”; no quotes are needed if it comes first.")
    var when: String?

    @Option(
        help: ArgumentHelp("A calendar event of systemd instead, such as 'Mon..Fri 09:00'.", valueName: "event"))
    var calendar: String?

    @Option(
        help: ArgumentHelp(
            "A recurrence rule of RFC 5545 instead, such as 'RRULE:FREQ=MONTHLY;BYDAY=-1FR', or the path of an .ics file with an event (- for standard input).",
            valueName: "rule"))
    var rrule: String?

    @Option(help: ArgumentHelp("How many times (default: until the job is cancelled).", valueName: "n"))
    var count: Int?

    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            if let count, count < 1 { throw ValidationError("--count: must be at least 1, not \(count)") }
            try await submit(try options.submission(trigger: try options.reading("", trigger)), json: options.json)
        }
    }

    private func trigger() throws -> WireTrigger {
        let text = when ?? ""
        switch (text.isEmpty, calendar, rrule) {
        case (true, let event?, nil):
            return WireTrigger(calendar: try schedule.calendar(event, form: .calendar, count: count))
        case (true, nil, let rule?):
            let line = try RuleText.line(rule, argument: "--rrule")
            return WireTrigger(calendar: try schedule.calendar(line, form: .rrule, count: count))
        case (false, nil, nil): return try Self.trigger(text, schedule: schedule, count: count)
        default:
            throw ValidationError(
                "give exactly one of: an interval (1h30m), a schedule (weekday at 18:30), --calendar EVENT, --rrule RULE"
            )
        }
    }

    /// Prints a note that the text was read as a schedule, with the command for the interval that it could also mean.
    static func noteClock(_ words: String, _ interval: Duration) {
        let short = DurationText.format(interval).filter { $0 != " " }
        Terminal.note(
            "note: \(words) follows the clock; for an interval that counts from now, use: apus every \(short)")
    }

    /// Returns the trigger for an interval, or for a schedule in words without its "every".
    ///
    /// A text that can be both is a schedule, as it is for `apus preview` and the API.
    static func trigger(_ text: String, schedule: ScheduleOptions, count: Int?) throws -> WireTrigger {
        let given = text.utf8.starts(with: "@every ".utf8) ? String(text.dropFirst("@every ".count)) : text
        let interval = Result { () throws(TextError) in try DurationText.parse(given) }
        let words = given == text ? schedule.words(text) : nil
        switch (words, interval) {
        case (.success(let words)?, let interval):
            if case .success(let duration) = interval { noteClock(words, duration) }
            return WireTrigger(calendar: try schedule.calendar(words, form: .words, count: count))
        case (_, .success(let interval)):
            guard schedule.isEmpty else {
                throw ValidationError(
                    "\(text) is an interval, which has no time zone and no dates; use --tz, --gap, --repeated, --except, --from, --until and --spread with a schedule, such as: day at 9:00"
                )
            }
            if interval.components.seconds % 86_400 == 0, interval >= .seconds(86_400) {
                Terminal.note(
                    "note: \(text) is \(interval.components.seconds / 3_600) hours, even if the clock changes; for a time of day, use: apus every day at 9:00"
                )
            }
            return WireTrigger(every: DurationText.iso8601(interval), count: count)
        case (.failure(let error)?, .failure(let noInterval)):
            // A single word that begins with a digit is probably a misspelt interval, so the error of the interval is
            // thrown. Otherwise the schedule's error is thrown. If that error has no suggestions, it gets those of the
            // interval's error.
            guard text.contains(" ") || text.first?.isNumber != true else { throw noInterval }
            guard error.suggestions.isEmpty else { throw error }
            var other = error
            other.suggestions = noInterval.suggestions.map { "every \($0)" }
            throw other
        case (nil, .failure(let error)): throw error
        }
    }
}
