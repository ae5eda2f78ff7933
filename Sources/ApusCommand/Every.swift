import ApusDaemon
import ApusJobs
import ArgumentParser

struct Every: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "every",
        abstract: "Run a command again and again. The first time is one interval from now; nothing drifts.",
        discussion: "Durations: \(DurationText.acceptedForms.joined(separator: ", ")).")

    @Argument(help: "The interval.")
    var duration: String

    @Option(help: ArgumentHelp("How many times; without it, until it is cancelled.", valueName: "n"))
    var count: Int?

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting {
            if let count, count < 1 { throw ValidationError("--count: \(count) is not a whole number from 1") }
            let interval = DurationText.iso8601(try DurationText.parse(duration))
            try await submit(
                try options.submission(trigger: WireTrigger(every: interval, count: count)), json: options.json)
        }
    }
}
