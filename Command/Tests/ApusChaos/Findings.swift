import Foundation

/// The findings of a nemesis.
struct Findings: Encodable {
    struct Quantiles: Encodable {
        var p50: Double
        var p99: Double
        var most: Double
        var count: Int

        init?(_ values: [Double]) {
            guard !values.isEmpty else { return nil }
            let sorted = values.sorted()
            func pick(_ share: Double) -> Double {
                sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            }
            (p50, p99, most, count) = (pick(0.5), pick(0.99), sorted[sorted.count - 1], sorted.count)
        }
    }

    var nemesis: String
    var summary: String
    var rounds: Int
    var submitted: Int
    var answered: Int
    var refused: Int
    /// The number of jobs' commands that began.
    var starts: Int
    /// The number of missing answered submissions, apart from ``tailLost``; it must be 0.
    var lost: Int
    /// Answered submissions that only a primary had when its standby was promoted.
    var tailLost: Int
    /// Commands that began before they were due by the database's clock.
    var early: Int
    /// Submissions, attempts and outcomes that exist twice.
    var twice: Int
    /// Writes by nodes that did not own the shard, runs that began after their occurrence's outcome, and jobs that
    /// reappeared although a promotion had lost them.
    var oldEpoch: Int
    /// Other broken promises: no outcome, an outcome other than the command's, a node that has no shards or has
    /// trapped.
    var other: Int
    /// Attempts that were interrupted and repeated.
    var lostAttempts: Int
    var nodesEnded: Int
    /// The seconds from each strike until each job that runs every second ran again.
    ///
    /// If a node was struck, only the jobs that it ran count, from the strike to their first runs on another node. If
    /// the database was struck, the time is counted from its return.
    var takeover: Quantiles?
    /// The time for which the database was unavailable, in seconds.
    var outage: Quantiles?
    /// The longest time between two runs of each job that runs every second, in seconds.
    var gap: Quantiles?
    /// The seconds from the end of the load until everything that was due by then had its outcome.
    var settled: Double?
    var violations: [String]

    init(_ nemesis: Nemesis, strikes: [Strike], settled: Double?, _ promises: Promises, of cluster: Cluster) {
        let evidence = promises.evidence
        self.nemesis = nemesis.rawValue
        summary = nemesis.summary
        rounds = strikes.count
        submitted = evidence.records.count
        answered = evidence.records.count { $0.answered != nil }
        refused = evidence.records.count { $0.refusal != nil }
        starts = evidence.effects.count(where: \.isStart)
        lostAttempts = evidence.runs.count { $0.state == "lost" }
        nodesEnded = cluster.ends.count
        self.settled = settled
        violations = promises.violations
        tailLost = promises.tailLost
        func count(_ broken: Promises.Promise...) -> Int { broken.reduce(0) { $0 + (promises.counts[$1] ?? 0) } }
        (lost, early, twice, oldEpoch) = (count(.lost), count(.early), count(.twice), count(.oldEpoch))
        other = count(.unfinished, .failed, .stuck, .crashed)

        var starts: [String: [Evidence.Effect]] = [:]
        for effect in evidence.effects where effect.isStart { starts[effect.job, default: []].append(effect) }
        let ticks = (0..<Trial.ticks).compactMap { number in
            starts["job-\(number)"]?.sorted { $0.instant < $1.instant }
        }
        outage = Quantiles(
            strikes.compactMap { strike in
                strike.returned.flatMap { $0 > strike.began ? Double($0 - strike.began) / 1e9 : nil }
            })
        gap = Quantiles(ticks.compactMap { tick in Self.longestGap(tick, strikes) })
        takeover = Quantiles(strikes.flatMap { strike in ticks.compactMap { Self.takeover(of: $0, strike) } })
    }

    private static func longestGap(_ tick: [Evidence.Effect], _ strikes: [Strike]) -> Double? {
        guard let first = strikes.first, let last = strikes.last else { return nil }
        // The first gap begins at the last run before the first strike.
        let instants = tick.map(\.instant).filter { $0 + 1_500_000_000 >= first.began && $0 <= last.ended }
        return zip(instants, instants.dropFirst()).map { Double($1 - $0) / 1e9 }.max()
    }

    private static func takeover(of tick: [Evidence.Effect], _ strike: Strike) -> Double? {
        let since = strike.returned ?? strike.began
        if let victim = strike.victim, tick.last(where: { $0.instant < since })?.node != victim { return nil }
        guard strike.victim != nil || strike.returned != nil,
            let next = tick.first(where: { $0.instant >= since && $0.node != nil && $0.node != strike.victim })
        else { return nil }
        return Double(next.instant - since) / 1e9
    }

    // MARK: Table

    private static let titles = [
        "rounds", "submitted", "answered", "lost", "early", "twice", "old epoch", "other", "|  p50", "p99", "max",
        "of", "| away", "gap", "repeated", "nodes out",
    ]

    /// The header of the table of all nemeses.
    static let header = """
        Answered submissions that are lost, what began early, what is there twice, what an old epoch has written; \
        from the death, or the database's return, to the first run of each job that runs once a second: p50, p99, \
        max, of how many jobs; for how long the database was away, and the longest gap between two runs of such a \
        job; attempts that were interrupted and made again; nodes that ended and were started again.

        """ + pad("nemesis", 10) + titles.map { padLeft($0, width($0)) }.joined()

    var row: String {
        func seconds(_ value: Double?) -> String { value.map { String(format: "%.2f s", $0) } ?? "-" }
        let values = [
            "\(rounds)", "\(submitted)", "\(answered)", tailLost > 0 ? "\(lost) (+\(tailLost))" : "\(lost)",
            "\(early)", "\(twice)", "\(oldEpoch)", "\(other)", seconds(takeover?.p50), seconds(takeover?.p99),
            seconds(takeover?.most), takeover.map { "\($0.count)" } ?? "-", seconds(outage?.most),
            seconds(gap?.most), "\(lostAttempts)", "\(nodesEnded)",
        ]
        return Self.pad(nemesis, 10) + zip(values, Self.titles).map { Self.padLeft($0, Self.width($1)) }.joined()
    }

    private static func width(_ title: String) -> Int { max(9, title.count + 2) }
    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
    private static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
