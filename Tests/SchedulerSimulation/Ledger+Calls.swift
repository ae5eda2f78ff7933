import ApusJobs
import ApusTimers

/// The checks of each call of a handler against all earlier promises.
extension Ledger {
    /// Records the call of a handler; `run` is its run in the store.
    func began(_ context: RunContext, node: Int, stored run: Run?) -> Int? {
        let now = now
        let uptime = uptime
        return with { state -> Int? in
            if state.isOver { return nil }
            let number = JobPlan.number(of: context.job)
            guard state.facts.indices.contains(number) else {
                state.report(.durable, "a run of a job that was never submitted: \(context.job)", at: now)
                return nil
            }
            state.learn(number, context.job, now)
            state.checkNode(node, number, now)
            state.checkAttempt(context, node, number, run?.state, now)
            state.checkInstant(context, number, now)
            state.checkSnoozed(context, node, number, now)
            state.checkCommands(context, number, now)
            state.checkConditions(context, number, now)
            state.checkQueue(number, node, now)
            let claim = state.claim(of: run, now)
            state.checkRate(number, claimed: claim, now)
            state.checkLateness(context, node, number, now)
            let attempt = Attempt(key: context.job.key, occurrence: context.occurrence, attempt: context.attempt)
            var call = Call(
                node: node, submission: number, key: context.job.key, occurrence: context.occurrence,
                attempt: context.attempt, started: now, due: Int64(clamping: context.due.nanoseconds), claimed: claim,
                startedUptime: uptime)
            call.wasCalm = state.calmSince.map { $0 < now.elapsed } ?? false
            state.calls.append(call)
            state.callsByAttempt[attempt, default: []].append(state.calls.count - 1)
            state.nodes[node].running.append(state.calls.count - 1)
            state.noteFull(node, now)
            return state.calls.count - 1
        }
    }

    func ended(_ call: Int?, _ result: Call.Result, cancelled reason: CancellationReason?) {
        guard let call else { return }
        let now = now
        let uptime = uptime
        with { state in
            if state.isOver { return }
            state.calls[call].ended = now
            state.calls[call].endedUptime = uptime
            state.calls[call].result = result
            state.calls[call].cancellation = reason
            if reason == nil { state.checkNotCancelled(call, now, uptime) }
            let node = state.calls[call].node
            state.noteFull(node, now)
            state.nodes[node].running.removeAll { $0 == call }
            state.nodes[node].lastEnd = now.elapsed
        }
    }
}

extension Ledger.State {
    fileprivate mutating func noteFull(_ node: Int, _ now: Ledger.Moment) {
        if nodes[node].running.count >= history.maximumConcurrentRuns { nodes[node].lastFull = now.elapsed }
    }

    /// Returns whether jobs that wait for a place may have kept other jobs out of memory since an instant.
    func wasCrowded(since instant: Int64) -> Bool {
        history.maximumLoaded < 5
            && (!queues.isEmpty
                || nodes.contains { $0.lastFull >= instant || $0.running.count >= history.maximumConcurrentRuns })
    }

    func name(_ number: Int, _ occurrence: Int, _ attempt: Int) -> String {
        "job\(facts[number].plan.id) (submission \(number)), occurrence \(occurrence), attempt \(attempt)"
    }

    fileprivate mutating func checkNode(_ node: Int, _ number: Int, _ now: Ledger.Moment) {
        let job = "job\(facts[number].plan.id)"
        if nodes[node].isStopReturned {
            report(.stopped, "a handler of \(job) was called after stop had returned", at: now)
        }
        if nodes[node].hasFailedToStart {
            report(.stopped, "a handler of \(job) was called although the start had failed", at: now)
        }
        // At the very instant at which another process takes the store, a run that the former owner has claimed may
        // still begin.
        if owner != node, takenOver?.elapsed != now.elapsed {
            report(.ownership, "process \(node) began \(job), but process \(owner ?? -1) owns the store", at: now)
        }
        if nodes[node].running.count >= history.maximumConcurrentRuns {
            report(.limit, "\(job) began beside \(nodes[node].running.count) others", at: now)
        }
    }

