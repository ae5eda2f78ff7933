public import ApusTimers
public import Logging

/// Background jobs on a host whose system has none: a Linux server, a desktop. The process itself decides when they begin,
/// by the conditions of the device that the host reports.
///
/// | kind | begins | expires |
/// |---|---|---|
/// | refresh | not before its instant, spread by chance; not with a low battery or in low-power mode; not soon after the one before | after 30 s |
/// | processing | not before its instant, spread by chance; with the required network and power; with an unused device; one at a time | after 10 min, and when one of these is over |
/// | continued | at once, in the foreground | when it makes no progress for 60 s |
///
/// ``Configuration`` holds these numbers. Each run is covered by a background task: a request to stop the process lets
/// the run continue for as long as the host grants, and then it expires. Nothing begins in the background. No two runs
/// of an identifier are under way at once, unless a launch is simulated.
///
/// A process has no time of "being launched" here, so handlers may be registered at any time; everything else is as in
/// ``BackgroundJobScheduler``. ``ContinuedJob/requiresGPU`` is not looked at: nothing withholds it from a process.
///
/// Nothing is polled: while nothing is pending and nothing runs there is no timer, and the host's conditions are followed
/// only while a job waits for them or runs by them. While the process is suspended nothing begins; afterwards what has
/// come due does. Instants are on the wall clock, spacing and spread on the continuous one, time limits on uptime.
///
/// Requests wait in memory, or also in a ``/ApusBackground/RecordStore`` and then survive the process. The store is called with other
/// changes held back, so it must not use these jobs itself. All members may be used from any thread.
public final class HostBackgroundJobs: BackgroundJobDebugging {
    /// A run in progress, for display.
    public struct Running: Sendable, Hashable {
        /// How far a run is.
        public struct Progress: Sendable, Hashable {
            /// Units that are done.
            public var completed: Int64
            /// Units that there are.
            public var total: Int64

            /// So many of so many.
            public init(completed: Int64, total: Int64) {
                self.completed = completed
                self.total = total
            }
        }

        /// What is carried out; for continued work with the present title and subtitle.
        public var request: BackgroundJobRequest
        /// How long it has been running, on the uptime clock.
        public var duration: Duration
        /// What it reported last.
        public var progress: Progress?
        /// Whether its expiration was reported.
        public var isExpiring: Bool
    }

    struct Live {
        let run: BackgroundJobRun
        var backgroundTask: BackgroundTask?
    }

    struct Inner {
        var machine: HostBackgroundJobsMachine
        /// The runs that the machine knows, by number.
        var live: [Int: Live] = [:]
    }

    /// What follows the decisions, in their order.
    struct Followers {
        var saved: HostBackgroundRecord?
        var timers: [ScheduledTimer] = []
        var phases: ObservationToken?
        var conditions: AsyncStream<Never>.Continuation?
    }

    let host: any BackgroundHost
    let random: any RandomSource
    let configuration: Configuration
    let store: (any RecordStore)?
    let key: String
    /// Read once: it does not change while the process runs, and only what is stored needs it.
    let boot: String?
    let logger: Logger
    /// Held from a change until it is stored, decided about, and followed. Never taken under `inner`.
    let gate: Locked<Followers>
    let inner: Locked<Inner>

    init(
        host: any BackgroundHost, configuration: Configuration, random: any RandomSource,
        store: (any RecordStore)?, key: String, saved: HostBackgroundRecord?, logger: Logger
    ) {
        self.host = host
        self.configuration = configuration
        self.random = random
        self.store = store
        self.key = key
        self.logger = logger
        let boot = store == nil ? nil : host.bootID
        self.boot = boot
        var machine = HostBackgroundJobsMachine(configuration)
        if let saved {
            machine.restore(saved, now: HostBackgroundReading(host, boot: boot)) {
                random.duration(upTo: configuration.spread)
            }
        }
        gate = Locked(Followers(saved: saved))
        inner = Locked(Inner(machine: machine))
    }

    /// Jobs whose requests live as long as the process.
    ///
    /// - Parameters:
    ///   - host: Whose phases, conditions, clocks and background tasks are used.
    ///   - configuration: The limits.
    ///   - random: Decides how far requests are spread.
    ///   - logger: Gets launches, ends and reasons to wait.
    public convenience init(
        host: any BackgroundHost, configuration: Configuration = Configuration(),
        random: any RandomSource = SystemRandom(), logger: Logger = Logger(label: "apus.background.jobs")
    ) {
        self.init(
            host: host, configuration: configuration, random: random, store: nil, key: "", saved: nil, logger: logger)
    }

