import ApusTimers
import Logging

/// What outlives a ``BackgroundTimers`` while its last work runs: the lock around the machine, and what carries its
/// actions out.
///
/// Under the lock: arming the engine, which calls nothing of ours, and queueing of events, so that all see one
/// order. Outside it: everything else.
final class BackgroundTimersCore: Sendable {
    typealias ID = BackgroundTimers.ID
    typealias Event = BackgroundTimers.Event
    typealias Machine = BackgroundTimersMachine<Item, BackgroundTask>

    /// What the machine keeps for each timer.
    struct Item: Sendable {
        let work: @MainActor @Sendable () -> Void
        let handover: BackgroundTimers.Handover
        let tolerance: Duration
        var waiting: ScheduledTimer?
    }

    private struct State {
        var machine: Machine
        var nextListener = 0
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let host: any BackgroundHost
    private let name: String
    private let mode: MainLoopMode
    /// When this was made, for identifiers that no earlier process had.
    private let birth: UInt64
    private let wishes: NotificationWishes?
    // `nonisolated(unsafe)`: set in `init` only. `weak let` needs Swift 6.3, and the manifest accepts 6.2.
    nonisolated(unsafe) private weak var delegate: (any BackgroundTimersDelegate)?
    private let hasDelegate: Bool
    private let state: Locked<State>
    private let observation = Locked<ObservationToken?>(nil)

    init(
        host: any BackgroundHost, name: String, coverage: BackgroundTimers.Coverage, mode: MainLoopMode,
        notificationScheduler: (any NotificationScheduler)?, delegate: (any BackgroundTimersDelegate)?
    ) {
        self.host = host
        self.name = name
        self.mode = mode
        birth = host.engine.time.wall().nanoseconds
        wishes = notificationScheduler.map {
            NotificationWishes(host: host, scheduler: $0, logger: Logger(label: "apus.background"))
        }
        state = Locked(State(machine: Machine(coverage: coverage)))
        self.delegate = delegate
        hasDelegate = delegate != nil
    }

    var canNotify: Bool { wishes != nil }
    /// Counted by the engine and not by the process, so that a simulated process has the same every time.
    func nextID() -> ID { ID(number: host.engine.nextNumber()) }

    var pending: Set<ID> { state.withLock { $0.machine.pending } }

    /// Follows the host's phases from now on.
    func start() {
        let observation = host.observePhase { [weak self] phase in self?.entered(phase) }
        self.observation.withLock { $0 = observation }
        // Later than the registration, so that no change is missed.
        let limit = limit
        act { machine in
            // Looked at under the lock, so that what an observer says of a later phase comes later.
            host.phase == .background ? machine.enteredBackground(limit: limit) : []
        }
    }

    func deadline(of id: ID) -> ContinuousInstant? { state.withLock { $0.machine.deadline(of: id) } }

    func schedule(_ id: ID, after duration: Duration, every interval: Duration?, _ item: Item) {
        let due = host.engine.time.continuous().advanced(by: duration)
        let interval = interval.map { UInt64($0.wholeNanoseconds) }
        let canBeHandedOver = if case .none = item.handover { false } else { true }
        let limit = limit
        act {
            $0.schedule(
                id, due: due, every: interval, canBeHandedOver: canBeHandedOver, item, limit: limit)
        }
    }

    func cancel(_ ids: [ID]) -> Set<ID> {
        let (cancelled, rest) = state.withLock { state in
            let (cancelled, actions) = state.machine.cancel(ids)
            return (cancelled, arrange(actions, &state))
        }
        carryOut(rest)
        return cancelled
    }

    func cancelAll() -> Set<ID> {
        let (cancelled, rest) = state.withLock { state in
            let (cancelled, actions) = state.machine.cancelAll()
            return (cancelled, arrange(actions, &state))
        }
        carryOut(rest)
        return cancelled
    }

    func stop() {
        observation.withLock { $0.take() }?.cancel()
        act { $0.close() }
    }

    func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let listener = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return stream
    }

    // MARK: From the host

    /// When the app's time in the background is over; `nil` in the foreground, and when nothing limits it.
    private var limit: ContinuousInstant? {
        guard host.phase == .background, let remaining = host.backgroundTimeRemaining else { return nil }
        return host.engine.time.continuous().advanced(by: remaining)
    }

