public import ApusTimers
public import Logging

/// Background jobs for a host whose system has none, such as a Linux server or desktop.
///
/// The process decides when runs begin, by the conditions of the device that the host reports:
///
/// | kind | begins | expires |
/// |---|---|---|
/// | refresh | not before its instant plus the spread; not with a low battery or in low-power mode; not soon after the previous refresh | after 30 s |
/// | processing | not before its instant plus the spread; with the required network and power; while the device is not in use; one at a time | after 10 min, and when a required condition no longer holds |
/// | continued | immediately, in the foreground | after 60 s without progress |
///
/// ``Configuration`` contains these numbers. Each run is covered by a background task: after a request to stop the
/// process, the run continues for as long as the host grants, and then expires. No run begins in the background. Two
/// runs of an identifier are never active at once, unless a launch is simulated.
///
/// Handlers may be registered at any time, because a process has no launch phase on such a host. Everything else is as
/// in ``BackgroundJobScheduler``. ``ContinuedJob/requiresGPU`` is ignored, because the graphics processor is always
/// available.
///
/// There is no polling: without pending requests and active runs there is no timer, and the host's conditions are
/// observed only while a request waits for them or a run depends on them. No run begins while the process is suspended;
/// due requests begin when it continues. Instants are on the wall clock, the spacing and the spread on the continuous
/// clock, and time limits on the uptime clock.
///
/// Requests are kept in memory. With a ``/ApusBackground/RecordStore``, they are also stored there, and survive the
/// process. A lock is held while the store is called, so the store must not use these jobs. All members may be used
/// from any thread.
public final class HostBackgroundJobs: BackgroundJobDebugging {
    /// An active run, for display.
    public struct Running: Sendable, Hashable {
        /// The progress of a run, in units.
        public struct Progress: Sendable, Hashable {
            /// The number of completed units.
            public var completed: Int64
            /// The number of all units.
            public var total: Int64

            /// Creates a progress.
            public init(completed: Int64, total: Int64) {
                self.completed = completed
                self.total = total
            }
        }

        /// The request of the run; a request for continued work has the current title and subtitle.
        public var request: BackgroundJobRequest
        /// The time since the start of the run, on the uptime clock.
        public var duration: Duration
        /// The last reported progress, if any.
        public var progress: Progress?
        /// Whether the run has expired and is not complete yet.
        public var isExpiring: Bool
    }

    struct Live {
        let run: BackgroundJobRun
        var backgroundTask: BackgroundTask?
    }

    struct Inner {
        var machine: HostBackgroundJobsMachine
        /// The active runs, by their numbers in the machine.
        var live: [Int: Live] = [:]
    }

    /// The stored record, the timers and the observations, which are updated in the order of the decisions.
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
    /// The identifier of the boot, read once because it does not change while the process runs; `nil` without a store.
    let boot: String?
    let logger: Logger
    /// A lock that is held from a change until its consequences are decided, stored and observed; it is never taken
    /// under `inner`.
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

    /// Creates jobs whose requests are kept in memory.
    ///
    /// - Parameters:
    ///   - host: The host whose phases, conditions, clocks and background tasks are used.
    ///   - configuration: The limits.
    ///   - random: The source of the random spread.
    ///   - logger: Receives launches, ends and reasons to wait.
    public convenience init(
        host: any BackgroundHost, configuration: Configuration = Configuration(),
        random: any RandomSource = SystemRandom(), logger: Logger = Logger(label: "apus.background.jobs")
    ) {
        self.init(
            host: host, configuration: configuration, random: random, store: nil, key: "", saved: nil, logger: logger)
    }

    /// Creates jobs whose refresh and processing requests survive the process, together with the spacing of refreshes.
    ///
    /// A stored request waits until its handler is registered. A run that is interrupted by the end of its process is
    /// not repeated, so a handler should submit the next request before it does its work.
    ///
    /// - Parameters:
    ///   - host: The host whose phases, conditions, clocks and background tasks are used.
    ///   - store: The store, in which all requests are one record.
    ///   - key: The key of the record, which must be unique in the store.
    ///   - configuration: The limits.
    ///   - random: The source of the random spread.
    ///   - logger: Receives launches, ends and reasons to wait.
    /// - Throws: ``BackgroundJobError`` with the code `storeFailed` if the record cannot be read.
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
                    "the record “\(key)” of background jobs cannot be read; restore the data of its store, or remove it with "
                    + "save(nil, for: \"\(key)\") to start over",
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

