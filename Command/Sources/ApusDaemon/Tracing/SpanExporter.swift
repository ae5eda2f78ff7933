import ApusClient
import ApusTimers
import Logging

/// Sends ended spans in batches, as ``SpanBatcher`` decides. Without spans it has no timer, and no task.
final class SpanExporter: Sendable {
    private struct State {
        var batcher: SpanBatcher<SpanRecord>
        var timer: ScheduledTimer?
        /// When the timer fires, which is scheduled or about to be; `nil` without a timer.
        var timerInstant: ContinuousInstant?
        /// Changes with `timerInstant`.
        var timerNumber = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private typealias Batcher = SpanBatcher<SpanRecord>

    private let state: Locked<State>
    private let engine: TimerEngine
    private let random: any RandomSource
    private let logger: Logger
    private let executor: (any TaskExecutor)?
    private let send: @Sendable ([SpanRecord]) async -> SpanAnswer

    /// An exporter, which sends one batch at a time with `send` and continues when that returns the collector's answer. The
    /// sending runs on `executor`; without one, where the process's tasks run.
    init(
        _ batching: SpanBatching, engine: TimerEngine, random: any RandomSource, logger: Logger,
        executor: (any TaskExecutor)? = nil, send: @escaping @Sendable ([SpanRecord]) async -> SpanAnswer
    ) {
        state = Locked(State(batcher: SpanBatcher(batching)))
        self.engine = engine
        self.random = random
        self.logger = logger
        self.executor = executor
        self.send = send
    }

    /// Takes a span that has ended. Does not wait for anything.
    func add(_ span: SpanRecord) {
        perform { [now] in $0.add(span, now: now) }
    }

    /// Sends what waits, for at most `limit`. Spans that end later are dropped.
    func stop(within limit: Duration) async {
        var timer: ScheduledTimer?
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiter = continuation }
            perform { [now] in $0.stop(now: now) }
            timer = engine.schedule(after: limit) { [self] in
                perform { $0.abandon("no answer before the daemon's end") }
            }
        }
        timer?.cancel()
    }

    private var now: ContinuousInstant { engine.time.continuous() }

    /// Lets the machine handle an event, and then does what it says.
    private func perform(_ event: @Sendable (inout Batcher) -> [Batcher.Effect]) {
        let (effects, former, timer) = state.withLock { state in
            let effects = event(&state.batcher)
            guard state.batcher.timer != state.timerInstant else {
                return (effects, ScheduledTimer?.none, (ContinuousInstant, Int)?.none)
            }
            let former = state.timer
            state.timer = nil
            state.timerInstant = state.batcher.timer
            state.timerNumber += 1
            return (effects, former, state.timerInstant.map { ($0, state.timerNumber) })
        }
        former?.cancel()
        if let (instant, number) = timer { schedule(at: instant, number) }
        for effect in effects { perform(effect) }
    }

    private func schedule(at instant: ContinuousInstant, _ number: Int) {
        let timer = engine.schedule(at: instant, tolerance: .milliseconds(200)) { [weak self] in self?.timerFired() }
        let isCurrent = state.withLock { state in
            guard state.timerNumber == number else { return false }
            state.timer = timer
            return true
        }
        if !isCurrent { timer.cancel() }
    }

    private func timerFired() {
        perform { [now] in $0.timerFired(now: now) }
    }

    private func perform(_ effect: Batcher.Effect) {
        switch effect {
        case .send(let spans):
            Task(executorPreference: executor) { [self] in
                let answer = await send(spans)
                let share = Double(random.next() >> 11) * 0x1p-53
                perform { [now] in $0.answered(answer, now: now, share: share) }
            }
        case .log(let notice): log(notice)
        case .finish:
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }

    private func log(_ notice: Batcher.Notice) {
        switch notice {
        case .failing(let reason):
            logger.warning(
                "spans cannot be sent now; they are sent again",
                metadata: ["reason": "\(PrintableText.escaped(reason))"])
        case .lost(let count, let reason):
            logger.warning(
                "spans were dropped", metadata: ["spans": "\(count)", "reason": "\(PrintableText.escaped(reason))"])
        case .full(let limit):
            logger.warning(
                "further spans are dropped until the collector has accepted others", metadata: ["waiting": "\(limit)"])
        case .recovered(let lost):
            logger.notice("the collector accepts spans again", metadata: ["dropped": "\(lost)"])
        case .ended(let lost):
            logger.warning("spans were dropped until the end", metadata: ["spans": "\(lost)"])
        }
    }
}
