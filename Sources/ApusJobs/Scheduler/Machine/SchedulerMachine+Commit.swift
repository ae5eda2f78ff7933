import ApusTimers

/// What becomes of a turn.
extension SchedulerMachine {
    /// The store answered: each part was applied or refused.
    package mutating func committed(_ results: [Result<[Job], JobError>], at now: ClockReading) {
        let plan = takePlan()
        precondition(results.count == plan.committed.count, "the store must answer for each part")
        failures = 0
        retryAt = nil
        if isStoreFailing {
            isStoreFailing = false
            effect(.log(.storeWorks))
        }
        clockIsCommitted()
        for queue in plan.queues.values { board.configure(queue, now) }
        doubtfulQueues.subtract(plan.queues.keys)
        for (number, queue) in plan.configurations { answer(number, .success(.queue(plan.queues[queue]!))) }
        // For most jobs: the start or the end of a run, its event, and the job's.
        reserveEffects(3 * plan.drafts.count)
        for (index, result) in zip(plan.committed, results) {
            switch result {
            case .success(let jobs): applied(plan.parts[index], jobs, plan, now)
            case .failure(let error): refused(plan.parts[index], error, plan, now)
            }
        }
        released(plan.released)
        hasConditions = false
        guard phase.isRunning else { return }
        // Also after the wall clock was set back.
        let isRetiringDue = lastRetired.map { $0.duration(to: now.wall) >= .seconds(3_600) || now.wall < $0 } ?? true
        if isRetiringDue { mustRetire = true }
    }

    /// The commit failed as a whole.
    package mutating func commitFailed(_ error: JobError, at now: ClockReading) {
        let plan = takePlan()
        for (number, _) in plan.configurations { answer(number, .failure(error)) }
        let isUnknown = error.code != .full && error.code != .notOwner && error.code != .closed
        if isUnknown { doubtfulQueues.formUnion(plan.queues.keys) }
        for index in plan.committed {
            let part = plan.parts[index]
            for draft in part.drafts { dropped(plan.drafts[draft], isUnknown: isUnknown, now) }
            if let command = part.command { fail(command, error) }
        }
        // If they are this session's still, the store grants them again.
        if isUnknown { released(plan.released) }
        hasConditions = false
        storeFailed(error, now)
    }

    private mutating func takePlan() -> Plan {
        guard let plan else { preconditionFailure("no commit is under way") }
        endPlan()
        return plan
    }

    mutating func endPlan() {
        plan = nil
        board.endTurn()
    }

    /// Nothing is tried for a while; what happens meanwhile is kept.
    mutating func storeFailed(_ error: JobError, _ now: ClockReading) {
        switch (error.code, phase) {
        case (.notOwner, _), (.closed, _): return halt(error)
        // `start` throws the error, and may be called again.
        case (_, .recovering): return close(error)
        case (_, .running) where isStarting: return close(error)
        default: break
        }
        if case .stopping(var stopping) = phase {
            stopping.failures += 1
            phase = .stopping(stopping)
        }
        forgetSubmissions(error)
        failures += 1
        retryAt = now.uptime.advanced(by: Self.backoff(failures))
        guard !isStoreFailing else { return }
        isStoreFailing = true
        effect(.log(.storeFails(error)))
    }

    /// 0.1 s, doubled with each failure, at most 1 s: what was due meanwhile begins within a second of the store's
    /// recovery.
    static func backoff(_ failures: Int) -> Duration {
        failures > 4 ? .seconds(1) : .milliseconds(100 << max(0, failures - 1))
    }

    // MARK: Applied

    private mutating func applied(_ part: Plan.Part, _ jobs: [Job], _ plan: Plan, _ now: ClockReading) {
        var stored = jobs.makeIterator()
        var adopted: [Job] = []
        for position in part.drafts {
            var draft = plan.drafts[position]
            if draft.action.change != nil {
                guard let job = stored.next() else { preconditionFailure("the store left out a job") }
                draft.machine.committed(job)
            }
            adopt(draft, plan.now.wall, started: now)
            if part.command != nil { adopted.append(draft.machine.job) }
        }
        guard let command = part.command else { return }
        if part.forward != nil { return forwarded(command, now.uptime) }
        if let submission = command.submission { return removed(submission, command) }
        answer(command.number, .success(reply(part, adopted)))
    }

    private func reply(_ part: Plan.Part, _ jobs: [Job]) -> SchedulerReply {
        switch part.reply {
        case .done: .done
        case .run(let run): .run(run)
        case .jobs(let existing):
            .jobs(
                existing.map {
                    switch $0 {
                    case .job(let job): job
                    case .draft(let position): jobs[position - part.drafts.lowerBound]
                    }
                })
        }
    }

    /// Parts of a plan that change nothing are over at once.
    mutating func adoptUnwritten() {
        let plan = plan!
        var isWritten = Array(repeating: false, count: plan.parts.count)
        for index in plan.committed { isWritten[index] = true }
        for (index, part) in plan.parts.enumerated() where !isWritten[index] { applied(part, [], plan, plan.now) }
    }

