import ApusTimers

/// The scheduler's side of one running handler.
final class RunControl: Sendable {
    /// The most output that a run keeps.
    static let maximumOutput = 64 * 1024

    private struct State {
        var task: Task<Void, Never>?
        var reason: CancellationReason?
        var exitCode: Int?
        var output: [UInt8] = []
        var deadline: UptimeInstant?
        var timer: ScheduledTimer?
        var ended = false
    }

    private let state = Locked(State())
    private let engine: TimerEngine
    private let events: EventHub

    init(engine: TimerEngine, events: EventHub) {
        self.engine = engine
        self.events = events
    }

    /// The handler's task exists now. It may have been told to end before that.
    func attach(_ task: Task<Void, Never>) {
        let cancel = state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if cancel { task.cancel() }
    }

    /// The first reason counts.
    func cancel(_ reason: CancellationReason) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.reason == nil, !state.ended else { return nil }
            state.reason = reason
            return state.task
        }
        task?.cancel()
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

    /// The handler returned: what it left behind.
    func end() -> (reason: CancellationReason?, exitCode: Int?, output: [UInt8]) {
        let (timer, result) = state.withLock { state in
            state.ended = true
            state.task = nil
            defer { state.timer = nil }
            return (state.timer, (state.reason, state.exitCode, state.output))
        }
        _ = timer?.cancel()
        return result
    }

    var cancellationReason: CancellationReason? { state.withLock { $0.reason } }

    var timeRemaining: Duration? {
        state.withLock { $0.deadline }.map { max(.zero, engine.time.uptime().duration(to: $0)) }
    }

    func set(exitCode: Int) { state.withLock { $0.exitCode = exitCode } }

    func set(output: [UInt8]) {
        let tail = output.count > Self.maximumOutput ? Array(output.suffix(Self.maximumOutput)) : output
        state.withLock { $0.output = tail }
    }

    func emit(_ event: JobEvent) {
        guard !state.withLock({ $0.ended }) else { return }
        events.emit(event)
    }
}