    /// Registers the handler of an identifier, at any time on this host.
    ///
    /// A request that an earlier process stored may begin as soon as it has its handler. A handler that retains this
    /// object, to submit the next request, keeps it alive until the process ends.
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

    /// Submits a request, in place of a pending one with the same identifier.
    ///
    /// With a store, the request is stored when this function returns.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notRegistered`, `tooManyPending`,
    ///   `notPermitted` or `cannotStartNow`; `storeFailed` if the request cannot be stored, and nothing has then
    ///   changed.
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

    /// Withdraws a pending request and ignores an unknown identifier.
    ///
    /// An active run continues. If the store cannot be written, the error is logged, and the request is pending again
    /// after a restart of the process.
    public func cancel(_ identifier: String) async { change { $0.cancel(identifier) } }

    /// Withdraws all pending requests; see ``cancel(_:)``.
    public func cancelAll() async { change { $0.cancelAll() } }

    /// Returns the requests whose runs have not begun, in the order of their submission.
    public func pending() async -> [BackgroundJobRequest] {
        inner.withLock { $0.machine.pending.map(\.request) }
    }

    /// Returns the active runs, in the order of their start.
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

    /// Returns all reasons why a pending request does not begin now; none if the identifier is not pending.
    public func obstacles(for identifier: String) -> [BackgroundJobObstacle] {
        var now = reading()
        now.conditions = host.conditions
        return inner.withLock { [now] in $0.machine.obstacles(of: identifier, at: now) }
    }

    // MARK: Simulation

    /// Begins the run of a pending request now, regardless of the rules, for debugging.
    ///
    /// The time limit of the run applies.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notPending`; `notRegistered` if the request was stored by an
    ///   earlier process and has no handler yet; `unavailable` if the host refuses a background task.
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
                message:
                    "the host grants no more background tasks, so “\(identifier)” waits; simulate its launch earlier")
        }
    }

    /// Expires the active runs of an identifier now, for debugging.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        let numbers = try inner.withLock { inner throws(BackgroundJobError) in
            try inner.machine.simulateExpiration(identifier)
        }
        for number in numbers { expire(number, because: "its expiration was simulated") }
        look()
    }
}

extension HostBackgroundJobs {
    /// The limits of background jobs, with defaults that suit a server.
    ///
    /// A negative duration counts as zero, and a number of runs below 1 counts as 1.
    public struct Configuration: Sendable, Hashable {
        /// The identifiers that may be registered and submitted; `nil` for all.
        ///
        /// An element that ends in `.*` permits all identifiers with this prefix.
        public var permittedIdentifiers: Set<String>?
        /// The maximum random delay of refresh and processing jobs, so that many machines and apps do not begin at the
        /// same instant.
        public var spread: Duration
        /// The minimum time between the starts of two refreshes of an identifier, on the continuous clock.
        public var refreshSpacing: Duration
        /// The time after which a refresh expires, on the uptime clock.
        ///
        /// On Apple's systems it is 30 s ("Choosing Background Strategies for Your App").
        public var refreshTimeLimit: Duration
        /// The time after which a processing job expires, on the uptime clock.
        public var processingTimeLimit: Duration
        /// The maximum number of active processing jobs.
        public var maximumProcessingRuns: Int
        /// The time without progress after which continued work expires, on the uptime clock.
        ///
        /// Progress is a report that differs from the previous one.
        public var progressTimeout: Duration
        /// The maximum number of active continued jobs; `nil` for any number.
        public var maximumContinuedRuns: Int?
        /// The maximum number of pending refresh requests; `nil` for no limit.
        ///
        /// Each handler has at most one pending request in any case. Apple's systems keep one refresh request.
        public var maximumPendingRefreshes: Int?
        /// The maximum number of pending processing requests; `nil` for no limit.
        ///
        /// Each handler has at most one pending request in any case. Apple's systems keep ten processing requests.
        public var maximumPendingProcessing: Int?
        /// The battery level, from 0 to 1, at or below which no refresh begins without external power.
        ///
        /// On Apple's systems it is 0.2 (WWDC20, session 10063).
        public var lowBatteryLevel: Double
        /// Whether a processing job may run although the host does not know the conditions that the job depends on: the
        /// network, external power, and whether the device is in use.
        ///
        /// A server does not know whether a user is present, and would otherwise never run a processing job. If this is
        /// `false`, a run also ends when one of its conditions becomes unknown.
        public var unknownCountsAsMet: Bool

        /// Creates a configuration; an omitted argument has its default.
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
