import ApusJobs
import ApusTimers

/// The checks of the rows of the store.
extension Ledger.State {
    /// Checks that the stored definition is not older than an acknowledged one.
    mutating func checkDefinition(of job: Job, _ number: Int, _ now: Ledger.Moment) {
        for later in facts where later.isAcknowledged && later.key == job.key && later.number != number {
            if let answered = facts[number].answered, answered.elapsed < later.issued.elapsed {
                report(
                    .durable,
                    "\(job.id) has the definition of submission \(number), but \(later.number) was acknowledged",
                    at: now)
            }
        }
    }

    mutating func checkState(_ job: Job, _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        switch job.state {
        case .scheduled:
            if facts.suspendedSince != nil {
                report(.obeyed, "\(job.id) is scheduled although its suspension was acknowledged", at: now)
            }
            if let ended = facts.ended, now.elapsed > ended.elapsed {
                report(.obeyed, "\(job.id) is scheduled although it was cancelled or replaced", at: now)
            }
        case .suspended:
            if !facts.isSuspendIssued {
                report(.trueOutcome, "\(job.id) is suspended without a command", at: now)
            }
        case .cancelled:
            if !facts.isCancelIssued, !facts.isReplaceIssued {
                report(.trueOutcome, "\(job.id) is cancelled without a command", at: now)
            }
        case .finished:
            guard let count = facts.plan.count else {
                return report(.oneOutcome, "\(job.id) has finished, and its trigger has no end", at: now)
            }
            // When the clock was set back, occurrences may have been repeated.
            let isCountable = !facts.sawWallMoveBack || facts.plan.isRelative
            if isCountable, job.occurrenceCount != count + job.bookkeeping.origin {
                report(.oneOutcome, "\(job.id) has finished with \(job.occurrenceCount) outcomes of \(count)", at: now)
            }
        }
    }

    /// Checks that the outcomes and the open runs are exactly the occurrences that have arrived.
    mutating func checkOccurrences(_ job: Job, _ runs: [Run], _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        var next = 1
        var outcomes = 0
        var previous: Run?
        for run in runs where run.occurrence > 0 {
            defer { previous = run }
            let what = "\(job.id) (submission \(facts.number)), occurrence \(run.occurrence)"
            if let previous, previous.occurrence == run.occurrence {
                if previous.state.isOpen || previous.isFinal || previous.state == .skipped {
                    report(.oneOutcome, "\(what) continues after attempt \(previous.attempt), its outcome", at: now)
                }
                if run.attempt != previous.attempt + 1 {
                    report(.oneOutcome, "\(what) has attempt \(run.attempt) after \(previous.attempt)", at: now)
                }
            } else {
                if run.attempt > 1 { report(.oneOutcome, "\(what) begins with attempt \(run.attempt)", at: now) }
                if run.occurrence != next {
                    report(.oneOutcome, "\(what) follows \(next - 1): one is missing, or has two outcomes", at: now)
                }
                next = max(next, run.through + 1)
            }
            if run.isFinal { outcomes += run.through - run.occurrence + 1 }
        }
        for (index, run) in runs.enumerated() where run.occurrence > 0 && !run.isFinal && !run.state.isOpen {
            if index + 1 == runs.count || runs[index + 1].occurrence != run.occurrence {
                report(.oneOutcome, "\(job.id), occurrence \(run.occurrence) has no outcome and is not open", at: now)
            }
        }
        if next != job.nextOccurrence {
            report(.oneOutcome, "\(job.id): \(job.nextOccurrence) comes next, but \(next - 1) was the last", at: now)
        }
        if outcomes != job.occurrenceCount {
            report(.oneOutcome, "\(job.id) counts \(job.occurrenceCount) outcomes, and has \(outcomes)", at: now)
        }
        if let count = facts.plan.count, !facts.isMixed, next - 1 > count {
            report(.oneOutcome, "\(job.id) has \(next - 1) occurrences, more than \(count)", at: now)
        }
        if job.state.isFinal, let run = runs.first(where: { $0.state == .waiting }) {
            report(.oneOutcome, "\(job.id) is \(job.state), and occurrence \(run.occurrence) waits", at: now)
        }
    }

