import ApusCalendar
import ApusClient
import ApusJobs
import ArgumentParser

struct Cron: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cron",
        abstract: "Run a command on cron's schedule.",
        discussion: """
            Fields: minute, hour, day of the month, month, day of the week; a sixth before them is the second, a seventh \
            after them the year. Names, ranges, steps, lists, L, W, #, H (the job's own value), @daily and its like, and + \
            before the day of the week for days that match both. The zone is the system's, or --tz. A command needs no % \
            escaped, and has the variables and the folder of this shell. See what comes with apus preview.
            """)

    @Argument(help: "The fields; quote them.")
    var fields: String

    @Option(help: ArgumentHelp("How many times; without it, until it is cancelled.", valueName: "n"))
    var count: Int?

    @OptionGroup var dialect: DialectOptions
    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            if let count, count < 1 { throw ValidationError("--count: \(count) is not a whole number from 1") }
            if fields.utf8.starts(with: "@every ".utf8) {
                let trigger = try Every.trigger(fields, schedule: schedule, count: count)
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
