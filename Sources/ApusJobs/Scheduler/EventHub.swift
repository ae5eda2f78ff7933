import ApusTimers

/// Delivers events to subscribers.
///
/// A slow subscriber delays neither the scheduler nor other subscribers. It loses its oldest events when too many wait;
/// an event in its stream takes their place. Output and progress have a limit of their own, so they never displace
/// other events.
final class EventHub: Sendable {
    private struct State {
        var next = 0
        var subscribers: [Int: Subscriber] = [:]
        var end = End.open(waiters: [])
        var relay: Relay?
    }

    /// The store through which the scheduler exchanges events with the other schedulers, and its session.
    private struct Relay {
        let store: any JobStore
        let session: StoreSession

        func request() { store.requestEvents(in: session) }
    }

    private enum End {
        /// The scheduler has not stopped; `waiters` are the tasks that wait for its end.
        case open(waiters: [CheckedContinuation<JobError?, Never>])
        case finished(JobError?)

        var isFinished: Bool { if case .finished = self { true } else { false } }
    }

    /// A weak reference to a subscription, so that a stream that is dropped unread ends its own subscription.
    private struct Subscriber: Sendable {
        private(set) weak var subscription: EventSubscription?
    }

    private let state = Locked(State())
    private let limits: LossyQueue<JobEvent>.Limits

    init(limits: LossyQueue<JobEvent>.Limits) { self.limits = limits }

    var count: Int { state.withLock { $0.subscribers.count } }

    /// Whether an event would have a receiver.
    ///
    /// If it is `false`, events need not be created. A later subscriber misses them, but can read their effects in the
    /// store.
    var isWanted: Bool {
        let (isSubscribed, relay) = state.withLock { (!$0.subscribers.isEmpty, $0.relay) }
        return isSubscribed || relay.map { $0.store.isPublishing(in: $0.session) } ?? false
    }

    func subscribe() -> AsyncStream<JobEvent> {
        let subscription = EventSubscription(limits: limits)
        let (number, relay) = state.withLock { state -> (Int?, Relay?) in
            if state.end.isFinished { return (nil, nil) }
            state.next += 1
            let isFirst = state.subscribers.isEmpty
            state.subscribers[state.next] = Subscriber(subscription: subscription)
            return (state.next, isFirst ? state.relay : nil)
        }
        relay?.request()
        if let number {
            subscription.onEnd { [weak self] in
                self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
            }
        } else {
            subscription.finish()
        }
        return AsyncStream(unfolding: { await subscription.next() }, onCancel: { subscription.finish() })
    }

    /// Sends an event to all subscribers and the relay.
    ///
    /// The lock is not held meanwhile, because sending resumes the tasks of the subscribers.
    func emit(_ event: @autoclosure () -> JobEvent) {
        let (subscriptions, relay) = state.withLock { ($0.subscribers.values.compactMap(\.subscription), $0.relay) }
        guard !subscriptions.isEmpty || relay != nil else { return }
        let event = event()
        for subscription in subscriptions { subscription.send(event) }
        if let relay { relay.store.publish(event, in: relay.session) }
    }

    /// Sends an event of another scheduler to the subscribers.
    func emit(fromOther event: JobEvent) {
        let subscriptions = state.withLock { $0.subscribers.values.compactMap(\.subscription) }
        for subscription in subscriptions { subscription.send(event) }
    }

    /// Passes each further event of this scheduler to the store, which sends it to the other schedulers.
    func relay(through store: any JobStore, in session: StoreSession) {
        let relay = Relay(store: store, session: session)
        let hasSubscribers = state.withLock { state in
            state.relay = relay
            return !state.subscribers.isEmpty
        }
        if hasSubscribers { relay.request() }
    }

    func endRelay() { state.withLock { $0.relay = nil } }

    /// Ends all streams because the scheduler has stopped, with an error if it lost its store; later calls do nothing.
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
    ///
    /// - Returns: The error with which the scheduler lost its store, if it did.
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

/// The waiting events of one subscriber, and the subscriber's tasks that wait for an event.
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

    /// Ends the stream once the queued events have been delivered.
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
    /// Whether the event is output or progress, which have a limit of their own and displace no other events.
    var isBulk: Bool {
        switch self {
        case .output, .progress: true
        default: false
        }
    }

    /// The approximate size of the event in memory.
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

/// An event of a ``JobScheduler``, sent once its effects are committed; see ``JobScheduler/events()``.
public enum JobEvent: Sendable {
    /// A job was submitted.
    case submitted(Job)
    /// A job's state, definition, next due instant or count of occurrences changed.
    case changed(Job)
    /// An ended job was deleted with its runs (``JobScheduler/delete(_:)``).
    ///
    /// Jobs that are no longer kept (``Job/keptUntil``) are removed without an event.
    case deleted(jobID: JobID)
    /// The handler of a run is about to be called.
    case runStarted(Run)
    /// An attempt ended; `isFinal` says whether it is the occurrence's outcome.
    case runEnded(Run)
    /// A handler asked to be called later (``RunDecision/snooze(for:reason:)``), and the run waits again, with the
    /// reason.
    case runPostponed(Run)
    /// A handler printed something (``RunContext/emit(output:)``).
    ///
    /// `offset` is the number of bytes that the attempt had printed before, including dropped output.
    case output(jobID: JobID, occurrence: Int, attempt: Int, offset: Int, bytes: [UInt8])
    /// A handler reported its progress, 0 to 1 (``RunContext/report(progress:message:)``).
    case progress(jobID: JobID, occurrence: Int, attempt: Int, fraction: Double, message: String?)
    /// A range of occurrences was skipped.
    ///
    /// A range that grows is reported again, from its first occurrence on.
    case skipped(Run)
    /// The wall clock was set, and has moved by this duration; jobs that count elapsed time were moved with it.
    case clockChanged(by: Duration)
    /// Events of jobs and runs, or bytes of output, were dropped here because this subscriber was too slow, or another
    /// scheduler of the store had too many events to send.
    ///
    /// If `events` is not 0, the subscriber must read the jobs again.
    case dropped(events: Int, outputBytes: Int)
    /// The scheduler stopped, and no event follows.
    ///
    /// There is an error if it lost its store to another owner, or could not use it for longer than
    /// ``JobScheduler/Configuration/storePatience``.
    case stopped(JobError?)
}
