import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List runs, newest first, with their outcomes and lateness.")

    @Argument(help: "Only this job's runs: an identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String?

    @Option(help: ArgumentHelp("The job, as an option instead of an argument.", valueName: "job"), completion: .jobs)
    var job: String?

    @Option(
        help: ArgumentHelp(
            "Only runs with this outcome: \(OutcomeText.words.joined(separator: ", ")); can be given several times.",
            valueName: "outcome"),
        completion: .list(OutcomeText.words))
    var outcome: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only runs that are in progress or have ended since then: a time, or a duration before now.",
            discussion: "Times: \(TimeText.acceptedPastForms.joined(separator: ", ")).", valueName: "since"))
    var since: String?

    @OptionGroup var options: FilterOptions

    @OptionGroup var page: PageOptions

    func validate() throws {
        guard id == nil || job == nil else {
            throw ValidationError("--job: the job is also given as an argument; give it once")
        }
    }

    func run() async throws {
        try await reporting {
            for word in outcome { try OutcomeText.check(word) }
            let filter = try options.filter()
            let start = try since.map { try When.past($0, argument: "--since") }.map(\.iso8601)
            let answer = try await Session().call {
                try await $0.runs(
                    job: id ?? job, filter, outcomes: outcome, since: start, limit: page.limit, after: page.after)
            }
            if page.json { return try Terminal.json(answer) }
            guard !answer.runs.isEmpty else {
                let isAll = outcome.isEmpty && since == nil && options.isEmpty
                return Terminal.note(isAll ? "nothing has run yet" : "no run matches")
            }
            Self.table(answer.runs, names: answer.names).print()
            if let next = answer.next {
                // `--since` is repeated as an instant, so that it means the same however late the next page is
                // requested.
                let arguments =
                    ((id ?? job).map { " --job '\($0)'" } ?? "") + options.text
                    + outcome.map { " --outcome \($0)" }.joined()
                    + (start.map { " --since \($0)" } ?? "")
                Terminal.note("more: apus history\(arguments) --limit \(page.limit) --after \(next)")
            }
        }
    }

    static func table(_ runs: [WireRun], names: [String: String] = [:]) -> Table {
        var table = Table(
            ["JOB", "OCCURRENCE", "ATTEMPT", "DUE", "STARTED", "LATE", "OUTCOME", "WHY"], rightAligned: [1, 2, 5])
        for run in runs {
            table.add([
                (names[run.job] ?? run.job, .bold),
                (
                    run.through > run.occurrence
                        ? "\(run.occurrence)-\(run.through)" : OccurrenceText.format(run.occurrence),
                    nil
                ),
                (run.attempt == 0 || run.outcome == "skipped" ? "-" : String(run.attempt), nil),
                (When.local(run.due), nil),
                (When.local(run.started), nil),
                ((run.latenessMs ?? run.delayMs).map { "\($0) ms" } ?? "-", nil),
                (outcome(run), Colour.of(outcome: run.outcome)),
                (why(run), .dim),
            ])
        }
        return table
    }

    /// Returns the number of an attempt, such as `#12` or `#manual-3, attempt 2`.
    static func attempt(_ run: WireRun) -> String {
        "#\(OccurrenceText.format(run.occurrence))" + (run.attempt > 1 ? ", attempt \(run.attempt)" : "")
    }

    static func line(_ run: WireRun) -> String {
        let number = attempt(run) + (run.attempt > 1 ? "," : "")
        let late = run.latenessMs.map { "\($0) ms late" } ?? run.delayMs.map { "\($0) ms after its pause" }
        let why = why(run).isEmpty ? nil : why(run)
        return "\(number) " + [outcome(run), late, why].compactMap { $0 }.joined(separator: ", ")
    }

    /// Returns the outcome, or, for a run in progress, its duration so far, such as `running for 17m`.
    static func outcome(_ run: WireRun) -> String {
        guard run.outcome == "running", let started = run.started.flatMap(When.instant) else { return run.outcome }
        return "running for \(DurationText.format(When.rounded(max(.zero, started.duration(to: When.now)))))"
    }

    private static func why(_ run: WireRun) -> String {
        [
            run.reason == run.outcome ? nil : run.reason, run.dueNote,
            run.standsFor > 1 ? "stands for \(run.standsFor) occurrences" : nil,
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }
}
