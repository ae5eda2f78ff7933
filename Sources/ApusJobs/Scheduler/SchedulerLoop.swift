import ApusBackground
import ApusCalendar
import ApusTimers
import Logging

/// Delivers inputs to the machine, and executes the machine's steps and effects.
///
/// Only the loop of a scheduler has side effects. It executes one step at a time. Inputs that arrive during a step,
/// such as a commit that waits for the disk, belong to the next turn. In this way the loop combines the changes of many
/// callers in one commit.
final class SchedulerLoop: Sendable {
    struct Handler: Sendable {
        var call: @Sendable (RunContext) async throws -> Void
        /// The ``JobPayload/retryDelay(afterFailures:)`` of the kind.
        var retryDelay: @Sendable (Int) -> Duration?
    }
    typealias Answer = @Sendable (Result<SchedulerReply, JobError>) -> Void

    struct Inbox: Sendable {
        /// The state of the inbox; the machine's own life is ``SchedulerLife``.
        enum Gate: Sendable {
            case idle
            /// The store is being opened, and only calls of `stop` are accepted.
            case opening
            case open
            case closed
        }

        var gate = Gate.idle
        var inputs: [SchedulerInput] = []
        /// Whether the machine must be called without an input, because time has passed or the clock was set.
        var isWoken = false
        var waiter: CheckedContinuation<Void, Never>?
        var calls: [Int: Answer] = [:]
        var lastCall = 0
        var starting: CheckedContinuation<Void, any Error>?
        var handlers: [String: Handler] = [:]

        mutating func add(_ command: SchedulerCommand, _ answer: @escaping Answer) {
            lastCall += 1
            calls[lastCall] = answer
            inputs.append(.command(lastCall, command))
        }