    /// Checks that a finished job had a run after each acknowledged submission of it.
    mutating func checkBegun(_ job: Job, _ runs: [Run], _ now: Ledger.Moment) {
        guard job.state == .finished else { return }
        for facts in facts where facts.key == job.key && facts.isAcknowledged && !facts.sawWallMove {
            let isFollowed = runs.contains { run in
                guard run.occurrence > 0, let instant = run.claimed ?? run.finished else { return false }
                // The only occurrence of a trigger must not be dropped because of an overlap.
                let isDropped =
                    run.state == .skipped && facts.plan.interval == nil
                    && ["overlap", "queueFull"].contains(run.reason)
                return !isDropped && Int64(clamping: instant.nanoseconds) >= facts.issued.wall
            }
            if !isFollowed {
                report(
                    .begun, "\(job.id) has finished, and no run has begun since submission \(facts.number)", at: now)
            }
        }
    }

    /// Checks that retries end according to the policy, and that a run that stands for several occurrences has skipped
    /// the others.
    mutating func checkAttempts(_ job: Job, _ runs: [Run], _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        var (occurrence, failures, losses) = (Int.min, 0, 0)
        for (index, run) in runs.enumerated() {
            if run.occurrence != occurrence { (occurrence, failures, losses) = (run.occurrence, 0, 0) }
            let what = "\(job.id) (submission \(facts.number)), occurrence \(run.occurrence), attempt \(run.attempt)"
            if run.state == .failed, !facts.isMixed {
                failures += 1
                let plan = facts.plan
                let isFinally = plan.behaviour(occurrence: run.occurrence, attempt: run.attempt) == .failFinally
                let isLast = failures >= plan.maximumAttempts || isFinally
                if run.isFinal != isLast, !isFinally {
                    report(
                        .trueOutcome,
                        "\(what) is \(failures) failures of \(plan.maximumAttempts), and \(run.isFinal ? "the" : "no") outcome",
                        at: now)
                }
            }
            if run.state == .lost, !facts.isMixed {
                losses += 1
                if run.isFinal != (losses >= facts.plan.maximumLost) {
                    report(
                        .trueOutcome,
                        "\(what) is lost \(losses) times of \(facts.plan.maximumLost), and "
                            + "\(run.isFinal ? "the" : "no") outcome", at: now)
                }
            }
            if facts.isMixed { continue }
            guard run.standsFor > 1, run.attempt == 1, run.occurrence > 0 else { continue }
            let before = index > 0 ? runs[index - 1] : nil
            let isRight =
                before.map {
                    $0.reason == "coalesced" && $0.through == run.occurrence - 1
                        && $0.occurrence <= run.occurrence - run.standsFor + 1
                } ?? false
            if !isRight {
                report(.oneOutcome, "\(what) stands for \(run.standsFor), but they were not coalesced", at: now)
            }
        }
    }

    /// Checks that the jobs of one call exist all together or not at all.
    mutating func checkBatches(_ now: Ledger.Moment) {
        for command in commands where command.isOver && command.kind == .submit && command.submissions.count > 1 {
            let made = command.submissions.map { facts[$0] }
            // These submissions may have been answered with an existing job.
            if made.contains(where: { $0.plan.conflict == .keep || $0.plan.unique?.within != nil }) { continue }
            // Before one of these jobs was seen, a later submission may have changed or replaced it. So may a
            // submission that an application committed earlier and that was taken later.
            let isChanged = made.contains { one in
                facts.contains {
                    ($0.number > one.number || $0.isInTransaction) && $0.number != one.number
                        && $0.plan.id == one.plan.id
                }
            }
            if isChanged { continue }
            let count = made.count { $0.key != nil }
            if count > 0, count < made.count {
                report(.durable, "of \(made.count) jobs of one call, only \(count) are in the store", at: now)
            }
        }
    }

