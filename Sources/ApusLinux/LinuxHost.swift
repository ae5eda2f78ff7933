public import ApusBackground
public import ApusTimers
public import Logging

/// A Linux process as a host: SIGTERM and SIGINT are its Home button.
///
/// The first signal brings the process to ``Phase/background`` and starts a countdown of the grace period. Open
/// background tasks keep the process alive; near the end they expire, and when nothing is open any more, or the
/// period is over, ``run()`` returns. A second signal lets the tasks expire at once, a third one ends the run at once.
///
/// Work that must not be cut is covered by a background task that was begun *before* the signal: a process without any
/// claim ends with the first one.
public final class LinuxHost: BackgroundHost {
    /// The host's settings.
    public struct Configuration: Sendable, Hashable {
        /// How long the process may go on after the first signal. What starts it should wait longer than this before it
        /// kills (systemd's `TimeoutStopSec`, 90 s unless it is set).
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

    private enum Event {
        case stopRequested
        case becameIdle
        case expirationDue
        case timeIsOver
    }

    private let configuration: Configuration
    private let time: HostTime
    private let logger: Logger
    private let phases = Broadcast(Phase.active)
    private let registry: BackgroundTaskRegistry
    private let deadline = Locked<ContinuousInstant?>(nil)
    private let events: AsyncStream<Event>
    private let post: AsyncStream<Event>.Continuation

    init(configuration: Configuration, time: HostTime, logger: Logger) {
        self.configuration = configuration
        self.time = time
        self.logger = logger
        let (events, post) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.post = post
        registry = BackgroundTaskRegistry(logger: logger, whenIdle: { post.yield(.becameIdle) })
    }

    /// A host whose countdown runs on `engine`.
    ///
    /// - Parameters:
    ///   - engine: Where the host's timers live.
    ///   - configuration: The grace period.
    ///   - logger: Where phases, faults and cut tasks are reported.
    public convenience init(
        engine: TimerEngine = .shared,
        configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "apus.linux")
    ) {
        self.init(configuration: configuration, time: HostTime(engine: engine), logger: logger)
    }

    /// The present phase: active until the first signal, then background, then terminated.
    public var phase: Phase { phases.value }

    /// A new sequence of the phases that are entered from now on.
    public var phaseChanges: PhaseChanges { phases.changes() }

    /// What is left of the grace period, on the continuous clock, never negative; `nil` until the first signal.
    public var backgroundTimeRemaining: Duration? {
        deadline.withLock { $0 }.map { max(.zero, time.now().duration(to: $0)) }
    }

    /// Begins a claim that keeps the process alive after a signal; see ``BackgroundHost``.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The claim, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` from the expiration of the others on.
    public func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        try registry.begin(request)
    }

    /// Asks the process to stop, exactly as a signal does.
    public func requestStop() {
        post.yield(.stopRequested)
    }

    /// Waits for SIGTERM and SIGINT, and then for the background tasks. Call it once.
    ///
    /// The signals belong to the host until this returns.
    ///
    /// - Returns: Whether everything was finished; exit with its ``Outcome/exitCode``.
    /// - Throws: ``SignalError`` when something else in the process already waits for signals.
    public func run() async throws -> Outcome {
        let signals = try CaughtSignals([.terminate, .interrupt])
        defer { signals.stop() }
        return await run(signals: signals.stream)
    }

    /// The same with signals from elsewhere, which is how tests and other frameworks drive it. When `signals` ends, the
    /// host waits for ``requestStop()``; when the calling task is cancelled, it lets the background tasks expire and
    /// returns without waiting for them.
    public func run<Signals: AsyncSequence & Sendable>(
        signals: Signals
    ) async -> Outcome where Signals.Element == TerminationSignal, Signals.Failure == Never {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [logger, post] in
                for await signal in signals {
                    logger.info("asked to stop", metadata: ["signal": "\(signal)"])
                    post.yield(.stopRequested)
                }
            }
            defer { group.cancelAll() }
            return await loop()
        }
    }
}

// MARK: - The loop: all events, one at a time

extension LinuxHost {
    private func loop() async -> Outcome {
        var machine = LinuxHostMachine()
        var cancelTimers: [@Sendable () -> Void] = []
        defer { for cancel in cancelTimers { cancel() } }

        for await event in events {
            switch event {
            case .stopRequested:
                switch machine.stopRequested() {
                case .enterBackground:
                    cancelTimers = enterBackground()
                    if finishesIdle(&machine) { return finish() }
                case .expire: registry.expireAll()
                case .finish: return finish()
                case .ignore: break
                }
            case .becameIdle:
                if phase == .background, finishesIdle(&machine) { return finish() }
            case .expirationDue:
                if machine.expirationDue() == .expire { registry.expireAll() }
            case .timeIsOver:
                if machine.timeIsOver() == .finish { return finish() }
            }
        }
        // The calling task was cancelled.
        registry.expireAll()
        return finish()
    }

    private func enterBackground() -> [@Sendable () -> Void] {
        let grace = max(.zero, configuration.gracePeriod)
        deadline.withLock { $0 = time.now().advanced(by: grace) }
        let timers = [
            time.schedule(max(.zero, grace - configuration.expirationMargin)) { [post] in post.yield(.expirationDue) },
            time.schedule(grace) { [post] in post.yield(.timeIsOver) },
        ]
        phases.set(.background)
        return timers
    }

    /// Closes the registry if nothing is open: what was idle when an event was posted may be busy when it is handled.
    private func finishesIdle(_ machine: inout LinuxHostMachine) -> Bool {
        registry.closeIfIdle() && machine.becameIdle() == .finish
    }

    private func finish() -> Outcome {
        let names = registry.openNames
        phases.finish(.terminated)
        guard !names.isEmpty else { return .completed }
        logger.warning("the grace period is over", metadata: ["cut": "\(names.joined(separator: ", "))"])
        return .cut(names: names)
    }
}