    fileprivate mutating func checkAttempt(
        _ context: RunContext, _ node: Int, _ number: Int, _ claimed: RunState?, _ now: Ledger.Moment
    ) {
        let what = name(number, context.occurrence, context.attempt)
        let attempt = Ledger.Attempt(
            key: context.job.key, occurrence: context.occurrence, attempt: context.attempt)
        if callsByAttempt[attempt, default: []].contains(where: { calls[$0].result != .postponed }) {
            report(.recordedOnce, "\(what) began for the second time", at: now)
        }
        switch claimed {
        case .running: break
        case .cancelled where facts[number].isReplaceIssued || facts[number].isCancelIssued: break
        case nil, .waiting, .succeeded, .failed, .skipped, .lost, .cancelled:
            report(
                .recordedOnce, "\(what) began, but in the store it is \(claimed.map { "\($0)" } ?? "not there")",
                at: now)
        }
        let beside = nodes[node].running.filter { calls[$0].key == context.job.key && calls[$0].occurrence > 0 }
        if beside.contains(where: { calls[$0].occurrence == context.occurrence }) {
            report(.overlap, "\(what) began while an earlier attempt was running", at: now)
        }
        if context.occurrence > 0 {
            let most =
                switch facts[number].plan.overlap {
                case .skip, .queue, .replace: 1
                case .allow(let limit): limit
                }
            if beside.count >= most { report(.overlap, "\(what) began beside \(beside.count) others of it", at: now) }
            if let count = facts[number].plan.count, !facts[number].isMixed, context.job.bookkeeping.origin == 0,
                context.occurrence > count
            {
                report(.oneOutcome, "\(what) began, but there are only \(count) occurrences", at: now)
            }
        } else {
            let key = context.job.key
            let numbers = Set(calls.lazy.filter { $0.key == key && $0.occurrence <= 0 }.map(\.occurrence))
                .union([context.occurrence])
            // A definition that an application submitted may have been replaced before any process read it.
            let id = facts[number].plan.id
            let issued =
                facts.lazy.filter { $0.key == key || $0.key == nil && $0.plan.id == id }.map(\.runsByHandIssued).max()
                ?? 0
            if numbers.count > issued {
                report(.recordedOnce, "\(what) began, but only \(issued) runs by hand were asked for", at: now)
            }
        }
    }

    fileprivate mutating func checkInstant(_ context: RunContext, _ number: Int, _ now: Ledger.Moment) {
        let what = name(number, context.occurrence, context.attempt)
        let due = Int64(clamping: context.due.nanoseconds)
        if now.wall < due {
            report(.neverEarly, "\(what) began \(lack(due - now.wall)) before its due instant", at: now)
        }
        if context.started.nanoseconds != UInt64(now.wall) {
            report(.trueOutcome, "\(what) got another start than its own", at: now)
        }
        checkPause(context, number, now)
        guard context.occurrence > 0 else { return }
        let facts = facts[number]
        switch facts.plan.when {
        case .after, .every:
            guard let earliest = facts.earliestElapsed(of: context.occurrence) else { return }
            if now.elapsed < earliest {
                report(
                    .neverEarly, "\(what) began \(lack(earliest - now.elapsed)) of elapsed time before it was due",
                    at: now)
            }
        case .at where facts.isMixed: return
        case .at(let delay):
            let instant = facts.issued.wall + Int64(delay) * 1_000_000
            if now.wall < instant {
                report(.neverEarly, "\(what) began \(lack(instant - now.wall)) too early", at: now)
            }
        case .anchored(let interval, let offset, _):
            let anchor = facts.issued.wall + Int64(offset) * 1_000_000
            // An open occurrence keeps its due instant when its job is redefined, so a mixed job is not checked.
            if !facts.isMixed, (due - anchor) % (Int64(interval) * 1_000_000) != 0 {
                report(.neverEarly, "\(what) was due at an instant that is not on its grid", at: now)
            }
        }
    }

    private func lack(_ nanoseconds: Int64) -> String { seconds((nanoseconds + 999_999) / 1_000_000) }

    /// Checks that no attempt begins before the end of its postponement or of the pause before a retry.
    private mutating func checkPause(_ context: RunContext, _ number: Int, _ now: Ledger.Moment) {
        let what = name(number, context.occurrence, context.attempt)
        let same = callsByAttempt[
            .init(key: context.job.key, occurrence: context.occurrence, attempt: context.attempt), default: []]
        if let last = same.last, calls[last].result == .postponed, let ended = calls[last].ended,
            let delay = facts[calls[last].submission].plan.postponement(
                occurrence: context.occurrence, attempt: context.attempt),
            now.elapsed < ended.elapsed + Int64(delay) * 1_000_000
        {
            report(.neverEarly, "\(what) began before the end of its postponement", at: now)
        }
        guard context.attempt > 1, !facts[number].isMixed else { return }
        let before = Ledger.Attempt(
            key: context.job.key, occurrence: context.occurrence, attempt: context.attempt - 1)
        // A lost attempt is repeated at once. So is an attempt whose end could not be written before a crash.
        guard let index = callsByAttempt[before]?.last, calls[index].result == .threw, calls[index].cancellation == nil,
            calls[index].node == owner, let ended = calls[index].ended
        else { return }
        let pause = Int64(min(facts[number].plan.backoff, 10_000)) * 800_000
        if now.elapsed < ended.elapsed + pause {
            report(
                .neverEarly, "\(what) began \(lack(now.elapsed - ended.elapsed)) after the failure, in its pause",
                at: now)
        }
    }

