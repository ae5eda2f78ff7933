import ApusBackground
import ApusJobs
import ApusTimers

/// When the system looks at the pending requests, and what it begins then.
extension SimulatedTaskScheduler {
    /// Arms the next look. Under the lock on purpose, so that the timers are those of the last change; the engine calls
    /// nothing there. Without a pending request nothing is armed.
    ///
    /// What an earliest begin puts off waits on the wall clock, as that is set; the opportunities come on the continuous
    /// clock, whatever it is set to.
    func waitForOpportunity(_ state: inout State) {
        let now = now
        let dues = state.machine.book.opportunistic.map(\.due)
        state.firstDue.take()?.cancel()
        guard let first = dues.min() else {
            state.opportunity.take()?.cancel()
            return
        }
        guard first <= now.wall else {
            state.opportunity.take()?.cancel()
            state.firstDue = surroundings.engine.schedule(at: first) { [weak self] in self?.firstFellDue() }
            return
        }
        guard state.opportunity == nil else { return }
        let range = state.machine.policy.opportunitySpacing
        let lower = range.lowerBound.nanosecondsFromZero
        let spacing = lower + random.next() % (range.upperBound.nanosecondsFromZero - lower + 1)
        let instant = now.continuous.advanced(by: .nanoseconds(Int64(clamping: spacing)))
        state.opportunity = surroundings.engine.schedule(at: instant) { [weak self] in
            MainActor.assumeIsolated { self?.look() }
        }
    }

    private func firstFellDue() { state.withLock { waitForOpportunity(&$0) } }

    @MainActor
    private func look() {
        let now = now
        let look = state.withLock { state in
            state.opportunity = nil
            return state.machine.look(running: state.running, now: now)
        }
        for (identifier, reasons) in look.putOff {
            log(.system, identifier, .deferred(reasons: reasons))
        }
        for start in look.starts { begin(start) }
        state.withLock { waitForOpportunity(&$0) }
    }

    // MARK: Other reasons to begin

    /// Continued work begins on the device's thread, when what called has returned.
    func beginContinuedSoon() { soon { $0.beginContinued() } }

    /// Like the debugger's command. False when no such request is pending.
    func beginSimulatedSoon(_ identifier: String) -> Bool {
        guard state.withLock({ $0.machine.book.entry(identifier) }) != nil else { return false }
        soon { scheduler in
            let now = scheduler.now
            let start = scheduler.state.withLock { state in
                defer { scheduler.waitForOpportunity(&state) }
                return state.machine.simulatedLaunch(identifier, now: now)
            }
            if let start { scheduler.begin(start) }
        }
        return true
    }

    @MainActor
    private func beginContinued() {
        let now = now
        for start in state.withLock({ $0.machine.nextContinued(running: $0.running, now: now) }) { begin(start) }
    }

    /// Does something on the device's thread, with the next step of time. A restart of the device prevents it.
    func soon(_ action: @escaping @MainActor @Sendable (SimulatedTaskScheduler) -> Void) {
        let restarts = state.withLock { $0.restarts }
        surroundings.engine.schedule(after: .zero) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.state.withLock({ $0.restarts }) == restarts else { return }
                action(self)
            }
        }
    }

    // MARK: Beginning

    @MainActor
    private func begin(_ start: TaskSchedulerMachine.Start) {
        let request = start.entry.request
        guard surroundings.wake(.job(request.identifier), start.isExemptFromForceQuit) else {
            return state.withLock { $0.machine.book.restore(start.entry) }
        }
        let now = now
        let (task, isAtRest) = state.withLock { state in
            let task = SimulatedTask(
                request, number: state.machine.began(start.entry, now: now),
                limits: state.machine.limits(of: request.kind), launched: now.uptime, time: surroundings.time,
                scheduler: self)
            state.runs.append(task)
            return (task, state.machine.scene.isAppAtRest)
        }
        log(.system, request.identifier, .launched)
        runsChanged()
        if isAtRest { handOver(task) }
    }

    /// Gives the run to the app, which has arrived where it was going.
    @MainActor
    func handOver(_ task: SimulatedTask) {
        guard let mainLoop = surroundings.mainLoop(), task.handOver() else { return }
        mainLoop.run { [weak self] in
            guard let self, task.begin(now: self.now.uptime) else { return }
            guard let handler = state.withLock({ $0.machine.registrations.handler(task.identifier) }) else {
                surroundings.log(.system, .warning("there is no launch handler for \(task.identifier)"))
                task.abandon()
                return over(task, .noHandler)
            }
            runsChanged()
            handler(task)
        }
    }
}
