import ApusTimers

/// Hands events to subscribers. A subscriber that does not keep up loses output first and delays nothing; what it lost
/// is marked in its stream.
final class EventHub: Sendable {
    private struct State {
        var next = 0
        var subscribers: [Int: Subscriber] = [:]
        var end = End.open(waiters: [])
        /// Brings events to other schedulers of the store.
        var relay: (@Sendable (JobEvent) -> Void)?
    }

    private enum End {
        /// Events may follow. Tasks wait for the end.
        case open(waiters: [CheckedContinuation<JobError?, Never>])
        case finished(JobError?)

        var isFinished: Bool { if case .finished = self { true } else { false } }
    }

    /// Does not keep a subscription alive: a stream that is dropped unread ends its own.
    private struct Subscriber: Sendable {
        private(set) weak var subscription: EventSubscription?
    }

    private let state = Locked(State())
    private let limits: LossyQueue<JobEvent>.Limits

    init(limits: LossyQueue<JobEvent>.Limits) { self.limits = limits }

    var count: Int { state.withLock { $0.subscribers.count } }

    /// Whether anything would get an event. A subscriber that comes later misses only what is in the store by then.
    var isWanted: Bool { state.withLock { !$0.subscribers.isEmpty || $0.relay != nil } }

    func subscribe() -> AsyncStream<JobEvent> {
        let subscription = EventSubscription(limits: limits)
        let number = state.withLock { state -> Int? in
            if state.end.isFinished { return nil }
            state.next += 1
            state.subscribers[state.next] = Subscriber(subscription: subscription)
            return state.next
        }
        if let number {
            subscription.onEnd { [weak self] in
                self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
            }
        } else {
            subscription.finish()
        }
        return AsyncStream(unfolding: { await subscription.next() }, onCancel: { subscription.finish() })
    }

    /// The subscriptions are copied out: resuming a subscriber is not done under the lock.
    func emit(_ event: @autoclosure () -> JobEvent) {
        let (subscriptions, relay) = state.withLock { ($0.subscribers.values.compactMap(\.subscription), $0.relay) }
        guard !subscriptions.isEmpty || relay != nil else { return }
        let event = event()
        for subscription in subscriptions { subscription.send(event) }
        relay?(event)
    }

    /// What has happened in another scheduler.
    func emit(fromOther event: JobEvent) {
        let subscriptions = state.withLock { $0.subscribers.values.compactMap(\.subscription) }
        for subscription in subscriptions { subscription.send(event) }
    }

    /// From now on, the relay is called for each event of this scheduler.
    func relay(to relay: (@Sendable (JobEvent) -> Void)?) { state.withLock { $0.relay = relay } }

    /// The scheduler has stopped, with an error if it lost its store. The first call counts.
    func finish(_ error: JobError?) {
        let (subscriptions, waiters) = state.withLock {
            state -> ([EventSubscription], [CheckedContinuation<JobError?, Never>]) in
            guard case .open(let waiters) = state.end else { return ([], []) }
            state.end = .finished(error)
            defer { state.subscribers = [:] }
            return (state.subscribers.values.compactMap(\.subscription), waiters)
        }
        for subscription in subscriptions {
            subscription.send(.stopped(error))
            subscription.finish()
        }
        for waiter in waiters { waiter.resume(returning: error) }
    }

    var isFinished: Bool { state.withLock { $0.end.isFinished } }

    /// Waits until the scheduler has stopped.
    /// - Returns: the error with which it lost its store, if it did.
    func waitForEnd() async -> JobError? {
        await withCheckedContinuation { continuation in
            let error = state.withLock { state -> JobError?? in
                switch state.end {
                case .open(let waiters):
                    state.end = .open(waiters: waiters + [continuation])
                    return .none
                case .finished(let error): return .some(error)
                }
            }
            if let error { continuation.resume(returning: error) }
        }
    }
}

/// One subscriber's queue, and the tasks that wait for it.
final class EventSubscription: Sendable {
    private struct State {
        var queue: LossyQueue<JobEvent>
        var waiters: [CheckedContinuation<JobEvent?, Never>] = []
        var isFinished = false
        var onEnd: (@Sendable () -> Void)?
    }

    private let state: Locked<State>

    init(limits: LossyQueue<JobEvent>.Limits) { state = Locked(State(queue: LossyQueue(limits: limits))) }

    deinit { state.withLock { $0.onEnd }?() }

    func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = body } }

    func send(_ event: JobEvent) {
        let waiter = state.withLock { state -> CheckedContinuation<JobEvent?, Never>? in
            if state.isFinished { return nil }
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.queue.append(event, bytes: event.bytes, isBulk: event.isBulk)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// What is queued is still handed out.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    func next() async -> JobEvent? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> JobEvent?? in
                switch state.queue.takeFirst() {
                case .element(let event): return .some(event)
                case .dropped(let dropped):
                    return .some(.dropped(events: dropped.elements, outputBytes: dropped.bulkBytes))
                case nil:
                    if state.isFinished { return .some(nil) }
                    state.waiters.append(continuation)
                    return nil
                }
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

extension JobEvent {
    /// Whether the event only accompanies a run, and gives way first.
    var isBulk: Bool {
        switch self {
        case .output, .progress: true
        default: false
        }
    }

    /// About how much memory the event keeps.
    var bytes: Int {
        let fixed = 512
        switch self {
        case .submitted(let job), .changed(let job): return fixed + job.request.payload.count
        case .runStarted(let run), .runEnded(let run), .skipped(let run): return fixed + run.output.count
        case .output(_, _, _, _, let bytes): return 128 + bytes.count
        default: return fixed
        }
    }
}

/// Something that happened in a ``JobScheduler``; see ``JobScheduler/events()``. What an event reports is already
/// committed.
public enum JobEvent: Sendable {
    /// A job was submitted.
    case submitted(Job)
    /// A job's state, next due instant or count changed.
    case changed(Job)
    /// A job that had ended was deleted (``JobScheduler/delete(_:)``), with its runs. Jobs that are no longer kept
    /// (``Job/keptUntil``) are removed without an event.
    case deleted(jobID: JobID)
    /// The handler of a run is about to be called.
    case runStarted(Run)
    /// An attempt ended; `isFinal` says whether it is the occurrence's outcome.
    case runEnded(Run)
    /// A handler asked to be called later (``RunDecision/snooze(for:reason:)``): the run waits again, with the reason.
    case runPostponed(Run)
    /// A handler printed something (``RunContext/emit(output:)``). The attempt had printed `offset` bytes before: where
    /// output was left out, that says how much.
    case output(jobID: JobID, occurrence: Int, attempt: Int, offset: Int, bytes: [UInt8])
    /// A handler reported how far it is, 0 to 1 (``RunContext/report(progress:message:)``).
    case progress(jobID: JobID, occurrence: Int, attempt: Int, fraction: Double, message: String?)
    /// A range of occurrences was skipped. A range that grows is reported again, from its first occurrence on.
    case skipped(Run)
    /// The wall clock was set, by this much; jobs that count elapsed time were moved with it.
    case clockChanged(by: Duration)
    /// This subscriber did not keep up, and here events of jobs and runs, or bytes of output, were left out. What the
    /// subscriber knows of jobs is to be read again if `events` is not 0.
    case dropped(events: Int, outputBytes: Int)
    /// The scheduler stopped; with an error if it lost its store to another owner, or could not use it for longer than
    /// ``JobScheduler/Configuration/storePatience``. Nothing follows.
    case stopped(JobError?)
}
