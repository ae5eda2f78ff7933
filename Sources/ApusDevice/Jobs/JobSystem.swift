import ApusBackground
import ApusTimers
import ApusVirtualTime

/// Keeps the requests for background jobs, examines them now and then, and begins their runs, as the phone's operating
/// system does.
///
/// ``TaskSchedulerMachine`` decides; this type holds its lock and its timer, and does what it says. The state of a run
/// is the ``SimulatedTask``'s own, and what all runs together mean for the process that of ``JobRuns``. The members may
/// be used from any thread, except for those of the main actor: that is the device's thread.
final class JobSystem: Sendable {
    private struct State {
        var machine: TaskSchedulerMachine
        /// When the requests are examined next.
        var nextLook: TaskSchedulerMachine.NextLook = .never
        var timer: ScheduledTimer?
        /// How often the device was restarted.
        var restarts = 0
    }

    let surroundings: PartSurroundings
    /// The runs in progress.
    let runs: JobRuns
    private let state: Locked<State>

    init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        runs = JobRuns(surroundings)
        state = Locked(State(machine: TaskSchedulerMachine(policy: surroundings.policy.jobs)))
    }

    /// A copy of what is known, to ask.
    var machine: TaskSchedulerMachine { state.withLock { $0.machine } }

    var now: ClockReading { ClockReading(surroundings.time) }

    func log(_ actor: DeviceEvent.Actor, _ identifier: String, _ what: BackgroundJobEvent.What) {
        surroundings.log(actor, .job(BackgroundJobEvent(identifier, what)))
    }

    func warn(_ text: String) { surroundings.log(.system, .warning(text)) }

    // MARK: What the app asks

    /// Nil when the process has ended: what the rest of a function says has no effect.
    func register(
        _ identifier: String, _ handler: @escaping JobRegistrations.Handler
    ) -> JobRegistrations.RegisterAction? {
        guard !surroundings.isAppDead() else { return nil }
        return state.withLock { $0.machine.registrations.register(identifier, $0.machine.manifest, handler) }
    }

    /// Without effect when the process has ended. Throws `notRegistered` for what a phone raises an exception for.
    func submit(_ request: BackgroundJobRequest) throws(BackgroundJobError) {
        guard !surroundings.isAppDead() else { return }
        let now = now
        do throws(BackgroundJobError) {
            let isReplacing = try change { machine throws(BackgroundJobError) in try machine.submit(request, now: now) }
            if isReplacing { log(.app, request.identifier, .replaced) }
            log(.app, request.identifier, .submitted)
            if request.isContinued { beginContinuedSoon() }
        } catch {
            // Anything else is a fault.
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

    // MARK: What a debugger asks

    /// Begins the run of a pending request with the next step of time, whatever the rules say. False when there is
    /// none.
    func beginSoon(_ identifier: String) -> Bool {
        guard machine.book.entry(identifier) != nil else { return false }
        soon { system in
            let now = system.now
            if let start = system.change({ $0.simulatedLaunch(identifier, now: now) }) { system.begin(start) }
        }
        return true
    }

    /// Lets runs expire with the next step of time. False when there are none.
    func expireSoon(where isExpired: (BackgroundJobRequest) -> Bool) -> Bool {
        let expired = runs.all.filter { isExpired($0.request) }
        guard !expired.isEmpty else { return false }
        soon { _ in for run in expired { run.expire() } }
        return true
    }

    /// Does something on the device's thread, with the next step of time. A restart of the device prevents it.
    private func soon(_ action: @escaping @MainActor @Sendable (JobSystem) -> Void) {
        let restarts = state.withLock { $0.restarts }
        surroundings.engine.schedule(after: .zero) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.state.withLock({ $0.restarts }) == restarts else { return }
                action(self)
            }
        }
    }

    // MARK: Looks

    /// Changes what is known, and arms the next look. Under the lock on purpose, so that the timer is that of the last
    /// change; the engine calls nothing there.
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
        // An opportunity that was waited for before comes when it would have come.
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

    /// Continued work begins on the device's thread, when what called has returned.
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

    /// A run is over: the app may be suspended, and the next one may begin.
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

    /// An app replaces the earlier one. Its requests stay, as with an update.
    func appInstalled(_ manifest: AppManifest) { state.withLock { $0.machine.manifest = manifest } }

    @MainActor
    func deviceChanged(to scene: DeviceScene) {
        let now = now.wall
        let isPickedUp = state.withLock { $0.machine.changed(to: scene, now: now) }
        // Processing is for when the device is not in use (Apple, documentation/backgroundtasks/bgprocessingtask: the
        // system terminates it when the user starts using the device; refresh is not affected).
        if isPickedUp { for run in runs.all where run.request.kind.isProcessing { run.expire() } }
    }

    func appLaunched() { state.withLock { $0.machine.registrations.launched() } }

    func appFinishedLaunching() {
        for identifier in state.withLock({ $0.machine.registrations.finishedLaunching($0.machine.manifest) }) {
            warn("\(identifier) is declared and has no launch handler; each one needs one in every launch")
        }
    }

    @MainActor
    func appSettled() { for run in runs.all { run.handOver() } }

    /// Closing the app in the switcher ends continued work without any callback (Apple,
    /// documentation/backgroundtasks/performing-long-running-tasks-on-ios-and-ipados).
    func appForceQuit() {
        withdraw(by: .system, where: \.isContinued)
        for run in runs.all where run.request.isContinued { run.kill("force quit", why: "force quit") }
    }

    func processEnded() {
        let why = surroundings.host?.endReason ?? "the process ended"
        let (ended, handlers) = (runs.all, state.withLock { $0.machine.registrations.ended() })
        for run in ended { run.kill("the process ended", why: why) }
        // Released outside the lock: what they captured may do anything when it goes.
        withExtendedLifetime(handlers) {}
    }

    /// That continued work is withdrawn is a choice: no source says what becomes of it.
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