    /// Jobs whose refresh and processing requests survive the process, with the spacing of refreshes. A request that was
    /// stored waits until its handler is registered. A run that is cut with its process is not begun again, so submit
    /// the next one first.
    ///
    /// - Parameters:
    ///   - host: Whose phases, conditions, clocks and background tasks are used.
    ///   - store: Where they are kept, as one record.
    ///   - key: Names the record. No two in a store may have the same.
    ///   - configuration: The limits.
    ///   - random: Decides how far requests are spread.
    ///   - logger: Gets launches, ends and reasons to wait.
    /// - Throws: ``BackgroundJobError`` with the code `storeFailed` when the record cannot be read.
    public convenience init(
        host: any BackgroundHost, store: any RecordStore, key: String = "apus.background.jobs",
        configuration: Configuration = Configuration(), random: any RandomSource = SystemRandom(),
        logger: Logger = Logger(label: "apus.background.jobs")
    ) throws(BackgroundJobError) {
        let saved: HostBackgroundRecord?
        do {
            saved = try store.load(HostBackgroundRecord.self, for: key)
        } catch {
            throw BackgroundJobError(
                code: .storeFailed,
                message:
                    "the record “\(key)” of background jobs cannot be read; put back what its store held, or remove it with "
                    + "save(nil, for: \"\(key)\") to begin anew",
                cause: error)
        }
        self.init(
            host: host, configuration: configuration, random: random, store: store, key: key, saved: saved,
            logger: logger)
    }

    deinit {
        let (timers, conditions) = gate.withLock { ($0.timers, $0.conditions) }
        for timer in timers { timer.cancel() }
        conditions?.finish()
    }

    // MARK: Requests

    /// Says who does the work of an identifier; at any time on this host. A request that was stored by an earlier process
    /// may begin as soon as it has its handler. A handler that holds these jobs, to submit the next run, keeps them for as
    /// long as the process lives.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notPermitted` or `alreadyRegistered`.
    public func register(
        _ identifier: String, handler: @escaping BackgroundJobHandler
    ) throws(BackgroundJobError) {
        let isAwaited = try inner.withLock { inner throws(BackgroundJobError) in
            try inner.machine.register(identifier, handler)
            return inner.machine.pending.contains { $0.request.identifier == identifier }
        }
        if isAwaited { lookSoon() }
    }

    /// Asks for a run, in place of a pending request with the same identifier. With a store, the request is kept when
    /// this returns.
    ///
    /// - Throws: ``BackgroundJobError``: `invalidArgument`, `notRegistered`, `tooManyPending`, `notPermitted`,
    ///   `cannotStartNow`; `storeFailed`, and then nothing has changed.
    public func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError) {
        let delay = random.duration(upTo: configuration.spread)
        let plans = try gate.withLock { followers throws(BackgroundJobError) in
            let now = reading()
            let former = try inner.withLock { inner throws(BackgroundJobError) in
                let former = inner.machine.pending
                try inner.machine.submit(request, delay: delay, now: now)
                return former
            }
            do {
                try save(&followers)
            } catch {
                inner.withLock { $0.machine.restorePending(former) }
                throw BackgroundJobError(
                    code: .storeFailed,
                    message:
                        "“\(request.identifier)” cannot be stored, so nothing has changed; try again when the store can be "
                        + "written",
                    cause: error)
            }
            return settle(&followers, now)
        }
        carryOut(plans)
    }

    /// Withdraws a pending request; an unknown identifier is no error. A run that has begun continues. When the store
    /// cannot be written that is logged, and the request is back after a restart of the process.
    public func cancel(_ identifier: String) async { change { $0.cancel(identifier) } }

    /// Withdraws all pending requests; see ``cancel(_:)``.
    public func cancelAll() async { change { $0.cancelAll() } }

    /// The requests whose runs have not begun, in the order of their submission.
    public func pending() async -> [BackgroundJobRequest] {
        inner.withLock { $0.machine.pending.map(\.request) }
    }

    /// The runs that are under way, in the order of their begin.
    public func running() -> [Running] {
        let now = host.engine.time.uptime()
        return inner.withLock { inner in
            inner.machine.runs.map { entry in
                Running(
                    request: entry.shownRequest, duration: entry.began.duration(to: now), progress: entry.progress,
                    isExpiring: entry.isExpiring)
            }
        }
    }

    /// Why a pending request has not begun: everything that is in the way at this moment. Empty when nothing is, and
    /// when the identifier is not pending.
    public func obstacles(for identifier: String) -> [BackgroundJobObstacle] {
        var now = reading()
        now.conditions = host.conditions
        return inner.withLock { [now] in $0.machine.obstacles(of: identifier, at: now) }
    }

    // MARK: Simulation

    /// Begins the run of a pending request now, whatever the rules say; only its time limit applies. For debugging.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notPending`; `notRegistered` when it was stored by an earlier
    ///   process and has no handler yet; `unavailable` when the host grants no background task any more.
    public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
        let (launch, plans) = try gate.withLock { followers throws(BackgroundJobError) in
            let now = reading()
            let launch = try inner.withLock { inner throws(BackgroundJobError) in
                let launch = try inner.machine.simulateLaunch(identifier, now: now)
                inner.live[launch.number] = makeLive(launch)
                return launch
            }
            return (launch, settle(&followers, now))
        }
        let isGranted = start(launch)
        carryOut(plans)
        if !isGranted {
            throw BackgroundJobError(
                code: .unavailable,
                message: "the host grants no background task any more, so “\(identifier)” waits; simulate earlier")
        }
    }

    /// Lets the runs of an identifier expire now. For debugging.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        let numbers = try inner.withLock { inner throws(BackgroundJobError) in
            try inner.machine.simulateExpiration(identifier)
        }
        for number in numbers { expire(number, because: "that was simulated") }
        look()
    }
}

