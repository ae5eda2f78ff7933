#if Postgres
    import Foundation

    /// What the checker knows: what was asked for, what handlers have done, and what the tables say.
    struct Evidence {
        /// A handler's begin or end.
        struct Effect {
            var isStart: Bool
            var node: String
            var job: String
            var occurrence: Int
            var attempt: Int
            /// On the database's clock, in nanoseconds since 1970.
            var instant: UInt64

            init?(line: Substring) {
                let words = line.split(separator: " ")
                guard words.count == 6, let occurrence = Int(words[3]), let attempt = Int(words[4]),
                    let instant = UInt64(words[5])
                else { return nil }
                (isStart, node, job) = (words[0] == "start", String(words[1]), String(words[2]))
                (self.occurrence, self.attempt, self.instant) = (occurrence, attempt, instant)
            }
        }

        struct StoredRun: Decodable {
            var id: String
            var occurrence: Int
            var through: Int
            var attempt: Int
            var state: String
            var final: Bool
            var reason: String?
        }

        struct StoredJob: Decodable {
            var id: String
            var state: String
        }

        var records: [SubmissionRecord]
        var effects: [Effect]
        var jobs: [StoredJob]
        var runs: [StoredRun]
        /// Who wrote what, without owning its shard.
        var strangers: [String]

        init(of cluster: Cluster) throws {
            records = cluster.records
            effects = try cluster.effectFiles.flatMap { path in
                try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap(Effect.init)
            }
            jobs = try Self.rows("SELECT id, state FROM apus.job", of: cluster)
            let runs = "SELECT job, occurrence, through, attempt, state, final, reason FROM"
            self.runs = try Self.rows(
                """
                SELECT j.id, r.occurrence, r.through, r.attempt, r.state, r.final, r.reason
                FROM (\(runs) apus.run UNION ALL \(runs) apus.open_run) AS r JOIN apus.job AS j ON j.key = r.job
                """, of: cluster)
            strangers = try cluster.query(Audit.strangers).map { $0.joined(separator: " ") }
        }

        private static func rows<Row: Decodable>(_ sql: String, of cluster: Cluster) throws -> [Row] {
            let text = try cluster.query("SELECT coalesce(json_agg(x), '[]')::jsonb FROM (\(sql)) AS x", seconds: 60)
            return try JSONDecoder().decode([Row].self, from: Data((text.first?.first ?? "[]").utf8))
        }
    }
#endif