    @MainActor private func entered(_ phase: Phase) {
        switch phase {
        case .background:
            let limit = limit
            act(isOnMain: true) { $0.enteredBackground(limit: limit) }
        case .active, .inactive:
            act(isOnMain: true) { $0.enteredForeground() }
        case .suspended, .terminated:
            break
        }
    }

    /// On the engine's thread.
    private func cameDue(_ id: ID) {
        host.mainLoop.run(in: mode) { [self] in fire(id) }
    }

    @MainActor private func fire(_ id: ID) {
        // Taken here, not on the engine's thread: until its work starts, a timer can be cancelled.
        let now = host.engine.time.continuous()
        guard let item = state.withLock({ $0.machine.fire(id, now: now) }) else { return }
        item.work()
        let limit = limit
        act(isOnMain: true) { $0.finished(id, limit: limit) }
    }

    // MARK: Actions

    private func act(isOnMain: Bool = false, _ event: @Sendable (inout Machine) -> [Machine.Action]) {
        let rest = state.withLock { state in arrange(event(&state.machine), &state) }
        carryOut(rest, isOnMain: isOnMain)
    }

    /// Under the lock; gives what has to wait for its end.
    private func arrange(_ actions: [Machine.Action], _ state: inout State) -> [Machine.Action] {
        var rest: [Machine.Action] = []
        for action in actions {
            switch action {
            case .arm(let id, let due):
                let tolerance = state.machine[id]?.tolerance ?? .zero
                state.machine[id]?.waiting = host.engine.schedule(at: due, tolerance: tolerance) { [self] in
                    cameDue(id)
                }
            case .report(let event):
                // In the order of their coming: that of a dictionary differs from process to process.
                for (_, listener) in state.listeners.sorted(by: { $0.key < $1.key }) { listener.yield(event) }
                // Looked at later, outside the lock: it may be about to go.
                if hasDelegate {
                    host.mainLoop.run { [self] in delegate?.backgroundTimers(named: name, did: event) }
                }
            case .release, .beginTask, .endTask, .handOver, .takeBack, .finishEvents:
                rest.append(action)
            }
        }
        return rest
    }

    private func carryOut(_ actions: [Machine.Action], isOnMain: Bool = false) {
        for action in actions {
            switch action {
            case .arm, .report: preconditionFailure("these are done under the lock")
            case .release(let item): item.waiting?.cancel()
            case .beginTask(let request): begin(request)
            case .endTask(let task): task.end()
            case .handOver(let id, let due, let item): handOver(id, due, item.handover, isOnMain: isOnMain)
            case .takeBack(let id, let item):
                if case .notification = item.handover {
                    wishes?.remove(notificationIdentifier(id))
                    wishes?.carryOut()
                }
            case .finishEvents: finishEvents()
            }
        }
    }

    private func begin(_ request: Machine.TaskRequest) {
        let task: BackgroundTask
        do {
            task = try host.beginBackgroundTask(named: taskName(request.scope)) { [self] in
                act(isOnMain: true) { $0.expired(request) }
            }
        } catch {
            // The handler is called too; the second time, the machine does not know the request any more.
            act { $0.expired(request) }
            return
        }
        act { $0.granted(request, task) }
    }

    private func taskName(_ scope: Machine.Scope) -> String {
        switch scope {
        case .all: name
        case .one(let id): "\(name) \(id)"
        }
    }

    private func handOver(
        _ id: ID, _ due: ContinuousInstant, _ handover: BackgroundTimers.Handover, isOnMain: Bool
    ) {
        let time = host.engine.time
        let instant = time.wall().advanced(by: time.continuous().duration(to: due))
        switch handover {
        case .none:
            preconditionFailure("the machine knows that nothing stands in for this timer")
        case .notification(let notification):
            wishes?.want(
                NotificationRequest(
                    identifier: notificationIdentifier(id), notification: notification, trigger: .at(instant)))
            wishes?.carryOut()
        case .custom(let takeOver):
            if isOnMain {
                // At once: the app may be suspended when the main loop has nothing more to do.
                MainActor.assumeIsolated { takeOver(id, instant) }
            } else {
                host.mainLoop.run { takeOver(id, instant) }
            }
        }
    }

    private func notificationIdentifier(_ id: ID) -> String { "apus.timer.\(name).\(birth).\(id)" }

    private func finishEvents() {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        // Outside the lock: this calls `onTermination`, which takes it.
        for (_, listener) in listeners { listener.finish() }
    }
}