extension HostBackgroundJobs {
    /// What an ordinary host decides by. Every value has a default that suits a server.
    ///
    /// Durations below zero count as zero, and numbers of runs below one as one.
    public struct Configuration: Sendable, Hashable {
        /// The identifiers that may be registered and submitted; one that ends in `.*` stands for all that begin like
        /// it. `nil`: all.
        public var permittedIdentifiers: Set<String>?
        /// A refresh or processing job begins up to this much later than it could, by chance, so that many machines and
        /// apps do not begin at the same instant.
        public var spread: Duration
        /// How long after the begin of a refresh the next one of the same identifier may begin, on the continuous clock.
        public var refreshSpacing: Duration
        /// How long a refresh may take before it expires, on the uptime clock. Apple's systems: 30 s ("Choosing
        /// Background Strategies for Your App").
        public var refreshTimeLimit: Duration
        /// How long a processing job may take before it expires, on the uptime clock.
        public var processingTimeLimit: Duration
        /// How many processing jobs run at once.
        public var maximumProcessingRuns: Int
        /// How long continued work may go without progress before it expires, on the uptime clock. Progress is a report
        /// that differs from the one before.
        public var progressTimeout: Duration
        /// How many continued jobs run at once; `nil`: any number.
        public var maximumContinuedRuns: Int?
        /// How many refresh requests may be pending; `nil`: any number, which is at most one for each handler. Apple's
        /// systems keep one.
        public var maximumPendingRefreshes: Int?
        /// How many processing requests may be pending; `nil`: any number, which is at most one for each handler.
        /// Apple's systems keep ten.
        public var maximumPendingProcessing: Int?
        /// No refresh begins while the battery is at this level or below, from 0 to 1, and nothing charges it. Apple's
        /// systems: 0.2 (WWDC20, session 10063).
        public var lowBatteryLevel: Double
        /// Whether unknown conditions of the host count as met for a processing job: a network, external power, no user
        /// at the device. A server knows nothing of users, and would never run a job otherwise. Where it is `false`,
        /// what becomes unknown ends a run too.
        public var unknownCountsAsMet: Bool

        /// A configuration; each argument left out has its default.
        public init(
            permittedIdentifiers: Set<String>? = nil, spread: Duration = .seconds(60),
            refreshSpacing: Duration = .seconds(900), refreshTimeLimit: Duration = .seconds(30),
            processingTimeLimit: Duration = .seconds(600), maximumProcessingRuns: Int = 1,
            progressTimeout: Duration = .seconds(60), maximumContinuedRuns: Int? = nil,
            maximumPendingRefreshes: Int? = nil, maximumPendingProcessing: Int? = nil, lowBatteryLevel: Double = 0.2,
            unknownCountsAsMet: Bool = true
        ) {
            self.permittedIdentifiers = permittedIdentifiers
            self.spread = spread
            self.refreshSpacing = refreshSpacing
            self.refreshTimeLimit = refreshTimeLimit
            self.processingTimeLimit = processingTimeLimit
            self.maximumProcessingRuns = maximumProcessingRuns
            self.progressTimeout = progressTimeout
            self.maximumContinuedRuns = maximumContinuedRuns
            self.maximumPendingRefreshes = maximumPendingRefreshes
            self.maximumPendingProcessing = maximumPendingProcessing
            self.lowBatteryLevel = lowBatteryLevel
            self.unknownCountsAsMet = unknownCountsAsMet
        }

        func permits(_ identifier: String) -> Bool {
            guard let permittedIdentifiers else { return true }
            return permittedIdentifiers.contains(identifier)
                || permittedIdentifiers.contains { $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast()) }
        }
    }
}