    mutating func check(_ run: Run, of job: Job, _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        let what = "\(job.id) (submission \(facts.number)), occurrence \(run.occurrence), attempt \(run.attempt)"
        let attempt = Ledger.Attempt(key: job.key, occurrence: run.occurrence, attempt: run.attempt)
        let call = callsByAttempt[attempt]?.last.map { calls[$0] }
        if let call, call.mustBeRecorded, run.state == .lost || run.state == .running {
            report(
                .trueOutcome, "\(what) is \(run.state), but its handler had ended before its scheduler stopped", at: now
            )
        }
        checkLeft(what, run, now)
        checkBegunInTime(what, run, facts, now)
        if let started = run.started, started < run.due {
            report(.neverEarly, "\(what) is stored as begun before its due instant", at: now)
        }
        switch run.state {
        case .succeeded:
            if call?.result != .returned {
                report(.trueOutcome, "\(what) has succeeded, but its handler did not", at: now)
            }
        case .failed: checkFailed(what, run, call, facts, now)
        case .lost:
            guard let call else { return }
            let node = nodes[call.node]
            let isUndisturbed = !node.isDead && !node.isStopIssued && !node.hasLostStore
            if isUndisturbed {
                report(.trueOutcome, "\(what) is lost, but its process lives and owns the store", at: now)
            }
        case .cancelled:
            let isByJob = facts.isCancelIssued || facts.isReplaceIssued
            if !isByJob, !facts.isMixed, facts.plan.overlap != .replace || run.occurrence <= 0 {
                report(.trueOutcome, "\(what) is cancelled (\(run.reason ?? "")) without a command", at: now)
            }
        case .skipped: if !facts.isMixed { checkSkipped(what, run, facts, now) }
        case .waiting:
            if let call, call.ended == nil, call.node == owner, !nodes[call.node].isDead {
                report(.recordedOnce, "\(what) waits in the store while its handler runs", at: now)
            }
        case .running: break
        }
    }

    private mutating func checkFailed(
        _ what: String, _ run: Run, _ call: Ledger.Call?, _ facts: Ledger.Facts, _ now: Ledger.Moment
    ) {
        guard run.reason == "timedOut" else {
            if call?.result != .threw { report(.trueOutcome, "\(what) has failed, but its handler did not", at: now) }
            return
        }
        if facts.isMixed { return }
        guard let call, let limit = facts.plan.timeLimit, let ended = call.endedUptime,
            ended - call.startedUptime >= Int64(limit) * 1_000_000
        else { return report(.trueOutcome, "\(what) has timed out before its time limit", at: now) }
    }

    /// Checks that the first attempt of an occurrence began before the end of its expiry.
    private mutating func checkBegunInTime(
        _ what: String, _ run: Run, _ facts: Ledger.Facts, _ now: Ledger.Moment
    ) {
        let plan = facts.plan
        guard let expiry = plan.expiry, !facts.isMixed, !facts.sawWallMove, run.attempt == 1, run.occurrence > 0,
            let claimed = run.claimed, plan.postponement(occurrence: run.occurrence, attempt: 1) == nil
        else { return }
        if run.due.duration(to: claimed) > .milliseconds(plan.tolerance + expiry) {
            report(.trueOutcome, "\(what) began after its expiry", at: now)
        }
    }

