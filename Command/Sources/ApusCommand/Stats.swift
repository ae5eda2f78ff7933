import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show statistics of runs: outcomes, success rate, lateness and duration, by job or by day.",
        discussion: """
            The statistics are of the runs in the history, which keeps the newest runs of each job (apus history). \
            SUCCESS is the share of successes among the occurrences that succeeded, failed or were lost; LATE and \
            TOOK are the median and the 99th percentile. If there are more than 1,000 jobs, those with the most \
            attempts are shown.
            """)

    enum Grouping: String, ExpressibleByArgument, CaseIterable {
        case job, day
    }

    @Argument(help: "Only this job's runs: an identifier, the beginning of one, or a name.", completion: .jobs)
    var id: String?

    @Option(
        help: ArgumentHelp(
            "Only runs that have ended since then: a time, or a duration before now.",
            discussion: "Times: \(TimeText.acceptedPastForms.joined(separator: ", ")).", valueName: "since"))
    var since: String?

    @Option(help: ArgumentHelp("A row for each job (default) or for each day.", valueName: "group"))
    var by: Grouping = .job

    @Flag(help: "Print JSON: the totals, and the numbers by job and by day.")
    var json = false

    func run() async throws {
        try await reporting {
            let start = try since.map { try When.past($0, argument: "--since") }.map(\.iso8601)
            let answer = try await Session().call {
                try await $0.statistics(job: id, since: start, zone: SystemTimeZones.shared.local.name)
            }
            if json { return try Terminal.json(answer) }
            guard !answer.jobs.isEmpty else {
                return Terminal.note(since == nil ? "nothing has run yet" : "nothing has run since then")
            }
            var table = Table(
                [by == .job ? "JOB" : "DAY", "OK", "FAILED", "LOST", "SKIPPED", "SUCCESS", "LATE", "TOOK"],
                rightAligned: [1, 2, 3, 4, 5, 6, 7])
            let rows =
                switch by {
                case .job: answer.jobs.map { ($0.name ?? $0.job, $0.runs) }.sorted { $0.0 < $1.0 }
                case .day: answer.days.map { ($0.day, $0.runs) }
                }
            for (name, runs) in rows { table.add(Self.cells(name, runs, .bold)) }
            if rows.count > 1 { table.add(Self.cells("all", answer.total, .dim)) }
            table.print()
            if by == .job, answer.omittedJobs > 0 {
                Terminal.note(
                    "\(jobCount(answer.omittedJobs)) with fewer attempts not shown; \"all\" includes them, and apus stats ID shows one of them"
                )
            }
        }
    }

    private static func cells(_ name: String, _ runs: WireStatistics.Runs, _ colour: Colour) -> [(String, Colour?)] {
        let failed = runs.failed > 0 ? Colour.red : nil
        return [
            (name, colour), (String(runs.succeeded), nil), (String(runs.failed), failed),
            (String(runs.lost), runs.lost > 0 ? .red : nil), (String(runs.skipped), nil),
            (runs.successRate.map(percent) ?? "-", failed), (text(runs.latenessMs), nil), (text(runs.durationMs), nil),
        ]
    }

    /// Returns a percentage, which is 100 % only without a failure, and 0 % only without a success.
    private static func percent(_ share: Double) -> String {
        let tenths = share == 1 ? 1_000 : share == 0 ? 0 : min(999, max(1, Int((share * 1_000).rounded())))
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// Returns the median and the 99th percentile, such as `12ms, 1.5s`.
    private static func text(_ values: WireStatistics.Distribution?) -> String {
        guard let values else { return "-" }
        return [values.p50, values.p99].map {
            $0 == 0 ? "0ms" : DurationText.format(When.rounded(.milliseconds($0)))
        }.joined(separator: ", ")
    }
}
