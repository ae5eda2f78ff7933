import ApusTimers

/// Calling handlers.
extension JobScheduler {
    /// A claimed run whose handler is about to be called.
    struct Start: Sendable {
        var run: Run
        var job: Job
        var control: RunControl
        var handler: Handler?
    }

    /// Call with the lock held; then ``launch(_:)`` without it.
    func start(run: Run, of job: Job, _ state: inout SchedulerState) -> Start {
        var run = run
        run.jobKey = job.key
        let control = RunControl(engine: engine, events: hub, executor: executor)
        state.running[.init(run)] = control
        return Start(run: run, job: job, control: control, handler: state.handlers[job.request.kind])
    }

    func launch(_ start: Start) {
        start.control.attach(Task(executorPreference: executor) { await self.perform(start) })
    }

    private func perform(_ start: Start) async {
        var run = start.run
        guard let handler = start.handler else {
            let reason = "no handler for kind \(start.job.request.kind)"
            finish(run, .init(.failed(reason: reason, isFinal: true), started: nil))
            return
        }
        let now = engine.time.wall()
        guard now >= run.due else {
            // The clock was set back since the claim. Never early: the run waits again.
            finish(run, nil)
            return
        }
        run.started = now
        hub.emit(.runStarted(run))
        start.control.begin(timeLimit: start.job.request.policies.timeLimit)
        let context = RunContext(
            job: start.job, occurrence: run.occurrence, attempt: run.attempt, standsFor: run.standsFor, due: run.due,
            started: now, isLastAttempt: run.isLastAttempt(under: start.job.request.policies.retry),
            control: start.control)
        var failure: (any Error)?
        do { try await handler(context) } catch { failure = error }
        let left = start.control.end()
        if let postponement = failure as? JobPostponement { return finish(run, nil, postponement) }
        var ended = JobMachine.Ended(.succeeded, started: now, exitCode: left.exitCode, output: left.output)
        switch (left.reason, failure) {
        case (.timedOut, _): ended.result = .timedOut
        case (_, nil): break
        case (.shutdown, _): ended.result = .interrupted
        case (_, let failure as JobFailure):
            ended.result = .failed(reason: failure.reason, isFinal: failure.isFinal)
            if let code = failure.exitCode { ended.exitCode = code }
        case (_, let error?): ended.result = .failed(reason: "\(error)", isFinal: false)
        }
        finish(run, ended)
    }

    /// The outcome is written by another task: this one may be cancelled, and a store may heed that.
    private func finish(_ run: Run, _ ended: JobMachine.Ended?, _ postponement: JobPostponement? = nil) {
        let jitter = Double(random.next() >> 11) * 0x1p-53
        locked { state in
            state.running[.init(run)] = nil
            if state.entries[run.job]?.machine.job.key == run.jobKey, state.phase != .stopped {
                state.entries[run.job]!.ends.append(
                    .init(key: .init(run), ended: ended, postponement: postponement, jitter: jitter))
                if state.entries[run.job]!.failures == 0 { state.kick(run.job) }
            }
            // After that, so that the job's next run finds the slot if nobody waits longer.
            state.freeSlot()
            state.checkIdle()
        }
    }
}
