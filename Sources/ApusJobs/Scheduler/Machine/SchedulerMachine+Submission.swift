import ApusTimers

// The planning of submissions: each request makes a job, changes an existing one, or is answered with one.
extension SchedulerMachine {
    mutating func submit(
        _ requests: [JobRequest], _ pending: PendingCommand, into turn: SchedulerTurn
    ) throws(JobError) -> Outcome {
        guard requests.count == 1 || Set(requests.map(\.id)).count == requests.count else {
            throw JobError(
                code: .invalid, message: "id: two of the requests have the same identifier; give each its own")
        }
        let now = turn.now.wall
        func needs() -> Outcome { .needs(Self.references(requests, at: now)) }
        var contents: Set<JobReference.Unique> = []
        for unique in requests.compactMap({ $0.uniqueReference(at: now)?.unique })
        where !contents.insert(unique).inserted {
            let word = unique.content.word
            let argument = if case .payload = unique.content { "payload" } else { "uniqueness.key" }
            throw JobError(
                code: .invalid,
                message: "\(argument): two of the requests have the same kind and \(word); submit only one of them")
        }
        var drafts: [SchedulerTurn.Draft] = []
        drafts.reserveCapacity(requests.count)
        var answers: [SchedulerTurn.Submitted] = []
        answers.reserveCapacity(requests.count)
        func answer(_ job: SchedulerTurn.Existing, _ outcome: SubmissionOutcome) {
            answers.append(SchedulerTurn.Submitted(job: job, outcome: outcome))
        }
        for asked in requests {
            var request = asked
            var isSame = false
            if let earlier = try submitted(before: request, pending) {
                answer(.job(earlier), .joined)
                continue
            }
            if let reference = request.uniqueReference(at: now) {
                // If this turn has a submission with the same content, its job is in the store only after the turn, and
                // is read then.
                guard pending.hasRead, !turn.hasSubmitted(reference) else { return needs() }
                switch try same(as: request, reference, pending, now) {
                case .none: break
                case .outdated: return needs()
                case .ended(let job):
                    answer(.job(job), .joined)
                    continue
                case .open(let id):
                    if id != request.id, turn.ids.contains(id) { return needs() }
                    request.id = id
                    isSame = true
                }
            }
            if let foreign = pending.foreign[request.id], !foreign.job.state.isFinal {
                switch request.conflict {
                case .keep: answer(.job(foreign.job), .kept)
                case .refuse: throw Self.alreadyExists(request.id)
                case .update, .replace:
                    guard requests.count == 1 else {
                        throw JobError(
                            code: .invalid,
                            message:
                                "\(request.id): another node runs this job, so its request must be the only one; submit it alone"
                        )
                    }
                    turn.add([], command: pending, forward: foreign.shard)
                    return .done
                }
                continue
            }
            guard let entry = jobs[request.id] else {
                answer(.draft(drafts.count), .inserted)
                drafts.append(try newDraft(request, pending, turn.now))
                continue
            }
            if jobs.isDoubtful(entry) { return .later }
            // The draft applies the job's news first, because the news may include the end of the job.
            let old = draft(of: entry, turn.now)
            old.action.merge(old.machine.expire(now: now))
            if isSame, !old.machine.hasRunToBegin, try isAnswer(old.machine.job, to: asked, now) {
                answer(.draft(drafts.count), .joined)
                drafts.append(old)
                continue
            }
            if old.machine.job.state.isFinal {
                let new = try newDraft(asked, pending, turn.now)
                if old.action.change != nil { drafts.append(old) }
                answer(.draft(drafts.count), .inserted)
                drafts.append(new)
                continue
            }
            // If the idempotency key belongs to another job, that job is the answer. The store must therefore be read
            // before this job is changed.
            if request.idempotencyKey != nil, !pending.hasRead { return needs() }
            switch request.conflict {
            case .keep: answer(.job(old.machine.job), .kept)
            case .refuse:
                throw Self.alreadyExists(request.id)
            case .update:
                try asked.terms.check(replacing: old.machine.job)
                request.terms = .init()
                let (action, outcome) = try old.machine.resubmit(
                    request, submitted: instant(of: pending, turn.now), now: now, in: configuration.timeZones)
                old.action.merge(action)
                answer(.draft(drafts.count), outcome)
                drafts.append(old)
            case .replace:
                try asked.terms.check(replacing: old.machine.job)
                let new = try newDraft(asked, pending, turn.now)
                old.action.merge(old.machine.cancel(.replaced, now: now))
                drafts.append(old)
                answer(.draft(drafts.count), .replaced)
                drafts.append(new)
            }
        }
        // Only the first draft keeps the condition that no other job has the label. The store applies the drafts in
        // order, and would refuse the others, because the first draft's job has the label by then.
        var isLabelRequired = false
        for draft in drafts where draft.action.change?.onlyBeside != nil {
            if isLabelRequired { draft.action.change?.onlyBeside = nil }
            isLabelRequired = true
        }
        turn.submit(contents)
        turn.concern(drafts.map(\.machine.job.id))
        turn.add(drafts, command: pending) { start in
            .submitted(
                answers.map { answer in
                    guard case .draft(let index) = answer.job else { return answer }
                    return SchedulerTurn.Submitted(job: .draft(start + index), outcome: answer.outcome)
                })
        }
        return .done
    }

    static func alreadyExists(_ id: JobID) -> JobError {
        JobError(
            code: .alreadyExists,
            message: "\(id): a job has this identifier already; give another identifier, or another conflict policy")
    }

