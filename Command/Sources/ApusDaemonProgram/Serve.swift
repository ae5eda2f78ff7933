import ApusClient
import ApusCommand
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
            Subcommands that need the daemon start it themselves; use `apus install` to have systemd start it.
            Each option can also be given in the environment (APUS_LOG_LEVEL for --log-level) or in the configuration file, which also apply to daemons that other subcommands or systemd start; `apus config` lists the settings with their values.
            With --store postgres://HOST/DATABASE, any number of daemons on any number of machines share the jobs of one PostgreSQL database; each has a home of its own. Put a password into the environment (PGPASSWORD, APUS_STORE) or into ~/.pgpass, because every user of the machine can read arguments.
            Exit codes: 0 if all commands had ended; 75 (EX_TEMPFAIL) if some were cut off and will be tried again; 74 (EX_IOERR) if it runs under a service manager and could not use its store for 10 minutes; 1 if it could not start, or has lost its database to another process.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the jobs are kept: postgres://HOST/DATABASE, libpq's \"host=… dbname=…\", or the path of a SQLite file (default: the home's own file).",
            valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The name of this daemon among those that share the store (default: the machine's name).",
            valueName: "name"))
    var node: String?

    @Option(
        help: ArgumentHelp(
            "How long the other daemons of a PostgreSQL database wait for a heartbeat of this one before they take over its jobs, 3s to 5m (default: 3s).",
            discussion:
                "Use a longer one if the machine may be stopped or overloaded for a while: a daemon whose jobs were taken over ends.",
            valueName: "duration"))
    var patience: String?

    @Option(
        help: ArgumentHelp(
            "Listen at this loopback address too, with a dashboard for browsers; requests need the token that is printed.",
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

    @Option(
        help: ArgumentHelp(
            "How long running commands may continue after SIGTERM (default: 10s).", valueName: "duration"))
    var grace: String?

    @Option(
        help: ArgumentHelp(
            "How much is logged: trace, debug, info, notice, warning, error or critical (default: info).",
            valueName: "level"))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "Write the log to this file instead of standard error. Daemons in the background write apus.log in the home.",
            valueName: "path"))
    var logFile: String?

    @Option(
        help: ArgumentHelp(
            "The size at which a new log file is begun, such as 64KiB (default: 1MiB).", valueName: "size"))
    var logSize: String?

    @Option(
        help: ArgumentHelp(
            "How many earlier log files are kept, as PATH.1, PATH.2 … (default: 3).", valueName: "n"))
    var logKeep: String?

    @Option(
        help: ArgumentHelp(
            "How many jobs may run at once (default: 256); fewer where the limits of open files and processes allow fewer.",
            valueName: "n"))
    var parallel: String?

    @Flag(help: ArgumentHelp("Ask the daemon of this home to stop, and take its place.", visibility: .hidden))
    var takeOver = false

    @Option(help: .hidden)
    var readyFd: Int32?

    func run() async throws {
        try await reporting {
            do { try await serve() } catch let error as ExitCode {
                throw error
            } catch let error as DaemonError where error.code == .storeLost {
                Terminal.note("apus: \(error)")
                throw ExitCode(74)
            } catch {
                if let readyFd { report(readyFd, Self.line(error)) }
                throw error
            }
        }
    }

    private func serve() async throws {
        let environment = ProcessEnvironment.current.variables
        let home = try Home(environment: environment)
        let settings = try DaemonSettings(Settings(options: options, environment: environment), home: home)
        try startLog(settings, home)
        for unknown in SettingKey.unknownVariables(in: environment) { Logger(label: "apus").warning("\(unknown)") }
        var configuration = Daemon.Configuration(
            home: home, store: settings.store, node: settings.node, http: settings.http, environment: environment)
        configuration.patience = settings.patience
        configuration.takesOver = takeOver
        configuration.parallel = settings.parallel
        configuration.grace = settings.grace
        if let store, StoreLocation.hasPassword(store) {
            Terminal.note(
                "apus: every user of this machine can read the password of --store; put it into APUS_STORE, PGPASSWORD or ~/.pgpass"
            )
        }
        let place = "\(configuration.store)"
        let kept = place == home.databasePath ? home.path : "\(place) as \(configuration.node), home \(home.path)"
        let readyFd = readyFd
        let wasCut = try await Daemon(configuration: configuration, logger: Logger(label: "apus")).run { ready in
            if let readyFd {
                report(readyFd, "ready")
            } else {
                Terminal.note("apus: keeping the jobs of \(kept); socket \(ready.socketPath)")
                if let dashboard = ready.dashboard, let token = ready.token {
                    Terminal.note("apus: dashboard at \(dashboard)")
                    if isatty(STDERR_FILENO) == 1 {
                        Terminal.note(
                            "apus: open it in a browser; programs send the header \"Authorization: Bearer \(token)\"")
                    }
                }
            }
        }
        if wasCut { throw ExitCode(75) }
    }
}

extension Serve {
    /// The options that are set on the command line.
    private var options: [SettingKey: [String]] {
        let single: [SettingKey: String?] = [
            .store: store, .node: node, .patience: patience, .grace: grace, .parallel: parallel, .httpAddress: http,
            .httpAllowRemote: httpAllowRemote ? "true" : nil, .logLevel: logLevel, .logFile: logFile, .logSize: logSize,
            .logKeep: logKeep,
        ]
        var options = single.compactMapValues { $0.map { [$0] } }
        if !httpHost.isEmpty { options[.httpHosts] = httpHost }
        return options
    }

    private func startLog(_ settings: DaemonSettings, _ home: Home) throws {
        let level = settings.logLevel
        // The standard error of a background daemon is the home's log already. The log is opened here all the same,
        // because otherwise it would never be rotated.
        guard let file = settings.logFile ?? (readyFd == nil ? nil : home.logPath) else {
            return LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0).with(level) }
        }
        let log = try RotatedLog(path: file, limits: settings.logLimits)
        LoggingSystem.bootstrap { StreamLogHandler(label: $0, stream: log).with(level) }
    }

    /// Returns the line with which an error is reported to the process that started this one in the background.
    private static func line(_ error: any Error) -> String {
        switch error {
        case let error as JobError: "\(error.code == .owned ? "owned: " : "")\(error.message)"
        default: "\(error)"
        }
    }
}

extension StreamLogHandler {
    fileprivate func with(_ level: Logger.Level) -> Self {
        var handler = self
        handler.logLevel = level
        return handler
    }
}

/// Reports the start, in one line, to the process that started the daemon in the background.
private func report(_ descriptor: Int32, _ text: String) {
    let line = Array((text.unicodeScalars.split(separator: "\n").map(String.init).joined(separator: " ") + "\n").utf8)
    _ = write(descriptor, line, line.count)
    close(descriptor)
}