    /// The draft is true now, and has its consequences.
    private mutating func adopt(_ draft: Plan.Draft, _ now: WallInstant, started: ClockReading) {
        let job = draft.machine.job
        guard let key = draft.key else { return adoptNew(draft, now) }
        guard let entry = entries[key] else { return }
        let before = entry.machine
        entry.machine = draft.machine
        entry.ends.removeFirst(draft.ends)
        entry.progress = [:]
        entry.isInterrupted = false
        entry.isOutdated = false
        (entry.setBack, entry.mustReadZone) = (nil, false)
        if job.request.trigger.calendar != nil { usesTimeZones = true }
        for run in draft.action.starts { start(run, of: job, started) }
        for cancel in draft.action.cancels {
            guard
                let run = draft.machine.open.first(where: {
                    $0.occurrence == cancel.occurrence && $0.attempt == cancel.attempt
                })
            else { continue }
            if running[RunKey(run)] != nil { effect(.cancel(RunKey(run), cancel.reason)) }
        }
        announce(draft.action, job, before: before)
        if before.job.request.lane != job.request.lane { withdraw(key) }
        place(key, now)
    }

    private mutating func announce(_ action: JobMachine.Action, _ job: Job, before machine: JobMachine) {
        guard let change = action.change else { return }
        let before = machine.job
        for run in change.runs {
            switch run.state {
            case .skipped:
                effect(.emit(.skipped(run)))
                // A range that grew counts what it grew by.
                let former = machine.lastSkip.flatMap { $0.occurrence == run.occurrence ? $0.through : nil }
                count(.skipped, run.through - (former ?? run.occurrence - 1), job)
            case .succeeded, .failed, .lost, .cancelled:
                // An outcome that is tried again has ended before.
                let isNews = run.isFinal || machine.open.contains { RunKey($0) == RunKey(run) }
                guard isNews else { continue }
                effect(.emit(.runEnded(run)))
                count(run.state, 1, job)
            case .waiting, .claimed: break
            }
        }
        for run in action.postponed { effect(.emit(.runPostponed(run))) }
        let isChanged =
            before.state != job.state || before.nextDue != job.nextDue || before.occurrences != job.occurrences
            || change.isRequestChanged
        if isChanged { effect(.emit(.changed(job))) }
    }

    private mutating func count(_ outcome: RunState, _ count: Int, _ job: Job) {
        if countsRuns { effect(.count(outcome, count, of: job)) }
    }

    /// A far job costs a row, and nothing in memory.
    private mutating func adoptNew(_ draft: Plan.Draft, _ now: WallInstant) {
        let (machine, job) = (draft.machine, draft.machine.job)
        effect(.emit(.submitted(job)))
        if job.request.trigger.calendar != nil { usesTimeZones = true }
        if let wake = job.nextWake {
            let isFull = loadedCount >= configuration.maximumLoaded && wake > now.advanced(by: .seconds(1))
            if isFull || wake > now.advanced(by: configuration.horizon) {
                // The identifier means this job from now on.
                keys[job.id] = nil
                if isFull {
                    isTruncated = true
                    scheduleLoad(at: wake.advanced(by: .seconds(-1)), isUrgent: true)
                } else {
                    scheduleLoad(at: wake.advanced(by: .zero - configuration.horizon))
                }
                return
            }
        }
        entries[job.key] = Entry(machine, shard: draft.action.change?.shard ?? .only)
        keys[job.id] = job.key
        place(job.key, now)
    }

    // MARK: Not applied

    private mutating func refused(_ part: Plan.Part, _ error: JobError, _ plan: Plan, _ now: ClockReading) {
        if error.code == .notOwner {
            if let command = part.command { fail(command, error) }
            return halt(error)
        }
        for position in part.drafts where plan.drafts[position].key != nil {
            dropped(plan.drafts[position], isUnknown: true, now)
        }
        guard var command = part.command else {
            // A foreign change is read, and decided about again. Anything else must not keep the scheduler busy.
            if error.code != .conflict { storeFailed(error, now) }
            return
        }
        command.conflicts += 1
        if command.submission != nil, settle(&command, after: error, now) { return }
        guard error.code == .conflict else { return answer(command.number, .failure(error)) }
        guard command.conflicts < 8, phase.acceptsCommands else {
            let changes = "another program keeps changing the job, or another job is in its place; try again"
            return answer(command.number, .failure(JobError(.conflict, changes, cause: error)))
        }
        command.forgetRead()
        switch command.command {
        case .job(.submit(let requests)): command.needs = Self.references(requests, at: now.wall)
        case .job(.update(let request, _, _)): command.needs = Self.references([request], at: now.wall)
        default: break
        }
        commands.insert(command, at: 0)
    }

    /// The job is as before the turn; if it is unknown what the store has, it is asked.
    private mutating func dropped(_ draft: Plan.Draft, isUnknown: Bool, _ now: ClockReading) {
        guard let key = draft.key else {
            // A submission that was applied without an answer is found by the next load.
            if isUnknown { scheduleLoad(at: now.wall.advanced(by: .milliseconds(100)), isUrgent: true) }
            return
        }
        guard entries[key] != nil else { return }
        if isUnknown { doubt(key) } else { markDirty(key) }
    }
}
