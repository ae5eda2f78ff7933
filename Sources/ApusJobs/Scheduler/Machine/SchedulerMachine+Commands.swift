import ApusTimers

/// What callers ask for.
extension SchedulerMachine {
    enum Outcome {
        /// It is in the plan, or was answered.
        case done
        /// The store has to be asked first.
        case needs([JobReference])
        /// Its job is in the turn already, or must be read again.
        case later
    }

    /// In the order of their arrival; those for one job are kept in it.
    mutating func planCommands() {
        var waiting: [PendingCommand] = []
        var blocked: Set<JobID> = []
        var planned = 0
        for var pending in commands {
            let ids = pending.command.ids
            var outcome = Outcome.later
            if planned < Self.maximumCommands, blocked.isDisjoint(with: ids), plan!.ids.isDisjoint(with: ids) {
                do throws(JobError) { outcome = try plan(pending) } catch {
                    refuse(pending, error)
                    outcome = .done
                }
            }
            switch outcome {
            case .done:
                planned += 1
                plan!.ids.formUnion(ids)
            case .needs(let references):
                pending.needs = references
                pending.forgetRead()
                pending.isPlannable = true
                blocked.formUnion(ids)
                waiting.append(pending)
            case .later:
                // What was read may have left the memory before the next turn has room for the command.
                if planned >= Self.maximumCommands { pending.forgetRead() }
                // It waited for a command before it, which may be answered already.
                pending.isPlannable = !plan!.ids.isDisjoint(with: ids)
                blocked.formUnion(ids)
                waiting.append(pending)
            }
        }
        commands = waiting
    }

    private mutating func plan(_ pending: PendingCommand) throws(JobError) -> Outcome {
        if let refusal = pending.submission?.refusal { throw refusal }
        switch pending.command {
        case .job(let command): return try plan(command, pending)
        case .read(let ids):
            guard pending.hasRead else { return .needs(ids.map { .id($0) }) }
            let jobs = ids.compactMap { id in
                pending.foreign[id]?.job ?? keys[id].flatMap { entries[$0]?.machine.job }
            }
            guard jobs.count == ids.count else {
                throw JobError(.notFound, "what was asked for is done, and the job is gone")
            }
            answer(pending.number, .success(.jobs(jobs)))
            return .done
        case .configure(let id, let changes):
            var queue = plan!.queues[id] ?? board.queue(id)
            for change in changes { queue.apply(change) }
            try queue.validate()
            plan!.queues[id] = board.record(of: queue, plan!.now)
            plan!.configurations.append((pending.number, id))
            return .done
        case .restore(let restorations): return try restore(restorations, pending)
        case .takeSubmissions, .stop: preconditionFailure("\(pending.command) is no change of a job")
        }
    }

    private mutating func plan(_ command: JobCommand, _ pending: PendingCommand) throws(JobError) -> Outcome {
        switch command {
        case .submit(let requests): return try submit(requests, pending)
        case .cancel(let id):
            return try change(id, pending) { draft, now in
                draft.action.merge(draft.machine.cancel(now: now))
                return nil
            }
        case .suspend(let id):
            return try change(id, pending) { draft, now throws(JobError) in
                try Self.requireLive(draft.machine.job, "suspended")
                draft.action.merge(draft.machine.suspend(now: now))
                return nil
            }
        case .resume(let id):
            return try change(id, pending) { draft, now throws(JobError) in
                try Self.requireLive(draft.machine.job, "resumed")
                draft.action.merge(draft.machine.resume(now: now))
                return nil
            }
        case .runNow(let id):
            return try change(id, pending) { draft, now throws(JobError) in
                if draft.machine.job.state == .cancelled { try Self.requireLive(draft.machine.job, "run") }
                let (run, action) = draft.machine.runNow(now: now)
                draft.action.merge(action)
                return run
            }
        case .update(let request, let former, let key): return try update(request, from: former, of: key, pending)
        case .cancelRun(let id, let occurrence):
            return try change(id, pending) { draft, now throws(JobError) in
                guard let (run, action) = draft.machine.cancelRun(occurrence, now: now) else {
                    throw JobError(
                        .notFound,
                        "\(id): \(OccurrenceText.words(occurrence)) neither waits nor runs, so it cannot be cancelled")
                }
                draft.action.merge(action)
                return run
            }
        case .retry(let run, let version):
            return try change(run.job, pending) { draft, now throws(JobError) in
                let job = draft.machine.job
                guard job.key == run.jobKey, job.version == version else {
                    throw JobError(.conflict, "\(run.job): the job is no longer as it was; read it again")
                }
                if job.state == .cancelled { try Self.requireLive(job, "tried again") }
                guard run.isFinal, run.attempt > 0, run.state != .succeeded else {
                    throw JobError(
                        .invalid,
                        "\(run.job): \(OccurrenceText.words(run.occurrence)) is no outcome that can be tried again")
                }
                let (next, action) = draft.machine.retry(run, now: now)
                draft.action.merge(action)
                return next
            }
        }
    }

