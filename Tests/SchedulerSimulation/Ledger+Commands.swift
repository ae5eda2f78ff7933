import ApusJobs

/// The commands of callers and their answers.
extension Ledger {
    /// Records a submission of these plans.
    ///
    /// - Returns: The number of the command, and the numbers of the submissions.
    func submit(_ plans: [JobPlan], node: Int) -> (command: Int, numbers: [Int]) {
        let now = now
        return with { state in
            let numbers = plans.map { state.addFacts(of: $0, now) }
            state.commands.append(Command(kind: .submit, node: node, submissions: numbers, issued: now))
            return (state.commands.count - 1, numbers)
        }
    }

    /// Records that an application commits submissions of these plans.
    ///
    /// - Returns: The numbers of the submissions.
    func submitInTransaction(_ plans: [JobPlan]) -> [Int] {
        let now = now
        return with { state in
            plans.map { plan in
                let number = state.addFacts(of: plan, now)
                state.facts[number].isInTransaction = true
                return number
            }
        }
    }

    /// Records a command.
    ///
    /// - Returns: The number of the command.
    func issue(
        _ kind: Command.Kind, node: Int, job: Int? = nil, id: JobID? = nil, reach: Reach? = nil, grace: Int? = nil
    ) -> Int {
        let now = now
        return with { state in
            let command = Command(
                kind: kind, node: node, job: job, jobID: id, reach: reach, grace: grace, issued: now)
            state.commands.append(command)
            switch kind {
            case .cancel: state.update(by: command) { $0.isCancelIssued = true }
            case .suspend:
                state.update(by: command) { facts in
                    facts.isSuspendIssued = true
                    if facts.perhapsSuspendedSince == nil { facts.perhapsSuspendedSince = now.elapsed }
                }
            case .resume: state.update(by: command) { $0.resumeIssued(now) }
            case .runNow: state.update(by: command) { $0.runsByHandIssued += 1 }
            case .delete:
                state.update(by: command) { facts in
                    facts.isDeleteIssued = true
                    // After the deletion, the identifier may again mean an earlier job, which can be run by hand.
                    if facts.hasGivenWay { (facts.hasGivenWay, facts.ended) = (false, nil) }
                }
            case .stop: state.nodes[node].isStopIssued = true
            // The command may change the number of attempts of an occurrence and the reason of its cancellation.
            case .retry, .cancelRun:
                state.update(by: command) { facts in
                    facts.isMixed = true
                    if facts.mayBeResumed(by: kind) { facts.resumeIssued(now) }
                    if facts.hasOwnID, facts.hasGivenWay { (facts.hasGivenWay, facts.ended) = (false, nil) }
                }
            case .submit, .query, .configure, .start: break
            }
            return state.commands.count - 1
        }
    }

    func answered(_ command: Int, jobs: [Job]) {
        let now = now
        with { state in
            if state.isOver || state.commands[command].isOver { return }
            state.commands[command].isOver = true
            let kind = state.commands[command].kind
            for (position, job) in jobs.enumerated() {
                let number = JobPlan.number(of: job)
                guard state.facts.indices.contains(number) else {
                    state.report(.durable, "\(kind) was answered with a job that was never submitted: \(job)", at: now)
                    continue
                }
                state.learn(number, job, now)
                switch kind {
                case .submit: state.acknowledge(command, position, by: number, job, now)
                // If the job had already finished, the cancellation is not its end, and a finished job may be retried.
                case .cancel where job.state == .finished: break
                case .cancel:
                    for index in state.facts.indices where state.facts[index].key == job.key {
                        if state.facts[index].ended == nil { state.facts[index].ended = now }
                    }
                case .suspend: state.acknowledgeSuspend(number, command, job, now)
                case .resume: state.acknowledgeResume(number, command, now)
                case .runNow, .query, .retry, .cancelRun, .delete, .configure, .start, .stop: break
                }
            }
            switch kind {
            case .start:
                state.nodes[state.commands[command].node].isStarted = true
            case .stop:
                state.nodes[state.commands[command].node].isStopReturned = true
                state.checkStop(state.commands[command].node, now)
            case .submit, .cancel, .suspend, .resume, .runNow, .query, .retry, .cancelRun, .delete, .configure: break
            }
        }
    }

