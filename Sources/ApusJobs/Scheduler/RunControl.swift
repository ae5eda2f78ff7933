import ApusTimers

/// The scheduler's side of one running handler.
///
/// ```
///            cancelled               10 s                   patience
///  running ────────────► cancelled ────────► stuck ──────────────────────► given up
///     └──────────────────────┴─────────────────┴──► returned                  └──► (a return changes nothing)
/// ```
///
/// The 10 s and the patience, which is the time that a cancelled handler may take to return, both begin at the
/// cancellation. An attempt ends once: when its handler returns or is given up, whichever is first.
final class RunControl: Sendable {
    /// The largest number of bytes of output that a run keeps.
    static let maximumOutput = 64 * 1024
    /// The largest number of bytes of a result.
    static let maximumResult = 64 * 1024
    /// The time that a cancelled handler may take to return before it counts as stuck.
    static let usualReturn: Duration = .seconds(10)
    /// The shortest time between two stored reports of progress while the handler runs.
    private static let progressPause: Duration = .seconds(1)

    private struct State {
        var task: Task<Void, Never>?
        var reason: CancellationReason?
        var exitCode: Int?
        var output: [UInt8] = []
        var result: [UInt8]?
        var progress: RunProgress?
        var progressKept: UptimeInstant?
        var started: WallInstant?
        var deadline: UptimeInstant?
        var timer: ScheduledTimer?
        /// The instant at which the handler, or the work after it, was cancelled.
        var cancelled: UptimeInstant?
        var isStuck = false
        /// The timer for the next stage of a cancelled handler: stuck, then given up.
        var overdueTimer: ScheduledTimer?
        /// Whether the handler's work has ended and its result is known; only work after it may still run.
        var workEnded = false
        /// The reason why the work that follows the handler's work must end.
        var laterReason: CancellationReason?
        /// The control of the work that follows the handler's work.
        var followUp: RunControl?
        /// The number of bytes of output that the handler's work, and the work that follows it, have sent.
        var printedBytes = 0
        /// Whether the handler has returned or was given up.
        var ended = false

        mutating func takeTimers() -> [ScheduledTimer] {
            defer { (timer, overdueTimer) = (nil, nil) }
            return [timer, overdueTimer].compactMap { $0 }
        }
    }

    /// A report to the scheduler while the handler runs.
    enum Report: Sendable {
        /// The handler was cancelled, and has not returned.
        case stuck
        /// The handler was given up, and the attempt has ended without it.
        case givenUp(Left)
        /// The progress is to be stored.
        case progress(RunProgress)
    }

    private let state = Locked(State())
    private let engine: TimerEngine
    private let events: EventHub
    private let executor: (any TaskExecutor)?
    private let patience: Duration?
    private let report: @Sendable (Report) -> Void
    /// The control of the handler whose work precedes this work; `nil` for a handler itself.
    private let preceding: RunControl?

    /// Creates the control of a handler, or of work that follows one.
    ///
    /// - Parameters:
    ///   - engine: The engine that measures times.
    ///   - events: The receiver of the handler's events.
    ///   - executor: The executor of work that follows the handler's.
    ///   - patience: The time that a cancelled handler may take to return before it is given up; `nil` for no limit.
    ///   - preceding: The control of the handler whose work precedes this work; `nil` for a handler itself. The output
    ///     of the handler and of the work is counted together, and progress that the work reports is not stored.
    ///   - report: A closure that is called on the engine's thread, and, for progress, on the thread that reports it.
    init(
        engine: TimerEngine, events: EventHub, executor: (any TaskExecutor)?, patience: Duration?,
        preceding: RunControl? = nil, report: @escaping @Sendable (Report) -> Void
    ) {
        self.engine = engine
        self.events = events
        self.executor = executor
        self.patience = patience.map { max(.zero, $0) }
        self.preceding = preceding
        self.report = report
    }