    private mutating func checkSkipped(_ what: String, _ run: Run, _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        let plan = facts.plan
        switch run.reason {
        case "overlap":
            if case .queue = plan.overlap {
                report(.trueOutcome, "\(what) is skipped for an overlap, but queues", at: now)
            }
            if plan.overlap == .replace {
                report(.trueOutcome, "\(what) is skipped for an overlap, but replaces", at: now)
            }
        case "queueFull":
            if case .queue = plan.overlap {
            } else {
                report(.trueOutcome, "\(what) is skipped, but has no queue", at: now)
            }
        case "missed", "coalesced":
            if run.reason == "coalesced", plan.missed != .runOnce {
                report(.trueOutcome, "\(what) is coalesced, but its policy is \(plan.missed)", at: now)
            }
            // If everything has worked since the submission, nothing has kept the scheduler from examining the job in
            // time.
            let interval = plan.interval ?? .max
            let isPrompt = calmSince.map { $0 < facts.issued.elapsed } ?? false
            if isPrompt, !wasCrowded(since: facts.issued.elapsed), !facts.isSuspendIssued, plan.tolerance < interval,
                plan.queue == nil,
                plan.grace ?? 1 > 0
            {
                report(.recovery, "\(what) is \(run.reason ?? ""), but nothing was in its way", at: now)
            }
        case "expired":
            let late = run.finished.map { run.due.duration(to: $0) } ?? .zero
            guard let expiry = plan.expiry, facts.sawWallMove || late > .milliseconds(plan.tolerance + expiry) else {
                return report(.trueOutcome, "\(what) has expired too early, or has no expiry", at: now)
            }
            // If everything has worked since the submission, nothing has kept the run from beginning.
            let isPrompt = calmSince.map { $0 < facts.issued.elapsed } ?? false
            if isPrompt, !wasCrowded(since: facts.issued.elapsed), !facts.isSuspendIssued, plan.queue == nil,
                plan.conditions.isEmpty, plan.overlap == .skip, expiry > 7_000
            {
                report(.recovery, "\(what) has expired, but nothing was in its way", at: now)
            }
        default: report(.trueOutcome, "\(what) is skipped for no known reason: \(run.reason ?? "")", at: now)
        }
    }

    /// Checks that nothing is overdue when everything has worked for a while.
    mutating func checkPromptness(_ job: Job, _ runs: [Run], _ facts: Ledger.Facts, _ now: Ledger.Moment) {
        guard let calm = calmSince, now.elapsed - calm >= 10_000_000_000, let owner,
            !wasCrowded(since: now.elapsed - 10_000_000_000)
        else { return }
        // A job that waits in its queue is not overdue.
        if facts.plan.queue != nil { return }
        let running = nodes[owner].running
        let slack = Int64(facts.plan.tolerance + 7_000) * 1_000_000
        // A job may wait for a place before its occurrence is examined.
        let wasFull =
            running.count >= history.maximumConcurrentRuns || now.elapsed - nodes[owner].lastFull < 7_000_000_000
        if job.state == .scheduled, !wasFull, let due = job.nextDue,
            Int64(clamping: due.nanoseconds) + slack < now.wall
        {
            report(.recovery, "\(job.id): an occurrence is overdue, and no wake-up is set for it", at: now)
        }
        for run in runs where run.state == .running {
            let isRunning = running.contains {
                calls[$0].key == job.key && calls[$0].occurrence == run.occurrence && calls[$0].attempt == run.attempt
            }
            if isRunning || run.claimed.map({ Int64(clamping: $0.nanoseconds) + slack >= now.wall }) ?? false {
                continue
            }
            if now.elapsed - nodes[owner].lastEnd < 7_000_000_000 { continue }
            report(.recovery, "\(job.id): occurrence \(run.occurrence) is claimed, and no handler runs", at: now)
        }
        guard running.isEmpty, now.elapsed - nodes[owner].lastEnd > 7_000_000_000, job.state == .scheduled,
            facts.plan.conditions.isEmpty || unmetSince.isEmpty
        else { return }
        // Other runs may wait for a run that begins later because of a retry or a postponement.
        let isPausing = runs.contains { run in
            run.state == .waiting && run.notBefore.map { Int64(clamping: $0.nanoseconds) + slack >= now.wall } ?? false
        }
        if isPausing { return }
        for run in runs where run.state == .waiting {
            let instant = Int64(clamping: max(run.due, run.notBefore ?? run.due).nanoseconds)
            if instant + slack < now.wall {
                report(.recovery, "\(job.id): occurrence \(run.occurrence) waits although nothing runs", at: now)
            }
        }
    }
}
