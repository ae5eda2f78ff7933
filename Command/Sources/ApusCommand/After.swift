import ApusClient
import ApusJobs
import ArgumentParser

struct After: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "after",
        abstract: "Run a command once after a duration, or repeatedly with --every.",
        discussion: "Durations: \(DurationText.acceptedForms.joined(separator: ", ")).")

    @Argument(help: "How long from now; no quotes are needed if it comes first.")
    var duration: String

    @Flag(help: "Repeat at that interval.")
    var every = false

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting(naming: JobOptions.fields) {
            let text = DurationText.iso8601(try options.reading("after ") { try DurationText.parse(duration) })
            try await submit(
                try options.submission(trigger: every ? WireTrigger(every: text) : WireTrigger(after: text)),
                json: options.json)
        }
    }
}
