import BenchSupport
import Foundation

/// The number of no-op runs per second with one node and with three nodes.
///
/// The table also has the numbers of the statements alone, of a plain queue and of procrastinate.
struct Runs {
    let server: Server
    let options: Options

    private var jobs: Int { options.quick ? 6_000 : 21_000 }
    private var turns: Int { options.quick ? 1 : 3 }

    func table() throws -> ComparisonTable {
        var rows: [Comparison] = []
        var footnotes = [
            "\(jobs) jobs due at one instant, until the last outcome is committed; medians of \(turns) waves; "
                + "CPU is that of the nodes",
            "pgbench: the same turns once more, as the server has logged them, from the same state of the tables",
            "plain: SELECT … FOR UPDATE SKIP LOCKED LIMIT 100 and two updates, by pgbench with as many clients",
        ]
        for nodes in [1, 3] {
            let waves = try Waves(nodes, on: server, "runs")
            // The first runs of a process include one-time initialization.
            _ = try waves.run(jobs / 3)
            let before = try Counters(server, "runs")
            let results = try (0..<turns).map { _ in try waves.run(jobs) }
            try waves.check()
            waves.stop()
            let runs = Double(jobs * turns)
            let after = try Counters(server, "runs")
            var peers = [
                ("pgbench", try Replay(server: server).rate(nodes: nodes, jobs: jobs)),
                ("plain", try PlainQueue(server: server, quick: options.quick).rate(clients: nodes)),
            ]
            let name = nodes == 1 ? "1 node" : "\(nodes) nodes"
            let other = try Procrastinate(server: server, options: options).measure(workers: nodes)
            if let other {
                peers.append(("procrastinate", other.rate))
            } else {
                footnotes.append(Procrastinate.hint(options))
            }
            let rate = median(results.map(\.rate))
            rows.append(
                Comparison("\(name): rate", rate, "runs/s", peers: peers, target: .ratioAtLeast(0.5, of: "pgbench")))
            rows.append(Comparison("\(name): and", rate, "runs/s", peers: peers, target: .ratioAtLeast(1, of: "plain")))
            if other != nil {
                rows.append(
                    Comparison(
                        "\(name): and", rate, "runs/s", peers: peers, target: .ratioAtLeast(5, of: "procrastinate")))
            }
            rows.append(Comparison("\(name): CPU", median(results.map(\.cpuMicroseconds)), "µs/run"))
            rows.append(
                Comparison("\(name): write-ahead log", median(results.map { $0.walBytes / Double(jobs) }), "bytes/run"))
            rows.append(Comparison("\(name): dead rows", (after.dead - before.dead) / runs, "rows/run"))
            rows.append(
                Comparison(
                    "\(name): heap-only updates", (after.heapOnly - before.heapOnly) / (after.updates - before.updates),
                    "share"))
        }
        return ComparisonTable("No-op runs in a PostgreSQL", rows, footnotes: footnotes)
    }
}

/// The server's counters of the tables of Apus, including those of the submissions.
struct Counters {
    var updates: Double
    var heapOnly: Double
    /// The number of row versions that updates and deletions have left.
    var dead: Double

    init(_ server: Server, _ database: String) throws {
        // Sessions report their counts a second later.
        Foundation.sleep(2)
        let row = try server.query(
            "SELECT sum(n_tup_upd), sum(n_tup_hot_upd), sum(n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE schemaname = 'apus'",
            in: database)[0].compactMap { Double($0) }
        (updates, heapOnly, dead) = (row[0], row[1], row[2])
    }
}

/// A queue in its usual form: a table, an index, and SKIP LOCKED.
struct PlainQueue {
    let server: Server
    let quick: Bool

    /// Returns the number of jobs per second.
    func rate(clients: Int) throws -> Double {
        let database = try server.create("plain")
        let batches = (quick ? 60 : 600) / clients
        try server.query(
            """
            CREATE TABLE q (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text NOT NULL DEFAULT 'available', kind text,
                run_at timestamptz NOT NULL, attempted_at timestamptz, finished_at timestamptz, payload jsonb);
            INSERT INTO q (kind, run_at, payload) SELECT 'no-op', now(), '{}' FROM generate_series(1, \(batches * clients * 100 + 10_000));
            CREATE INDEX q_available ON q (run_at, id) WHERE state = 'available'
            """, in: database)
        try server.query("VACUUM ANALYZE q", in: database)
        try server.query("CHECKPOINT")
        let path = "\(server.folder).plain.sql"
        try """
        WITH c AS (SELECT id FROM q WHERE state = 'available' AND run_at <= now() ORDER BY run_at, id LIMIT 100 FOR UPDATE SKIP LOCKED), u AS (UPDATE q SET state = 'running', attempted_at = now() FROM c WHERE q.id = c.id RETURNING q.id) SELECT quote_literal(array_agg(id)::text) AS ids FROM u \\gset
        UPDATE q SET state = 'completed', finished_at = now() WHERE id = ANY (:ids::bigint[]);

        """.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text = try server.run("pgbench", ["-n", "-c", "\(clients)", "-t", "\(batches)", "-f", path], database)
        let done = try server.number("SELECT count(*) FROM q WHERE state = 'completed'", in: database)
        let line = text.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        guard let words = line?.split(separator: " "), let rate = Double(words[2]), Int(done) == batches * clients * 100
        else { throw Failure(description: "pgbench has not emptied the queue: \(text.suffix(500))") }
        return rate * 100
    }
}

/// The job queue procrastinate, which comes from PyPI.
struct Procrastinate {
    let server: Server
    let options: Options

    struct Figures: Decodable {
        var rate: Double
        var submits: Double
    }

    static func hint(_ options: Options) -> String {
        options.peer == nil
            ? "procrastinate was not measured; pass --peer Benchmarks/peers/procrastinate_peer.py"
            : "procrastinate was not measured, because it is not installed; install Benchmarks/peers/requirements.txt"
    }

    /// Measures the peer; `nil` if it is not installed.
    func measure(workers: Int) throws -> Figures? {
        guard let peer = options.peer else { return nil }
        let (process, output) = try server.start(
            peer, ["--jobs", options.quick ? "1000" : "5000", "--workers", "\(workers)"], try server.create("peer"))
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        if process.terminationStatus == 69 { return nil }
        guard process.terminationStatus == 0, let line = text.split(separator: UInt8(ascii: "\n")).last else {
            throw Failure(description: "\(peer): \(String(decoding: text.suffix(1_000), as: UTF8.self))")
        }
        return try JSONDecoder().decode(Figures.self, from: line)
    }
}
