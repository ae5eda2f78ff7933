import ApusDaemon
import ArgumentParser

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what ran, newest first, with outcomes and lateness.")

    @Argument(help: "Only this job's runs: an identifier, the beginning of one, or a name.")
    var id: String?

    @OptionGroup var page: PageOptions

    func run() async throws {
        try await reporting {
            let answer = try await Session().call { try await $0.runs(job: id, limit: page.limit, after: page.after) }
            if page.json { return try Terminal.json(answer) }
            guard !answer.runs.isEmpty else { return Terminal.note("nothing has run yet") }
            Self.table(answer.runs).print()
            if let next = answer.next {
                Terminal.note("more: apus history\(id.map { " \($0)" } ?? "") --limit \(page.limit) --after \(next)")
            }
        }
    }

    static func table(_ runs: [WireRun], names: [String: String] = [:]) -> Table {
        var table = Table(
            ["JOB", "OCCURRENCE", "ATTEMPT", "DUE", "STARTED", "LATE", "OUTCOME", "WHY"], rightAligned: [1, 2, 5])
        for run in runs {
            table.add([
                (names[run.job] ?? run.job, .bold),
                (run.through > run.occurrence ? "\(run.occurrence)-\(run.through)" : String(run.occurrence), nil),
                (run.attempt == 0 ? "-" : String(run.attempt), nil), (When.local(run.due), nil),
                (When.local(run.started), nil),
                (run.latenessMs.map { "\($0) ms" } ?? "-", nil), (run.outcome, Colour.of(outcome: run.outcome)),
                (why(run), .dim),
            ])
        }
        return table
    }

    static func line(_ run: WireRun) -> String {
        "#\(run.occurrence) \(run.outcome)\(run.latenessMs.map { ", \($0) ms late" } ?? "")\(why(run).isEmpty ? "" : ", \(why(run))")"
    }

    private static func why(_ run: WireRun) -> String {
        [run.reason == run.outcome ? nil : run.reason, run.standsFor > 1 ? "stands for \(run.standsFor)" : nil]
            .compactMap { $0 }.joined(separator: ", ")
    }
}
