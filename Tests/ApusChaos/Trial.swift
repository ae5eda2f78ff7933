#if Postgres
    import ApusTimers
    import Foundation

    /// One nemesis, as often as it is asked for, and what came of it.
    struct Trial {
        var nemesis: Nemesis
        var rounds: Int
        var isShort: Bool
        var rate: Int

        /// Jobs that run once a second, by which interruptions are measured.
        static let ticks = 60
        /// In how much time everything that was due has its outcome, once peace has returned.
        static let bound: Duration = .seconds(60)

        func run(on cluster: Cluster, say: (String) -> Void) async throws -> Findings {
            try await cluster.startAll()
            let perRound = nemesis.roundSeconds(isShort: isShort)
            let seconds = 4 + rounds * perRound
            for number in 0..<Self.ticks {
                cluster.submit(.quick, .every(milliseconds: 1_000, count: seconds), to: number % 3)
            }
            cluster.startLoad(rate: rate)
            try await wait(.seconds(4))
            var strikes: [Strike] = []
            for round in 1...rounds {
                say("\(nemesis.rawValue) \(round)/\(rounds)")
                var strike = try await nemesis.strike(cluster, isShort: isShort)
                try await wait(.seconds(Nemesis.quietSeconds(isShort)))
                if nemesis == .promote, round < rounds { try await replaceStandby(of: cluster) }
                strike.ended = wallNow()
                strikes.append(strike)
            }
            cluster.stopLoad()
            let settled = try await settle(cluster)
            try await cluster.stopAll()
            let evidence = try Evidence(of: cluster)
            return Findings(nemesis, strikes: strikes, settled: settled, evidence, of: cluster)
        }

        private func replaceStandby(of cluster: Cluster) async throws {
            let standby = cluster.setup.servers.first { $0 !== cluster.primary }!
            try standby.follow(cluster.primary)
            try await cluster.primary.requireStandby()
        }

        /// Waits until everything has its outcome, and every submission to a living node its answer.
        /// - Returns: how long that took, in seconds; `nil` if it took too long.
        private func settle(_ cluster: Cluster) async throws -> Double? {
            let began = wallNow()
            do {
                try await until("everything has its outcome", atMost: Self.bound) {
                    try cluster.query("SELECT count(*) FROM apus.job WHERE state NOT IN ('finished', 'cancelled')")
                        == [["0"]]
                        && cluster.query("SELECT count(*) FROM apus.open_run") == [["0"]]
                }
            } catch { return nil }
            return Double(wallNow() - began) / 1e9
        }
    }

    extension Server {
        /// From now on, nothing is answered that the standby has not got.
        func requireStandby() async throws {
            try query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try query("SELECT pg_reload_conf()")
            try await until("the standby is synchronous", atMost: .seconds(20)) {
                try self.query("SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby'")
                    == [["sync"]]
            }
            // Every session learns of the setting before its next statement; those that commit now may not have.
            try await wait(.seconds(1))
        }
    }
#endif
