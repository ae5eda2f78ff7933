import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser

struct Cron: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cron",
        abstract: "Run a command on a cron schedule.",
        discussion: """
            Fields: minute, hour, day of the month, month, day of the week. A sixth field before them is the second, \
            and a seventh field after them is the year. Fields can have names, ranges, steps, lists, L, W, # and H (a \
            value of the job's own); + before the day of the week selects the days that match both day fields. @daily \
            and similar words work too. The time zone is the system's, unless --tz is given. Unlike in a crontab, % \
            has no special meaning, and the command has the folder of this shell and its main variables (see \
            --inherit-env). apus preview shows when a schedule is due.
            """)

    @Argument(help: "The fields, in quotes.")
    var fields: String

    @Option(help: ArgumentHelp("How many times (default: until the job is cancelled).", valueName: "n"))
    var count: Int?

    @OptionGroup var dialect: DialectOptions
    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            if let count, count < 1 { throw ValidationError("--count: must be at least 1, not \(count)") }
            if ["@every ", "rate("].contains(where: { fields.utf8.starts(with: $0.utf8) }) {
                let trigger = try options.reading("every ") {
                    try Every.trigger(fields, schedule: schedule, count: count)
                }
                return try await submit(try options.submission(trigger: trigger), json: options.json)
            }
            let calendar = try options.reading("cron ") {
                try schedule.calendar(try dialect.standard(fields), form: .cron, count: count)
            }
            for warning in try schedule.parsed(calendar).schedule.warnings { Terminal.note("note: \(warning)") }
            try await submit(
                try options.submission(trigger: WireTrigger(calendar: calendar)), json: options.json)
        }
    }
}
