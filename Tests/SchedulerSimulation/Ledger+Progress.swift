import ApusJobs
import ApusTimers

/// The reports of handlers, and what is stored of postponed attempts.
extension Ledger {
    /// Returns the text of a handler's report with this index, counted from 0.
    static func report(_ index: Int, of call: Int) -> String { "\(call).\(index)" }

    /// Records that a handler reports progress.
    func reported(_ call: Int?) {
        guard let call else { return }
        let now = now.elapsed
        with { state in
            if !state.isOver { state.calls[call].reports.append(now) }
        }
    }
}

extension Ledger.State {
    /// Checks that a postponed run continues in the same attempt, and that its due instant is unchanged.
    mutating func checkSnoozed(_ context: RunContext, _ node: Int, _ number: Int, _ now: Ledger.Moment) {
        let what = name(number, context.occurrence, context.attempt)
        let isMixed = facts[number].isMixed
        func last(_ attempt: Int) -> Ledger.Call? {
            callsByAttempt[
                .init(key: context.job.key, occurrence: context.occurrence, attempt: attempt)]?.last.map { calls[$0] }
        }
        if !isMixed, context.attempt == 1, context.isLastAttempt != (facts[number].plan.maximumAttempts == 1) {
            report(.trueOutcome, "\(what) has the wrong value of isLastAttempt", at: now)
        }
        if let before = last(context.attempt - 1), before.result == .postponed, before.node == node, !isMixed {
            report(.snooze, "\(what) began after an attempt that asked to be called later", at: now)
        }
        if let before = last(context.attempt), before.result == .postponed,
            clocks.last.map({ $0.elapsed < before.started.elapsed }) ?? true,
            before.due != Int64(clamping: context.due.nanoseconds)
        {
            report(.snooze, "\(what) asked to be called later, and has another due instant", at: now)
        }
    }

    /// Checks that a row has no output or result of a postponed attempt, and that its progress is the last report.
    mutating func checkLeft(_ what: String, _ run: Run, _ now: Ledger.Moment) {
        if run.exitCode != nil || !run.output.isEmpty || run.result != nil {
            report(.snooze, "\(what) has kept what a handler left that asked to be called later", at: now)
        }
        let attempt = Ledger.Attempt(key: run.jobKey, occurrence: run.occurrence, attempt: run.attempt)
        let made = callsByAttempt[attempt] ?? []
        // This is the last of the attempt's calls that have reported something.
        let last = made.last { !calls[$0].reports.isEmpty }
        let kept = run.progress?.message
        guard last != nil || kept != nil else { return }
        let parts = (kept ?? "").split(separator: ".").compactMap { Int($0) }
        let isReported = parts.count == 2 && made.contains(parts[0]) && parts[1] < calls[parts[0]].reports.count
        if run.progress != nil, !isReported {
            return report(.progress, "\(what) has kept \(kept ?? ""), which its handler did not report", at: now)
        }
        guard let last, let call = made.last else { return }
        let isAtItsEnd =
            switch run.state {
            case .succeeded, .failed: true
            case .waiting: calls[call].result == .postponed
            case .running, .skipped, .lost, .cancelled: false
            }
        let latest = Ledger.report(calls[last].reports.count - 1, of: last)
        if isAtItsEnd, kept != latest {
            report(
                .progress, "\(what) has ended as \(run.state) with the report \(kept ?? "none"), the last is \(latest)",
                at: now)
        }
        // While a handler runs, only the first of several reports within a second is stored at once.
        guard run.state == .running, calls[call].ended == nil, last == call,
            let calm = calmSince, calm < calls[call].started.elapsed,
            let due = calls[call].reports.last(where: { $0 + 5_000_000_000 <= now.elapsed })
        else { return }
        let instant = isReported && parts[0] == call ? calls[call].reports[parts[1]] : .min
        if instant <= due - 1_000_000_000 {
            report(
                .progress, "\(what) runs with the report \(kept ?? "none"), and there was a later one for long", at: now
            )
        }
    }
}