    /// A job that has not ended, and is defined as the caller has read it, gets another definition.
    private mutating func update(
        _ request: JobRequest, from former: JobRequest, of key: Int64, _ pending: PendingCommand
    ) throws(JobError) -> Outcome {
        let mayMeetSame = request.payload != former.payload || request.uniqueness != former.uniqueness
        if mayMeetSame, let reference = request.payloadReference(at: plan!.now.wall) {
            guard pending.hasRead, !plan!.payloads.contains(where: reference.isSamePayload) else {
                return .needs([.id(request.id), reference])
            }
            switch try same(as: request, reference, pending) {
            case .outdated: return .needs([.id(request.id), reference])
            case .open, .ended, .none: break
            }
            plan!.payloads.append(reference)
        }
        let zones = configuration.timeZones
        return try change(request.id, pending) { draft, now throws(JobError) in
            let job = draft.machine.job
            try Self.requireLive(job, "changed")
            var (read, new) = (former, request)
            // They say nothing of a job that is there.
            (read.conflict, new.conflict) = (job.request.conflict, job.request.conflict)
            (read.terms, new.terms) = (.init(), .init())
            guard job.key == key, job.request == read else {
                throw JobError(.conflict, "\(request.id): the job is no longer as it was; read it again")
            }
            draft.action.merge(try draft.machine.update(new, now: now, in: zones))
            return nil
        }
    }

    private static func requireLive(_ job: Job, _ what: String) throws(JobError) {
        guard job.state.isFinal else { return }
        throw JobError(.invalid, "\(job.id): the job is \(job.state) and cannot be \(what); submit it again")
    }

    /// One event for one job. The caller is answered with the run that it makes, if it makes one, or with the job.
    private mutating func change(
        _ id: JobID, _ pending: PendingCommand,
        _ event: (inout Plan.Draft, WallInstant) throws(JobError) -> Run?
    ) throws(JobError) -> Outcome {
        if let foreign = pending.foreign[id], keys[id] == nil || !foreign.job.state.isFinal {
            return forward(pending, to: foreign.shard)
        }
        guard let key = keys[id] else {
            if pending.hasRead { throw JobError(.notFound, "\(id): there is no such job") }
            return .needs([.id(id)])
        }
        if entries[key]!.isDoubtful { return .later }
        // Of one that has ended, another scheduler may have the next.
        if session.isShared, !pending.hasRead, entries[key]!.machine.job.state.isFinal { return .needs([.id(id)]) }
        let now = plan!.now.wall
        var draft = draft(of: key, now)
        let run: Run?
        do throws(JobError) { run = try event(&draft, now) } catch {
            place(key, now)
            throw error
        }
        add([draft], command: pending) { position in run.map { .run($0) } ?? .jobs([.draft(position)]) }
        return .done
    }

    // MARK: Submission

