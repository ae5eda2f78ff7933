import ApusBackground
public import ApusClient
public import ApusJobs
import ApusLinux
package import ApusPostgres
import ApusSQLite
import ApusTimers
import Hummingbird
public import Logging
import LoopbackWeb
import NIOCore
import PathTrust

/// A process that runs the jobs of one home, or its share of the jobs in a PostgreSQL database.
///
/// It consists of the store, the scheduler, the actions, and the API on a Unix socket and, if an address is given, over
/// HTTP.
public struct Daemon: Sendable {
    /// The configuration of a daemon.
    public struct Configuration: Sendable {
        /// The home of the daemon.
        public var home: Home
        /// The location of the jobs.
        public var store: StoreLocation
        /// The daemon's name among the daemons that share the store.
        public var node: NodeID
        /// The address of the HTTP listener; `nil` for none.
        public var http: HTTPAddress?
        /// The time for which running commands may continue after SIGTERM.
        public var grace: Duration = .seconds(10)
        /// Whether a running daemon of the home is stopped first; if `false`, the start fails with `owned` while one
        /// runs.
        public var takesOver = false
        /// The maximum number of concurrent jobs; `nil` for 256.
        ///
        /// The number is lower if the limits of open files and processes require it.
        public var parallel: Int?
        /// The time for which other daemons that share the store wait for a sign of life from this one before they take
        /// over its jobs.
        public var patience: Duration = .seconds(3)
        /// The environment of the daemon itself, which contains the address of its service manager.
        ///
        /// Commands inherit nothing from it.
        public var environment: [String: String]
        /// The versions of a database's schema that the daemon knows; tests of upgrades replace them.
        package var migrations = StoreMigrations.shipped
        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - home: the folder of everything except the jobs.
        ///   - store: the location of the jobs; the home's own file by default.
        ///   - node: the daemon's name; the machine's name by default.
        ///   - http: the address of the HTTP listener; `nil` for none.
        ///   - environment: the environment of the daemon itself.
        public init(
            home: Home, store: StoreLocation? = nil, node: NodeID? = nil, http: HTTPAddress? = nil,
            environment: [String: String]
        ) {
            self.home = home
            self.store = store ?? .sqlite(path: home.databasePath)
            self.node = node ?? .ofThisMachine
            self.http = http
            self.environment = environment
        }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let random: any RandomSource = SystemRandom()

    /// Creates a daemon, which does nothing until it is run.
    public init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// The addresses of a daemon that is ready.
    public struct Ready: Sendable {
        /// The path of the socket.
        public var socketPath: String
        /// The URL of the HTTP listener, if there is one.
        public var url: String?
        /// The token that requests to the HTTP listener send as `Authorization: Bearer TOKEN`.
        public var token: String?
        /// The address that opens the dashboard in a browser.
        public var dashboard: String? {
            guard let url, let token else { return nil }
            return "\(url)/?token=\(token)"
        }
    }

