import BenchSupport
import Foundation

/// The benchmark of durable jobs in a PostgreSQL database that several nodes share.
///
/// `cluster-bench` compares them with pgbench, which executes the same SQL statements without a scheduler, and with
/// other job queues in PostgreSQL, on its own server; `cluster-bench --help` lists the options.
@main
enum ClusterBench {
    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "--node" {
            return try await Node.run(CommandLine.arguments[2], CommandLine.arguments[3])
        }
        let options: Options
        do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
            note("cluster-bench: \(error.reason)\n\n\(Options.usage)", terminator: "")
            exit(64)
        }
        signal(SIGPIPE, SIG_IGN)
        var report = Report(program: "cluster-bench", json: options.json)
        let server = try Server(below: options.directory)
        for subject in options.subjects {
            report.add(subject.rawValue) { try subject.measure(options, server) }
        }
        server.stop()
        exit(try report.finish())
    }
}

/// A group of figures that can be measured separately.
enum Subject: String, CaseIterable {
    case runs
    case submits
    case snapshot
    case idle
    case million

    func measure(_ options: Options, _ server: Server) throws -> ComparisonTable {
        switch self {
        case .runs: try Runs(server: server, options: options).table()
        case .submits: try Submits(server: server, options: options).table()
        case .snapshot: try Snapshot(server: server, options: options).table()
        case .idle: try Idle(server: server, options: options).table()
        case .million: try Million(server: server, options: options).table()
        }
    }
}
