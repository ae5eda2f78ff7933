import ApusTestSupport

/// Damages waiting jobs' rows and adds invalid submissions, as other programs can.
///
/// No promise covers these jobs, and every other job must keep its promises.
struct Poison {
    var round: Int

    /// The changes that damage a job's request.
    private static let damages = [
        "overlap = 'dance'", "labels = '{\"a\": 1}'", "metadata = '[1]'", "conditions = 64", "jitter = 7",
        "trigger = 'every', trigger_ns = -5", "maximum_attempts = 0",
    ]

    /// The invalid contents in place of a command.
    private static let commands = [
        "", "{", "null", #"{"command": "dance"}"#, #"{"command": "submit", "requests": [{"id": "poison"}]}"#,
    ]

    private func name(_ number: Int) -> String { "poison-\(round)-\(number)" }
    private var names: String { "r.name LIKE 'poison-\(round)-%'" }

    func put(into cluster: Cluster) async throws {
        for number in Self.damages.indices {
            let id = name(number)
            try cluster.query(
                """
                SELECT apus.submit('{"id": "\(id)", "name": "\(id)", "kind": "command",
                    "trigger": {"name": "after", "delayNanoseconds": 8000000000}}')
                """)
        }
        let jobs = "SELECT count(*) FROM apus.request AS r WHERE \(names)"
        try await until("the jobs of \(cluster.database) that are damaged next", atMost: .seconds(20)) {
            try cluster.query(jobs) == [["\(Self.damages.count)"]]
        }
        for (number, damage) in Self.damages.enumerated() {
            try cluster.query("UPDATE apus.request AS r SET \(damage) WHERE r.name = '\(name(number))'")
        }
        for (number, command) in Self.commands.enumerated() {
            try cluster.query(
                """
                INSERT INTO apus.submission (shard, submitted, command)
                VALUES (\((round * 31 + number * 50) % 256), apus.now(), '\(command)')
                """)
        }
    }

    /// Waits until the owners have set aside each damaged job, and have refused each invalid submission.
    func waitUntilSetAside(in cluster: Cluster) async throws {
        try await until("what \(cluster.database) cannot read is set aside", atMost: .seconds(30)) {
            try cluster.query(
                """
                SELECT (SELECT count(*) FROM apus.set_aside AS s JOIN apus.request AS r ON r.job = s.job WHERE \(names)),
                    (SELECT count(*) FROM apus.submission AS s WHERE s.command IN (\(commands))),
                    (SELECT count(*) >= \(round * Self.commands.count) FROM apus.refusal)
                """) == [["\(Self.damages.count)", "0", "t"]]
        }
    }

    private var commands: String { Self.commands.map { "'\($0)'" }.joined(separator: ", ") }

    func remove(from cluster: Cluster) throws {
        try cluster.query(
            "DELETE FROM apus.set_aside AS s USING apus.request AS r WHERE r.job = s.job AND \(names)")
        try cluster.query(
            "DELETE FROM apus.job AS j USING apus.request AS r WHERE r.job = j.key AND \(names)")
        try cluster.query("DELETE FROM apus.request AS r WHERE \(names)")
    }
}
