import BenchSupport
import Foundation

/// The costs of three idle nodes.
struct Idle {
    let server: Server
    let options: Options

    func table() throws -> ComparisonTable {
        let seconds = options.quick ? 5 : 20
        let waves = try Waves(3, on: server, "idle")
        // After this sleep, the nodes have finished the work that follows joining.
        Foundation.sleep(5)
        try server.query("CREATE EXTENSION pg_stat_statements", in: "idle")
        func counts() throws -> [Double] {
            try server.query(
                """
                SELECT (SELECT sum(calls) FROM pg_stat_statements AS s WHERE s.dbid = d.oid), t.xact_commit
                FROM pg_database AS d JOIN pg_stat_database AS t ON t.datid = d.oid WHERE d.datname = 'idle'
                """, in: "idle")[0].compactMap { Double($0) }
        }
        let processes = waves.nodes.map(\.process.processIdentifier)
        let before = try counts()
        let cpu = processes.map(processorSeconds(of:)).reduce(0, +)
        let wal = try server.number("SELECT pg_current_wal_insert_lsn() - '0/0'")
        Foundation.sleep(UInt32(seconds))
        let after = try counts()
        let bytes = try server.number("SELECT pg_current_wal_insert_lsn() - '0/0'") - wal
        let used = processes.map(processorSeconds(of:)).reduce(0, +) - cpu
        waves.stop()
        func each(_ value: Double) -> Double { value / Double(seconds) / 3 }
        return ComparisonTable(
            "Three idle nodes, for \(seconds) s: what each costs",
            [
                Comparison("statements", each(after[0] - before[0]), "1/s"),
                Comparison("transactions", each(after[1] - before[1]), "1/s"),
                Comparison("write-ahead log", each(bytes), "bytes/s"),
                Comparison("CPU of the node", each(used) * 1_000, "ms/s"),
            ])
    }
}