    private mutating func submit(_ requests: [JobRequest], _ pending: PendingCommand) throws(JobError) -> Outcome {
        guard Set(requests.map(\.id)).count == requests.count else {
            throw JobError(.invalid, "id: one identifier occurs twice among the requests; give each its own")
        }
        let payloads = requests.compactMap { $0.payloadReference(at: plan!.now.wall) }
        for (index, payload) in payloads.enumerated() where payloads[..<index].contains(where: payload.isSamePayload) {
            throw JobError(
                .invalid, "payload: two of the requests are the same by kind and payload; submit one of them")
        }
        var drafts: [Plan.Draft] = []
        var jobs: [Plan.Existing] = []
        for asked in requests {
            var request = asked
            var isSame = false
            if let earlier = try submitted(before: request, pending) {
                jobs.append(.job(earlier))
                continue
            }
            if let reference = request.payloadReference(at: plan!.now.wall) {
                // A submission of this turn with the same payload is in the store only after it.
                guard pending.hasRead, !plan!.payloads.contains(where: reference.isSamePayload) else {
                    return .needs(Self.references(requests, at: plan!.now.wall))
                }
                switch try same(as: request, reference, pending) {
                case .none: break
                case .outdated: return .needs(Self.references(requests, at: plan!.now.wall))
                case .ended(let job):
                    jobs.append(.job(job))
                    continue
                case .open(let id):
                    if id != request.id, plan!.ids.contains(id) {
                        return .needs(Self.references(requests, at: plan!.now.wall))
                    }
                    request.id = id
                    isSame = true
                }
            }
            if let foreign = pending.foreign[request.id], !foreign.job.state.isFinal {
                switch request.conflict {
                case .keep: jobs.append(.job(foreign.job))
                case .refuse: throw Self.alreadyExists(request.id)
                case .update, .replace:
                    guard requests.count == 1 else {
                        throw JobError(
                            .invalid,
                            "\(request.id): another node runs this job; submit a request that changes it alone")
                    }
                    return forward(pending, to: foreign.shard)
                }
                continue
            }
            guard let key = keys[request.id], let entry = entries[key] else {
                jobs.append(.draft(drafts.count))
                drafts.append(try newDraft(request, pending))
                continue
            }
            if entry.isDoubtful { return .later }
            // What has happened to it and is not written yet may be its end.
            var old = draft(of: key, plan!.now.wall)
            if old.machine.job.state.isFinal {
                if isSame, try isAnswer(old.machine.job, to: asked) {
                    jobs.append(.draft(drafts.count))
                    drafts.append(old)
                    continue
                }
                let new = try newDraft(asked, pending)
                if old.action.change != nil { drafts.append(old) }
                jobs.append(.draft(drafts.count))
                drafts.append(new)
                continue
            }
            // The idempotency key may belong to another job, which counts first.
            if request.idempotencyKey != nil, !pending.hasRead {
                return .needs(Self.references(requests, at: plan!.now.wall))
            }
            switch request.conflict {
            case .keep: jobs.append(.job(old.machine.job))
            case .refuse:
                throw Self.alreadyExists(request.id)
            case .update:
                try asked.terms.check(replacing: old.machine.job)
                request.terms = .init()
                old.action.merge(
                    try old.machine.update(
                        request, submitted: instant(of: pending), now: plan!.now.wall, in: configuration.timeZones))
                jobs.append(.draft(drafts.count))
                drafts.append(old)
            case .replace:
                try asked.terms.check(replacing: old.machine.job)
                let new = try newDraft(asked, pending)
                old.action.merge(old.machine.cancel(.replaced, now: plan!.now.wall))
                drafts.append(old)
                jobs.append(.draft(drafts.count))
                drafts.append(new)
            }
        }
        // The others of the submission come after it.
        var isLabelRequired = false
        for index in drafts.indices where drafts[index].action.change?.onlyBeside != nil {
            if isLabelRequired { drafts[index].action.change!.onlyBeside = nil }
            isLabelRequired = true
        }
        plan!.payloads += payloads
        for draft in drafts { plan!.ids.insert(draft.machine.job.id) }
        add(drafts, command: pending) { start in
            .jobs(jobs.map { if case .draft(let index) = $0 { .draft(start + index) } else { $0 } })
        }
        return .done
    }

