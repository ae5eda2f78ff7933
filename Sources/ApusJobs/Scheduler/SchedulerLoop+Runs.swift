import ApusTimers

/// Calling handlers.
extension SchedulerLoop {
    func launch(_ run: Run, of job: Job) {
        let key = RunKey(run)
        let control = RunControl(engine: engine, events: hub, executor: executor) { [weak self] progress in
            self?.post(.progress(key, progress))
        }
        running.withLock { $0[key] = control }
        control.attach(Task(executorPreference: executor) { await self.perform(run, of: job, control) })
    }

    private func perform(_ claimed: Run, of job: Job, _ control: RunControl) async {
        var run = claimed
        let key = RunKey(run)
        let now = reading().wall
        // Never early: if the clock was set back since the claim, the run waits again. It also does if its handler is
        // gone.
        guard now >= run.due, let handler = handler(of: job.request.kind) else { return end(key, .notBegun(key, nil)) }
        run.started = now
        hub.emit(.runStarted(run))
        control.begin(timeLimit: job.request.policies.timeLimit)
        let context = RunContext(
            job: job, occurrence: run.occurrence, attempt: run.attempt, standsFor: run.standsFor, due: run.due,
            started: now, isLastAttempt: run.isLastAttempt(under: job.request.policies.retry), control: control)
        let metrics = metrics.current
        let began = metrics.map { _ in engine.time.uptime() }
        var failure: (any Error)?
        do { try await handler(context) } catch { failure = error }
        let left = control.end()
        let decision = failure as? RunDecision
        if let decision, decision.kind == .snooze {
            // Of what the handler has set, its last report stays with the run.
            if let progress = left.progress { post(.progress(key, progress)) }
            return end(key, .notBegun(key, decision))
        }
        if let metrics, let began {
            metrics.handled(job, for: began.duration(to: engine.time.uptime()), lateness: run.lateness)
        }
        var ended = JobMachine.Ended(.succeeded, started: now, exitCode: left.exitCode, output: left.output)
        ended.handlerResult = left.result
        ended.progress = left.progress
        switch (left.reason, failure) {
        case (.timedOut, _): ended.result = .timedOut
        case (_, nil): break
        case (.shutdown, _): ended.result = .interrupted
        case (_, let error?):
            ended.result = .failed(
                reason: "\(error)", isFinal: decision?.kind == .discard, retryAfter: decision?.delay)
            if let code = decision?.exitCode { ended.exitCode = code }
        }
        end(key, .ended(key, ended, jitter: Double(random.next() >> 11) * 0x1p-53))
    }

    private func end(_ key: RunKey, _ input: SchedulerInput) {
        running.withLock { _ = $0.removeValue(forKey: key) }
        post(input)
    }
}
