import BenchSupport
import Foundation

/// A database with a million jobs whose due instants are spread over the day that begins 24 hours from now.
///
/// The figures are the time until a node has its share of the shards, the memory of a node, the lateness of another
/// job, and the time to find a job by its name.
struct Million {
    let server: Server
    let options: Options

    func table() throws -> ComparisonTable {
        let jobs = options.jobs ?? (options.quick ? 50_000 : 1_000_000)
        let waves = try Waves(1, on: server, "million")
        try waves.nodes[0].send("submit 1 1")
        try waves.nodes[0].expect("submitted")
        waves.stop()
        try fill(jobs)
        let (first, alone) = try time(share: 256, others: 0)
        let (second, joined) = try time(share: 128, others: 1)
        let memory = [first, second].map(\.megabytes).max()!
        second.kill()
        let takeover = try seconds { $0 == 256 }
        try first.send("tick \(options.quick ? 5 : 60)")
        let late = try first.expect("ticked")
        try first.send("show stored\(jobs / 2) 30")
        let shown = try first.expect("shown")[0]
        first.stop()
        return ComparisonTable(
            "\(jobs) jobs that are due tomorrow",
            [
                Comparison("the first node has all shards", alone, "s", target: .atMost(5)),
                Comparison("a second one has its share", joined, "s", target: .atMost(5)),
                Comparison("the first has all again after SIGKILL of the second", takeover, "s", target: .atMost(5)),
                Comparison("memory of a node", memory, "MB", target: .atMost(200)),
                Comparison("a job once a second is late: median", late[0], "ms"),
                Comparison("a job once a second is late: p99", late[1], "ms", target: .atMost(50)),
                Comparison("a job is found by its name: median", shown, "ms", target: .atMost(20)),
            ], footnotes: ["from exec on"])
    }

    /// Fills the database with copies of its only job.
    private func fill(_ jobs: Int) throws {
        func columns(_ table: String, _ replaced: [String: String]) throws -> (String, String) {
            let names = try server.query(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'apus.\(table)'::regclass AND attnum > 0 AND NOT attisdropped",
                in: "million"
            ).map { $0[0] }
            return (names.joined(separator: ", "), names.map { replaced[$0] ?? "t.\($0)" }.joined(separator: ", "))
        }
        let day = "(n * \(86_400_000_000_000 / jobs))"
        let copies: [(String, [String: String])] = [
            (
                "job",
                [
                    "key": "t.key + n", "id": "'stored' || n", "shard": "n % 256", "first": "t.first + \(day)",
                    "next_due": "t.next_due + \(day)", "wake": "t.wake + \(day)",
                    "elapsed_wake": "t.elapsed_wake + \(day)",
                ]
            ),
            ("request", ["job": "t.job + n", "name": "'stored' || n"]),
            ("wake", ["key": "t.key + n", "shard": "n % 256", "instant": "t.instant + \(day)"]),
        ]
        for (table, replaced) in copies {
            let (names, values) = try columns(table, replaced)
            try server.query(
                "INSERT INTO apus.\(table) (\(names)) SELECT \(values) FROM apus.\(table) AS t, generate_series(1, \(jobs)::bigint) AS n",
                in: "million")
        }
        try server.query("SELECT setval('apus.job_key', (SELECT max(key) FROM apus.job))", in: "million")
        try server.query("VACUUM ANALYZE", in: "million")
        try server.query("CHECKPOINT")
    }

    /// Starts a node, and waits until it owns this number of shards.
    private func time(share: Int, others: Int) throws -> (NodeProcess, Double) {
        let node: NodeProcess
        let start = monotonicNanoseconds()
        node = try NodeProcess("m\(others)", server.connection("million"))
        let newest =
            "SELECT count(*) FROM apus.shard WHERE node = (SELECT max(id) FROM apus.node WHERE name = 'm\(others)')"
        for _ in 0..<600 {
            if try server.number(newest, in: "million") >= Double(share) {
                let time = Double(monotonicNanoseconds() - start) / 1e9
                try node.expect("up")
                return (node, time)
            }
            Foundation.usleep(20_000)
        }
        throw Failure(description: "node m\(others) did not get its share of the shards")
    }

    private func seconds(_ holds: (Double) -> Bool) throws -> Double {
        let start = monotonicNanoseconds()
        let mine = "SELECT count(*) FROM apus.shard WHERE node = (SELECT max(id) FROM apus.node WHERE name = 'm0')"
        for _ in 0..<600 {
            if holds(try server.number(mine, in: "million")) { return Double(monotonicNanoseconds() - start) / 1e9 }
            Foundation.usleep(20_000)
        }
        throw Failure(description: "the first node did not take the shards of the killed node")
    }
}
