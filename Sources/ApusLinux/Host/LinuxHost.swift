public import ApusBackground
public import ApusTimers
import Dispatch
public import Logging

/// A Linux process as a host: SIGTERM, SIGINT and SIGHUP are its Home button.
///
/// The first signal brings the process to `Phase.background` and starts a countdown of the grace period. Open
/// background tasks keep the process alive; near the end they expire, and when nothing is open any more, or the
/// period is over, ``run()`` returns. A second signal lets the tasks expire at once, a third one ends the run at once.
///
/// Work that must not be cut is covered by a background task that was begun *before* the signal: a process without any
/// background task ends with the first one.
///
/// `Phase.suspended` is when the process stands still: after SIGTSTP (Ctrl-Z) until SIGCONT, after SIGSTOP, and while
/// the machine sleeps. Observers are not notified before the last two; the phase is entered and left when the process
/// runs again, for observers that have to look at the time again. A sleep of the machine is noticed when the kernel
/// reports that the wall clock has moved against the monotonic one, which it does on waking (`timerfd_resume` in
/// Linux's fs/timerfd.c), and at the latest with the host's next event; sleeps of less than a second do not count.
/// Nothing is polled for it. All of this happens while ``run()`` is under way.
///
/// A service manager that speaks sd_notify(3) gets `READY=1` by ``reportReady()``, `STOPPING=1` and what is awaited
/// with the first signal, and from then on, every 2 s, that it wait another 5 s (`EXTEND_TIMEOUT_USEC`), so that the
/// grace period may be longer than systemd's `TimeoutStopSec`.
public final class LinuxHost: BackgroundHost {
    /// The host's settings.
    public struct Configuration: Sendable, Hashable {
        /// How long the process may run after the first signal, on the uptime clock. A caller that starts it without a
        /// notify socket should wait longer than this before it kills (systemd's `TimeoutStopSec`, 90 s unless it is
        /// set).
        public var gracePeriod: Duration
        /// How long before the end of the grace period the background tasks expire: their time to wind up.
        public var expirationMargin: Duration

        /// Thirty seconds, of which the last four are for winding up, unless said otherwise.
        public init(gracePeriod: Duration = .seconds(30), expirationMargin: Duration = .seconds(4)) {
            self.gracePeriod = gracePeriod
            self.expirationMargin = expirationMargin
        }
    }

    /// How a run ended.
    public enum Outcome: Sendable, Hashable {
        /// Every background task was ended, or wound up when it expired.
        case completed
        /// The grace period was over, and these background tasks were still open.
        case cut(names: [String])

        /// What a program exits with: 0, or 75 (`EX_TEMPFAIL` of sysexits.h) when something had to be cut.
        public var exitCode: Int32 {
            switch self {
            case .completed: 0
            case .cut: 75
            }
        }
    }

    /// What the loop of ``run()`` handles, one at a time.
    enum Event {
        case stopRequested
        case becameIdle
        case expirationDue
        case extensionDue
        case timeIsOver
        case standStillRequested
        case continued
        case wallClockMoved
    }

    /// Where the host's timers live, and the app's.
    public let engine: TimerEngine
    /// Where observers and expiration handlers are called.
    public let mainLoop: any MainLoop
    /// Linux waits for the end of the grace period, whatever has expired.
    public var waitsForExpiredTasks: Bool { true }

    let configuration: Configuration
    let logger: Logger
    let registry: BackgroundTaskRegistry
    let phases: Broadcast<Phase>
    let deadline = Locked<UptimeInstant?>(nil)
    let events: AsyncStream<Event>
    let post: AsyncStream<Event>.Continuation
    let stopProcess: @Sendable () -> Void
    private let serviceManager: ServiceManager
    private let files: LinuxConditions
    private let feed: ConditionsFeed

    init(
        engine: TimerEngine, mainLoop: any MainLoop, configuration: Configuration, conditions: LinuxConditions,
        conditionsExecutor: ActionExecutor, serviceManager: ServiceManager, logger: Logger,
        stopProcess: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.mainLoop = mainLoop
        self.configuration = configuration
        self.serviceManager = serviceManager
        self.logger = logger
        self.stopProcess = stopProcess
        files = conditions
        feed = ConditionsFeed(conditions, engine: engine, mainLoop: mainLoop, executor: conditionsExecutor)
        phases = Broadcast(.active, mainLoop: mainLoop)
        let (events, post) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.post = post
        registry = BackgroundTaskRegistry(
            logger: logger, mainLoop: mainLoop, whenIdle: { post.yield(.becameIdle) })
    }