    /// Runs until SIGTERM, SIGINT or SIGHUP, or until a client asks the daemon to stop; then running commands have the
    /// grace period.
    ///
    /// The whole process belongs to the daemon. It adopts the orphans of commands and reaps every child, so no other
    /// code can wait for a child. It also raises its soft limit of open files.
    ///
    /// - Parameter onReady: a closure that is called once, as soon as the daemon can answer requests.
    /// - Returns: whether a command had to be cut off; its run is recorded as lost, and retried at the next start.
    /// - Throws: `JobError` if the store cannot be opened (`owned` names the other daemon) or another process has taken
    ///   it since (`notOwner`); `DaemonError` if the home or an address cannot be used, or the system has no thread for
    ///   the daemon. A daemon that a service manager started throws `storeLost` if it could not use the store for 10
    ///   minutes; it then ends as after SIGTERM.
    public func run(onReady: @escaping @Sendable (Ready) -> Void) async throws -> Bool {
        let home = configuration.home
        try home.prepare()
        let fileLimits = FileLimits.raise()
        try FileLimits.check(atLeast: Parallelism.Means.toOpen, for: "the daemon")
        try ChildReaper.shared.start()
        try OutputLoop.shared.start()
        let engine = TimerEngine.shared
        let host = LinuxHost(
            engine: engine,
            // The scheduler observes the grace period itself; the host's longer one is a safety net.
            configuration: .init(
                gracePeriod: configuration.grace + .seconds(1), expirationMargin: .milliseconds(500)),
            conditions: LinuxConditions(root: configuration.environment[Self.systemRoot] ?? "/"),
            serviceManager: ServiceManager(notifySocket: configuration.environment[ProcessEnvironment.notifySocket]),
            logger: logger)
        let store = store(engine)
        let scheduler = JobScheduler(
            store: store, engine: engine, host: host, random: random,
            configuration: .init(
                maximumConcurrentRuns: parallelism(), bootID: host.bootID,
                // A burst of output waits in this buffer until the earlier output has been passed on to the listeners.
                outputBufferBytes: EventFeed.Limits().bulkBytes, cancellationGrace: windUp,
                storePatience: storePatience,
                node: configuration.node),
            logger: logger)
        let metrics = PrometheusRegistry.ofJobs()
        scheduler.reportMetrics(to: metrics, label: "apus")
        let events = EventFeeds()
        let work = RunningWork()
        let records = RunningRecords(folder: home.runningPath, random: random)
        let runner = ActionRunner(
            command: CommandRunner(
                surroundings: .ofThisUser(), records: records, random: random, fileLimit: fileLimits?.soft ?? 0,
                ender: CommandEnder(
                    engine: engine, table: ProcessTable(), patience: min(CommandRunner.patience, windUp * 0.8),
                    logger: logger)),
            webhooks: WebhookPoster(time: engine.time),
            notifications: NotificationDesk(
                desktop: DesktopNotifier(appName: "apus"), attached: events, logger: logger),
            logger: logger)
        for kind in ActionKind.allCases {
            scheduler.register(kind.rawValue) { context in
                try await work.during(context, on: host) { try await runner.run(context) }
            }
        }
        let feed = scheduler.events()
        // The lock makes this the only daemon of the home, so commands that are recorded as running are those of an
        // earlier daemon.
        let lock = try HomeLock(home)
        defer { lock.release() }
        try await begin {
            try await lock.acquire(forJobsIn: configuration.store)
            do throws(TrustedPath.Failure) { try StoreRecord(home).announce(configuration.store) } catch {
                logger.warning("the home cannot record where the store is", metadata: ["error": "\(error)"])
            }
            do { try await scheduler.start(afterOpening: { records.endLeftovers(logger: logger) }) } catch let error
                as JobError
            {
                throw configuration.store.explained(error)
            }
        }
        do throws(TrustedPath.Failure) { try StoreRecord(home).write(configuration.store) } catch {
            logger.warning(
                "the home cannot record where the store is: a daemon without --store will look for the jobs in the home",
                metadata: ["error": "\(error)"])
        }
        do {
            let routes = Routes(
                scheduler: scheduler, jobs: JobDirectory(scheduler: scheduler, random: random), events: events,
                home: home, identity: lock.identity, store: configuration.store, node: configuration.node,
                nodes: NodeDirectory(store),
                queues: QueueDirectory(store, scheduler), metrics: metrics,
                started: engine.time.wall(),
                running: { work.count }, stop: { host.requestStop() })
            try await serve(routes, host: host, feed: feed, onReady: onReady)
        } catch {
            await scheduler.stop(grace: .zero)
            throw error
        }
        // This warning names only actions that have ended; the host reports those that ignored their cancellation.
        if !work.cutNames.isEmpty {
            logger.warning(
                "the shutdown cancelled commands; their runs are retried at the next start",
                metadata: ["cut": "\(work.cutNames.joined(separator: ", "))"])
        }
        return work.wasCut
    }

    /// Starts the scheduler; if the configuration asks for it, first stops the home's running daemon and waits for its
    /// end.
    private func begin(_ start: () async throws -> Void) async throws {
        guard configuration.takesOver else { return try await start() }
        let client = DaemonClient(home: configuration.home)
        // Another daemon that begins at the same moment owns the home before it can be asked to stop. The start then
        // fails, so it is attempted up to 100 times. Each attempt waits a tenth of a second for the owner of the lock
        // before it fails.
        for attempt in 1...100 {
            if let other = try? await client.health() {
                logger.notice("taking over from another daemon", metadata: ["process": "\(other.pid)"])
                try? await client.stop()
                try await client.untilStopped()
            }
            do { return try await start() } catch let error as JobError where error.code == .owned && attempt < 100 {}
        }
    }