    /// Sets the handler's task, and cancels it if the handler was cancelled before.
    func attach(_ task: Task<Void, Never>) {
        let cancel = state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if cancel { cancelTask(task) }
    }

    /// Cancels the task on another thread.
    ///
    /// Cancellation handlers may block, and the caller's thread may be the scheduler's or the engine's.
    private func cancelTask(_ task: Task<Void, Never>) {
        if executor is any SteppedExecutor { return task.cancel() }
        CancellationThreads.cancel(task)
    }

    /// Cancels the handler or, if the handler's own work has ended, the work that follows it; only the first reason is
    /// kept.
    func cancel(_ reason: CancellationReason) {
        let now = engine.time.uptime()
        let (isCancelled, task, followUp) = state.withLock { state -> (Bool, Task<Void, Never>?, RunControl?) in
            if state.workEnded {
                // The time limit is only for the handler's work.
                guard reason != .timedOut, !state.ended else { return (false, nil, nil) }
                if state.laterReason == nil { state.laterReason = reason }
                return (false, nil, state.followUp)
            }
            guard state.reason == nil, !state.ended else { return (false, nil, nil) }
            state.reason = reason
            state.cancelled = now
            return (true, state.task, nil)
        }
        if let task { cancelTask(task) }
        followUp?.cancel(reason)
        guard isCancelled else { return }
        expectReturn(within: min(Self.usualReturn, patience ?? Self.usualReturn)) { $0.becomeStuck() }
    }

    // MARK: Handlers that do not return

    private func expectReturn(within time: Duration, otherwise: @escaping @Sendable (RunControl) -> Void) {
        let timer = engine.schedule(after: time, clock: .uptime) { [weak self] in if let self { otherwise(self) } }
        let hasReturned = state.withLock { state in
            if state.cancelled == nil || state.ended { return true }
            state.overdueTimer = timer
            return false
        }
        if hasReturned { timer.cancel() }
    }

    private func becomeStuck() {
        let isStuck = state.withLock { state in
            guard state.cancelled != nil, !state.ended else { return false }
            state.isStuck = true
            return true
        }
        guard isStuck else { return }
        report(.stuck)
        guard let patience else { return }
        expectReturn(within: max(.zero, patience - Self.usualReturn)) { control in
            control.giveUp { $0.cancelled != nil }
        }
    }

    private func giveUp(if isOverdue: (State) -> Bool = { _ in true }) {
        if let left = end(if: isOverdue) { report(.givenUp(left)) }
    }

    /// The reason and the instant of the cancellation of a stuck handler; `nil` while it is not stuck.
    var stuck: (reason: CancellationReason, since: UptimeInstant)? {
        let (own, followUp) = state.withLock { state in
            var own: (CancellationReason, UptimeInstant)?
            if state.isStuck, let reason = state.reason, let since = state.cancelled { own = (reason, since) }
            return (own, state.followUp)
        }
        return own ?? followUp?.stuck
    }

    // MARK: Work that follows

    /// Ends the handler's work: neither the time limit nor a cancellation changes its result any more.
    ///
    /// - Returns: The reason why the work was cancelled, if it was.
    func endWork() -> CancellationReason? {
        let (timers, reason) = state.withLock { state in
            state.workEnded = true
            (state.cancelled, state.isStuck) = (nil, false)
            state.deadline = nil
            return (state.takeTimers(), state.reason)
        }
        for timer in timers { timer.cancel() }
        return reason
    }

    /// Runs work that follows the handler's work.
    ///
    /// The new work has its own task, so the cancellation of the handler's task does not cancel it.
    ///
    /// - Returns: The reason why the new work was cancelled, if it was.
    func followUp(
        timeLimit: Duration, _ body: @escaping @Sendable (RunControl) async -> Void
    ) async -> CancellationReason? {
        let control = RunControl(
            engine: engine, events: events, executor: executor, patience: patience, preceding: preceding ?? self,
            report: { [weak self] report in
                switch report {
                case .stuck: self?.report(.stuck)
                case .givenUp: self?.giveUp()
                case .progress: break
                }
            })
        let cancelled = state.withLock { state -> CancellationReason? in
            if state.laterReason == nil { state.followUp = control }
            return state.laterReason
        }
        if let cancelled { return cancelled }
        _ = control.begin(timeLimit: timeLimit)
        let task = Task(executorPreference: executor) { await body(control) }
        control.attach(task)
        await task.value
        state.withLock { $0.followUp = nil }
        return control.end()?.reason
    }

