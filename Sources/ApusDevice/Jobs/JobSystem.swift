import ApusBackground
import ApusTimers
import ApusVirtualTime

/// Keeps the requests for background jobs, examines them now and then, and begins their runs, as a phone's system does.
///
/// ``TaskSchedulerMachine`` makes the decisions. This type protects the machine with a lock, sets the timer for the
/// next examination of the requests, and executes the machine's decisions. A ``SimulatedTask`` owns the state of one
/// run, and ``JobRuns`` decides how long all runs together keep the process running. Members that are isolated to the
/// main actor are for the device's thread; all others may be used from any thread.
final class JobSystem: Sendable {
    private struct State {
        var machine: TaskSchedulerMachine
        /// The time of the next examination of the requests.
        var nextLook: TaskSchedulerMachine.NextLook = .never
        var timer: ScheduledTimer?
        var restarts = 0
    }

    let surroundings: PartSurroundings
    let runs: JobRuns
    private let state: Locked<State>

    init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        runs = JobRuns(surroundings)
        state = Locked(State(machine: TaskSchedulerMachine(policy: surroundings.policy.jobs)))
    }

    /// A copy of the machine, for callers that only read its state.
    var machine: TaskSchedulerMachine { state.withLock { $0.machine } }

    var now: ClockReading { ClockReading(surroundings.time) }

    func log(_ actor: DeviceEvent.Actor, _ identifier: String, _ what: BackgroundJobEvent.What) {
        surroundings.log(actor, .job(BackgroundJobEvent(identifier, what)))
    }

    func warn(_ text: String) { surroundings.log(.system, .warning(text)) }

    // MARK: Calls of the app

    /// Registers a launch handler; returns `nil`, without effect, if the process has ended.
    func register(
        _ identifier: String, _ handler: @escaping JobRegistrations.Handler
    ) -> JobRegistrations.RegisterAction? {
        guard !surroundings.isAppDead() else { return nil }
        return state.withLock { $0.machine.registrations.register(identifier, $0.machine.manifest, handler) }
    }

    /// Submits a request, without effect if the process has ended.
    ///
    /// - Throws: ``BackgroundJobError``, with the code `notRegistered` for a mistake for which a phone raises an
    ///   exception.
    func submit(_ request: BackgroundJobRequest) throws(BackgroundJobError) {
        guard !surroundings.isAppDead() else { return }
        let now = now
        do throws(BackgroundJobError) {
            let isReplacing = try change { machine throws(BackgroundJobError) in try machine.submit(request, now: now) }
            if isReplacing { log(.app, request.identifier, .replaced) }
            log(.app, request.identifier, .submitted)
            if request.isContinued { beginContinuedSoon() }
        } catch {
            // `notRegistered` is a mistake for which a phone raises an exception; only other errors are refusals.
            if error.code != .notRegistered {
                state.withLock { $0.machine.refused(request, error, at: now.wall) }
                log(.system, request.identifier, .refused("\(error.code)"))
            }
            throw error
        }
    }

    func withdraw(by actor: DeviceEvent.Actor = .app, where isWithdrawn: (BackgroundJobRequest) -> Bool) {
        guard actor != .app || !surroundings.isAppDead() else { return }
        for identifier in change({ $0.book.removeAll(where: isWithdrawn) }) { log(actor, identifier, .cancelled) }
    }

    // MARK: Calls of a debugger

    /// Begins the run of a pending request at the next step of time, regardless of the rules.
    ///
    /// It returns false if no such request is pending.
    func beginSoon(_ identifier: String) -> Bool {
        guard machine.book.entry(identifier) != nil else { return false }
        soon { system in
            let now = system.now
            if let start = system.change({ $0.simulatedLaunch(identifier, now: now) }) { system.begin(start) }
        }
        return true
    }

    /// Expires runs at the next step of time; returns false if there are none.
    func expireSoon(where isExpired: (BackgroundJobRequest) -> Bool) -> Bool {
        let expired = runs.all.filter { isExpired($0.request) }
        guard !expired.isEmpty else { return false }
        soon { _ in for run in expired { run.expire() } }
        return true
    }

    /// Executes an action on the device's thread at the next step of time, unless the device restarts before then.
    private func soon(_ action: @escaping @MainActor @Sendable (JobSystem) -> Void) {
        let restarts = state.withLock { $0.restarts }
        surroundings.engine.schedule(after: .zero) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.state.withLock({ $0.restarts }) == restarts else { return }
                action(self)
            }
        }
    }

    // MARK: Examinations

    /// Changes the machine, and arms the timer for the next examination of the requests.
    ///
    /// The timer is armed under the lock, so that it always belongs to the last change; the engine calls no code while
    /// arming.
    private func change<Value, Failure: Error>(
        _ change: (inout TaskSchedulerMachine) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            defer { armNextLook(&state) }
            return try change(&state.machine)
        }
    }

    private func armNextLook(_ state: inout State) {
        let now = now
        let next = state.machine.nextLook(now: now.wall)
        // The timer is already armed for the next opportunity, and the instant of the opportunity stays the same.
        if next == .atOpportunity, state.nextLook == next { return }
        state.nextLook = next
        switch next {
        case .never: state.timer.replace(with: nil)
        case .whenDue(let instant):
            state.timer.replace(
                with: surroundings.engine.schedule(at: instant) { [weak self] in self?.change { _ in } })
        case .atOpportunity:
            let instant = now.continuous.advanced(by: state.machine.policy.opportunityDelay(surroundings.random))
            state.timer.replace(
                with: surroundings.engine.schedule(at: instant) { [weak self] in
                    MainActor.assumeIsolated { self?.look() }
                })
        }
    }

    @MainActor
    private func look() {
        let now = now
        let look = state.withLock { state in
            (state.nextLook, state.timer) = (.never, nil)
            return state.machine.look(now: now)
        }
        for (identifier, reasons) in look.putOff { log(.system, identifier, .deferred(reasons: reasons)) }
        for start in look.starts { begin(start) }
        change { _ in }
    }

    // MARK: Runs

    /// Begins continued work on the device's thread, after the calling function has returned.
    private func beginContinuedSoon() {
        soon { system in
            let now = system.now
            for start in system.state.withLock({ $0.machine.nextContinued(now: now) }) { system.begin(start) }
        }
    }

    @MainActor
    private func begin(_ start: TaskSchedulerMachine.Start) {
        let request = start.entry.request
        guard surroundings.wake(.job(request.identifier), start.isExemptFromForceQuit) else {
            return state.withLock { $0.machine.book.restore(start.entry) }
        }
        let now = now
        let (number, limits, isAtRest) = state.withLock { state in
            (
                state.machine.began(start.entry, now: now), state.machine.limits(of: request.kind),
                state.machine.scene.isAppAtRest
            )
        }
        let run = SimulatedTask(request, number: number, limits: limits, launched: now.uptime.nanoseconds, system: self)
        runs.add(run)
        log(.system, request.identifier, .launched)
        runs.changed()
        if isAtRest { run.handOver() }
    }

    func launchHandler(_ identifier: String) -> JobRegistrations.Handler? {
        state.withLock { $0.machine.registrations.handler(identifier) }
    }

    /// Ends a run, after which the app may be suspended and the next run may begin.
    func end(_ run: SimulatedTask, _ outcome: BackgroundJobRecord.Outcome) {
        let now = now
        runs.remove(run)
        let waitsForPlace = change { machine in
            machine.ended(run.number, outcome, ran: now.uptime.nanoseconds - run.launched, now: now)
            return !machine.book.queued.isEmpty
        }
        runs.changed()
        if waitsForPlace { beginContinuedSoon() }
    }

    // MARK: The device

    func policyChanged(_ policy: SystemPolicy.Jobs) { state.withLock { $0.machine.policy = policy } }

    /// Replaces the app; the requests stay, as they do after an update.
    func appInstalled(_ manifest: AppManifest) { state.withLock { $0.machine.manifest = manifest } }

    @MainActor
    func deviceChanged(to scene: DeviceScene) {
        let now = now.wall
        let isPickedUp = state.withLock { $0.machine.changed(to: scene, now: now) }
        // Processing is for the time when the device is not in use (Apple,
        // documentation/backgroundtasks/bgprocessingtask: the system terminates it when the user starts using the
        // device; refresh is not affected).
        if isPickedUp { for run in runs.all where run.request.kind.isProcessing { run.expire() } }
    }

    func appLaunched() { state.withLock { $0.machine.registrations.launched() } }

    func appFinishedLaunching() {
        for identifier in state.withLock({ $0.machine.registrations.finishedLaunching($0.machine.manifest) }) {
            warn("\(identifier) is declared but has no launch handler; register one in every launch")
        }
    }

    @MainActor
    func appSettled() { for run in runs.all { run.handOver() } }

    /// Ends continued work without a callback, because the user closed the app in the switcher.
    ///
    /// Apple, documentation/backgroundtasks/performing-long-running-tasks-on-ios-and-ipados
    func appForceQuit() {
        withdraw(by: .system, where: \.isContinued)
        for run in runs.all where run.request.isContinued { run.kill("force quit", why: "force quit") }
    }

    func processEnded() {
        let why = surroundings.host?.endReason ?? "the process ended"
        let (ended, handlers) = (runs.all, state.withLock { $0.machine.registrations.ended() })
        for run in ended { run.kill("the process ended", why: why) }
        // The handlers are released outside the lock, because the deinitializers of captured values may run any code.
        withExtendedLifetime(handlers) {}
    }

    /// Withdraws continued work because the device restarts.
    ///
    /// This is a choice, because no source says what a restart does with continued work.
    func deviceRebooting() {
        state.withLock { $0.restarts += 1 }
        withdraw(by: .system, where: \.isContinued)
    }

    func deviceGone() {
        let handlers = state.withLock { $0.machine.registrations.ended() }
        for run in runs.removeAll() { run.abandon() }
        withExtendedLifetime(handlers) {}
    }
}

