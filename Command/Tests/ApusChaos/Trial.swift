import ApusTestSupport
import ApusTimers
import Foundation

/// Runs a nemesis the requested number of times and collects its findings.
struct Trial {
    var nemesis: Nemesis
    var rounds: Int
    var isShort: Bool
    var rate: Int

    /// The number of jobs that run once a second, by which interruptions are measured.
    static let ticks = 60
    /// The time within which every due occurrence must have its outcome once the faults have ended.
    static let bound: Duration = .seconds(60)

    func run(on cluster: Cluster, say: (String) -> Void) async throws -> Findings {
        try await cluster.startAll()
        let seconds = warmUp + rounds * nemesis.roundSeconds(isShort: isShort)
        for number in 0..<Self.ticks {
            cluster.submit(.quick, .every(milliseconds: 1_000, count: seconds), to: number % 3)
            // The jobs are spread over the second.
            try await wait(.milliseconds(20))
        }
        let lastDue = wallNow() + UInt64(seconds) * 1_000_000_000
        cluster.startLoad(rate: rate)
        try await wait(.seconds(warmUp))
        var strikes: [Strike] = []
        for round in 1...rounds {
            say("\(nemesis.rawValue) \(round)/\(rounds)")
            var strike = try await nemesis.strike(cluster, round: round, isShort: isShort)
            for _ in 0..<Nemesis.quietSeconds(isShort) {
                try await wait(.seconds(1))
                try cluster.supervise()
            }
            if cluster.setup.servers.count > 1, round < rounds {
                try await cluster.standby.follow(cluster.primary)
                if cluster.setup.isSynchronous { try await cluster.primary.requireStandby() }
            }
            strike.ended = wallNow()
            strikes.append(strike)
        }
        cluster.stopLoad()
        let settled = try await settle(cluster, lastDue: lastDue)
        let isShared = (try? await cluster.waitForEvenShares()) != nil
        try await cluster.stopAll()
        var promises = Promises(try Evidence(of: cluster, tails: strikes.compactMap(\.tail)))
        if settled == nil { promises.broken(.unfinished, "not everything had its outcome within \(Self.bound)") }
        for crash in cluster.crashes { promises.broken(.crashed, crash) }
        if !isShared { promises.broken(.stuck, "the nodes that run have no equal shares of the shards") }
        return Findings(nemesis, strikes: strikes, settled: settled, promises, of: cluster)
    }

    private var warmUp: Int { isShort ? 2 : 4 }

    /// Waits until every occurrence that is due now has its outcome, and then until all later ones have theirs.
    ///
    /// The last occurrences are due at `lastDue`, which may be in the future, because the strikes may have taken less
    /// time than planned.
    ///
    /// - Returns: The seconds of the first wait; `nil` if either took too long.
    private func settle(_ cluster: Cluster, lastDue: UInt64) async throws -> Double? {
        let began = wallNow()
        func wait(for what: String, toCome: Duration, openJobs: String, openRuns: String) async throws {
            try await until(what, atMost: toCome + Self.bound) {
                try cluster.supervise()
                let open = try cluster.query(
                    """
                    SELECT count(*) + (SELECT count(*) FROM apus.open_run WHERE \(openRuns)) FROM apus.job
                    WHERE state NOT IN ('finished', 'cancelled') AND \(openJobs)
                    """)
                return open == [["0"]]
            }
        }
        do {
            try await wait(
                for: "everything that was due has its outcome", toCome: .zero, openJobs: "next_due <= \(began)",
                openRuns: "due <= \(began)")
            let settled = Double(wallNow() - began) / 1e9
            let toCome = Duration.nanoseconds(max(0, Int64(lastDue) - Int64(wallNow())))
            try await wait(for: "everything has its outcome", toCome: toCome, openJobs: "true", openRuns: "true")
            return settled
        } catch { return nil }
    }
}

extension Server {
    /// Makes every later commit wait for the standby.
    func requireStandby() async throws {
        try query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try query("SELECT pg_reload_conf()")
        try await until("the standby is synchronous", atMost: .seconds(20)) {
            try self.query("SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby'")
                == [["sync"]]
        }
        // Every session learns of the setting before its next statement. A commit that is in progress may still lack
        // it, so this waits.
        try await wait(.seconds(1))
    }
}