    // MARK: Beginning and end

    /// Begins the attempt and its time limit.
    ///
    /// - Returns: Whether the handler may be called; it must not be called if the attempt was given up.
    func begin(timeLimit: Duration?, at started: WallInstant? = nil) -> Bool {
        let mayBegin = state.withLock { state in
            state.started = started
            return !state.ended
        }
        guard mayBegin, let timeLimit else { return mayBegin }
        let deadline = engine.time.uptime().advanced(by: timeLimit)
        let timer = engine.schedule(at: deadline) { [weak self] in self?.cancel(.timedOut) }
        state.withLock { state in
            state.deadline = deadline
            state.timer = timer
        }
        return true
    }

    /// The values that a handler has set on its context.
    struct Left: Sendable {
        var started: WallInstant?
        var reason: CancellationReason?
        var exitCode: Int?
        var output: [UInt8]
        var result: [UInt8]?
        var progress: RunProgress?
    }

    /// Ends the attempt because the handler has returned.
    ///
    /// - Returns: The values that the handler has set; `nil` if it was given up before.
    func end() -> Left? { end { _ in true } }

    private func end(if mayEnd: (State) -> Bool) -> Left? {
        let (timers, left) = state.withLock { state -> ([ScheduledTimer], Left?) in
            guard !state.ended, mayEnd(state) else { return ([], nil) }
            state.ended = true
            state.task = nil
            let left = Left(
                started: state.started, reason: state.reason, exitCode: state.exitCode, output: state.output,
                result: state.result, progress: state.progress)
            return (state.takeTimers(), left)
        }
        for timer in timers { timer.cancel() }
        return left
    }

    var cancellationReason: CancellationReason? { state.withLock { $0.reason } }

    var timeRemaining: Duration? {
        state.withLock { $0.deadline }.map { max(.zero, engine.time.uptime().duration(to: $0)) }
    }

    var output: [UInt8] { state.withLock { $0.output } }

    var result: [UInt8]? { state.withLock { $0.result } }

    func set(exitCode: Int) { state.withLock { $0.exitCode = exitCode } }

    func set(output: [UInt8]) {
        let tail = output.count > Self.maximumOutput ? Array(output.suffix(Self.maximumOutput)) : output
        state.withLock { $0.output = tail }
    }

    func set(result: [UInt8]) { state.withLock { $0.result = result } }

    func set(progress: RunProgress) {
        guard preceding == nil else { return }
        let now = engine.time.uptime()
        let isDue = state.withLock { state in
            guard !state.ended else { return false }
            state.progress = progress
            if let last = state.progressKept, last.duration(to: now) < Self.progressPause { return false }
            state.progressKept = now
            return true
        }
        if isDue { report(.progress(progress)) }
    }

    func emit(_ event: JobEvent) {
        guard !state.withLock({ $0.ended }) else { return }
        events.emit(event)
    }

    /// Sends an event of output; `event` gets the number of bytes that were printed before.
    func emit(bytes count: Int, _ event: (_ offset: Int) -> JobEvent) {
        let before = (preceding ?? self).state.withLock { state in
            defer { state.printedBytes += count }
            return state.printedBytes
        }
        emit(event(before))
    }
}

extension String {
    /// Returns the longest prefix with at most `count` bytes of UTF-8, without a partial character.
    func prefix(utf8 count: Int) -> String {
        if utf8.count <= count { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while end.samePosition(in: self) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