    /// A host whose countdown runs on `engine`.
    ///
    /// - Parameters:
    ///   - engine: Where the host's timers live, and the app's.
    ///   - mainLoop: Where observers and expiration handlers are called.
    ///   - configuration: The grace period.
    ///   - conditions: Where the conditions are read.
    ///   - serviceManager: Gets the state of the process.
    ///   - logger: Where phases, faults and cut tasks are reported.
    public convenience init(
        engine: TimerEngine = .shared,
        mainLoop: any MainLoop = SystemMainLoop(),
        configuration: Configuration = Configuration(),
        conditions: LinuxConditions = LinuxConditions(),
        serviceManager: ServiceManager = .ofThisProcess(),
        logger: Logger = Logger(label: "apus.linux")
    ) {
        self.init(
            engine: engine, mainLoop: mainLoop, configuration: configuration, conditions: conditions,
            conditionsExecutor: .queue(DispatchQueue(label: "apus.linux.conditions", qos: .utility)),
            serviceManager: serviceManager, logger: logger, stopProcess: stopThisProcess)
    }

    // MARK: Phases

    /// The present phase: active until the first signal, then background, then terminated; suspended in between, where
    /// the process stood still.
    public var phase: Phase { phases.value }

    /// A new sequence of the phases that are entered from now on.
    public func phaseChanges() -> PhaseChanges { phases.changes() }

    /// Calls `observer` on the main loop whenever a phase is entered, until the observation is cancelled or dropped.
    ///
    /// It may be notified of `Phase.suspended` just before the process stands still or when it runs again, and of
    /// `Phase.terminated` if the program does not exit first.
    public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        phases.observe(observer)
    }

    /// What is left of the grace period, on the uptime clock, never negative; `nil` until the first signal.
    public var backgroundTimeRemaining: Duration? {
        deadline.withLock { $0 }.map { max(.zero, engine.time.uptime().duration(to: $0)) }
    }

    // MARK: Background tasks

    /// Begins a background task that keeps the process alive after a signal; see `BackgroundHost`.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The background task, which must be ended.
    /// - Throws: `BackgroundError` with the code `tooLate` from the expiration of the others on.
    public func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        try registry.begin(request)
    }

    // MARK: The machine

    /// What the machine is like. Reads files each time: see ``LinuxConditions/read()``. A change that is found by this
    /// is also sent to the followers of the conditions.
    public var conditions: DeviceConditions { feed.read() }

    /// A new sequence of the conditions, one element for each change that is noticed. While there is such a
    /// sequence, the files are read every 30 s, up to 15 s later to share a wake-up; the kernel reports no changes.
    public func conditionChanges() -> Changes<DeviceConditions> { feed.changes() }

    /// The kernel's identifier of this start of the machine; `nil` without `/proc`.
    public var bootID: String? { files.bootID }

    // MARK: The service manager

    /// Reports to the service manager that the service answers now (`READY=1`, for systemd's `Type=notify`). Without
    /// one it does nothing. May be called from any thread; it can wait up to a second for a manager that does not keep
    /// up.
    public func reportReady() { notify([.ready]) }

    func notify(_ fields: [ServiceManager.Field]) { serviceManager.notify(fields, logger: logger) }

    // MARK: Running

    /// Asks the process to stop, exactly as a signal does.
    public func requestStop() {
        post.yield(.stopRequested)
    }

    /// Waits for SIGTERM, SIGINT or SIGHUP, and then for the background tasks. Call it once.
    ///
    /// These signals, SIGTSTP and SIGCONT belong to the host until this returns. On SIGTSTP the whole process stops, as
    /// it would without the host.
    ///
    /// - Returns: Whether everything was finished; exit with its ``Outcome/exitCode``.
    /// - Throws: ``SignalError`` when something else in the process already waits for signals.
    public func run() async throws -> Outcome {
        let signals = try CaughtSignals(HostSignal.all)
        defer { signals.stop() }
        return await run(events: signals.stream) { signal in
            switch signal {
            case .stop: .stopRequested
            case .standStill: .standStillRequested
            case .continued: .continued
            }
        }
    }

    /// The same with signals from elsewhere, which is how tests and other frameworks drive it. When `signals` ends, the
    /// host waits for ``requestStop()``; when the calling task is cancelled, it lets the background tasks expire and
    /// returns without waiting for them.
    ///
    /// SIGTSTP and SIGCONT are left alone: suspension is noticed for sleeps of the machine only.
    public func run<Signals: AsyncSequence & Sendable>(
        signals: Signals
    ) async -> Outcome where Signals.Element == TerminationSignal, Signals.Failure == Never {
        await run(events: signals) { _ in .stopRequested }
    }

    private func run<Signals: AsyncSequence & Sendable>(
        events signals: Signals, _ event: @escaping @Sendable (Signals.Element) -> Event
    ) async -> Outcome where Signals.Failure == Never, Signals.Element: Sendable {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [logger, post] in
                for await signal in signals {
                    logger.info("received a signal", metadata: ["signal": "\(signal)"])
                    post.yield(event(signal))
                }
            }
            defer { group.cancelAll() }
            return await loop()
        }
    }
}
