import ApusDaemon
import ApusJobs
import ArgumentParser

struct After: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "after",
        abstract: "Run a command once, after a duration; or repeatedly with --every.",
        discussion: "Durations: \(DurationText.acceptedForms.joined(separator: ", ")).")

    @Argument(help: "How long from now.")
    var duration: String

    @Flag(help: "Repeatedly, at that interval.")
    var every = false

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting {
            let text = DurationText.iso8601(try DurationText.parse(duration))
            try await submit(
                try options.submission(trigger: every ? WireTrigger(every: text) : WireTrigger(after: text)),
                json: options.json)
        }
    }
}