        /// Drops the inputs, and returns the answers of the waiting calls in their order.
        mutating func close(_ gate: Gate) -> [Answer] {
            self.gate = gate
            inputs = []
            defer { calls = [:] }
            return calls.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    let store: any JobStore
    let engine: TimerEngine
    let host: (any BackgroundHost)?
    let random: any RandomSource
    let configuration: JobScheduler.Configuration
    /// The executor of the scheduler's own tasks: a thread that no handler can block, or, in virtual time, the executor
    /// of handlers.
    let executor: any TaskExecutor
    /// The executor of handlers; `nil` for the global executor.
    let handlerExecutor: (any TaskExecutor)?
    let logger: Logger
    let hub: EventHub
    let handlers = Locked(CalledHandlers())
    let inbox = Locked(Inbox())
    private let machine = Locked<SchedulerMachine?>(nil)
    #if DEBUG
        private let callsSinceCheck = Locked(0)
    #endif
    private let isStopRequested = Locked(false)
    private let alarm = Locked<(wake: SchedulerWake, timer: ScheduledTimer)?>(nil)
    let conditions: ConditionReader
    let metrics = MetricsReport()
    private let readyTasks: ReadyTasks

    init(
        store: any JobStore, engine: TimerEngine, host: (any BackgroundHost)?, random: any RandomSource,
        configuration: JobScheduler.Configuration, executor: (any TaskExecutor)?, logger: Logger
    ) {
        self.store = store
        self.engine = engine
        self.host = host
        self.random = random
        self.configuration = configuration
        let stepped = executor as? any SteppedExecutor
        let own: any TaskExecutor = if let stepped { stepped } else { ThreadExecutor(named: "apus-scheduler") }
        self.executor = own
        handlerExecutor = executor
        readyTasks = ReadyTasks(of: executor, isOwn: stepped != nil, engine: engine)
        self.logger = logger
        conditions = ConditionReader(host: host, engine: engine, executor: own)
        hub = EventHub(
            limits: .init(bulkBytes: configuration.outputBufferBytes, bytes: configuration.eventBufferBytes))
    }

    func handle(_ kind: String, _ handler: Handler) {
        inbox.withLock { $0.handlers[kind] = handler }
        post(.handler(kind: kind))
    }

    func handler(of kind: String) -> Handler? { inbox.withLock { $0.handlers[kind] } }

    func awaitedConditions(_ id: JobID) -> JobConditions { machine.withLock { $0?.awaitedConditions(id) ?? [] } }

    func obstructed() -> [Int64] { machine.withLock { $0?.obstructed ?? [] } }

    func isParked(_ id: JobID) -> Bool { machine.withLock { $0?.isParked(id) ?? false } }

    func situation(of loaded: LoadedJob) -> JobSituation {
        let now = reading()
        var situation = machine.withLock { $0?.situation(of: loaded, at: now) ?? JobSituation() }
        situation.stuck = stuckHandlers().filter { $0.jobID == loaded.job.id }
        return situation
    }

    /// Reads the scheduler's clocks.
    func reading() -> SchedulerReading { SchedulerReading(engine.time, of: store) }

    func queues() -> [QueueStatus] { machine.withLock { $0?.board.statuses ?? [] } }

    /// Whether the scheduler has started, and no stop was requested.
    var acceptsCommands: Bool {
        !isStopRequested.withLock(\.self) && machine.withLock { $0?.life.acceptsCommands ?? false }
    }

    /// Makes ``acceptsCommands`` false at once; the stop itself begins in a separate task.
    func noteStopRequest() { isStopRequested.withLock { $0 = true } }

    func storeOutage() -> StoreOutage? { machine.withLock { $0?.outage } }

    var storeSchema: String? { machine.withLock { $0?.session.schema } }

    // MARK: Beginning and ending

    func start(afterOpening: @Sendable () -> Void) async throws {
        try inbox.withLock { inbox throws(JobError) in
            guard inbox.gate == .idle else {
                throw JobError(code: .closed, message: "a scheduler can be started only once; make another one")
            }
            inbox.gate = .opening
        }
        let session: StoreSession
        let runnable = RunnableJobs(
            kinds: inbox.withLock { Set($0.handlers.keys) }, queues: configuration.serves)
        do { session = try await store.open(as: configuration.node, running: runnable) } catch {
            openingFailed()
            throw error
        }
        afterOpening()
        let (configuration, now) = (configuration, reading())
        machine.withLock {
            $0 = SchedulerMachine(session: session, configuration: configuration, at: now)
        }
        try await withCheckedThrowingContinuation { continuation in
            inbox.withLock { inbox in
                inbox.starting = continuation
                inbox.gate = .open
                // These handlers were registered before the gate was open. Later calls of `handle` post the input
                // themselves.
                inbox.inputs = inbox.handlers.keys.sorted().map { .handler(kind: $0) } + inbox.inputs
            }
            _ = Task(executorPreference: executor) { [self] in
                let observation = engine.observeWallClock(on: .engine) { [weak self] in self?.wake() }
                await run(session)
                observation.cancel()
            }
        }
    }

    /// Resets the inbox, so that the scheduler can be started again unless it was stopped in the meantime.
    private func openingFailed() {
        let stops = inbox.withLock { $0.close($0.calls.isEmpty ? .idle : .closed) }
        if !stops.isEmpty { hub.finish(nil) }
        for stop in stops { stop(.success(.done)) }
    }

    func stop(grace: Duration?) async {
        await withCheckedContinuation { continuation in
            let (waits, waiter) = inbox.withLock { inbox -> (Bool, CheckedContinuation<Void, Never>?) in
                switch inbox.gate {
                case .idle, .closed:
                    inbox.gate = .closed
                    return (false, nil)
                case .opening, .open:
                    inbox.add(.stop(grace: grace)) { _ in continuation.resume() }
                    return (true, inbox.waiter.take())
                }
            }
            waiter?.resume()
            if waits { return }
            // The scheduler was never started, or has stopped already.
            hub.finish(nil)
            continuation.resume()
        }
    }

    /// Requests a stop without grace, and does not wait for it.
    func abandon() { post(.command(0, .stop(grace: .zero))) }

    // MARK: Inputs

    private func waitForInputs() async {
        await withCheckedContinuation { continuation in
            let isThere = inbox.withLock { inbox in
                if inbox.inputs.isEmpty, !inbox.isWoken {
                    inbox.waiter = continuation
                    return false
                }
                inbox.isWoken = false
                return true
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: The loop

    /// Reports the numbers of runs and jobs of each queue, of stuck handlers, and of unreadable jobs.
    ///
    /// - Parameter informed: The metrics to which all queues were reported before.
    private func reportStanding(informed: inout JobMetrics?) {
        guard let metrics = metrics.current else { return }
        let isFirst = informed !== metrics
        informed = metrics
        metrics.queues(machine.withLock { $0?.board.takeChanges(all: isFirst) ?? [] })
        metrics.stuck(stuckHandlers().count)
        metrics.unreadable(machine.withLock { $0?.setAside.count ?? 0 })
    }

    private func run(_ session: StoreSession) async {
        let signals = follow(store.signals(in: session))
        let isWanted: @Sendable () -> Bool = { [hub] in hub.count > 0 }
        let others = session.isShared ? followOthers(store.events(in: session, isWanted: isWanted)) : nil
        if session.isShared { hub.relay(through: store, in: session) }
        var zonesRead = engine.time.uptime()
        var informedMetrics: JobMetrics?
        while true {
            var inputs = inbox.withLock { inbox in
                defer { inbox.inputs = [] }
                return inbox.inputs
            }
            let now = engine.time.uptime()
            if zonesRead.duration(to: now) >= .seconds(1) {
                zonesRead = now
                if configuration.timeZones.refresh() { inputs.append(.timeZonesChanged) }
            }
            let step = update { machine, now in
                for input in inputs { machine.receive(input, at: now) }
                return machine.next(at: now)
            }
            reportStanding(informed: &informedMetrics)
            switch step {
            case .wait(let wake):
                setAlarm(wake)
                await waitForInputs()
            case .close:
                setAlarm(nil)
                signals.cancel()
                others?.cancel()
                hub.endRelay()
                do { try await store.close(session) } catch {
                    logger.error("closing the store failed", metadata: ["error": "\(error)"])
                }
                update { machine, _ in machine.closed() }
                metrics.current?.closed()
                metrics.current?.stuck(0)
                metrics.current?.unreadable(0)
                return
            default:
                await perform(step)
                // A single part makes at most one task ready, whose next request can be committed only by itself. See
                // ``ReadyTasks``.
                if case .commit(let turn) = step, turn.parts.count > 1 { await readyTasks.pass() }
            }
        }
    }

    /// Calls the machine, and executes the effects.
    @discardableResult
    func update<Result: Sendable>(_ body: (inout SchedulerMachine, SchedulerReading) -> Result) -> Result {
        let now = reading()
        let (result, effects) = machine.withLock { machine -> (Result, [SchedulerEffect]) in
            machine!.countsRuns = metrics.isWanted
            machine!.emitsEvents = hub.isWanted
            let result = body(&machine!, now)
            #if DEBUG
                if isCheckDue(machine!), let broken = machine!.brokenInvariant() {
                    preconditionFailure("inconsistent scheduler: \(broken)")
                }
            #endif
            return (result, machine!.takeEffects())
        }
        for effect in effects { perform(effect) }
        return result
    }

    #if DEBUG
        /// Returns whether the invariants are checked after this call.
        ///
        /// A check examines all jobs and queues. If there are more than 64 of these, several calls share one check, and
        /// a broken invariant may be found a few calls late.
        private func isCheckDue(_ machine: borrowing SchedulerMachine) -> Bool {
            let (size, isRunning) = (machine.checkedCount, machine.life.isRunning)
            return callsSinceCheck.withLock { calls in
                calls += 1
                guard calls * 64 >= size || !isRunning else { return false }
                calls = 0
                return true
            }
        }
    #endif

    private func perform(_ step: SchedulerStep) async {
        guard let session = machine.withLock({ $0?.session }) else { preconditionFailure("the store is not open") }
        switch step {
        case .commit(let turn):
            do {
                let results = try await store.commit(turn, in: session)
                update { $0.committed(results, at: $1) }
            } catch {
                update { $0.commitFailed(JobError(error), at: $1) }
            }
        case .read(let read):
            do {
                let answer = try await answer(to: read, in: session)
                update { $0.read(read, answer, at: $1) }
            } catch {
                update { $0.readFailed(read, JobError(error), at: $1) }
            }
        case .readConditions:
            let unmet = conditions.read(canShare: true)
            update { $0.receive(.conditions(unmet: unmet), at: $1) }
        case .retire(let instant, let refusedBefore, let budget):
            do {
                let hasMore = try await store.retire(
                    keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
                update { machine, _ in machine.retired(hasMore: hasMore) }
            } catch {
                update { machine, _ in machine.retireFailed(JobError(error)) }
            }
        case .delete(let jobs):
            do {
                let deleted = try await store.delete(jobs, in: session)
                update { machine, _ in machine.deleted(.success(deleted)) }
            } catch {
                update { machine, _ in machine.deleted(.failure(JobError(error))) }
            }
        case .close, .wait: preconditionFailure("the loop does that itself")
        }
    }

    private func answer(to read: SchedulerRead, in session: StoreSession) async throws -> SchedulerReadAnswer {
        switch read {
        case .interrupted(let key, let limit):
            .jobs(try await store.interrupted(after: key, limit: limit, in: session))
        case .anchored(let key, let limit):
            .jobs(try await store.anchored(after: key, limit: limit, in: session))
        case .due(let load): .due(try await store.due(load, in: session))
        case .load(let references): .loaded(try await store.find(references))
        case .submissions(let limit): .submissions(try await store.submissions(limit: limit, in: session))
        case .places(let uses): .places(try await store.places(uses, in: session))
        }
    }

    /// Replaces the scheduler's only timer.
    private func setAlarm(_ wake: SchedulerWake?) {
        let old = alarm.withLock { alarm -> ScheduledTimer? in
            if let alarm, alarm.wake == wake { return nil }
            let old = alarm?.timer
            alarm = wake.map { ($0, schedule($0)) }
            return old
        }
        _ = old?.cancel()
    }

    private func schedule(_ wake: SchedulerWake) -> ScheduledTimer {
        let action: @Sendable () -> Void = { [weak self] in
            self?.alarm.withLock { if $0?.wake == wake { $0 = nil } }
            self?.wake()
        }
        return switch wake.instant {
        case .wall(let instant): schedule(at: instant, tolerance: wake.tolerance, action)
        case .uptime(let instant): engine.schedule(at: instant, tolerance: wake.tolerance, action)
        }
    }

    private func schedule(
        at instant: WallInstant, tolerance: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledTimer {
        let now = engine.time.continuous()
        guard let wall = store.wall(at: now)?.lowerBound else {
            return engine.schedule(at: instant, tolerance: tolerance, action)
        }
        return engine.schedule(at: now.advanced(by: wall.duration(to: instant)), tolerance: tolerance, action)
    }

    // MARK: Effects

    private func perform(_ effect: SchedulerEffect) {
        switch effect {
        case .start(let run, let job): launch(run, of: job)
        case .cancel(let key, let reason): handlers.withLock { $0[key] }?.cancel(reason)
        case .answer(let number, let result):
            let call = inbox.withLock { $0.calls.removeValue(forKey: number) }
            call?(result)
        case .emit(let event): hub.emit(event)
        case .count(let outcome, let count, let job): metrics.current?.ended(outcome, count, of: job)
        case .followConditions(true):
            conditions.follow { [weak self] unmet in self?.post(.conditions(unmet: unmet)) }
        case .followConditions(false): conditions.endFollowing()
        case .log(let notice): notice.log(to: logger)
        case .serve(let jobs): if let session = machine.withLock({ $0?.session }) { store.serve(jobs, in: session) }
        case .started: inbox.withLock { $0.starting.take() }?.resume()
        case .stopped(let error): stopped(error)
        }
    }

    private func stopped(_ error: JobError?) {
        let (calls, starting) = inbox.withLock { ($0.close(.closed), $0.starting.take()) }
        hub.finish(error)
        starting?.resume(
            throwing: error
                ?? JobError(code: .closed, message: "the scheduler was stopped while it started; start another one"))
        for call in calls { call(.failure(error ?? SchedulerMachine.closed)) }
    }
}

extension JobError {
    /// Creates the job error for an error that a store has thrown.
    ///
    /// Stores throw job errors; any other error means that the store cannot be used.
    init(_ error: any Error) {
        self = error as? JobError ?? JobError(code: .unavailable, message: "the store cannot be used", cause: error)
    }
}