/// Keeps the app's process running for the runs in progress, and notifies each run when its time is over. From any
/// thread.
final class JobRuns: Sendable {
    private struct State {
        /// In the order of their beginning.
        var all: [SimulatedTask] = []
        /// When something happens to one of them.
        var nextDeadline: ScheduledTimer?
    }

    private let state = Locked(State())
    private let surroundings: PartSurroundings

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

    /// In the order of their beginning.
    var all: [SimulatedTask] { state.withLock { $0.all } }

    func add(_ run: SimulatedTask) { state.withLock { $0.all.append(run) } }
    func remove(_ run: SimulatedTask) { state.withLock { $0.all.removeAll { $0 === run } } }
    func removeAll() -> [SimulatedTask] { state.exchange(\.all, with: []) }

    /// A run has come, gone, begun or expired.
    func changed() {
        deadlinesChanged()
        surroundings.keepRunning(ProcessCover(all))
    }

    /// A run's own instants are others now.
    func deadlinesChanged() {
        state.withLock { state in
            let next = state.all.compactMap(\.nextInstant).min().map { next in
                surroundings.engine.schedule(at: UptimeInstant(nanoseconds: next)) { [weak self] in
                    MainActor.assumeIsolated { self?.deadlineCame() }
                }
            }
            state.nextDeadline.replace(with: next)
        }
    }

    @MainActor
    private func deadlineCame() {
        let now = surroundings.time.uptime().nanoseconds
        for run in all where run.pass(now: now) == .expire { run.expire() }
        endOverdue()
        deadlinesChanged()
    }

    // MARK: Too late

    /// When runs have to be over.
    var limits: [ProcessLimit] { all.compactMap(\.end).map { ProcessLimit(instant: $0, apply: endOverdue) } }

    /// Ends the process if a run was not completed in time.
    func endOverdue() {
        guard let host = surroundings.host, !host.process.isEnded else { return }
        let now = surroundings.time.uptime().nanoseconds
        let overdue = all.filter { $0.pass(now: now) == .overdue }
        guard !overdue.isEmpty else { return }
        for run in overdue {
            surroundings.fault(
                Fault(.jobNotCompleted, "complete “\(run.identifier)” in its expiration handler or soon afterwards"))
        }
        let names = overdue.map { "“\($0.identifier)”" }.joined(separator: ", ")
        host.end("\(TerminationCode.taskTimeout): background job \(names) was not completed in time")
    }
}

extension ProcessCover {
    /// The runs keep their process running until the last of them has to be over; nil without any.
    init?(_ runs: [SimulatedTask]) {
        guard !runs.isEmpty else { return nil }
        let ends = runs.map(\.end)
        end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        isComputingFreely = runs.contains { $0.request.kind.isComputingFreely }
    }
}
