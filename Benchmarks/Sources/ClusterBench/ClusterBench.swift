import BenchSupport
import Foundation

/// `cluster-bench`: what durable jobs cost in a PostgreSQL that several nodes share, beside the statements alone and
/// other ways to keep jobs there, on a server of its own; `cluster-bench --help` lists the options.
@main
enum ClusterBench {
    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "--node" {
            return try await Node.run(CommandLine.arguments[2], CommandLine.arguments[3])
        }
        let options: Options
        do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
            note("cluster-bench: \(error.reason)\n\n\(Options.usage)")
            exit(64)
        }
        signal(SIGPIPE, SIG_IGN)
        let server = try Server(below: options.directory)
        var rows: [Comparison] = []
        var failures: [String] = []
        for subject in options.subjects {
            note(subject.rawValue)
            let start = monotonicNanoseconds()
            do {
                let table = try await subject.measure(options, server)
                print(table.text)
                rows += table.rows.map { row in
                    var row = row
                    row.name = "\(subject.rawValue): \(row.name)"
                    return row
                }
            } catch {
                failures.append("\(subject.rawValue): \(error)")
                print("\(subject.rawValue) FAILED: \(error)\n")
            }
            fflush(nil)
            note("\(subject.rawValue) took \((monotonicNanoseconds() - start) / 1_000_000_000) s")
        }
        server.stop()
        print(verdict(rows))
        if let path = options.json { try Data(json(rows).utf8).write(to: URL(filePath: path)) }
        if !failures.isEmpty {
            print("\nFailed: " + failures.joined(separator: "; "))
            exit(70)
        }
    }
}

/// What can be measured by itself.
enum Subject: String, CaseIterable {
    case runs
    case submits
    case snapshot
    case idle
    case million

    func measure(_ options: Options, _ server: Server) async throws -> ComparisonTable {
        switch self {
        case .runs: try Runs(server: server, options: options).table()
        case .submits: try Submits(server: server, options: options).table()
        case .snapshot: try await Snapshot(server: server, options: options).table()
        case .idle: try Idle(server: server, options: options).table()
        case .million: try Million(server: server, options: options).table()
        }
    }
}

/// Says something beside the result.
func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
