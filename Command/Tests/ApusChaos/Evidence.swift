import ApusTestSupport
import Foundation

/// The checker's evidence: the submissions, the effects of their commands, and the tables.
struct Evidence {
    /// The beginning or the end of a job's command, as the command recorded it.
    struct Effect {
        var isStart: Bool
        /// The node's name; `nil` if the daemon was dead when the command read it.
        var node: String?
        /// The job's name.
        var job: String
        var occurrence: Int
        var attempt: Int
        /// The instant on the database's clock, in nanoseconds since 1970.
        var instant: UInt64

        /// Parses a line; `names` has the nodes' names by their processes.
        init?(line: Substring, names: [Int32: String]) {
            let words = line.split(separator: " ")
            guard words.count == 6, let process = Int32(words[1]), let occurrence = Int(words[3]),
                let attempt = Int(words[4]), let instant = UInt64(words[5])
            else { return nil }
            (isStart, node, job) = (words[0] == "start", names[process], String(words[2]))
            (self.occurrence, self.attempt, self.instant) = (occurrence, attempt, instant)
        }
    }

    struct StoredRun: Decodable {
        var name: String?
        var occurrence: Int
        var through: Int
        var attempt: Int
        var state: String
        var final: Bool
        var reason: String?
    }

    struct StoredJob: Decodable {
        var name: String?
        var state: String
    }

    var records: [SubmissionRecord]
    var effects: [Effect]
    var jobs: [StoredJob]
    var runs: [StoredRun]
    /// The rows that a node wrote without owning their shard.
    var strangers: [String]
    /// The commits that promotions of lagging standbys have lost.
    var tails: [LostTail]

    init(of cluster: Cluster, tails: [LostTail]) throws {
        self.tails = tails
        records = cluster.records
        effects = try Self.effects(of: cluster)
        jobs = try Self.rows(
            "SELECT r.name, j.state FROM apus.job AS j JOIN apus.request AS r ON r.job = j.key", of: cluster)
        let runs = "SELECT job, occurrence, through, attempt, state, final, reason FROM"
        self.runs = try Self.rows(
            """
            SELECT q.name, r.occurrence, r.through, r.attempt, r.state, r.final, r.reason
            FROM (\(runs) apus.run UNION ALL \(runs) apus.open_run) AS r JOIN apus.request AS q ON q.job = r.job
            """, of: cluster)
        strangers = try cluster.query(Audit.strangers).map { $0.joined(separator: " ") }
    }

    static func effects(of cluster: Cluster) throws -> [Effect] {
        let names = cluster.names
        return try String(contentsOfFile: cluster.effects, encoding: .utf8).split(separator: "\n").map {
            guard let effect = Effect(line: $0, names: names) else {
                throw Failure("\(cluster.effects) has a line that no command writes: \($0)")
            }
            return effect
        }
    }

    private static func rows<Row: Decodable>(_ sql: String, of cluster: Cluster) throws -> [Row] {
        let text = try cluster.query("SELECT coalesce(json_agg(x), '[]')::jsonb FROM (\(sql)) AS x", seconds: 60)
        return try JSONDecoder().decode([Row].self, from: Data((text.first?.first ?? "[]").utf8))
    }
}
