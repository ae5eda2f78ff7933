public import ApusBackground
public import ApusTimers
import Dispatch
public import Logging

/// A Linux process as a background host; SIGTERM, SIGINT and SIGHUP move the process to the background.
///
/// The first signal moves the process to `Phase.background`, and starts the countdown of the grace period. Open
/// background tasks keep the process alive, and expire near the end. When no task is open any more, or the period is
/// over, ``run()`` returns. A second signal makes the tasks expire at once; a third one ends the run at once.
///
/// Work that must not be interrupted needs a background task that was begun *before* the signal, because a process
/// without any background task ends with the first signal.
///
/// The process is in `Phase.suspended` while it is stopped: after SIGTSTP (Ctrl-Z) until SIGCONT, after SIGSTOP, and
/// while the machine sleeps. In the last two cases, observers cannot be notified before the process stops. The host
/// then enters and leaves the phase when the process runs again, so that observers know that they must read the clocks
/// again. The host detects a sleep of the machine when the kernel reports that the wall clock has moved against the
/// monotonic one, which it does on waking (`timerfd_resume` in Linux's fs/timerfd.c), and at the latest with the host's
/// next event. Sleeps of less than a second do not count, and nothing is polled. All of this needs ``run()`` to be in
/// progress.
///
/// A service manager that supports sd_notify(3) is sent `READY=1` by ``reportReady()``, and with the first signal
/// `STOPPING=1` and the names of the open tasks. From then on it is asked every 2 s to wait another 5 s
/// (`EXTEND_TIMEOUT_USEC`), so that the grace period may be longer than systemd's `TimeoutStopSec`.
public final class LinuxHost: BackgroundHost {
    /// The host's settings.
    public struct Configuration: Sendable, Hashable {
        /// The time for which the process may run after the first signal, on the uptime clock.
        ///
        /// A manager without a notify socket must wait longer than this before it kills the process (systemd's
        /// `TimeoutStopSec`, by default 90 s).
        public var gracePeriod: Duration
        /// The time before the end of the grace period at which the background tasks expire, so that they can finish.
        public var expirationMargin: Duration

        /// Creates a configuration; by default, the grace period is 30 seconds, and tasks expire four seconds before
        /// its end.
        public init(gracePeriod: Duration = .seconds(30), expirationMargin: Duration = .seconds(4)) {
            self.gracePeriod = gracePeriod
            self.expirationMargin = expirationMargin
        }
    }

    /// The result of a run.
    public enum Outcome: Sendable, Hashable {
        /// Every background task was ended, including those that had expired.
        case completed
        /// The grace period ended while the background tasks with these names were open.
        case cut(names: [String])

        /// The exit status for the program: 0, or 75 (`EX_TEMPFAIL` of sysexits.h) if background tasks were cut.
        public var exitCode: Int32 {
            switch self {
            case .completed: 0
            case .cut: 75
            }
        }
    }

    /// An event of the loop of ``run()``; the loop handles one event at a time.
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

    /// The engine of the timers of the host and the app.
    public let engine: TimerEngine
    /// The loop on which observers and expiration handlers are called.
    public let mainLoop: any MainLoop
    /// Whether expired tasks keep the process alive until the end of the grace period: always true on Linux.
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

    /// Creates a host whose countdown runs on `engine`.
    ///
    /// - Parameters:
    ///   - engine: The engine of the timers of the host and the app.
    ///   - mainLoop: The loop on which observers and expiration handlers are called.
    ///   - configuration: The grace period.
    ///   - conditions: The reader of the machine's conditions.
    ///   - serviceManager: The receiver of the process's state.
    ///   - logger: The logger for phases, faults and cut tasks.
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

    /// The present phase: active until the first signal, then background, then terminated; suspended whenever the
    /// process is stopped.
    public var phase: Phase { phases.value }

    /// Returns a new sequence of the phases that are entered from now on.
    public func phaseChanges() -> PhaseChanges { phases.changes() }

    /// Calls `observer` on the main loop whenever a phase is entered, until the observation is cancelled or dropped.
    ///
    /// The notification of `Phase.suspended` may come just before the process stops, or when it runs again. That of
    /// `Phase.terminated` comes only if the program does not exit first.
    public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        phases.observe(observer)
    }

    /// The rest of the grace period on the uptime clock, never negative; `nil` until the first signal.
    public var backgroundTimeRemaining: Duration? {
        deadline.withLock { $0 }.map { max(.zero, engine.time.uptime().duration(to: $0)) }
    }

    // MARK: Background tasks

    /// Begins a background task that keeps the process alive after a signal; see `BackgroundHost`.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The background task, which must be ended.
    /// - Throws: `BackgroundError` with the code `tooLate` once the other tasks have expired.
    public func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        try registry.begin(request)
    }

    // MARK: The machine

    /// The conditions of the machine, read from files at each access; see ``LinuxConditions/read()``.
    ///
    /// A change that is found is also sent to the sequences of conditions.
    public var conditions: DeviceConditions { feed.read() }

    /// Returns a new sequence of the conditions, with one element for each change that is noticed.
    ///
    /// While there is such a sequence, the files are read every 30 s, because the kernel does not report changes. A
    /// reading may be up to 15 s late, to share a wake-up.
    public func conditionChanges() -> Changes<DeviceConditions> { feed.changes() }

    /// The kernel's identifier of this start of the machine; `nil` without `/proc`.
    public var bootID: String? { files.bootID }

    // MARK: The service manager

    /// Reports to the service manager that the service is ready (`READY=1`, for systemd's `Type=notify`); without a
    /// manager it does nothing.
    ///
    /// It can be called on any thread, and waits up to a second for a manager that does not receive.
    public func reportReady() { notify([.ready]) }

    func notify(_ fields: [ServiceManager.Field]) { serviceManager.notify(fields, logger: logger) }

    // MARK: Running

    /// Asks the process to stop, exactly as a signal does.
    public func requestStop() {
        post.yield(.stopRequested)
    }

    /// Waits for SIGTERM, SIGINT or SIGHUP, and then for the background tasks; call it once.
    ///
    /// The host handles these signals, SIGTSTP and SIGCONT until this returns. SIGTSTP still stops the whole process,
    /// as without the host.
    ///
    /// - Returns: Whether all background tasks were ended; exit with its ``Outcome/exitCode``.
    /// - Throws: ``SignalError`` if another part of the process already waits for signals.
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

    /// Waits as ``run()`` does, but for signals from a sequence; tests and other frameworks drive the host with it.
    ///
    /// When `signals` ends, the host waits for ``requestStop()``. When the calling task is cancelled, the host expires
    /// the background tasks and returns without waiting for them.
    ///
    /// SIGTSTP and SIGCONT are not caught, so only sleeps of the machine count as suspension.
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
