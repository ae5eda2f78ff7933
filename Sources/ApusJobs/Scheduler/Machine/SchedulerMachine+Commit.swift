import ApusTimers

// The adoption of committed turns, and the consequences of failed ones.
extension SchedulerMachine {
    /// Adopts the turn after the store's answer, in which each part was applied or refused.
    package mutating func committed(_ results: [Result<[Job], JobError>], at now: SchedulerReading) {
        let turn = endCommit()
        precondition(results.count == turn.committed.count, "the store must answer for each part")
        if backoff.worked() { effects.append(.log(.storeWorks)) }
        for step in clock.committed() {
            effects.append(.log(.clockSet(by: step)))
            emit(.clockChanged(by: step))
        }
        for queue in turn.queues.values { board.committed(queue, now) }
        for (number, queue) in turn.configurations {
            effects.answer(number, .success(.queue(turn.queues[queue] ?? board.queue(queue))))
        }
        // A job of the turn usually has one effect, which starts a run. If events are reported, the end of a run has
        // up to three effects, which report it.
        effects.reserveCapacity(effects.count + (emitsEvents ? 3 : 1) * turn.drafts.count)
        for (index, result) in zip(turn.committed, results) {
            switch result {
            case .success(let jobs): applied(turn.parts[index], jobs, of: turn, now)
            case .failure(let error): refused(turn.parts[index], error, of: turn, now)
            }
        }
        setAside.committed(turn.setAside)
        if !turn.setAside.isEmpty { effects.append(.log(.setAside(turn.setAside))) }
        released(turn.released)
        conditions.endTurn()
        if life.isRunning { history.committed(now.wall) }
    }

    /// Drops the turn, because its commit failed as a whole.
    package mutating func commitFailed(_ error: JobError, at now: SchedulerReading) {
        let turn = endCommit()
        for (number, _) in turn.configurations { effects.answer(number, .failure(error)) }
        let isUnknown = error.code != .full && error.code != .notOwner && error.code != .closed
        if isUnknown { board.doubtRecords(turn.queues.keys) }
        for index in turn.committed {
            let part = turn.parts[index]
            for draft in part.drafts { dropped(turn.drafts[draft], isUnknown: isUnknown, now) }
            if let command = part.command { commands.fail(command, error, &effects) }
        }
        // The fate of the commit is unknown, so the turn may have released its shards. If this session still owns them,
        // the store grants them again.
        if isUnknown { released(turn.released) }
        conditions.endTurn()
        storeFailed(error, now)
    }

    private mutating func endCommit() -> SchedulerTurn {
        guard let turn = committing else { preconditionFailure("no commit is under way") }
        committing = nil
        board.endTurn()
        return turn
    }

    /// Pauses the access to the store; events in the meantime are kept.
    mutating func storeFailed(_ error: JobError, _ now: SchedulerReading) {
        switch (error.code, life.phase) {
        case (.notOwner, _), (.closed, _): return halt(error)
        // `start` has not returned yet, and throws the error.
        case (_, .recovering): return close(error)
        case (_, .running) where loading.isStarting: return close(error)
        default: break
        }
        life.storeFailed()
        commands.forgetSubmissions(error, &effects)
        if backoff.failed(error, now) { effects.append(.log(.storeFails(error))) }
    }

    // MARK: Applied

    /// Adopts a part of the turn that the store has applied.
    ///
    /// `jobs` are the stored jobs of the part's drafts, without the drafts that have no change.
    mutating func applied(_ part: SchedulerTurn.Part, _ jobs: [Job], of turn: SchedulerTurn, _ now: SchedulerReading) {
        var stored = jobs.makeIterator()
        var adopted: [Job] = []
        let command = part.command
        for position in part.drafts {
            let draft = turn.drafts[position]
            if draft.action.shared != nil {
                guard let job = stored.next() else { preconditionFailure("the store left out a job") }
                draft.machine.committed(job)
            }
            adopt(draft, turn.now.wall, started: now)
            if command != nil { adopted.append(draft.machine.job) }
        }
        guard let command else { return }
        if part.forward != nil {
            if command.submission == nil { calls.stored(command.number, now.uptime) }
        } else if let submission = command.submission {
            // The reply to the other scheduler is in the store.
            if submission.isCall { return }
            if let refusal = submission.refusal {
                return effects.append(.log(.submissionRefused(command.command.ids.first, refusal)))
            }
            guard case .submitted(let submitted) = part.reply else { return }
            for answer in submitted where [.kept, .joined].contains(answer.outcome) {
                effects.append(.log(.submissionHasNoEffect(turn.id(of: answer.job), answer.outcome)))
            }
        } else {
            effects.answer(command.number, .success(reply(part, adopted)))
        }
    }