    fileprivate mutating func checkCommands(_ context: RunContext, _ number: Int, _ now: Ledger.Moment) {
        let what = name(number, context.occurrence, context.attempt)
        let facts = facts[number]
        // At the instant of the command, a run that was claimed earlier may still begin.
        if let ended = facts.ended, now.elapsed > ended.elapsed {
            report(.obeyed, "\(what) began after an acknowledged cancel or replacement", at: now)
        }
        if let since = facts.suspendedSince, now.elapsed > since, context.occurrence > 0 {
            report(.obeyed, "\(what) began while the job was suspended", at: now)
        }
    }

    fileprivate mutating func checkConditions(_ context: RunContext, _ number: Int, _ now: Ledger.Moment) {
        guard context.occurrence > 0, let flows = flowsSince else { return }
        for bit in [1, 2, 4] where facts[number].plan.conditions.contains(JobConditions(rawValue: bit)) {
            // A run may begin up to a second after a condition has ceased to hold, because the jobs share one reading
            // of the conditions for a short time, and a claim takes a while when the store fails.
            guard let since = unmetSince[bit], max(since, flows, calmSince ?? .max) < now.elapsed - 1_000_000_000 else {
                continue
            }
            report(
                .conditions,
                "\(name(number, context.occurrence, context.attempt)) began, but condition \(bit) did not hold", at: now
            )
        }
    }
}

extension Ledger.State {
    /// Checks that a first attempt begins when it is due, unless something delays it.
    fileprivate mutating func checkLateness(
        _ context: RunContext, _ node: Int, _ number: Int, _ now: Ledger.Moment
    ) {
        let plan = facts[number].plan
        let late = now.wall - Int64(clamping: context.due.nanoseconds)
        let due = now.elapsed - late
        let isFirst =
            callsByAttempt[
                .init(key: context.job.key, occurrence: context.occurrence, attempt: context.attempt)] == nil
        guard context.attempt == 1, isFirst, context.occurrence > 0, let calm = calmSince, calm < due,
            nodes[node].running.isEmpty, nodes[node].lastEnd < due, plan.conditions.isEmpty,
            plan.queue == nil, !facts[number].isSuspendIssued, !facts[number].isMixed, !wasCrowded(since: due),
            late > Int64(plan.tolerance + 1_000) * 1_000_000
        else { return }
        report(
            .recovery, "\(name(number, context.occurrence, context.attempt)) began \(lack(late)) late for no reason",
            at: now)
    }

    /// Reports a handler that ended by itself after the time at which it should have been cancelled.
    fileprivate mutating func checkNotCancelled(_ call: Int, _ now: Ledger.Moment, _ uptime: Int64) {
        let ended = calls[call]
        let facts = facts[ended.submission]
        let what = name(ended.submission, ended.occurrence, ended.attempt)
        let slack: Int64 = 1_000_000_000
        // When a frozen process is resumed, all the time for which it was frozen passes for it at once.
        if let limit = facts.plan.timeLimit, !facts.isMixed, flowsSince.map({ $0 <= ended.started.elapsed }) ?? false,
            uptime - ended.startedUptime > Int64(limit) * 1_000_000 + slack
        {
            report(.trueOutcome, "\(what) was not cancelled at the end of its time limit", at: now)
        }
        if let cancelled = facts.ended, now.elapsed > cancelled.elapsed + slack, ended.node == owner,
            ended.started.elapsed < cancelled.elapsed
        {
            report(.obeyed, "\(what) was not cancelled when its job was cancelled or replaced", at: now)
        }
    }
}

extension Ledger.Facts {
    /// Returns the earliest elapsed time at which an occurrence can be due.
    ///
    /// It is the time of the submission, plus the intervals up to the occurrence, plus the time for which the job was
    /// certainly suspended until the occurrence was due.
    ///
    /// - Returns: The time in nanoseconds; `nil` if it is unknown.
    func earliestElapsed(of number: Int) -> Int64? {
        // The occurrences of an earlier definition keep their instants.
        guard let phase, number > phase.origin else { return nil }
        let interval: Int64
        switch plan.when {
        case .after(let delay): interval = Int64(delay)
        case .every(let every, _): interval = Int64(every)
        case .at, .anchored: return nil
        }
        var due = phase.from.elapsed + Int64(number - phase.origin) * interval * 1_000_000
        for pause in suspended where pause.lowerBound < due { due += pause.upperBound - pause.lowerBound }
        if let since = suspendedSince, since < due { return .max }
        return due
    }
}
