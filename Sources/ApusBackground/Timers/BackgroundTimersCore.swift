import ApusTimers
import Logging

/// Protects the machine of a ``BackgroundTimers`` with a lock, and executes its actions.
///
/// It outlives the ``BackgroundTimers`` until all running work has returned. Two kinds of action are executed under the
/// lock, so that they keep the order of the changes: arming the engine, which calls no code of this module, and
/// enqueueing events. All other actions are executed outside the lock.
final class BackgroundTimersCore: Sendable {
    typealias ID = BackgroundTimers.ID
    typealias Event = BackgroundTimers.Event
    typealias Machine = BackgroundTimersMachine<Item, BackgroundTask>

    /// The data of a timer that the machine stores but does not use.
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
    /// The instant of the creation, in nanoseconds of the wall clock.
    ///
    /// It makes the identifiers of notifications different from those of earlier processes.
    private let birth: UInt64
    private let wishes: NotificationWishes?
    // The variable is `nonisolated(unsafe)` because only `init` sets it. `weak let` would need Swift 6.3, but the
    // manifest accepts 6.2.
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
    /// Returns a new identifier.
    ///
    /// Its number comes from the engine, not from the process, so that a simulated process gets the same numbers each
    /// time.
    func nextID() -> ID { ID(number: host.engine.nextNumber()) }

    var pending: Set<ID> { state.withLock { $0.machine.pending } }

    /// Starts observing the phases of the host.
    func start() {
        let observation = host.observePhase { [weak self] phase in self?.entered(phase) }
        self.observation.withLock { $0 = observation }
        // The phase is read after the registration, so that no change is missed.
        let limit = limit
        act { machine in
            // The phase is read under the lock. If an observer is called for a later phase, that call therefore takes
            // effect after this one.
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

    /// The end of the app's time in the background; `nil` in the foreground, and while the time is unlimited.
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

    /// Called on the engine's thread when a timer is due.
    private func cameDue(_ id: ID) {
        host.mainLoop.run(in: mode) { [self] in fire(id) }
    }

    @MainActor private func fire(_ id: ID) {
        // The timer fires here, not on the engine's thread, so that it can be cancelled until its work starts.
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

    /// Executes the actions that must be executed under the lock, and returns the other actions.
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
                // The listeners receive the event in the order of their registration, because the order of a dictionary
                // differs from process to process.
                for (_, listener) in state.listeners.sorted(by: { $0.key < $1.key }) { listener.yield(event) }
                // The weak reference is read later, outside the lock, because the read may release the last strong
                // reference.
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
            // The host also calls the expiration handler, so the machine is notified twice. It ignores the second
            // notification, because it no longer knows the request.
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
                // The closure is called immediately, because the app may be suspended when the main loop is idle.
                MainActor.assumeIsolated { takeOver(id, instant) }
            } else {
                host.mainLoop.run { takeOver(id, instant) }
            }
        }
    }

    private func notificationIdentifier(_ id: ID) -> String { "apus.timer.\(name).\(birth).\(id)" }

    private func finishEvents() {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        // The sequences are finished outside the lock, because `finish` calls `onTermination`, which takes the lock.
        for (_, listener) in listeners { listener.finish() }
    }
}