/// Keeps the app's process running for the runs in progress, and notifies each run when its time is over.
///
/// It may be used from any thread.
final class JobRuns: Sendable {
    private struct State {
        /// The runs, in the order in which they began.
        var all: [SimulatedTask] = []
        /// The timer for the next instant at which a run expires or is overdue.
        var nextDeadline: ScheduledTimer?
    }

    private let state = Locked(State())
    private let surroundings: PartSurroundings

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

    /// The runs, in the order in which they began.
    var all: [SimulatedTask] { state.withLock { $0.all } }

    func add(_ run: SimulatedTask) { state.withLock { $0.all.append(run) } }
    func remove(_ run: SimulatedTask) { state.withLock { $0.all.removeAll { $0 === run } } }
    func removeAll() -> [SimulatedTask] { state.exchange(\.all, with: []) }

    /// Updates the timer, and the reason to keep the process running.
    ///
    /// The caller has added or removed a run, or a run has begun or expired.
    func changed() {
        deadlinesChanged()
        surroundings.keepRunning(ProcessCover(all))
    }

    /// Updates the timer for the next instant at which a run expires or is overdue.
    func deadlinesChanged() {
        state.withLock { state in
            let next = state.all.compactMap(\.nextInstant).min()
            surroundings.arm(&state.nextDeadline, at: next.map(UptimeInstant.init(nanoseconds:))) { [weak self] in
                MainActor.assumeIsolated { self?.deadlineCame() }
            }
        }
    }

