import BenchSupport
import Foundation

/// Measures the limit that the database sets: pgbench repeats the statements of real turns.
///
/// The server logs the statements of a wave with their parameters. The tables are then restored to their state before
/// the due instant, and one pgbench for each node executes the node's turns again: the same prepared statements with
/// the same parameters, in the same batches, each of which is one round trip.
struct Replay {
    let server: Server

    private static let tables = [
        "node", "beat", "shard", "job", "request", "wake", "ended", "open_run", "run", "clock", "queue", "place",
        "submission", "reply",
    ]

    /// Returns the number of runs per second.
    func rate(nodes: Int, jobs: Int) throws -> Double {
        let waves = try Waves(nodes, on: server, "statements", settings: ["log_statement = 'all'"])
        let marker = "SELECT 'the turns begin, \(nodes)'"
        _ = try waves.run(jobs, lead: 6) {
            try server.query(
                (["CREATE SCHEMA before"] + Self.tables.map { "CREATE TABLE before.\($0) AS SELECT * FROM apus.\($0)" })
                    .joined(separator: ";"), in: "statements")
            try server.query(marker, in: "statements")
        }
        waves.stop()
        let log = try server.log()
        guard let start = log.lastIndex(where: { $0.message.contains(marker) }) else {
            throw Failure(description: "the server has not logged the statements")
        }
        let scripts = Dictionary(grouping: log[start...], by: \.pid).values.compactMap { Self.script($0) }
        guard scripts.count == nodes else {
            throw Failure(description: "the server has logged the turns of \(scripts.count) nodes, not of \(nodes)")
        }
        try restore()
        return Double(jobs) / (try execute(scripts) / 1_000)
    }

    private func restore() throws {
        try server.query("ALTER DATABASE statements RESET log_statement")
        let names = Self.tables.map { "apus.\($0)" }.joined(separator: ", ")
        let copies = Self.tables.map { "INSERT INTO apus.\($0) OVERRIDING SYSTEM VALUE SELECT * FROM before.\($0)" }
        try server.query("TRUNCATE \(names); " + copies.joined(separator: "; "), in: "statements")
        try server.query("VACUUM ANALYZE", in: "statements")
        try server.query("CHECKPOINT")
    }

    /// Executes the scripts at the same time, and returns the longest of their times in milliseconds.
    private func execute(_ scripts: [String]) throws -> Double {
        var processes: [(Process, Pipe)] = []
        for (number, script) in scripts.enumerated() {
            let path = "\(server.folder).\(number).sql"
            try script.write(toFile: path, atomically: true, encoding: .utf8)
            processes.append(
                try server.start("pgbench", ["-n", "-M", "extended", "-t", "1", "-f", path], "statements"))
        }
        defer {
            for number in scripts.indices {
                try? FileManager.default.removeItem(atPath: "\(server.folder).\(number).sql")
            }
        }
        var longest = 0.0
        for (process, output) in processes {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let line = text.split(separator: "\n").first { $0.hasPrefix("latency average = ") }
            let words = line?.split(separator: " ") ?? []
            guard text.contains("processed: 1/1"), words.count > 3, let time = Double(words[3]) else {
                throw Failure(description: "pgbench could not execute the turns: \(text.suffix(500))")
            }
            longest = max(longest, time)
        }
        return longest
    }

    // MARK: Scripts

    /// Returns the turns of one session as a script; `nil` if it had none.
    private static func script(_ lines: [Server.LogLine]) -> String? {
        var names: [String: String] = [:]
        var preparations = ""
        var turns = ""
        var turn: [String] = []
        for line in lines {
            guard line.message.hasPrefix("execute "), let colon = line.message.firstRange(of: ": ") else { continue }
            let sql = String(line.message[colon.upperBound...])
            if sql.contains("apus.fence(") { turn = [] } else if turn.isEmpty { continue }
            if names[sql] == nil {
                names[sql] = "s\(names.count)"
                preparations += "PREPARE s\(names.count - 1) AS \(sql);\n"
            }
            turn.append("EXECUTE \(names[sql]!)\(arguments(line.detail));\n")
            if sql.contains("FROM apus.submission AS s JOIN apus.shard") {
                if turn.count > 2 { turns += "\\startpipeline\n\(turn.joined())\\endpipeline\n" }
                turn = []
            }
        }
        return turns.isEmpty ? nil : preparations + turns
    }

    /// Returns the arguments of a logged statement: `parameters: $1 = 'a', $2 = NULL` becomes `('a', NULL)`.
    private static func arguments(_ detail: String?) -> String {
        guard let detail, let colon = detail.firstRange(of: "parameters: ") else { return "" }
        var text = ""
        var isQuoted = false
        var rest = detail[colon.upperBound...]
        while let character = rest.first {
            if !isQuoted, character == "$", let equals = rest.firstRange(of: " = ") {
                rest = rest[equals.upperBound...]
                continue
            }
            if character == "'" { isQuoted.toggle() }
            text.append(character)
            rest.removeFirst()
        }
        return "(\(text))"
    }
}
