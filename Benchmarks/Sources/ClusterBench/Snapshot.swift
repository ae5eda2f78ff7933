import BenchSupport
import Foundation

/// Measures runs while a transaction is held open, which prevents the database from removing dead rows.
struct Snapshot {
    let server: Server
    let options: Options

    func table() throws -> ComparisonTable {
        let jobs = options.quick ? 4_000 : 10_000
        let waves = try Waves(1, on: server, "snapshot")
        _ = try waves.run(jobs)
        let before = try (0..<3).map { _ in try waves.run(jobs, lead: 2).rate }
        var held: [Double] = []
        let dead = try server.withOpenTransaction(in: "snapshot") {
            let end = monotonicNanoseconds() + UInt64(options.long * 1e9)
            repeat { held.append(try waves.run(jobs, lead: 2).rate) } while monotonicNanoseconds() < end
            Foundation.sleep(2)
            return try server.number(
                "SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = 'apus'", in: "snapshot")
        }
        try waves.check()
        waves.stop()
        // If the database stayed, its dead rows would be removed during the measurement of the next subjects.
        try server.query("DROP DATABASE snapshot WITH (FORCE)")
        return ComparisonTable(
            "Runs while a transaction is held open for \(Int(options.long)) s, in waves of \(jobs)",
            [
                Comparison(
                    "rate of the last waves", median(held.suffix(3)), "runs/s", peers: [("before", median(before))],
                    target: .ratioAtLeast(0.9, of: "before")),
                Comparison("rate of the slowest wave", held.min(), "runs/s", peers: [("before", median(before))]),
                Comparison("dead rows at the end", dead, "rows"),
            ])
    }
}
