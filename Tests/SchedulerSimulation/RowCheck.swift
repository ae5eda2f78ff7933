import ApusJobs
import ApusTimers

/// Compares the rows of the store with the ledger, by rules of its own.
///
/// The rules that made the rows are not used.
struct RowCheck {
    /// The part of an ended run that may never change again.
    private struct Terminal: Hashable {
        var state: RunState
        var isFinal: Bool
        var reason: String?
    }

    private let ledger: Ledger
    private var terminals: [Ledger.Attempt: Terminal] = [:]

    init(ledger: Ledger) { self.ledger = ledger }

    mutating func check(jobs: [Job], runs: [Run]) {
        let now = ledger.now
        let history = Dictionary(grouping: runs, by: \.jobKey)
        ledger.with { state in
            for job in jobs {
                let number = JobPlan.number(of: job)
                guard state.facts.indices.contains(number) else {
                    state.report(.durable, "\(job.id) is in the store, and was never submitted", at: now)
                    continue
                }
                state.learn(number, job, now)
                state.checkDefinition(of: job, number, now)
            }
            state.checkBatches(now)
            state.checkUnique(jobs, now)
            let keys = Set(jobs.map(\.key))
            for facts in state.facts where facts.isAcknowledged && !keys.contains(facts.key ?? 0) {
                state.checkGone(facts, now)
            }
        }
        for job in jobs {
            let runs = (history[job.key] ?? []).sorted { ($0.occurrence, $0.attempt) < ($1.occurrence, $1.attempt) }
            ledger.with { state in
                let facts = state.facts[JobPlan.number(of: job)]
                state.checkState(job, facts, now)
                state.checkOccurrences(job, runs, facts, now)
                state.checkAttempts(job, runs, facts, now)
                state.checkBegun(job, runs, now)
                for run in runs { state.check(run, of: job, facts, now) }
                state.checkPromptness(job, runs, facts, now)
            }
            let isMixed = ledger.with { $0.facts[JobPlan.number(of: job)].isMixed }
            checkTerminals(job, runs, isMixed: isMixed)
        }
    }

    private mutating func checkTerminals(_ job: Job, _ runs: [Run], isMixed: Bool) {
        for run in runs where !run.state.isOpen {
            let key = Ledger.Attempt(key: job.key, occurrence: run.occurrence, attempt: run.attempt)
            let terminal = Terminal(state: run.state, isFinal: run.isFinal, reason: run.reason)
            let isTriedAgain =
                terminals[key].map { $0.isFinal && $0.state == terminal.state && $0.reason == terminal.reason } ?? false
                && !terminal.isFinal && isMixed
            if let before = terminals[key], before != terminal, !isTriedAgain {
                ledger.report(
                    .recordedOnce,
                    "\(job.id), occurrence \(run.occurrence), attempt \(run.attempt) was \(before.state) "
                        + "(\(before.reason ?? "")), and became \(terminal.state) (\(terminal.reason ?? ""))")
            }
            terminals[key] = terminal
        }
        if terminals.isEmpty { return }
        let open = runs.filter { run in
            run.state.isOpen
                && terminals[.init(key: job.key, occurrence: run.occurrence, attempt: run.attempt)] != nil
        }
        if let run = open.first {
            ledger.report(
                .recordedOnce,
                "\(job.id), occurrence \(run.occurrence), attempt \(run.attempt) had ended, and is open again")
        }
    }

    /// Checks that as many occurrences have arrived as the plan demands, by the clock that each trigger counts.
    func checkEverythingArrived(_ jobs: [Job]) {
        let now = ledger.now
        ledger.with { state in
            for job in jobs where job.state == .scheduled || job.state == .finished {
                let facts = state.facts[JobPlan.number(of: job)]
                if job.state == .finished, facts.isSuspendIssued { continue }
                guard let phase = facts.phase, !facts.isMixed || facts.plan.isRelative else { continue }
                let arrived = job.nextOccurrence - 1 - phase.origin
                let (least, most) = facts.expected(now, phase)
                if arrived < least {
                    state.report(
                        .recovery, "\(job.id): \(arrived) occurrences have arrived, and \(least) were due", at: now)
                }
                if arrived > most {
                    state.report(
                        .neverEarly, "\(job.id): \(arrived) occurrences have arrived, and \(most) were due", at: now)
                }
            }
        }
    }
}

extension Ledger.State {
    /// Checks a missing job, which must have been removed by a deletion after it had ended.
    fileprivate mutating func checkGone(_ facts: Ledger.Facts, _ now: Ledger.Moment) {
        let what = "job\(facts.plan.id) of submission \(facts.number) was acknowledged, and is gone"
        guard facts.isDeleteIssued else { return report(.durable, what, at: now) }
        let mayHaveEnded =
            facts.plan.count != nil || facts.isCancelIssued || facts.isReplaceIssued || facts.isMixed
        if !mayHaveEnded { report(.durable, "\(what), although it never ends", at: now) }
        if let call = calls.last(where: { $0.key == facts.key && $0.ended == nil }), owner == call.node,
            !nodes[call.node].isDead
        {
            report(.durable, "\(what), and its handler still runs", at: now)
        }
    }
}

extension Ledger.Facts {
    /// Returns the smallest and the largest number of occurrences that may have arrived by now.
    fileprivate func expected(_ now: Ledger.Moment, _ phase: Ledger.Phase) -> (least: Int, most: Int) {
        let most = plan.count ?? .max
        // An occurrence that was due in the last seconds may still wait for its tolerance.
        let slack = Int64(plan.tolerance + 5_000) * 1_000_000
        switch plan.when {
        case .at(let delay):
            // The clock may have reached the instant before it was set back.
            let due = issued.wall + Int64(delay) * 1_000_000
            return (now.wall - slack >= due ? 1 : 0, sawWallMoveBack || now.wall >= due ? 1 : 0)
        case .after(let delay): return elapsed(Int64(delay) * 1_000_000, now, slack, phase, most: most)
        case .every(let interval, _): return elapsed(Int64(interval) * 1_000_000, now, slack, phase, most: most)
        case .anchored(let every, let offset, _):
            let interval = Int64(every) * 1_000_000
            let anchor = issued.wall + Int64(offset) * 1_000_000
            if sawWallMove { return (0, most) }
            func passed(_ instant: Int64) -> Int64 {
                instant < anchor ? 0 : (instant - anchor) / interval + 1
            }
            return (
                min(most, Int(passed(now.wall - slack) - passed(phase.to.wall))),
                min(most, Int(passed(now.wall) - passed(issued.wall)))
            )
        }
    }

    private func elapsed(
        _ interval: Int64, _ now: Ledger.Moment, _ slack: Int64, _ phase: Ledger.Phase, most: Int
    ) -> (Int, Int) {
        let certain = suspended.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let perhaps = perhapsSuspended + (perhapsSuspendedSince.map { now.elapsed - $0 } ?? 0)
        let least = max(0, now.elapsed - slack - phase.to.elapsed - perhaps) / interval
        return (min(most, Int(least)), min(most, Int(max(0, now.elapsed - phase.from.elapsed - certain) / interval)))
    }
}