    private func store(_ engine: TimerEngine) -> any JobStore {
        switch configuration.store {
        case .sqlite(let path): return SQLiteStore(path: path)
        case .postgres(let server):
            return PostgresStore(
                server, engine: engine, logger: logger, migrations: configuration.migrations,
                timing: .init(patience: configuration.patience))
        }
    }

    private func parallelism() -> Int {
        let most = Parallelism.most(asked: configuration.parallel, means: .current())
        if most < configuration.parallel ?? Parallelism.standard {
            logger.notice(
                "fewer jobs can run at once, because of the limits of open files and processes",
                metadata: ["jobs": "\(most)"])
        }
        return most
    }

    /// The time for which the store may be unusable before the daemon ends; `nil` for no limit.
    ///
    /// A service manager then starts the daemon again, with new connections and perhaps elsewhere. Without one, the
    /// daemon would not come back, so it waits for the store.
    private var storePatience: Duration? {
        configuration.environment[ProcessEnvironment.notifySocket] == nil ? nil : .seconds(600)
    }

    /// The length of the last part of the grace period, in which commands get SIGTERM and finally SIGKILL.
    private var windUp: Duration { min(CommandRunner.patience + .seconds(1), configuration.grace / 2) }

    private func serve(
        _ routes: Routes, host: LinuxHost, feed: AsyncStream<JobEvent>, onReady: @escaping @Sendable (Ready) -> Void
    ) async throws {
        let socketPath = configuration.home.socketPath
        let socket = SocketFile(path: socketPath)
        socket.removeStale()
        let record = SocketRecord(path: configuration.home.socketRecordPath)
        let listeners = try Listeners(
            configuration: configuration, socket: socket, random: random, logger: logger)
        let readiness = Readiness(expected: listeners.expected) { [logger] in
            do throws(TrustedPath.Failure) { try record.write(socketPath: socketPath) } catch {
                logger.warning(
                    "callers with another XDG_RUNTIME_DIR will not find this daemon", metadata: ["error": "\(error)"])
            }
            host.reportReady()
            onReady(Ready(socketPath: socketPath, url: listeners.url, token: listeners.token))
        }
        let phases = host.phaseChanges()
        // This task keeps the process from ending before the scheduler has stopped. It is begun before a signal can end
        // the process. Each run has a background task of its own.
        var request = BackgroundTaskRequest(name: "the store")
        request.endsOnExpiration = false
        let claim = try host.beginBackgroundTask(request)
        let grace = configuration.grace - windUp
        let lost = Loss()
        defer {
            claim.end()
            socket.remove()
            record.remove()
            listeners.forget()
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in feed {
                    routes.events.send(event, from: routes.jobs)
                    switch event {
                    case .dropped(let events, _) where events > 0: await routes.events.follow(routes.scheduler)
                    case .stopped(let error?):
                        lost.note(error)
                        host.requestStop()
                    default: break
                    }
                }
                return false
            }
            for server in listeners.servers(routes: routes, logger: logger, readiness: readiness) {
                group.addTask {
                    try await server()
                    return false
                }
            }
            group.addTask {
                // The listeners answer requests while the scheduler stops, so that a user can watch commands end. The
                // scheduler starts nothing new.
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
        guard let error = lost.error else { return }
        if error.code == .notOwner { throw error }
        throw DaemonError(.storeLost, error.message)
    }

    /// The variable with which a test replaces the machine's `sys` and `proc` for the conditions of jobs.
    ///
    /// Its value is the folder that contains the two replacements.
    static let systemRoot = "APUS_SYSTEM_ROOT"
}

/// Keeps the error with which the scheduler stopped because it could no longer use the store.
private final class Loss: Sendable {
    private let reason = Locked<JobError?>(nil)

    var error: JobError? { reason.withLock { $0 } }

    func note(_ error: JobError) { reason.withLock { $0 = error } }
}
