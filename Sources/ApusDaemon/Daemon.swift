import ApusBackground
import ApusJobs
import ApusLinux
import ApusSQLite
import ApusTimers
import AsyncHTTPClient
import Hummingbird
public import Logging
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One process that keeps the jobs of one home: the store, the scheduler, the actions, and the API on a Unix socket
/// and, when asked, on loopback.
public struct Daemon: Sendable {
    /// What a daemon needs to know.
    public struct Configuration: Sendable {
        /// Where everything is kept.
        public var home: Home
        /// `HOST:PORT` on loopback for the HTTP listener; `nil` for none.
        public var http: HTTPAddress?
        /// How long running commands may go on after SIGTERM.
        public var grace: Duration = .seconds(10)
        /// The environment that commands inherit.
        public var environment: [String: String]
        /// A configuration.
        public init(home: Home, http: HTTPAddress? = nil, environment: [String: String]) {
            self.home = home
            self.http = http
            self.environment = environment
        }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let random: any RandomSource = SystemRandom()

    /// A daemon. It does nothing until it is run.
    public init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// What the daemon tells when it is ready.
    public struct Ready: Sendable {
        /// The socket's path.
        public var socketPath: String
        /// The URL of the HTTP listener, with its token.
        public var url: String?
    }

    /// Runs until SIGTERM or SIGINT, or until somebody asks it to stop; then running commands have the grace period.
    /// - Parameter onReady: called once, when requests are answered.
    /// - Returns: whether a command had to be cut off. It is recorded as lost, and tried again at the next start.
    /// - Throws: ``JobError`` if the store cannot be opened (`owned` names the other daemon), ``DaemonError`` if the
    ///   home or an address cannot be used.
    public func run(onReady: @escaping @Sendable (Ready) -> Void) async throws -> Bool {
        let home = configuration.home
        try home.prepare()
        let engine = TimerEngine.shared
        let scheduler = JobScheduler(
            store: SQLiteStore(path: home.databasePath), engine: engine, random: random,
            configuration: .init(bootID: Self.bootID()), logger: logger)
        let events = EventHub()
        let work = RunningWork()
        let records = RunningRecords(folder: home.runningPath)
        let runner = ActionRunner(
            command: CommandRunner(environment: configuration.environment, records: records),
            http: .shared,
            notifications: NotificationDesk(
                desktop: DesktopNotifier(appName: "apus"), attached: events, logger: logger),
            logger: logger)
        for kind in ActionKind.allCases {
            scheduler.handle(kind.rawValue) { context in
                try await work.during(context) { try await runner.run(context) }
            }
        }
        let feed = scheduler.events()
        // The store's lock is what makes this the only daemon of the home: what is recorded as running before is an
        // earlier one's leftover.
        try await scheduler.start(afterOpening: { records.endLeftovers(logger: logger) })
        do {
            let host = LinuxHost(
                engine: engine,
                configuration: .init(gracePeriod: configuration.grace, expirationMargin: margin), logger: logger)
            let routes = Routes(
                scheduler: scheduler, jobs: JobDirectory(scheduler: scheduler, random: random), events: events,
                home: home,
                started: engine.time.wall(), running: { work.count }, stop: { host.requestStop() })
            try await serve(routes, host: host, feed: feed, onReady: onReady)
        } catch {
            await scheduler.stop(grace: .zero)
            throw error
        }
        return work.wasCut
    }

    /// The share of the grace period in which commands that were told to end may do so.
    private var margin: Duration { min(CommandRunner.patience, configuration.grace / 2) }

    private func serve(
        _ routes: Routes, host: LinuxHost, feed: AsyncStream<JobEvent>, onReady: @escaping @Sendable (Ready) -> Void
    ) async throws {
        let socketPath = configuration.home.socketPath
        unlink(socketPath)
        let listeners = try Listeners(configuration: configuration, random: random)
        let readiness = Readiness(expected: listeners.expected) {
            onReady(Ready(socketPath: socketPath, url: listeners.url))
        }
        let phases = host.phaseChanges
        // Begun before any signal: it keeps the process until the scheduler has stopped.
        let claim = try host.beginBackgroundTask(BackgroundTaskRequest(name: "running commands"))
        let grace = configuration.grace - margin
        defer {
            claim.end()
            unlink(socketPath)
            listeners.forget()
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in feed { routes.events.send(event) }
                return false
            }
            for application in listeners.applications(routes: routes, logger: logger, readiness: readiness) {
                group.addTask {
                    try await application.run()
                    return false
                }
            }
            group.addTask {
                // Requests go on being answered meanwhile: one can watch commands end, and nothing new is started.
                for await phase in phases where phase == .background {
                    await routes.scheduler.stop(grace: grace)
                    claim.end()
                }
                return false
            }
            group.addTask {
                _ = try await host.run()
                return true
            }
            while let isOver = try await group.next(), !isOver {}
            routes.events.close()
            group.cancelAll()
        }
    }

