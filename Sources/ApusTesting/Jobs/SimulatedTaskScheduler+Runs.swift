import ApusBackground
import ApusJobs
import ApusTimers

/// What becomes of runs that have begun.
extension SimulatedTaskScheduler {
    // MARK: What the app says

    func completed(_ task: SimulatedTask, success: Bool, isExpired: Bool) {
        guard !surroundings.isAppDead() else { return }
        log(.app, task.identifier, .completed(success: success))
        over(task, isExpired ? .expired : success ? .succeeded : .failed)
    }

    func completedAgain(_ task: SimulatedTask) {
        guard !surroundings.isAppDead() else { return }
        surroundings.log(.system, .warning("the background job \(task.identifier) was completed before"))
    }

    /// A run's own instants are others now.
    func deadlinesChanged() { state.withLock { waitForDeadline(&$0) } }

    // MARK: Ending

    /// A run is over: the app may be suspended, and the next one may begin.
    func over(_ task: SimulatedTask, _ outcome: BackgroundJobRecord.Outcome) {
        let now = now
        let waitsForPlace = state.withLock { state in
            state.runs.removeAll { $0 === task }
            _ = state.machine.ended(task.number, outcome, ran: now.uptime - task.launched, now: now)
            waitForOpportunity(&state)
            return !state.machine.book.queued.isEmpty
        }
        runsChanged()
        if waitsForPlace { beginContinuedSoon() }
    }

    /// Tells the process what its runs keep it for, and arms the next deadline.
    func runsChanged() {
        let load = state.withLock { state in
            waitForDeadline(&state)
            return JobLoad(state.runs)
        }
        host()?.setJobLoad(load)
    }

    private func waitForDeadline(_ state: inout State) {
        state.nextDeadline.take()?.cancel()
        guard let next = state.runs.compactMap(\.nextInstant).min() else { return }
        state.nextDeadline = surroundings.engine.schedule(at: UptimeInstant(nanoseconds: next)) { [weak self] in
            MainActor.assumeIsolated { self?.deadlineCame() }
        }
    }

    @MainActor
    private func deadlineCame() {
        let now = now.uptime
        for task in state.withLock({ $0.runs }) where task.pass(now: now) == .expire { expire(task) }
        endOverdue()
        deadlinesChanged()
    }

    /// Lets a run expire: its handler is called on the main loop.
    @MainActor
    func expire(_ task: SimulatedTask) {
        guard !surroundings.isAppDead() else { return }
        switch task.expire(now: now.uptime) {
        case .call:
            log(.system, task.identifier, .expired)
            surroundings.mainLoop()?.run { task.callExpirationHandler() }
            runsChanged()
        case .fail:
            log(.system, task.identifier, .expired)
            over(task, .expired)
        case .ignore: break
        }
    }

    /// Lets runs expire with the next step of time. False when there are none.
    func expireSoon(where isExpired: (SimulatedTask) -> Bool) -> Bool {
        let expired = state.withLock { $0.runs }.filter(isExpired)
        guard !expired.isEmpty else { return false }
        soon { scheduler in for task in expired { scheduler.expire(task) } }
        return true
    }

    // MARK: Too late

    /// When runs have to be over, for what computes across that.
    var ends: [UInt64] { state.withLock { $0.runs }.compactMap(\.end) }

    /// Ends the process if a run was not completed in time.
    func endOverdue() {
        guard let host = host(), !host.process.isEnded else { return }
        let now = now.uptime
        let overdue = state.withLock { $0.runs }.filter { $0.pass(now: now) == .overdue }
        guard !overdue.isEmpty else { return }
        for task in overdue {
            surroundings.fault(
                Fault(
                    .jobNotCompleted,
                    "complete “\(task.identifier)” in its expiration handler or soon afterwards"))
        }
        let names = overdue.map { "“\($0.identifier)”" }.joined(separator: ", ")
        host.end("\(TerminationCode.taskTimeout): background job \(names) was not completed in time")
    }
}

/// What a process's background jobs mean for it.
struct JobLoad: Sendable, Hashable {
    /// Whether jobs keep it from being suspended.
    var isRunning = false
    /// When the last of them is over; nil when nothing limits one.
    var end: UInt64?
    /// Whether the CPU monitor is off.
    var isComputingFreely = false

    init() {}

    init(_ runs: [SimulatedTask]) {
        isRunning = !runs.isEmpty
        let ends = runs.map(\.end)
        end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        isComputingFreely = runs.contains { $0.request.kind.isComputingFreely }
    }
}
