import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct Preview: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show when a schedule is due, and how clock changes affect it. Nothing is scheduled.",
        discussion: """
            Schedules: 'every weekday at 18:30', 'every 2 weeks on friday 17:00', 'every month on the last friday \
            17:00'; cron's '30 18 * * 1-5' and '@daily'; systemd's 'Mon..Fri 18:30'; 'RRULE:FREQ=MONTHLY;BYDAY=-1FR' \
            of RFC 5545. The path of an .ics file shows its event. A time zone in the schedule takes precedence over \
            --tz.
            """)

    @Argument(help: "The schedule; quote what the shell would expand, such as the * of cron.")
    var schedule: [String]

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many occurrences, 1 to 1000.", valueName: "n"))
    var number = 10

    @Option(help: ArgumentHelp("The limit of occurrences, as for apus every.", valueName: "n"))
    var count: Int?

    @OptionGroup var dialect: DialectOptions
    @OptionGroup var options: ScheduleOptions

    @Option(
        help: ArgumentHelp(
            "Begin after this time instead of now: a time as for apus at, or one that can only be in the past.",
            valueName: "time"))
    var after: String?

    @Option(
        help: ArgumentHelp(
            "The form of the schedule: words, cron, calendar or rrule (default: detected).", valueName: "form"))
    var form: ScheduleForm?

    @Option(help: ArgumentHelp("The job's identifier, which determines the value of cron's H.", valueName: "id"))
    var id = ""

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            guard (1...1_000).contains(number) else {
                throw ValidationError("--number: \(number) is not a whole number from 1 to 1000")
            }
            let trigger = try trigger(schedule.joined(separator: " "))
            let begin = try after.map { text in
                let zone = try TimeText.zone(named: trigger.timeZone)
                return try TimeText.parseAny(text, now: When.now, timeZone: zone, argument: "--after")
            }
            let preview = try WirePreview(
                trigger, job: id, after: begin ?? When.now, limit: number, in: SystemTimeZones.shared)
            if json { return try Terminal.json(preview) }
            for warning in preview.warnings { Terminal.note("note: \(warning)") }
            if let interval = Self.interval(schedule.joined(separator: " ")) {
                Every.noteClock(preview.forms["words"] ?? "it", interval)
            }
            var table = Table(["DUE", "DAY", "IN", "NOTE"])
            for due in preview.next {
                table.add([
                    (due.instant, .bold), (due.day, nil),
                    (When.instant(due.instant).map(When.relative) ?? "-", nil), (due.note ?? "", .yellow),
                ])
            }
            if !preview.next.isEmpty { table.print() }
            if preview.next.count < min(number, count ?? .max) {
                Terminal.note("nothing more is due until the end of the year 2200")
            }
            Terminal.note("\(preview.description)")
        }
    }

    private func trigger(_ given: String) throws -> CalendarTrigger {
        var (text, form) = (given, form)
        if dialect.dialect != nil {
            guard form ?? .cron == .cron else {
                throw ValidationError("--dialect: can only be used with a cron expression")
            }
            (text, form) = (try dialect.standard(given), .cron)
        } else if form == .rrule || given.hasSuffix(".ics") {
            (text, form) = (try RuleText.line(given, argument: "schedule"), .rrule)
        }
        do { return try options.parsed(try options.calendar(text, form: form, count: count)) } catch {
            guard Self.interval(text) != nil else {
                guard var error = error as? TextError else { throw error }
                error.suggestions = error.suggestions.map { "apus preview \($0.quotedForShells)" }
                throw error
            }
            throw ValidationError(
                """
                schedule: \(Self.withoutEvery(text)) is an interval, which counts from the moment when apus every \
                submits the job; preview accepts schedules, such as 'every weekday at 18:30', cron's '30 18 * * 1-5', \
                systemd's 'Mon..Fri 18:30' or 'RRULE:FREQ=DAILY'
                """)
        }
    }

    private static func withoutEvery(_ text: String) -> String {
        let prefix = ["every ", "@every "].first { text.utf8.starts(with: $0.utf8) } ?? ""
        return String(text.dropFirst(prefix.count))
    }

    /// Returns the interval that the text means, with or without "every"; `nil` if the text is not an interval.
    private static func interval(_ text: String) -> Duration? { try? DurationText.parse(withoutEvery(text)) }
}
