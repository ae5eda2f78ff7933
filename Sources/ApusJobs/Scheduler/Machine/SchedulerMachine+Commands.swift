import ApusTimers

// The planning of commands.
extension SchedulerMachine {
    enum Outcome {
        /// The command is in the turn, or was answered.
        case done
        /// These jobs must be read from the store first.
        case needs([JobReference])
        /// The command's job is in the turn already, or must be read again.
        case later
    }

    /// Plans commands in the order of their arrival.
    ///
    /// A command that cannot be planned yet waits, and so do all later commands for the same job.
    mutating func planCommands(into turn: SchedulerTurn) {
        if commands.isEmpty { return }
        var waiting: [PendingCommand] = []
        var blocked: Set<JobID> = []
        var planned = 0
        for var pending in commands.takeAll() {
            guard planned < SchedulerTurn.maximumCommands else {
                // When a turn has room for the command, what was read for it may not be in memory any more, so it is
                // read again.
                pending.forgetRead()
                pending.isPlannable = true
                waiting.append(pending)
                continue
            }
            let ids = pending.command.ids
            var outcome = Outcome.later
            if blocked.isDisjoint(with: ids), turn.ids.isDisjoint(with: ids) {
                do throws(JobError) { outcome = try plan(pending, into: turn) } catch {
                    refuse(pending, error, in: turn)
                    outcome = .done
                }
            }
            switch outcome {
            case .done:
                planned += 1
                turn.concern(ids)
                continue
            case .needs(let references):
                // The command counts as planned, so that jobs are read for no more commands than the next turn can
                // plan.
                planned += 1
                pending.needs = references
                pending.forgetRead()
                pending.isPlannable = true
            case .later:
                // An earlier command for the job in this turn may be answered without a commit. Then this command can
                // be planned at once.
                pending.isPlannable = !turn.ids.isDisjoint(with: ids)
            }
            blocked.formUnion(ids)
            waiting.append(pending)
        }
        commands.putBack(waiting)
    }

    /// Refuses a command.
    ///
    /// A caller gets the error. A submission is removed by a part of the turn, unless the request itself may be valid
    /// (`JobError.isTransient`): then it stays in the store, and is taken later.
    private mutating func refuse(_ pending: PendingCommand, _ error: JobError, in turn: SchedulerTurn) {
        guard pending.submission != nil else { return effects.answer(pending.number, .failure(error)) }
        guard !error.isTransient else { return commands.leave(error, turn.now.uptime, &effects) }
        var refused = pending
        refused.submission?.refusal = error
        turn.add([], command: refused)
    }

    private mutating func plan(
        _ pending: PendingCommand, into turn: SchedulerTurn
    ) throws(JobError) -> Outcome {
        if let refusal = pending.submission?.refusal { throw refusal }
        if let unreadable = pending.unreadable { throw unreadable.error }
        switch pending.command {
        case .job(let command): return try plan(command, pending, into: turn)
        case .read(let ids, let outcomes):
            guard pending.hasRead else { return .needs(ids.map { .id($0) }) }
            let jobs = ids.compactMap { id in
                pending.foreign[id]?.job ?? self.jobs[id]?.job
            }
            guard jobs.count == ids.count else {
                throw JobError(code: .notFound, message: "the change was made, but the job no longer exists")
            }
            let results = outcomes.map { zip(jobs, $0).map { SubmissionResult(job: $0, outcome: $1) } }
            effects.answer(pending.number, .success(results.map { .submitted($0) } ?? .jobs(jobs)))
            return .done
        case .configure(let id, let changes):
            var queue = turn.queues[id] ?? board.queue(id)
            for change in changes { queue.apply(change) }
            try queue.validate()
            turn.configure(board.record(of: queue, turn.now), for: pending.number)
            return .done
        case .restore(let restorations): return try restore(restorations, pending, into: turn)
        case .delete, .takeSubmissions, .stop: preconditionFailure("\(pending.command) is no change of a job")
        }
    }