    func failed(_ command: Int, _ error: any Error) {
        let now = now
        with { state in
            if state.isOver || state.commands[command].isOver { return }
            state.commands[command].isOver = true
            let failed = state.commands[command]
            if failed.kind == .start { state.nodes[failed.node].hasFailedToStart = true }
            for number in failed.submissions where state.facts[number].answered == nil {
                state.facts[number].answered = now
            }
            if failed.kind == .submit, (error as? JobError)?.code == .alreadyExists {
                for number in failed.submissions {
                    state.facts[number].isRefused = true
                    if let key = state.facts[number].key {
                        state.report(.unique, "submission \(number) was refused, and has made job \(key)", at: now)
                    }
                }
            }
            if let objection = state.objection(to: error, of: failed, now) {
                state.report(
                    .answered, "\(failed.kind) \(failed.job.map { "job\($0)" } ?? "") failed: \(objection)", at: now)
            }
        }
    }
}

extension Ledger.State {
    /// Adds the facts of a submission; the commands in progress may also apply to it.
    fileprivate mutating func addFacts(of plan: JobPlan, _ now: Ledger.Moment) -> Int {
        var facts = Ledger.Facts(plan: plan, number: self.facts.count, issued: now)
        facts.isCancelIssued = isUnderWay(.cancel, plan)
        facts.isSuspendIssued = isUnderWay(.suspend, plan)
        facts.isResumeIssued = isUnderWay(.resume, plan)
        facts.isDeleteIssued = isUnderWay(.delete, plan)
        facts.isMixed = isUnderWay(.retry, plan) || isUnderWay(.cancelRun, plan)
        if facts.isSuspendIssued { facts.perhapsSuspendedSince = now.elapsed }
        facts.runsByHandIssued = commands.count { !$0.isOver && $0.kind == .runNow && $0.job == plan.id }
        for command in commands where !command.isOver && command.kind == .submit {
            for other in command.submissions where self.facts[other].plan.id == plan.id {
                if self.facts[other].plan.conflict == .replace { facts.isReplaceIssued = true }
            }
        }
        // If the submission of an application has not been taken yet, it comes after this one.
        if self.facts.contains(where: {
            $0.isInTransaction && $0.key == nil && $0.plan.id == plan.id && $0.plan.conflict == .replace
        }) {
            facts.isReplaceIssued = true
        }
        if plan.conflict == .replace { update(job: plan.id) { $0.isReplaceIssued = true } }
        self.facts.append(facts)
        return facts.number
    }
}

extension Ledger.Facts {
    fileprivate var hasOwnID: Bool { plan.unique?.hasOwnID ?? false }

    /// Returns whether a command of this kind may resume the job.
    ///
    /// A retry also schedules a job that has finished while it was suspended.
    fileprivate func mayBeResumed(by kind: Ledger.Command.Kind) -> Bool {
        kind == .resume || kind == .retry && plan.count != nil
    }

    fileprivate mutating func resumeIssued(_ now: Ledger.Moment) {
        isResumeIssued = true
        guard let since = suspendedSince else { return }
        suspended.append(since...max(since, now.elapsed))
        suspendedSince = nil
    }
}

extension Ledger.State {
    /// Checks that a stop has waited for the handlers, and marks the results that must be recorded.
    fileprivate mutating func checkStop(_ node: Int, _ now: Ledger.Moment) {
        guard nodes[node].isStarted, !nodes[node].hasLostStore else { return }
        let ends = commands.lazy.filter { $0.kind == .stop && $0.node == node }
            .map { stop in stop.grace.map { stop.issued.elapsed + Int64($0) * 1_000_000 } ?? .max }
        if let end = ends.min(), now.elapsed < end, !nodes[node].running.isEmpty {
            report(.stopped, "stop returned before its grace was over, while handlers were running", at: now)
        }
        guard let healthySince else { return }
        for index in calls.indices where calls[index].node == node && calls[index].cancellation != .shutdown {
            guard let ended = calls[index].ended, calls[index].result != .postponed else { continue }
            if ended.elapsed >= healthySince { calls[index].mustBeRecorded = true }
        }
    }

