import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser

struct Every: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "every",
        abstract: "Run a command repeatedly: at an interval, or on a calendar schedule.",
        discussion: """
            An interval begins now, and does not drift: \(DurationText.acceptedForms.joined(separator: ", ")).
            The number and the name of a unit that divide an hour or a day are on the clock: "15 minutes" is :00, :15, :30 \
            and :45, and "15m" begins now. A schedule follows the clock of a zone: apus every day at 9:00 …, every weekday at 18:30, every monday,thursday 9:00, \
            every 2 weeks on friday 17:00, every month on the 1st at 8:00, every month on the last friday 17:00, \
            every year on 24 dec 18:00, every 15 minutes between 9:00 and 17:00. 1d is 24 hours; "day at 9:00" is each day \
            at nine, also when the clock changes. See what comes with apus preview.
            """)

    @Argument(
        help: "The interval, or the schedule without its “every”; directly after the word every it needs no quotes.")
    var when: String?

    @Option(
        help: ArgumentHelp("Instead, an event of systemd's calendar: 'Mon..Fri 09:00'.", valueName: "event"))
    var calendar: String?

    @Option(
        help: ArgumentHelp(
            "Instead, a recurrence rule of RFC 5545: 'RRULE:FREQ=MONTHLY;BYDAY=-1FR'; or an .ics file with an event (- for standard input).",
            valueName: "rule"))
    var rrule: String?

    @Option(help: ArgumentHelp("How many times; without it, until it is cancelled.", valueName: "n"))
    var count: Int?

    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            if let count, count < 1 { throw ValidationError("--count: \(count) is not a whole number from 1") }
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
                "give one of: an interval (1h30m), a schedule (weekday at 18:30), --calendar EVENT, --rrule RULE")
        }
    }

    /// Prints a note that the text was read as a schedule, and how to get the interval that it could also mean.
    static func noteClock(_ words: String, _ interval: Duration) {
        let short = DurationText.format(interval).filter { $0 != " " }
        Terminal.note("note: \(words) follows the clock; for an interval that begins now: apus every \(short)")
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
                    "\(text) is an interval, which has no zone and no dates; --tz, --gap, --repeated, --except, --from, --until and --spread go with a schedule, such as: day at 9:00"
                )
            }
            if interval.components.seconds % 86_400 == 0, interval >= .seconds(86_400) {
                Terminal.note(
                    "note: \(text) is \(interval.components.seconds / 3_600) hours, whatever the clock does; for a time of day: apus every day at 9:00"
                )
            }
            return WireTrigger(every: DurationText.iso8601(interval), count: count)
        case (.failure(let error)?, .failure(let noInterval)):
            // A single word that begins with a digit is probably a misspelt interval, so the error of the interval is
            // thrown.
            throw !text.contains(" ") && text.first?.isNumber == true ? noInterval : error
        case (nil, .failure(let error)): throw error
        }
    }
}
