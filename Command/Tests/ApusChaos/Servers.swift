import ApusPostgres
import ApusTestSupport
import Foundation

/// A PostgreSQL server that this program runs as an unprivileged user and reaches through a Unix socket.
final class Server: Sendable {
    static let port = 5432
    static let user = "owner"

    /// The folder of the server's socket, with the data in a folder below it.
    let folder: String
    let files: WorkFolder
    let programs: String
    var data: String { "\(folder)/data" }

    init(_ name: String, in files: WorkFolder) throws {
        self.files = files
        folder = "\(files.path)/\(name)"
        programs = try Self.programFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Shell.run(["chown", files.user, folder])
    }

    static func programFolder() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let newest = versions.filter({ $0 >= 15 }).max() else {
            throw Failure(
                "there is no PostgreSQL server of version 15 or later in \(root): install Debian's postgresql")
        }
        return "\(root)/\(newest)/bin"
    }

    var connection: String { "host=\(folder) port=\(Self.port) user=\(Self.user)" }

    // MARK: Life

    func initialize() throws {
        try files.asUser([
            "\(programs)/initdb", "-D", data, "-U", Self.user, "--auth=trust", "--encoding=UTF8", "--locale=C",
        ])
        let settings = """
            listen_addresses = ''
            port = \(Self.port)
            shared_buffers = 64MB
            min_wal_size = 32MB
            max_wal_size = 256MB
            wal_keep_size = 128MB
            max_connections = 60

            """
        let path = "\(data)/postgresql.conf"
        let old = try String(contentsOfFile: path, encoding: .utf8)
        try files.asUser(["sh", "-c", "cat >>'\(path)' <<'END'\n\(settings)END"])
        guard try String(contentsOfFile: path, encoding: .utf8).count > old.count else {
            throw Failure("the server's settings could not be written")
        }
    }

    func start() throws { try control("-o", "-c unix_socket_directories=\(folder)", "start") }

    /// Stops the server at once, as in a crash.
    func crash() throws { try control("-m", "immediate", "stop") }

    var isRunning: Bool { (try? control("status")) != nil }

    func control(_ arguments: String...) throws {
        // The server must not inherit a pipe that this program reads to its end.
        let command =
            ["\(programs)/pg_ctl", "-D", data, "-w", "-t", "60", "-l", "\(folder)/server.log"] + arguments
        let text = command.map { "'\($0)'" }.joined(separator: " ")
        try files.asUser(["sh", "-c", "\(text) >>'\(folder)/control.log' 2>&1 </dev/null"], seconds: 90)
    }

    /// Makes this server the standby of another one, from a copy of its data.
    func follow(_ primary: Server) async throws {
        try Shell.run(["rm", "-rf", data])
        try files.asUser([
            "\(programs)/pg_basebackup", "-h", primary.folder, "-p", "\(Self.port)", "-U", Self.user, "-D", data, "-R",
            "-X", "stream", "-c", "fast", "-d", "application_name=standby",
        ])
        try start()
        try await until("the standby receives what the primary writes", atMost: .seconds(20)) {
            try primary.query("SELECT state FROM pg_stat_replication WHERE application_name = 'standby'")
                == [["streaming"]]
        }
    }

    func promote() throws { try control("promote") }

    // MARK: SQL

    /// Returns the columns of the rows of a query.
    ///
    /// `folder` is the folder of the server's socket, if nodes look for the socket in another folder.
    @discardableResult
    func query(
        _ sql: String, in database: String = "postgres", seconds: Int = 20, folder: String? = nil
    ) throws -> [[String]] {
        let separator = "\u{1F}"
        let text = try Shell.run(
            [
                "\(programs)/psql", "-X", "-h", folder ?? self.folder, "-p", "\(Self.port)", "-U", Self.user,
                "-d", database, "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-F", separator, "-c", sql,
            ], seconds: seconds, environment: ["PGCONNECT_TIMEOUT": "5", "PGAPPNAME": "chaos"])
        return text.split(separator: "\n").map { line in
            line.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Executes statements in a session that stays open until the returned process is ended.
    func openSession(_ sql: String, in database: String) throws -> Child {
        try Child([
            "\(programs)/psql", "-X", "-h", folder, "-p", "\(Self.port)", "-U", Self.user, "-d", database, "-q", "-c",
            sql,
        ])
    }
}

/// The servers, each of which is started when a nemesis needs it for the first time.
final class Servers {
    private let files: WorkFolder
    private var common: Server?

    init(_ files: WorkFolder) { self.files = files }

    func setup(for nemesis: Nemesis) async throws -> Cluster.Setup {
        switch nemesis {
        case .full: return Cluster.Setup(servers: [try smallServer()])
        case .promote:
            return Cluster.Setup(servers: try await serverWithStandby(isSynchronous: true), isSynchronous: true)
        case .lag: return Cluster.Setup(servers: try await serverWithStandby(isSynchronous: false))
        case .clocks: return Cluster.Setup(shifts: [-3_600, 0, 3_600], servers: [try commonServer()])
        case .cut: return Cluster.Setup(hasProxies: true, servers: [try commonServer()])
        case .block: return Cluster.Setup(servers: [try commonServer()], schema: StoreMigrations.shipped.newest)
        case .kill, .stop, .pause, .terminate, .crash, .snapshot, .upgrade, .poison:
            return Cluster.Setup(servers: [try commonServer()])
        }
    }

    private func commonServer() throws -> Server {
        if let common { return common }
        let server = try Server("main", in: files)
        try server.initialize()
        try server.start()
        common = server
        return server
    }

    /// Starts a server on its own small file system.
    private func smallServer() throws -> Server {
        let path = "\(files.path)/small"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Shell.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", path])
        let server = try Server("small", in: files)
        try server.initialize()
        try server.start()
        return server
    }

    private func serverWithStandby(isSynchronous: Bool) async throws -> [Server] {
        let name = isSynchronous ? "sync" : "async"
        let (primary, standby) = (try Server("\(name)-1", in: files), try Server("\(name)-2", in: files))
        try primary.initialize()
        try primary.start()
        try await standby.follow(primary)
        if isSynchronous { try await primary.requireStandby() }
        return [primary, standby]
    }
}