    private func reply(_ part: SchedulerTurn.Part, _ jobs: [Job]) -> SchedulerReply {
        func job(of existing: SchedulerTurn.Existing) -> Job {
            switch existing {
            case .job(let job): job
            case .draft(let position): jobs[position - part.drafts.lowerBound]
            }
        }
        return switch part.reply {
        case .done: .done
        case .run(let run): .run(run)
        case .jobs(let existing): .jobs(existing.map { job(of: $0) })
        case .submitted(let submitted):
            .submitted(submitted.map { SubmissionResult(job: job(of: $0.job), outcome: $0.outcome) })
        }
    }

    /// Adopts the draft, and adds its effects.
    private mutating func adopt(_ draft: SchedulerTurn.Draft, _ now: WallInstant, started: SchedulerReading) {
        guard let key = draft.key else { return adoptNew(draft, now) }
        guard let entry = jobs[key] else { return }
        let (job, before) = (draft.machine.job, entry.machine)
        entry.machine = draft.machine
        entry.news = JobNews()
        sweep.note(job.request.trigger)
        for run in draft.action.starts { start(run, of: entry, started) }
        for cancel in draft.action.cancels {
            guard
                let run = draft.machine.open.first(where: {
                    $0.occurrence == cancel.occurrence && $0.attempt == cancel.attempt
                })
            else { continue }
            if board.isRunning(RunKey(run)) { effects.append(.cancel(RunKey(run), cancel.reason)) }
        }
        announce(draft.action, job, before: before)
        if draft.destination != nil {
            // The job has moved to another shard. Jobs of the same lane that are only in the store are loaded next, so
            // that they can move too.
            board.need(job.request.lane)
            return unload(entry)
        }
        if draft.action.shared?.value.isRequestChanged ?? false,
            (before.job.request.lane, before.job.request.fairnessKey) != (job.request.lane, job.request.fairnessKey)
        {
            board.withdraw(key)
        }
        place(entry, now)
    }

    private mutating func start(_ run: Run, of entry: LoadedJobs.Entry, _ now: SchedulerReading) {
        let key = RunKey(run)
        board.started(key, entry.job.request, now)
        if shards.isCutOff {
            // The session is cut off, so the handler is not called, and the run waits again.
            board.ended(key)
            entry.news.ends.append(PendingEnd(key: key))
            return jobs.examine(entry)
        }
        effects.append(.start(run, of: entry.job))
    }

    private mutating func announce(_ action: JobMachine.Action, _ job: Job, before machine: JobMachine) {
        guard emitsEvents || countsRuns, let change = action.shared?.value else { return }
        let before = machine.job
        for run in change.runs {
            switch run.state {
            case .skipped:
                emit(.skipped(run))
                // Only the occurrences by which the range has grown are counted.
                let former = machine.lastSkip.flatMap { $0.occurrence == run.occurrence ? $0.through : nil }
                count(.skipped, run.through - (former ?? run.occurrence - 1), job)
            case .succeeded, .failed, .lost, .cancelled:
                // A retry by hand also writes the former attempt, which is then no longer the final one. The end of
                // that attempt was reported when it ended.
                let isNews = run.isFinal || machine.open.contains { RunKey($0) == RunKey(run) }
                guard isNews else { continue }
                emit(.runEnded(run))
                count(run.state, 1, job)
            case .waiting, .running: break
            }
        }
        for run in action.postponed { emit(.runPostponed(run)) }
        let isChanged =
            before.state != job.state || before.nextDue != job.nextDue || before.occurrenceCount != job.occurrenceCount
            || change.isRequestChanged
        if isChanged { emit(.changed(job)) }
    }