    private mutating func plan(
        _ command: JobCommand, _ pending: PendingCommand, into turn: SchedulerTurn
    ) throws(JobError) -> Outcome {
        switch command {
        case .submit(let requests): return try submit(requests, pending, into: turn)
        case .cancel(let id, let key):
            return try change(id, pending, in: turn) { draft, now throws(JobError) in
                if let key, draft.machine.job.key != key {
                    throw JobError(code: .notFound, message: "\(id): the identifier now belongs to another job")
                }
                draft.action.merge(draft.machine.cancel(now: now))
                return nil
            }
        case .suspend(let id):
            return try change(id, pending, in: turn) { draft, now throws(JobError) in
                try Self.requireLive(draft.machine.job, "suspended")
                draft.action.merge(draft.machine.suspend(now: now))
                return nil
            }
        case .resume(let id):
            return try change(id, pending, in: turn) { draft, now throws(JobError) in
                try Self.requireLive(draft.machine.job, "resumed")
                draft.action.merge(draft.machine.resume(now: now))
                return nil
            }
        case .runNow(let id):
            return try change(id, pending, in: turn) { draft, now throws(JobError) in
                if draft.machine.job.state == .cancelled { try Self.requireLive(draft.machine.job, "run") }
                try Self.requireRoom(draft.machine)
                let (run, action) = draft.machine.runNow(now: now)
                draft.action.merge(action)
                return run
            }
        case .update(let request, let former, let key):
            return try update(request, from: former, of: key, pending, in: turn)
        case .cancelRun(let id, let occurrence):
            return try change(id, pending, in: turn) { draft, now throws(JobError) in
                guard let (run, action) = draft.machine.cancelRun(occurrence, now: now) else {
                    let hasArrived = occurrence < draft.machine.job.nextOccurrence
                    throw JobError(
                        code: hasArrived ? .conflict : .notFound,
                        message:
                            "\(id): \(OccurrenceText.words(occurrence)) neither waits nor runs, so it cannot be cancelled"
                    )
                }
                draft.action.merge(action)
                return run
            }
        case .retry(let run, let version):
            return try change(run.jobID, pending, in: turn) { draft, now throws(JobError) in
                let job = draft.machine.job
                guard job.key == run.jobKey, job.version == version else {
                    throw JobError(
                        code: .conflict, message: "\(run.jobID): the job has changed since it was read; read it again")
                }
                if job.state == .cancelled { try Self.requireLive(job, "tried again") }
                guard run.canBeTriedAgain else {
                    throw JobError(
                        code: .invalid,
                        message:
                            "\(run.jobID): \(OccurrenceText.words(run.occurrence)) has no outcome that can be tried again"
                    )
                }
                try Self.requireRoom(draft.machine)
                let (next, action) = draft.machine.retry(run, now: now)
                draft.action.merge(action)
                return next
            }
        }
    }

    /// Gives a job another definition, if it has not ended and is still defined as the caller has read it.
    private mutating func update(
        _ request: JobRequest, from former: JobRequest, of key: Int64, _ pending: PendingCommand,
        in turn: SchedulerTurn
    ) throws(JobError) -> Outcome {
        let mayMeetSame = request.uniqueContent != former.uniqueContent || request.uniqueness != former.uniqueness
        if mayMeetSame, let reference = request.uniqueReference(at: turn.now.wall) {
            guard pending.hasRead, !turn.hasSubmitted(reference) else {
                return .needs([.id(request.id), reference])
            }
            switch try same(as: request, reference, pending, turn.now.wall) {
            case .outdated: return .needs([.id(request.id), reference])
            case .open, .ended, .none: break
            }
            turn.submit(reference.unique.map { [$0] } ?? [])
        }
        let zones = configuration.timeZones
        return try change(request.id, pending, in: turn) { draft, now throws(JobError) in
            let job = draft.machine.job
            try Self.requireLive(job, "changed")
            var (read, new) = (former, request)
            // These fields have no meaning for an existing job.
            (read.conflict, new.conflict) = (job.request.conflict, job.request.conflict)
            (read.terms, new.terms) = (.init(), .init())
            guard job.key == key, job.request == read else {
                throw JobError(
                    code: .conflict, message: "\(request.id): the job has changed since it was read; read it again")
            }
            draft.action.merge(try draft.machine.update(new, now: now, in: zones))
            return nil
        }
    }

    private static func requireLive(_ job: Job, _ what: String) throws(JobError) {
        guard job.state.isFinal else { return }
        throw JobError(
            code: .invalid, message: "\(job.id): the job is \(job.state) and cannot be \(what); submit it again")
    }

    /// Refuses a run by hand, or a retry, if the job has too many open runs.
    ///
    /// The job's policies limit only the runs that its trigger makes.
    private static func requireRoom(_ machine: JobMachine) throws(JobError) {
        guard machine.open.count >= JobLimits.openRuns else { return }
        throw JobError(
            code: .conflict,
            message:
                "\(machine.job.id): \(JobLimits.openRuns) of its runs are open; wait for some to end, or cancel them"
        )
    }

    /// Applies an event to a job; the reply is the run that the event returns, or the job if it returns none.
    private mutating func change(
        _ id: JobID, _ pending: PendingCommand, in turn: SchedulerTurn,
        _ event: (SchedulerTurn.Draft, WallInstant) throws(JobError) -> Run?
    ) throws(JobError) -> Outcome {
        let entry = jobs[id]
        if let foreign = pending.foreign[id], entry == nil || !foreign.job.state.isFinal {
            turn.add([], command: pending, forward: foreign.shard)
            return .done
        }
        guard let entry else {
            if pending.hasRead { throw JobError(code: .notFound, message: "\(id): there is no such job") }
            return .needs([.id(id)])
        }
        if jobs.isDoubtful(entry) { return .later }
        // If the job has ended, another scheduler may have a later one with the identifier.
        if session.isShared, !pending.hasRead, entry.job.state.isFinal { return .needs([.id(id)]) }
        let now = turn.now.wall
        let draft = draft(of: entry, turn.now)
        let run: Run?
        do throws(JobError) { run = try event(draft, now) } catch {
            place(entry, now)
            throw error
        }
        turn.add([draft], command: pending) { position in run.map { .run($0) } ?? .jobs([.draft(position)]) }
        return .done
    }
}
