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

/// One process that keeps the jobs of one home, or its share of those in a PostgreSQL database: the store, the scheduler,
/// the actions, and the API on a Unix socket and, when asked, on loopback.
public struct Daemon: Sendable {
    /// What a daemon needs to know.
    public struct Configuration: Sendable {
        /// Where everything is kept.
        public var home: Home
        /// Where the jobs are.
        public var store: StoreLocation
        /// What this daemon is called among those that share the store.
        public var node: NodeID
        /// Where the HTTP listener is; `nil` for none.
        public var http: HTTPAddress?
        /// How long running commands may continue after SIGTERM.
        public var grace: Duration = .seconds(10)
        /// Whether a daemon that keeps the home is asked to stop, and waited for, instead of being reported as `owned`.
        public var takesOver = false
        /// How many jobs may run at once; `nil` for 256. Fewer run where the limits of open files and processes allow fewer.
        public var parallel: Int?
        /// How long other daemons that share the store wait for a sign of life of this one before they take over its jobs.
        public var patience: Duration = .seconds(3)
        /// The environment of the daemon itself: where its service manager listens. Commands get nothing of it.
        public var environment: [String: String]
        /// The versions of a database's schema that it knows. Tests of upgrades give others.
        package var migrations = StoreMigrations.shipped
        /// A configuration.
        /// - Parameters:
        ///   - home: where everything but the jobs is kept.
        ///   - store: where the jobs are; the home's own file if it is left out.
        ///   - node: the daemon's name; the machine's if it is left out.
        ///   - http: where the HTTP listener is; `nil` for none.
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

    /// A daemon. It does nothing until it is run.
    public init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// What the daemon reports when it is ready.
    public struct Ready: Sendable {
        /// The socket's path.
        public var socketPath: String
        /// The URL of the HTTP listener.
        public var url: String?
        /// What a request there must send as `Authorization: Bearer TOKEN`.
        public var token: String?
        /// The address that opens the dashboard in a browser.
        public var dashboard: String? {
            guard let url, let token else { return nil }
            return "\(url)/?token=\(token)"
        }
    }

    /// Runs until SIGTERM, SIGINT or SIGHUP, or until a client asks it to stop; then running commands have the grace
    /// period.
    ///
    /// The process becomes the daemon's: it adopts the orphans of commands, reaps every child, so that nothing else in
    /// it can wait for one, and raises its soft limit of open files.
    /// - Parameter onReady: called once, when requests are answered.
    /// - Returns: whether a command had to be cut off. It is recorded as lost, and tried again at the next start.
    /// - Throws: `JobError` if the store cannot be opened (`owned` names the other daemon), `DaemonError` if the
    ///   home or an address cannot be used, or the system has no thread for the daemon. `notOwner` if another process has
    ///   taken the store meanwhile, and `DaemonError` with `storeLost` if the store could not be used for 10 minutes
    ///   and a service manager started the daemon: it ends as after SIGTERM then.
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
            // The scheduler keeps to the grace period by itself; the host's is the net below it.
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
                // A burst waits here until followers have been sent what came before.
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
        // The home's lock makes this the only daemon of the home: what is recorded as running before is an earlier one's
        // leftover.
        let lock = try HomeLock(home)
        defer { lock.release() }
        try await begin {
            try await lock.acquire(forJobsIn: configuration.store)
            do throws(TrustedPath.Failure) { try StoreRecord(home).announce(configuration.store) } catch {
                logger.warning("the store cannot be recorded", metadata: ["error": "\(error)"])
            }
            do { try await scheduler.start(afterOpening: { records.endLeftovers(logger: logger) }) } catch let error
                as JobError
            {
                throw configuration.store.explained(error)
            }
        }
        do throws(TrustedPath.Failure) { try StoreRecord(home).write(configuration.store) } catch {
            logger.warning(
                "a daemon that is started without --store will look for the jobs in the home",
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
        // Actions that ignore the cancellation are in the host's report.
        if !work.cutNames.isEmpty {
            logger.warning(
                "cancelled by the shutdown; their runs are retried at the next start",
                metadata: ["cut": "\(work.cutNames.joined(separator: ", "))"])
        }
        return work.wasCut
    }

    /// Starts the scheduler, after another daemon of the home has handed over if it is to be taken over.
    private func begin(_ start: () async throws -> Void) async throws {
        guard configuration.takesOver else { return try await start() }
        let client = DaemonClient(home: configuration.home)
        // One that begins at the same moment owns the home before it answers. Each failed attempt takes a tenth of a
        // second, in which the store waits for its owner.
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
                "the limits of open files and processes let fewer jobs run at once", metadata: ["jobs": "\(most)"])
        }
        return most
    }

    /// How long the store may be unusable before the daemon ends, so that a service manager starts it again: with new
    /// connections, and perhaps elsewhere. Without one it would stay away, so it waits for the store.
    private var storePatience: Duration? {
        configuration.environment[ProcessEnvironment.notifySocket] == nil ? nil : .seconds(600)
    }

    /// The end of the grace period, in which commands get SIGTERM, and SIGKILL before it is over.
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
        // Begun before any signal: it keeps the process until the scheduler has stopped. Each run has its own beside it.
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
                    if case .stopped(let error?) = event {
                        lost.note(error)
                        host.requestStop()
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
                // Requests are still answered meanwhile: a user can watch commands end, and nothing new is started.
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

    /// For tests: the variable that names a folder whose `sys` and `proc` stand for the machine's, as the conditions of
    /// jobs see it.
    static let systemRoot = "APUS_SYSTEM_ROOT"
}

/// Why the store was lost, if it was.
private final class Loss: Sendable {
    private let reason = Locked<JobError?>(nil)

    var error: JobError? { reason.withLock { $0 } }

    func note(_ error: JobError) { reason.withLock { $0 = error } }
}