    private mutating func emit(_ event: @autoclosure () -> JobEvent) {
        if emitsEvents { effects.append(.emit(event())) }
    }

    private mutating func count(_ outcome: RunState, _ count: Int, _ job: Job) {
        if countsRuns { effects.append(.count(outcome, count, of: job)) }
    }

    /// Adopts a new job, which is left in the store if it is due later than the horizon or has no room in memory.
    private mutating func adoptNew(_ draft: SchedulerTurn.Draft, _ now: WallInstant) {
        let job = draft.machine.job
        emit(.submitted(job))
        sweep.note(job.request.trigger)
        guard shards.owns(draft.shard) else { return jobs.forgetName(job.id) }
        if let wake = job.nextWake {
            let isFar = loading.isFar(wake, now)
            if isFar || loading.leaves(laneLoad(for: draft.machine), wake, loaded: loadedCount, &board, now) {
                // The job stays only in the store, so its identifier must not refer to an earlier job in memory.
                jobs.forgetName(job.id)
                if isFar { loading.load(before: wake) }
                return
            }
        }
        let entry = jobs.insert(draft.machine, shard: draft.shard)
        jobs.name(entry)
        place(entry, now)
    }

    // MARK: Not applied

    private mutating func refused(
        _ part: SchedulerTurn.Part, _ error: JobError, of turn: SchedulerTurn, _ now: SchedulerReading
    ) {
        if error.code == .notOwner {
            if let command = part.command { commands.fail(command, error, &effects) }
            return halt(error)
        }
        for position in part.drafts where turn.drafts[position].key != nil {
            dropped(turn.drafts[position], isUnknown: true, now)
        }
        guard var command = part.command else {
            // After a conflict, the job is read, and the next turn decides about it again. Any other error causes a
            // pause, so that it does not keep the scheduler busy.
            if error.code != .conflict { storeFailed(error, now) }
            return
        }
        command.conflicts += 1
        if command.submission != nil, settle(command, after: error, now) { return }
        guard error.code == .conflict else { return effects.answer(command.number, .failure(error)) }
        guard command.conflicts < 8, life.acceptsCommands else {
            let changes = "another program keeps changing the job, or another job is in its place; try again"
            return effects.answer(command.number, .failure(JobError(code: .conflict, message: changes, cause: error)))
        }
        command.forgetRead()
        switch command.command {
        case .job(.submit(let requests)): command.needs = Self.references(requests, at: now.wall)
        case .job(.update(let request, _, _)): command.needs = Self.references([request], at: now.wall)
        default: break
        }
        commands.insertFirst(command)
    }

    /// Handles the store's refusal of a part with a submission.
    ///
    /// - Returns: Whether the command is settled; otherwise it is planned again.
    private mutating func settle(_ command: PendingCommand, after error: JobError, _ now: SchedulerReading) -> Bool {
        if error.code == .conflict {
            guard command.conflicts >= 8 || !life.acceptsCommands else { return false }
            commands.readSubmissions()
            if life.acceptsCommands { storeFailed(error, now) }
        } else if !error.isTransient, command.submission?.refusal == nil, life.acceptsCommands {
            // The next turn removes the submission.
            var refused = command
            refused.submission?.refusal = error
            commands.insertFirst(refused)
        } else {
            commands.readSubmissions()
            storeFailed(error, now)
        }
        return true
    }

    /// Leaves the job as it was before the turn; if the fate of the commit is unknown, the job is doubtful.
    private mutating func dropped(_ draft: SchedulerTurn.Draft, isUnknown: Bool, _ now: SchedulerReading) {
        guard let key = draft.key else {
            // A submission that was applied without an answer is found by the next load.
            if isUnknown { loading.load(at: now.wall.advanced(by: .milliseconds(100)), isUrgent: true) }
            return
        }
        guard let entry = jobs[key] else { return }
        if isUnknown { jobs.doubt(entry) } else { jobs.examine(entry) }
    }
}
