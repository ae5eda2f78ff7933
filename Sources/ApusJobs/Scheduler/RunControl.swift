import ApusTimers

/// The scheduler's side of one running handler.
final class RunControl: Sendable {
    /// The most output that a run keeps.
    static let maximumOutput = 64 * 1024
    /// The most bytes of a result.
    static let maximumResult = 64 * 1024
    /// How often progress is kept while the handler runs.
    private static let progressPause: Duration = .seconds(1)

    private struct State {
        var task: Task<Void, Never>?
        var reason: CancellationReason?
        var exitCode: Int?
        var output: [UInt8] = []
        var result: [UInt8]?
        var progress: RunProgress?
        var progressKept: UptimeInstant?
        var deadline: UptimeInstant?
        var timer: ScheduledTimer?
        /// The handler's work is over and its result is known; only work after it may still run.
        var workEnded = false
        /// Why work after that has to end.
        var laterReason: CancellationReason?
        /// The control of the work after it.
        var followUp: RunControl?
        var ended = false
    }

    private let state = Locked(State())
    private let engine: TimerEngine
    private let events: EventHub
    private let executor: (any TaskExecutor)?
    private let keepProgress: (@Sendable (RunProgress) -> Void)?
    private let printed: PrintedBytes

    /// `keepProgress` is called with what is to be kept while the handler runs.
    init(
        engine: TimerEngine, events: EventHub, executor: (any TaskExecutor)?, printed: PrintedBytes = PrintedBytes(),
        keepProgress: (@Sendable (RunProgress) -> Void)? = nil
    ) {
        self.engine = engine
        self.events = events
        self.executor = executor
        self.printed = printed
        self.keepProgress = keepProgress
    }

    /// The handler's task exists now. It may have been cancelled before that.
    func attach(_ task: Task<Void, Never>) {
        let cancel = state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if cancel { task.cancel() }
    }

    /// The first reason counts. After the handler's work, only what follows it is cancelled.
    func cancel(_ reason: CancellationReason) {
        let (task, followUp) = state.withLock { state -> (Task<Void, Never>?, RunControl?) in
            if state.workEnded {
                // The time limit is the work's.
                guard reason != .timedOut, !state.ended else { return (nil, nil) }
                if state.laterReason == nil { state.laterReason = reason }
                return (nil, state.followUp)
            }
            guard state.reason == nil, !state.ended else { return (nil, nil) }
            state.reason = reason
            return (state.task, nil)
        }
        task?.cancel()
        followUp?.cancel(reason)
    }

    /// The result of the handler's work is known: neither the time limit nor a cancellation changes it any more.
    /// - Returns: why the work was cancelled, if it was.
    func endWork() -> CancellationReason? {
        let (timer, reason) = state.withLock { state in
            state.workEnded = true
            defer { (state.timer, state.deadline) = (nil, nil) }
            return (state.timer, state.reason)
        }
        _ = timer?.cancel()
        return reason
    }

    /// Runs work that follows the handler's, in a task that the end of the handler's task does not cancel.
    /// - Returns: why it was cancelled, if it was.
    func followUp(
        timeLimit: Duration, _ body: @escaping @Sendable (RunControl) async -> Void
    ) async -> CancellationReason? {
        let control = RunControl(engine: engine, events: events, executor: executor, printed: printed)
        let cancelled = state.withLock { state -> CancellationReason? in
            state.followUp = control
            return state.laterReason
        }
        if let cancelled { return cancelled }
        control.begin(timeLimit: timeLimit)
        let task = Task(executorPreference: executor) { await body(control) }
        control.attach(task)
        await task.value
        state.withLock { $0.followUp = nil }
        return control.end().reason
    }

    /// The handler is about to be called.
    func begin(timeLimit: Duration?) {
        guard let timeLimit else { return }
        let deadline = engine.time.uptime().advanced(by: timeLimit)
        let timer = engine.schedule(at: deadline) { [weak self] in self?.cancel(.timedOut) }
        state.withLock { state in
            state.deadline = deadline
            state.timer = timer
        }
    }

    /// What a handler has set on its context.
    struct Left: Sendable {
        var reason: CancellationReason?
        var exitCode: Int?
        var output: [UInt8]
        var result: [UInt8]?
        var progress: RunProgress?
    }

    /// The handler returned.
    func end() -> Left {
        let (timer, result) = state.withLock { state in
            state.ended = true
            state.task = nil
            defer { state.timer = nil }
            let left = Left(
                reason: state.reason, exitCode: state.exitCode, output: state.output, result: state.result,
                progress: state.progress)
            return (state.timer, left)
        }
        _ = timer?.cancel()
        return result
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
        guard let keepProgress else { return }
        let now = engine.time.uptime()
        let isDue = state.withLock { state in
            guard !state.ended else { return false }
            state.progress = progress
            if let last = state.progressKept, last.duration(to: now) < Self.progressPause { return false }
            state.progressKept = now
            return true
        }
        if isDue { keepProgress(progress) }
    }

    func emit(_ event: JobEvent) {
        guard !state.withLock({ $0.ended }) else { return }
        events.emit(event)
    }

    /// Sends the event of output with so many bytes, made with the number of those before it.
    func emit(bytes count: Int, _ event: (_ offset: Int) -> JobEvent) { emit(event(printed.add(count))) }
}

/// How many bytes of output an attempt has sent, also in work that follows it.
final class PrintedBytes: Sendable {
    private let count = Locked(0)

    /// - Returns: how many there were before.
    func add(_ more: Int) -> Int {
        count.withLock { count in
            defer { count += more }
            return count
        }
    }
}

extension String {
    /// Its beginning, of so many bytes at most, without a part of a character.
    func prefix(utf8 count: Int) -> String {
        if utf8.count <= count { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while end.samePosition(in: self) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
