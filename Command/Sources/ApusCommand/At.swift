import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct At: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at",
        abstract: "Run a command once, at a time.",
        discussion: """
            Times: \(TimeText.acceptedForms.joined(separator: ", ")).
            """)

    @Argument(help: "When to run the command; no quotes are needed if it comes first.")
    var time: String

    @Option(help: ArgumentHelp("The time zone (default: the system's).", valueName: "zone"))
    var tz: String?

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            let instant = try options.reading("at ") { try Self.instant(time, zone: tz, argument: "time") }
            try await submit(try options.submission(trigger: WireTrigger(at: instant)), json: options.json)
        }
    }

    /// Returns the instant that a user has typed, in the form of the API.
    static func instant(_ text: String, zone name: String?, argument: String) throws -> String {
        let zone = try name.map { try TimeText.zone(named: $0) } ?? SystemTimeZones.shared.local
        do { return try TimeText.parse(text, now: When.now, timeZone: zone, argument: argument).iso8601 } catch {
            // The user may have typed a schedule instead of an instant. The error then suggests that schedule.
            var error = error
            let today = zone.rules.local(at: Int64(clamping: When.now.nanoseconds / 1_000_000_000)).date
            if let schedule = (try? CalendarSchedule(words: text, today: today))?.words {
                error.suggestions = [schedule]
            }
            throw error
        }
    }
}