    /// Plans the restoration of jobs of another store.
    ///
    /// The store refuses all of the jobs if the identifier, the key or the content of one of them is taken.
    mutating func restore(
        _ restorations: [JobRestoration], _ pending: PendingCommand, into turn: SchedulerTurn
    ) throws(JobError) -> Outcome {
        let now = turn.now.wall
        var drafts: [SchedulerTurn.Draft] = []
        for restoration in restorations {
            let id = restoration.request.id
            if let entry = jobs[id], !entry.job.state.isFinal { throw Self.alreadyExists(id) }
            let (machine, runs) = try JobMachine.restored(restoration, now: now, in: configuration.timeZones)
            let draft = SchedulerTurn.Draft(machine, in: try shard(for: restoration.request))
            draft.action.change = JobChange(
                expected: .absent, job: machine.job, isRequestChanged: true, runs: runs)
            drafts.append(draft)
        }
        turn.submit(restorations.compactMap { $0.request.uniqueReference(at: now)?.unique })
        turn.add(drafts, command: pending) { start in .jobs(drafts.indices.map { .draft(start + $0) }) }
        return .done
    }

    private func newDraft(
        _ request: JobRequest, _ pending: PendingCommand, _ now: SchedulerReading
    ) throws(JobError) -> SchedulerTurn.Draft {
        var kept = request
        kept.terms = .init()
        let machine = try JobMachine.submitted(kept, now: instant(of: pending, now), in: configuration.timeZones)
        let draft = SchedulerTurn.Draft(machine, in: try shard(for: request))
        draft.action.change = JobChange(
            expected: .absent, requiresFreeName: request.terms.requiresFreeName, onlyBeside: request.terms.onlyBeside,
            job: machine.job, isRequestChanged: true)
        return draft
    }

    /// Returns the instant from which a submission's trigger counts.
    ///
    /// A stored instant that is later than now is from a clock that was set back since, so the present instant counts
    /// instead.
    private func instant(of pending: PendingCommand, _ now: SchedulerReading) -> WallInstant {
        min(pending.submission?.submitted ?? now.latestWall, now.latestWall)
    }

    /// Returns references to the jobs in the store that can conflict with the requests of a submission.
    static func references(_ requests: [JobRequest], at now: WallInstant) -> [JobReference] {
        requests.map { .id($0.id) } + requests.compactMap { $0.idempotencyKey.map { .idempotencyKey($0) } }
            + requests.compactMap { $0.uniqueReference(at: now) }
    }

    /// The job that counts as the same as a request.
    enum Same {
        case none
        /// The job has not ended, and the request is about the job with this identifier.
        case open(JobID)
        /// A job that has ended is the answer.
        case ended(Job)
        /// The job that was read is not in memory any more.
        case outdated
    }

    /// Returns the job that counts as the same as the request because of its kind and content.
    func same(
        as request: JobRequest, _ reference: JobReference, _ pending: PendingCommand, _ now: WallInstant
    ) throws(JobError) -> Same {
        guard let unique = reference.unique, let job = pending.same[unique] else { return .none }
        let named = jobs[job.id]
        let isOpen = named.map { $0.key == job.key && !$0.job.state.isFinal } ?? false
        if isOpen || pending.foreign[job.id]?.job.key == job.key && !job.state.isFinal {
            guard job.id == request.id || jobs[request.id]?.job.state.isFinal ?? true else {
                throw JobError(
                    code: .alreadyExists,
                    message:
                        "\(request.id): a job has this identifier already, and job \(job.id) has the same kind and \(unique.content.word); cancel one of them"
                )
            }
            return .open(job.id)
        }
        let entry = jobs[job.key]
        if entry == nil, !job.state.isFinal { return .outdated }
        let known = entry?.job ?? job
        // If the known job has not ended, memory does not have it under its identifier yet. The scheduler therefore
        // tries to insert a new job. The store refuses the new job, and then the stored jobs with the request's
        // identifier and with its content are read.
        guard known.state.isFinal else { return .none }
        return try isAnswer(known, to: request, now) ? .ended(known) : .none
    }

    /// Returns whether an existing job with the request's kind and content is the answer to the request.
    ///
    /// The job is the answer if it was submitted within the request's period, unless the conflict policy is `replace`.
    /// The caller has checked that the job has ended, or has no run left to begin.
    ///
    /// - Throws: ``JobError`` with `alreadyExists` if the job was submitted within the period and the conflict policy
    ///   is `refuse`.
    private func isAnswer(_ job: Job, to request: JobRequest, _ now: WallInstant) throws(JobError) -> Bool {
        guard let content = request.uniqueContent, let period = request.uniqueness.period,
            job.created > now.advanced(by: .zero - period)
        else { return false }
        switch request.conflict {
        case .keep, .update: return true
        case .replace: return false
        case .refuse:
            throw JobError(
                code: .alreadyExists,
                message: """
                    \(request.id): job \(job.id) had the same kind and \(content.word) and was \
                    submitted within \(period); give another conflict policy
                    """
            )
        }
    }

    /// Returns the job of an earlier submission with the request's idempotency key.
    private func submitted(before request: JobRequest, _ pending: PendingCommand) throws(JobError) -> Job? {
        guard let key = request.idempotencyKey, let job = pending.earlier[key] else { return nil }
        guard job.request.asksForTheSame(as: request) else {
            throw JobError(
                code: .invalid,
                message:
                    "idempotencyKey: another submission, of the job \(job.id), had the same key; give each submission its own"
            )
        }
        return job
    }
}
