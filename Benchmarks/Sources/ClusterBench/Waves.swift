import BenchSupport
import Foundation

/// The costs of jobs that are all due at one instant, and whose handlers return at once.
struct Wave {
    /// The number of runs per second, from the due instant to the commit of the last outcome.
    var rate: Double
    /// The CPU time of the nodes for each run, user and system.
    var cpuMicroseconds: Double
    var walBytes: Double
    var submitsPerSecond: Double
}

/// Nodes of one database that run waves of jobs.
final class Waves {
    let server: Server
    let database: String
    private(set) var nodes: [NodeProcess] = []
    private var jobs = 0

    /// Starts nodes on a new database, whose sessions have these settings.
    init(_ count: Int, on server: Server, _ database: String, settings: [String] = []) throws {
        self.server = server
        self.database = try server.create(database)
        for setting in settings { try server.query("ALTER DATABASE \(database) SET \(setting)") }
        nodes = try startNodes(count, on: server, database)
    }

    func stop() {
        for node in nodes { node.stop() }
        nodes = []
    }

    /// Submits jobs that are due in `lead` seconds, and runs them; all must be submitted before the due instant.
    func run(_ count: Int, lead: Double = 3, beforeDue: () throws -> Void = {}) throws -> Wave {
        let due = wallNow() + UInt64(lead * 1e9)
        let each = count / nodes.count
        for node in nodes {
            try node.send("prepare \(jobs) \(each) \(due)")
            jobs += each
        }
        var slowest = 0.0
        for node in nodes { slowest = max(slowest, try node.expect("prepared")[0]) }
        try beforeDue()
        let wal = try server.number("SELECT pg_current_wal_insert_lsn() - '0/0'")
        guard wallNow() < due else { throw Failure(description: "the jobs were not submitted in time") }
        var (end, cpu) = (0.0, 0.0)
        for node in nodes {
            let done = try node.expect("done")
            end = max(end, done[0])
            cpu += done[1]
        }
        let runs = Double(each * nodes.count)
        return Wave(
            rate: runs / ((end - Double(due)) / 1e9), cpuMicroseconds: cpu / 1e3 / runs,
            walBytes: try server.number("SELECT pg_current_wal_insert_lsn() - '0/0'") - wal,
            submitsPerSecond: runs / slowest)
    }

    /// Checks that every job has exactly one outcome, without which the measured rates are not valid.
    func check() throws {
        let succeeded = try server.number(
            "SELECT count(DISTINCT job) FROM apus.run WHERE final AND state = 'succeeded'", in: database)
        let outcomes = try server.number("SELECT count(*) FROM apus.run", in: database)
        guard Int(succeeded) == jobs, Int(outcomes) == jobs else {
            throw Failure(
                description: "of \(jobs) jobs \(Int(succeeded)) have succeeded, with \(Int(outcomes)) outcomes")
        }
    }
}