    @MainActor
    private func deadlineCame() {
        let now = surroundings.time.uptime().nanoseconds
        for run in all where run.pass(now: now) == .expire { run.expire() }
        endOverdue()
        deadlinesChanged()
    }

    // MARK: Overdue runs

    /// The instants by which the runs must be completed.
    var limits: [ProcessLimit] { all.compactMap(\.end).map { ProcessLimit(instant: $0, apply: endOverdue) } }

    /// Ends the process if a run was not completed in time.
    func endOverdue() {
        guard let host = surroundings.host, !host.process.isEnded else { return }
        let now = surroundings.time.uptime().nanoseconds
        let overdue = all.filter { $0.pass(now: now) == .overdue }
        guard !overdue.isEmpty else { return }
        for run in overdue {
            surroundings.fault(
                Fault(
                    .jobNotCompleted,
                    "the background job “\(run.identifier)” was not completed in time; complete it in its expiration "
                        + "handler or soon afterwards"))
        }
        let names = overdue.map { "“\($0.identifier)”" }.joined(separator: ", ")
        host.end("\(TerminationCode.taskTimeout): background job \(names) was not completed in time")
    }
}

extension ProcessCover {
    /// Creates the reason to keep a process running until the last of these runs must be completed; `nil` if there are
    /// no runs.
    init?(_ runs: [SimulatedTask]) {
        guard !runs.isEmpty else { return nil }
        let ends = runs.map(\.end)
        end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        isComputingFreely = runs.contains { $0.request.kind.isComputingFreely }
    }
}