    static func alreadyExists(_ id: JobID) -> JobError {
        JobError(.alreadyExists, "\(id): there is such a job; give another identifier, or another conflict policy")
    }

    private func newDraft(_ request: JobRequest, _ pending: PendingCommand) throws(JobError) -> Plan.Draft {
        var kept = request
        kept.terms = .init()
        let machine = try JobMachine.submitted(kept, now: instant(of: pending), in: configuration.timeZones)
        var draft = Plan.Draft(key: nil, machine: machine)
        draft.action.change = JobChange(
            shard: try shard(for: request.id), expected: .absent, requiresFreeName: request.terms.requiresFreeName,
            onlyBeside: request.terms.onlyBeside, job: machine.job, isRequestChanged: true)
        return draft
    }

    /// What the requests of a submission may meet in the store.
    static func references(_ requests: [JobRequest], at now: WallInstant) -> [JobReference] {
        requests.map { .id($0.id) } + requests.compactMap { $0.idempotencyKey.map { .idempotencyKey($0) } }
            + requests.compactMap { $0.payloadReference(at: now) }
    }

    private enum Same {
        case none
        /// A job that has not ended takes the request's place, or gives it its own.
        case open(JobID)
        /// A job that has ended is the answer.
        case ended(Job)
        /// What was read was true then, and is not known now.
        case outdated
    }

    /// The job that counts as the same by kind and payload.
    private func same(
        as request: JobRequest, _ reference: JobReference, _ pending: PendingCommand
    ) throws(JobError) -> Same {
        guard let job = pending.same.first(where: { $0.key.isSamePayload(as: reference) })?.value else { return .none }
        if let key = keys[job.id], key == job.key, !entries[key]!.machine.job.state.isFinal {
            let other = keys[request.id].flatMap { entries[$0]?.machine.job }
            guard job.id == request.id || other?.state.isFinal ?? true else { throw Self.twoSame(request, job) }
            return .open(job.id)
        }
        if let foreign = pending.foreign[job.id], foreign.job.key == job.key, !job.state.isFinal {
            guard job.id == request.id || keys[request.id].flatMap({ entries[$0] })?.machine.job.state.isFinal ?? true
            else { throw Self.twoSame(request, job) }
            return .open(job.id)
        }
        let entry = entries[job.key]
        if entry == nil, !job.state.isFinal { return .outdated }
        let known = entry?.machine.job ?? job
        // One that has not ended, and is not in its place in memory yet: the store refuses another one beside it, and
        // both are read.
        guard known.state.isFinal else { return .none }
        return try isAnswer(known, to: request) ? .ended(known) : .none
    }

    private static func twoSame(_ request: JobRequest, _ job: Job) -> JobError {
        JobError(
            .alreadyExists,
            "\(request.id): there is such a job, and job \(job.id) has the same kind and payload; cancel one of them")
    }

    /// Whether a job with the same kind and payload is the answer although it has ended: it was submitted within the
    /// request's period.
    private func isAnswer(_ job: Job, to request: JobRequest) throws(JobError) -> Bool {
        guard let period = request.uniqueness.period, job.created > plan!.now.wall.advanced(by: .zero - period) else {
            return false
        }
        switch request.conflict {
        case .keep, .update: return true
        case .replace: return false
        case .refuse:
            throw JobError(
                .alreadyExists,
                "\(request.id): job \(job.id) had the same kind and payload and was submitted within \(period); give another conflict policy"
            )
        }
    }

    /// The job of an earlier submission with the request's idempotency key.
    private func submitted(before request: JobRequest, _ pending: PendingCommand) throws(JobError) -> Job? {
        guard let key = request.idempotencyKey, let job = pending.earlier[key] else { return nil }
        guard job.request.asksForTheSame(as: request) else {
            throw JobError(
                .invalid,
                "idempotencyKey: it was used for another submission, which is job \(job.id); give each submission its own"
            )
        }
        return job
    }
}
