import ApusDaemon
import ApusJobs
import ArgumentParser
import Foundation
import Logging

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the daemon in the foreground, until SIGTERM, SIGHUP or Ctrl-C.",
        discussion: """
            Subcommands that need the daemon start it by themselves; say `apus install` to have systemd do it.
            With --store postgres://HOST/DATABASE, any number of daemons on any number of machines share the jobs of one PostgreSQL database; each has a home of its own. Set APUS_STORE instead to have it for daemons that are started by other subcommands too. A password belongs into the environment (PGPASSWORD, APUS_STORE) or into ~/.pgpass: arguments can be read by every user of the machine.
            Exit codes: 0 all commands had ended; 75 (EX_TEMPFAIL) some had to be cut off, and will be tried again; 1 it could not start, or has lost its database to another process.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the jobs are: postgres://HOST/DATABASE, libpq's \"host=… dbname=…\", or the path of a SQLite file (default: APUS_STORE, else the home's own file).",
            valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The name of this daemon among those that share the store (default: the machine's name).",
            valueName: "name"))
    var node: String?

    @Option(
        help: ArgumentHelp(
            "How long the other daemons of a PostgreSQL database wait for a heartbeat of this one before they take over its jobs, 3s to 5m (default: APUS_PATIENCE, else 3s).",
            discussion:
                "Longer where a machine may be stopped or overloaded for a while: a daemon that was taken for dead ends.",
            valueName: "duration"))
    var patience: String?

    @Option(
        help: ArgumentHelp(
            "Answer on loopback too, with a dashboard for browsers, protected by a token that is printed.",
            valueName: "127.0.0.1:PORT"))
    var http: String?

    @Flag(
        help: ArgumentHelp(
            "Let --http take an address that other machines can reach.",
            discussion: "There is no TLS: the token and everything else cross the network in clear text."))
    var httpAllowRemote = false

    @Option(
        help: ArgumentHelp(
            "A name by which browsers reach it: https://NAME of a TLS proxy, or, with --http-allow-remote, NAME:PORT.",
            discussion: "May be given several times. Requests with other names are refused.",
            valueName: "NAME"))
    var httpHost: [String] = []

    @Option(help: ArgumentHelp("How long running commands may continue after SIGTERM.", valueName: "duration"))
    var grace: String = "10s"

    @Option(
        help: ArgumentHelp(
            "Write the log to this file instead of standard error. Daemons in the background write apus.log in the home.",
            valueName: "path"))
    var logFile: String?

    @Option(help: ArgumentHelp("The size at which a new log file is begun, such as 64KiB.", valueName: "size"))
    var logSize: String = "1MiB"

    @Option(help: ArgumentHelp("How many earlier log files are kept, as PATH.1, PATH.2 …", valueName: "n"))
    var logKeep: Int = 3

    @Option(
        help: ArgumentHelp(
            "How many jobs may run at once (default: 256); fewer where the limits of open files and processes allow fewer.",
            valueName: "n"))
    var parallel: Int?

    @Flag(help: ArgumentHelp("Ask the daemon of this home to stop, and take its place.", visibility: .hidden))
    var takeOver = false

    @Option(help: .hidden)
    var readyFd: Int32?

    func validate() throws {
        if let parallel, parallel < 1 { throw ValidationError("--parallel: \(parallel) is not 1 or more") }
        if let node, node.isEmpty || node.utf8.count > 255 || node.unicodeScalars.contains(where: { $0.value < 32 }) {
            throw ValidationError("--node: a name has 1 to 255 bytes, and no control characters")
        }
    }

    func run() async throws {
        try await reporting {
            try startLog()
            do {
                let environment = ProcessInfo.processInfo.environment
                let home = try Home(environment: environment)
                var configuration = Daemon.Configuration(
                    home: home,
                    store: try StoreLocation(argument: store, environment: environment, home: home),
                    node: node.map(NodeID.init), http: try address(), environment: environment)
                if let patience = try patience(environment) { configuration.patience = patience }
                configuration.takesOver = takeOver
                configuration.parallel = parallel
                configuration.grace = try DurationText.parse(grace, argument: "--grace")
                if let store, StoreLocation.hasPassword(store) {
                    Terminal.note(
                        "apus: the password of --store can be read by every user of this machine; put it into APUS_STORE, PGPASSWORD or ~/.pgpass"
                    )
                }
                let place = "\(configuration.store)"
                let kept =
                    place == home.databasePath ? home.path : "\(place) as \(configuration.node), home \(home.path)"
                let readyFd = readyFd
                let wasCut = try await Daemon(configuration: configuration, logger: Logger(label: "apus")).run {
                    ready in
                    if let readyFd {
                        report(readyFd, "ready")
                    } else {
                        Terminal.note("apus: keeping the jobs of \(kept); socket \(ready.socketPath)")
                        if let dashboard = ready.dashboard, let token = ready.token {
                            Terminal.note("apus: dashboard at \(dashboard)")
                            if isatty(STDERR_FILENO) == 1 {
                                Terminal.note(
                                    "apus: open it in a browser; programs send the header \"Authorization: Bearer \(token)\""
                                )
                            }
                        }
                    }
                }
                if wasCut { throw ExitCode(75) }
            } catch let error as JobError {
                if let readyFd { report(readyFd, "\(error.code == .owned ? "owned: " : "")\(error.message)") }
                throw error
            } catch let error as DaemonError {
                if let readyFd { report(readyFd, error.description) }
                throw error
            }
        }
    }
}

extension Serve {
    private func startLog() throws {
        guard (0...1_000).contains(logKeep) else {
            throw ValidationError("--log-keep: \(logKeep) is not between 0 and 1000")
        }
        let size = try SizeText.parse(logSize, argument: "--log-size")
        guard let logFile else { return LoggingSystem.bootstrap(StreamLogHandler.standardError) }
        let folder = FileManager.default.currentDirectoryPath
        let log = try RotatedLog(
            path: logFile.hasPrefix("/") ? logFile : "\(folder)/\(logFile)",
            limits: .init(size: size, keptFiles: logKeep))
        LoggingSystem.bootstrap { StreamLogHandler(label: $0, stream: log) }
    }

    private func patience(_ environment: [String: String]) throws -> Duration? {
        let variable = "APUS_PATIENCE"
        let asked = patience.map { ($0, "--patience") } ?? environment[variable].map { ($0, variable) }
        guard let (text, argument) = asked, !text.isEmpty else { return nil }
        let duration = try DurationText.parse(text, argument: argument)
        guard duration >= .seconds(3), duration <= .seconds(300) else {
            throw ValidationError("\(argument): \(text) is not between 3s and 5m")
        }
        return duration
    }

    private func address() throws -> HTTPAddress? {
        guard let http else {
            guard !httpAllowRemote, httpHost.isEmpty else {
                throw DaemonError(.invalid, "--http-allow-remote and --http-host go with --http ADDRESS:PORT")
            }
            return nil
        }
        return try HTTPAddress(http, names: httpHost, allowsRemote: httpAllowRemote)
    }
}

/// Reports the start to the process that started the daemon in the background: one line.
private func report(_ descriptor: Int32, _ text: String) {
    let line = Array((text.split(separator: "\n").joined(separator: " ") + "\n").utf8)
    _ = write(descriptor, line, line.count)
    close(descriptor)
}