    /// Which start of the machine this is: a stored reading of the monotonic clock means nothing in another one.
    private static func bootID() -> String? {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") else { return nil }
        return String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
    }
}

/// The actions that run now.
private final class RunningWork: Sendable {
    private struct State {
        var count = 0
        var wasCut = false
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    /// Whether an action was ended because the daemon stopped.
    var wasCut: Bool { state.withLock { $0.wasCut } }

    func during(_ context: RunContext, _ body: () async throws -> Void) async throws {
        state.withLock { $0.count += 1 }
        defer {
            let isCut = context.cancellationReason == .shutdown
            state.withLock { state in
                state.count -= 1
                if isCut { state.wasCut = true }
            }
        }
        try await body()
    }
}

/// Calls once when everything expected has happened.
private final class Readiness: Sendable {
    private let missing: Locked<Int>
    private let action: @Sendable () -> Void

    init(expected: Int, action: @escaping @Sendable () -> Void) {
        missing = Locked(expected)
        self.action = action
    }

    func oneMore() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isComplete { action() }
    }
}

/// `HOST:PORT` on loopback.
public struct HTTPAddress: Hashable, Sendable {
    /// `127.0.0.1`, `::1` or `localhost`.
    public var host: String
    /// The port; 0 for any.
    public var port: Int

    /// Parses `127.0.0.1:7878`, `localhost:7878`, `[::1]:7878`, or a port alone.
    /// - Throws: ``DaemonError`` with `invalid`.
    public init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.count == 1 ? "127.0.0.1" : parts.dropLast().joined(separator: ":")
        guard let last = parts.last, let port = Int(last), (0...65_535).contains(port),
            ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
        else {
            throw DaemonError(
                .invalid,
                "http: \"\(text)\" is not a loopback address and port, such as 127.0.0.1:7878, localhost:7878 or [::1]:7878"
            )
        }
        self.host = host == "[::1]" ? "::1" : host
        self.port = port
    }
}

/// The daemon's listeners: the socket, and loopback when asked.
private struct Listeners {
    private let configuration: Daemon.Configuration
    private let token: String
    /// The HTTP listener's URL with its token.
    let url: String?
    var expected: Int { configuration.http == nil ? 1 : 2 }

    init(configuration: Daemon.Configuration, random: any RandomSource) throws {
        self.configuration = configuration
        token = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
        guard let http = configuration.http else {
            url = nil
            return
        }
        guard http.port != 0 else {
            throw DaemonError(.invalid, "http: choose a port from 1 to 65535")
        }
        let address = "http://\(http.host.contains(":") ? "[\(http.host)]" : http.host):\(http.port)"
        url = "\(address)/?token=\(token)"
        let record = #"{"token":"\#(token)","url":"\#(address)"}"# + "\n"
        let created = FileManager.default.createFile(
            atPath: configuration.home.httpPath, contents: Data(record.utf8), attributes: [.posixPermissions: 0o600])
        guard created else { throw DaemonError(.unavailable, "\(configuration.home.httpPath) cannot be written") }
    }

    /// Removes the record of the HTTP listener.
    func forget() {
        if configuration.http != nil { unlink(configuration.home.httpPath) }
    }

    func applications(
        routes: Routes, logger: Logger, readiness: Readiness
    ) -> [Application<RouterResponder<APIContext>>] {
        let path = configuration.home.socketPath
        var quiet = logger
        quiet.logLevel = .warning
        var applications = [
            Application(
                router: routes.router(guardedBy: PeerCheck()),
                configuration: .init(address: .unixDomainSocket(path: path)),
                onServerRunning: { _ in
                    // The folder is its owner's alone, so nobody comes between the bind and this.
                    chmod(path, 0o600)
                    readiness.oneMore()
                },
                logger: quiet)
        ]
        if let http = configuration.http {
            let names = [http.host, "localhost", "127.0.0.1", "[::1]"]
            let check = TokenCheck(token: token, hosts: Set(names.map { "\($0):\(http.port)" }))
            applications.append(
                Application(
                    router: routes.router(guardedBy: check),
                    configuration: .init(address: .hostname(http.host, port: http.port)),
                    onServerRunning: { _ in readiness.oneMore() },
                    logger: quiet))
        }
        return applications
    }
}