    /// Records that the submission has made this job, or has changed its definition.
    mutating func learn(_ number: Int, _ job: Job, _ now: Ledger.Moment) {
        if let known = facts[number].key {
            guard known != job.key else { return }
            let id = facts[number].plan.id
            return report(
                .recordedOnce, "submission \(number) of job\(id) made two jobs, \(known) and \(job.key)", at: now)
        }
        let earlier = facts.last { $0.key == job.key && $0.number != number }
        checkUnique(number, job, earlier, now)
        facts[number].key = job.key
        facts[number].jobID = job.id
        if facts[number].answered == nil { facts[number].answered = now }
        let to = facts[number].answered ?? now
        // Other submissions may have been carried out in between without being seen here, because their answers were
        // lost, or because they have no answers.
        let plan = facts[number].plan
        let unseen = facts.filter {
            $0.key == nil && ($0.isInTransaction || $0.answered != nil) && $0.plan.id == plan.id && $0.number != number
        }
        let isUncertain = plan.conflict == .update && !unseen.isEmpty
        defer {
            if isUncertain {
                facts[number].isMixed = true
                // The job may be in a state that the commands for these submissions have caused.
                if unseen.contains(where: \.isResumeIssued) { facts[number].isResumeIssued = true }
                if unseen.contains(where: \.isSuspendIssued) {
                    facts[number].isSuspendIssued = true
                    let since = facts[number].perhapsSuspendedSince ?? .max
                    facts[number].perhapsSuspendedSince = min(since, facts[number].issued.elapsed)
                }
            }
            // Until a turn takes the submission, its instants are on the wall clock, which may have been set.
            let isMoved = facts[number].isInTransaction && facts[number].sawWallMove
            if isUncertain || isMoved { facts[number].phase = nil }
        }
        guard let earlier else {
            facts[number].phase = .init(from: facts[number].issued, to: to, origin: 0)
            return
        }
        guard facts[number].plan.conflict == .update else {
            return report(.recordedOnce, "submission \(number) has changed \(job.id), which it should not", at: now)
        }
        for index in facts.indices where facts[index].key == job.key { facts[index].isMixed = true }
        inherit(number, from: earlier, job, to)
    }

    /// Copies the phase of an equal trigger from the earlier submission; a different trigger begins a new phase.
    private mutating func inherit(_ number: Int, from earlier: Ledger.Facts, _ job: Job, _ to: Ledger.Moment) {
        let plan = facts[number].plan
        if plan.isRelative, plan.when == earlier.plan.when {
            // If the count has begun again, there was another definition in between, which is unknown.
            facts[number].phase = earlier.phase?.origin == job.bookkeeping.origin ? earlier.phase : nil
            facts[number].suspended = earlier.suspended
            facts[number].perhapsSuspended = earlier.perhapsSuspended
            facts[number].perhapsSuspendedSince = earlier.perhapsSuspendedSince
            facts[number].suspendedSince = earlier.suspendedSince
        } else {
            facts[number].phase = .init(from: facts[number].issued, to: to, origin: job.bookkeeping.origin)
            if earlier.perhapsSuspendedSince != nil {
                facts[number].perhapsSuspendedSince = facts[number].issued.elapsed
            }
            if earlier.suspendedSince != nil { facts[number].suspendedSince = to.elapsed }
        }
        facts[number].isSuspendIssued = facts[number].isSuspendIssued || earlier.isSuspendIssued
        facts[number].isResumeIssued = facts[number].isResumeIssued || earlier.isResumeIssued
    }

