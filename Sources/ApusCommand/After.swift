import ApusDaemon
import ApusJobs
import ArgumentParser

struct After: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "after",
        abstract: "Run a command once, after a duration; or repeatedly with --every.",
        discussion: "Durations: \(DurationText.acceptedForms.joined(separator: ", ")).")

    @Argument(help: "How long from now; directly after the word after it needs no quotes.")
    var duration: String

    @Flag(help: "Repeatedly, at that interval.")
    var every = false

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting {
            let text = DurationText.iso8601(try parsed())
            try await submit(
                try options.submission(trigger: every ? WireTrigger(every: text) : WireTrigger(after: text)),
                json: options.json)
        }
    }

    /// The duration; its words may be followed by a command without `--`, and then the error says so.
    private func parsed() throws -> Duration {
        do {
            return try DurationText.parse(duration)
        } catch {
            // A number alone is the beginning of "5 minutes" rather than a duration.
            guard let space = duration.firstIndex(of: " "), !duration[..<space].allSatisfy(\.isNumber),
                (try? DurationText.parse(String(duration[..<space]))) != nil
            else { throw error }
            throw TextError(
                argument: "duration", given: duration, message: "a command follows --",
                acceptedForms: ["apus after \(duration[..<space]) --\(duration[space...])"])
        }
    }
}
