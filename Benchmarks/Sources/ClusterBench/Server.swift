import Foundation

/// A PostgreSQL server for the benchmark, run by an unprivileged user on the disk that is measured.
///
/// A script starts the server. When this process ends, whatever the cause, the script's input ends too, and the script
/// then removes the server.
final class Server {
    let folder: String
    let programs: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(below directory: String) throws {
        folder = "\(directory)/cluster-bench-\(ProcessInfo.processInfo.processIdentifier)"
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let newest = versions.filter({ $0 >= 15 }).max() else {
            throw Failure(description: "there is no PostgreSQL server of version 15 or later in \(root)")
        }
        programs = "\(root)/\(newest)/bin"
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments = ["/bin/sh", "-c", Self.script, "cluster-bench", folder, programs]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        let answer = String(decoding: line, as: UTF8.self)
        guard answer == "ready" else { throw Failure(description: "PostgreSQL does not start: \(answer)") }
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        while let data = try? output.fileHandleForReading.read(upToCount: 4_096), !data.isEmpty {}
    }

    func connection(_ database: String) -> String { "host=\(folder) port=5432 user=owner dbname=\(database)" }

    // MARK: SQL

    /// Executes a statement, and returns the columns of its rows.
    @discardableResult
    func query(_ sql: String, in database: String = "postgres") throws -> [[String]] {
        try run("psql", ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-F", "\u{1F}", "-c", sql], database)
            .split(separator: "\n").map {
                $0.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
            }
    }

    func number(_ sql: String, in database: String = "postgres") throws -> Double {
        guard let value = try query(sql, in: database).first.flatMap({ Double($0[0]) }) else {
            throw Failure(description: "the query returned no number: \(sql)")
        }
        return value
    }

    /// Creates a database in place of an existing one with the same name.
    ///
    /// - Returns: The name of the database.
    func create(_ database: String) throws -> String {
        try query("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
        try query("CREATE DATABASE \(database)")
        return database
    }

    /// Runs one of PostgreSQL's programs, and returns its output.
    func run(_ program: String, _ arguments: [String], _ database: String) throws -> String {
        let (process, output) = try start(program, arguments, database)
        let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(program) ended with status \(process.terminationStatus): \(answer.suffix(2_000))")
        }
        return answer
    }

    /// Starts one of PostgreSQL's programs, or another program that reads the database from the usual variables.
    func start(_ program: String, _ arguments: [String], _ database: String) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(filePath: program.contains("/") ? program : "\(programs)/\(program)")
        process.arguments = arguments
        process.environment = environment(database)
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return (process, output)
    }

    private func environment(_ database: String) -> [String: String] {
        ProcessInfo.processInfo.environment.merging([
            "PGHOST": folder, "PGPORT": "5432", "PGUSER": "owner", "PGDATABASE": database,
        ]) { $1 }
    }

    /// Runs `body` while another session has a transaction open.
    func withOpenTransaction<Value>(in database: String, _ body: () throws -> Value) throws -> Value {
        let process = Process()
        process.executableURL = URL(filePath: "\(programs)/psql")
        process.arguments = [
            "-X", "-q", "-c", "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT pg_sleep(86400)",
        ]
        process.environment = environment(database)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.interrupt() }
        return try body()
    }

    struct LogLine: Decodable {
        var pid: Int
        var message: String
        var detail: String?
    }

    /// Returns the server's log so far.
    func log() throws -> [LogLine] {
        let text = try Data(contentsOf: URL(filePath: "\(folder)/statements/log.json"))
        let decoder = JSONDecoder()
        return text.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(LogLine.self, from: $0) }
    }

    /// The script of the server, with the parameters $1: the folder; $2: PostgreSQL's programs.
    private static let script = #"""
        folder=$1 programs=$2
        trap '' PIPE HUP INT TERM
        user=$(id -un)
        if [ "$(id -u)" = 0 ]; then
            user=nobody
            if id postgres >/dev/null 2>&1; then user=postgres; fi
        fi
        as_user() {
            if [ "$(id -u)" = 0 ]; then
                setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
            else
                "$@"
            fi
        }
        control() { as_user "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/log" "$@" >>"$folder/log" 2>&1 </dev/null; }
        fail() { tail -n 3 "$folder/log" | tr '\n' ' '; echo "$1"; control -m immediate stop; rm -rf "$folder"; exit 1; }
        mkdir -m 755 "$folder" && chown "$user" "$folder" && cd "$folder" || exit 1
        as_user touch "$folder/log"
        as_user "$programs/initdb" -D data -U owner --auth=trust --encoding=UTF8 --locale=C >>"$folder/log" 2>&1 ||
            fail "initdb failed"
        cat >>data/postgresql.conf <<CONF
        listen_addresses = ''
        unix_socket_directories = '$folder'
        shared_buffers = 512MB
        max_wal_size = 4GB
        checkpoint_timeout = 15min
        max_connections = 60
        shared_preload_libraries = 'pg_stat_statements'
        logging_collector = on
        log_destination = 'jsonlog'
        log_directory = '$folder/statements'
        log_filename = 'log'
        log_rotation_size = 0
        CONF
        control start || fail "the server does not start"
        echo ready
        while read -r line; do :; done
        control -m immediate stop
        rm -rf "$folder"
        """#
}