    fileprivate mutating func acknowledge(
        _ command: Int, _ position: Int, by number: Int, _ job: Job, _ now: Ledger.Moment
    ) {
        let own = commands[command].submissions[position]
        if facts[own].answered == nil { facts[own].answered = now }
        guard number == own else {
            return checkAnswer(to: own, with: number, job, now)
        }
        facts[own].isAcknowledged = true
        // The new job takes the place of all earlier jobs that count as the same. A mixed job with an identifier of its
        // own is left out, because it may have been retried.
        for index in facts.indices where index != own && facts[index].plan.id == facts[own].plan.id {
            guard let key = facts[index].key, key < job.key, facts[index].ended == nil, !facts[index].isDeleteIssued,
                !(facts[index].hasOwnID && facts[index].isMixed)
            else { continue }
            (facts[index].hasGivenWay, facts[index].ended) = (true, now)
        }
    }

    fileprivate mutating func acknowledgeSuspend(_ number: Int, _ command: Int, _ job: Job, _ now: Ledger.Moment) {
        guard let id = commands[command].job, facts[number].suspendedSince == nil, job.state == .suspended else {
            return
        }
        let issued = commands[command].issued
        // A resume that was in progress may be carried out after the suspension.
        let isDisputed = commands.contains { other in
            facts[number].mayBeResumed(by: other.kind) && isAbout(other, id)
                && (!other.isOver || other.issued.elapsed >= issued.elapsed)
        }
        if !isDisputed { facts[number].suspendedSince = now.elapsed }
    }

    fileprivate mutating func acknowledgeResume(_ number: Int, _ command: Int, _ now: Ledger.Moment) {
        guard let id = commands[command].job, let since = facts[number].perhapsSuspendedSince else { return }
        let issued = commands[command].issued
        let isDisputed = commands.contains { other in
            other.kind == .suspend && other.job == id && (!other.isOver || other.issued.elapsed >= issued.elapsed)
        }
        if isDisputed { return }
        facts[number].perhapsSuspended += now.elapsed - since
        facts[number].perhapsSuspendedSince = nil
    }

    /// Returns a reason why the command should not have failed with this error; `nil` if the error is justified.
    fileprivate func objection(to error: any Error, of command: Ledger.Command, _ now: Ledger.Moment) -> String? {
        let node = nodes[command.node]
        guard let error = error as? JobError else { return "\(error) is no JobError" }
        let mayBeGone =
            command.jobID.map { id in
                facts.allSatisfy {
                    $0.jobID != id || $0.issued.elapsed >= command.issued.elapsed || !$0.isAcknowledged
                        || $0.isCancelIssued || $0.isReplaceIssued || $0.isDeleteIssued || $0.isMixed
                        || $0.plan.count != nil
                }
            } ?? false
        switch (error.code, command.kind) {
        case (.alreadyExists, .submit):
            let isRefusing = command.submissions.contains { number in
                facts[number].plan.conflict == .refuse
                    && facts.contains { $0.plan.id == facts[number].plan.id && $0.number != number && !$0.isRefused }
            }
            return isRefusing ? nil : "\(error)"
        case (.notFound, .retry), (.invalid, .retry), (.conflict, .retry): return nil
        case (.notFound, .cancelRun), (.conflict, .cancelRun): return nil
        case (.notFound, .delete), (.invalid, .delete), (.conflict, .delete): return nil
        case (.conflict, .runNow):
            // A job that has finished cannot run beside an open job that counts as the same.
            let isUnique = facts.contains { $0.plan.id == command.job && $0.plan.unique != nil }
            return isUnique ? nil : "\(error), and no other job is in its place"
        case (.invalid, .suspend), (.invalid, .resume), (.invalid, .runNow), (.notFound, .suspend),
            (.notFound, .resume),
            (.notFound, .runNow), (.notFound, .cancel):
            return mayBeGone ? nil : "\(error), and the job was not ended"
        case (.invalid, .submit):
            // The instant may have passed while the submission waited, or the clock was set.
            let isAt = command.submissions.contains { if case .at = facts[$0].plan.when { true } else { false } }
            return isAt && now.wall != command.issued.wall ? nil : "\(error)"
        default: break
        }
        let isUndisturbed = calmSince.map { $0 <= command.issued.elapsed } ?? false
        let isOwner = owner == command.node && node.isStarted && !node.isStopIssued
        return isUndisturbed && isOwner ? "\(error), although nothing was wrong" : nil
    }
}
