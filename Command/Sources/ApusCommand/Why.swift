import ApusClient
import ApusJobs
import ArgumentParser

struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explain why an occurrence ran, did not run, or waits, by the decisions about it."
    )

    @Argument(help: "An identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String

    @Argument(
        help:
            "The occurrence, by its number in apus history (default: the oldest open one, else the next, else the last).",
        transform: OccurrenceText.argument)
    var occurrence: Int?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let answer = try await Session().call { try await $0.why(id, occurrence: occurrence) }
            if json { return try Terminal.json(answer) }
            let subject =
                answer.occurrence.map { "\(answer.job) \(OccurrenceText.words($0))" } ?? "\(answer.job): no occurrence"
            Terminal.out(Colour.bold(subject))
            let rows = answer.decisions.map { (instant: $0.at.map { When.local($0) } ?? "now", text: $0.text) }
            let width = rows.map(\.instant.count).max() ?? 0
            for row in rows {
                let padding = String(repeating: " ", count: width - row.instant.count)
                Terminal.out("  \(Colour.dim(row.instant + padding))  \(row.text)")
            }
        }
    }
}
