import ApusTimers

// The rules by which occurrences become runs, and runs become outcomes.
extension JobMachine {
    /// The `reason` of a catch-up run, which makes up for a missed occurrence.
    ///
    /// Catch-up runs wait for one another, whatever the overlap policy.
    static let catchUp = "missed"

    /// The reason of a lost run whose handler was given up.
    static let abandoned = "abandoned"

    /// Returns the reason for which a claimed run will end as cancelled; `nil` if it was not cancelled.
    ///
    /// The reason is stored, so that it is known after a crash.
    func cancellation(_ run: Run) -> CancellationReason? {
        guard run.state == .running else { return nil }
        return switch run.reason {
        case CancellationReason.cancelled.rawValue: .cancelled
        case CancellationReason.replaced.rawValue: .replaced
        default: nil
        }
    }

    // MARK: Arrival

    mutating func admit(now: WallInstant, _ draft: inout Draft) {
        expire(now: now, &draft)
        guard let arrivals = arrivals(through: now), let next = job.nextDue else { return }
        let n = job.nextOccurrence
        let m = arrivals.last
        let last = arrivals.lastDue
        let missedRuns = job.request.policies.missedRuns.kind
        // A wake-up may be late by the whole tolerance, and an occurrence that it admits still counts as on time.
        let isOnTime = last.instant.duration(to: now) <= job.request.policies.tolerance + grace(arrivals)
        if let end = expiry(dueAt: last.instant), end < now {
            skip(n...m, due: next, reason: .expired, now: now, &draft)
        } else if n == m, isOnTime {
            place(m, due: last, standsFor: 1, now: now, &draft)
        } else {
            switch missedRuns {
            case .runOnce:
                if n < m { skip(n...(m - 1), due: next, reason: .coalesced, now: now, &draft) }
                place(m, due: last, standsFor: m - n + 1, now: now, &draft)
            case .skip:
                if isOnTime {
                    skip(n...(m - 1), due: next, reason: .missed, now: now, &draft)
                    place(m, due: last, standsFor: 1, now: now, &draft)
                } else {
                    skip(n...m, due: next, reason: .missed, now: now, &draft)
                }
            case .runAll(let limit):
                // Open runs count towards the limit. Otherwise a job that is always late could collect open runs
                // without limit.
                let room = max(isFirst(n) && waitingOccurrences == 0 ? 1 : 0, limit - openOccurrences)
                let from = m - n < room ? n : m - room + 1
                if n < from { skip(n...(from - 1), due: next, reason: .missed, now: now, &draft) }
                for number in from..<(m + 1) {
                    let due = arrivals.due(number) ?? last
                    add(number, due: due, standsFor: 1, reason: Self.catchUp, &draft)
                }
            }
        }
        edit { job, _ in
            job.nextOccurrence = m + 1
            job.next = arrivals.following
        }
    }

    /// Skips the waiting occurrences that have expired.
    mutating func expire(now: WallInstant, _ draft: inout Draft) {
        guard job.request.policies.expiry != nil else { return }
        for index in open.indices where expiry(of: open[index]).map({ $0 < now }) ?? false {
            conclude(index, .skipped, reason: SkipReason.expired.rawValue, now: now, &draft)
            draft.skipped += 1
            if open[index].occurrence == job.nextOccurrence - 1 { lastSkip = open[index] }
        }
        // A run in `open` can hold back the following runs, so the skipped runs are removed now, not at the end of the
        // transition.
        edit { _, open in open.removeAll { $0.state == .skipped } }
    }

    /// Returns the lateness up to which the last due occurrence counts as on time.
    private func grace(_ arrivals: Arrivals) -> Duration {
        if let grace = job.request.policies.grace { return grace }
        let interval = arrivals.following.map { arrivals.lastDue.instant.duration(to: $0.instant) }
        return min(.seconds(60), job.request.trigger.interval ?? interval ?? .seconds(60))
    }

    /// Adds a run for an occurrence, or skips the occurrence, as the overlap policy requires.
    private mutating func place(_ number: Int, due: Due, standsFor: Int, now: WallInstant, _ draft: inout Draft) {
        // The first occurrence of a definition waits for the runs in progress instead of being skipped, so that each
        // submission accepted during a run is followed by a run. A run that already waits counts as that run.
        let others = isFirst(number - standsFor + 1) ? waitingOccurrences : openOccurrences
        switch job.request.policies.overlap.kind {
        case .skip where others > 0:
            skip(number...number, due: due.instant, reason: .overlap, now: now, &draft)
        case .queue(let limit) where others > limit:
            // One of the open occurrences is in progress, so it does not count towards the limit on waiting
            // occurrences.
            skip(number...number, due: due.instant, reason: .queueFull, now: now, &draft)
        case .allow(let limit) where others >= limit:
            skip(number...number, due: due.instant, reason: .overlap, now: now, &draft)
        case .replace:
            cancelOpen(.replaced, includingByHand: false, now: now, &draft)
            add(number, due: due, standsFor: standsFor, reason: nil, &draft)
        case .skip, .queue, .allow:
            add(number, due: due, standsFor: standsFor, reason: nil, &draft)
        }
    }

    /// The number of the trigger's occurrences that are open.
    ///
    /// During a transition, `open` also has the runs that the transition has ended, which do not count.
    private var openOccurrences: Int { open.count { $0.occurrence > 0 && $0.state.isOpen } }

    private var waitingOccurrences: Int { open.count { $0.occurrence > 0 && $0.state == .waiting } }

    /// Returns whether the occurrence is the first one of the job's present definition.
    private func isFirst(_ number: Int) -> Bool { number - 1 == job.bookkeeping.origin }

    private mutating func add(
        _ number: Int, due: Due, standsFor: Int, reason: String?, _ draft: inout Draft
    ) {
        var run = Run(
            jobKey: job.key, jobID: job.id, occurrence: number, attempt: 1, due: due.instant, standsFor: standsFor,
            state: .waiting, reason: reason)
        run.dueNote = due.note
        append(run, &draft)
    }

    private mutating func append(_ run: Run, _ draft: inout Draft) {
        edit { job, open in
            job.bookkeeping.runsSinceRetired += 1
            open.append(run)
        }
        draft.write(run)
    }

    /// Skips a range of occurrences.
    ///
    /// Consecutive skips for the same reason share one run. Otherwise a job that is skipped each second for an hour
    /// would displace the history of its attempts.
    mutating func skip(
        _ range: ClosedRange<Int>, due: WallInstant, reason: SkipReason, now: WallInstant, _ draft: inout Draft
    ) {
        var run = Run(
            jobKey: job.key, jobID: job.id, occurrence: range.lowerBound, attempt: 0, due: due, state: .skipped,
            isFinal: true, reason: reason.rawValue)
        if let lastSkip, lastSkip.skipReason == reason, lastSkip.through == range.lowerBound - 1 {
            run = lastSkip
        } else {
            edit { job, _ in job.bookkeeping.runsSinceRetired += 1 }
        }
        run.through = range.upperBound
        run.finished = now
        lastSkip = run
        draft.write(run)
        draft.skipped += range.count
        if reason == .missed || reason == .coalesced { draft.missed += range.count }
    }

    // MARK: Outcomes

    /// Cancels the waiting runs, and the handlers of the claimed runs.
    ///
    /// A claimed run keeps `reason` as its reason until its handler has ended.
    mutating func cancelOpen(
        _ reason: CancellationReason, includingByHand: Bool, now: WallInstant, _ draft: inout Draft
    ) {
        for index in open.indices where includingByHand || !open[index].isByHand {
            cancel(index, reason, now: now, &draft)
        }
    }

    mutating func cancel(_ index: Int, _ reason: CancellationReason, now: WallInstant, _ draft: inout Draft) {
        let run = open[index]
        switch run.state {
        case .waiting: conclude(index, .cancelled, reason: reason.rawValue, now: now, &draft)
        case .running:
            guard cancellation(run) == nil else { return }
            edit { _, open in open[index].reason = reason.rawValue }
            draft.write(open[index])
            draft.cancels.append(Cancel(occurrence: run.occurrence, attempt: run.attempt, reason: reason))
        case .succeeded, .failed, .skipped, .lost, .cancelled: return
        }
    }

    /// Ends a claimed run if its outcome is decided already: its effects are committed, or it was cancelled.
    ///
    /// - Returns: Whether the run was ended.
    mutating func concludeDecided(_ index: Int, now: WallInstant, _ draft: inout Draft) -> Bool {
        if open[index].isCompleted {
            edit { _, open in open[index].isCompleted = false }
            conclude(index, .succeeded, reason: nil, now: now, &draft)
        } else if let reason = cancellation(open[index]) {
            conclude(index, .cancelled, reason: reason.rawValue, now: now, &draft)
        } else {
            return false
        }
        return true
    }

    /// Ends a run, whose state becomes the outcome of its occurrence.
    mutating func conclude(_ index: Int, _ state: RunState, reason: String?, now: WallInstant, _ draft: inout Draft) {
        close(index, state, reason: reason, isFinal: true, now: now, &draft)
    }

    private mutating func close(
        _ index: Int, _ state: RunState, reason: String?, isFinal: Bool, now: WallInstant, _ draft: inout Draft
    ) {
        edit { _, open in
            open[index].state = state
            open[index].reason = reason
            open[index].isFinal = isFinal
            if state != .succeeded { open[index].result = nil }
            open[index].finished = now
        }
        draft.write(open[index])
    }

    mutating func fail(
        _ index: Int, as state: RunState = .failed, reason: String, isFinal: Bool, delay: Duration?,
        now: WallInstant, jitter: Double, _ draft: inout Draft
    ) {
        let run = open[index]
        let retry = job.request.policies.retry
        guard !isFinal, !run.isLastAttempt(under: retry) else {
            conclude(index, state, reason: reason, now: now, &draft)
            return
        }
        close(index, state, reason: reason, isFinal: false, now: now, &draft)
        let asked = delay ?? retry.delay(afterFailures: run.attempt - run.lostBefore, jitter: jitter)
        let pause = max(asked, JobLimits.shortestPause)
        tryAgain(run, lostBefore: run.lostBefore, notBefore: now.due(after: pause), now: now, &draft)
    }

    mutating func lose(
        _ index: Int, reason: String = "interrupted", now: WallInstant, _ draft: inout Draft
    ) {
        let run = open[index]
        guard run.lostBefore + 1 < job.request.policies.retry.maximumLost else {
            conclude(index, .lost, reason: reason, now: now, &draft)
            return
        }
        close(index, .lost, reason: reason, isFinal: false, now: now, &draft)
        tryAgain(run, lostBefore: run.lostBefore + 1, notBefore: nil, now: now, &draft)
    }

    /// Returns the due instant of a claimed run that waits again or is attempted again.
    ///
    /// A due instant that counts elapsed time has passed even if the wall clock was set back since, so the result is at
    /// most `now`. Other due instants follow the clock.
    func dueAgain(_ run: Run, now: WallInstant) -> WallInstant {
        run.dueCountsElapsed(job.request.trigger.isRelative) ? min(run.due, now) : run.due
    }

    /// Lets a claimed run wait again, under the same attempt number.
    mutating func waitAgain(
        _ index: Int, _ snooze: RunDecision?, now: WallInstant, _ draft: inout Draft
    ) {
        let due = dueAgain(open[index], now: now)
        edit { _, open in
            open[index].state = .waiting
            open[index].claimed = nil
            open[index].due = due
            guard let snooze else { return }
            open[index].notBefore = now.due(after: max(snooze.delay ?? .zero, JobLimits.shortestPause))
            guard open[index].reason != Self.catchUp else { return }
            // The handler's own words must not mark the run as a catch-up run.
            open[index].reason = snooze.reason == Self.catchUp ? "postponed" : JobLimits.reason(snooze.reason)
        }
        draft.write(open[index])
        if snooze != nil { draft.postponed.append(open[index]) }
    }

    mutating func tryAgain(
        _ run: Run, lostBefore: Int, notBefore: WallInstant?, now: WallInstant, _ draft: inout Draft
    ) {
        var next = Run(
            jobKey: run.jobKey, jobID: run.jobID, occurrence: run.occurrence, attempt: run.attempt + 1,
            lostBefore: lostBefore,
            due: dueAgain(run, now: now), standsFor: run.standsFor, state: .waiting,
            reason: run.reason == Self.catchUp ? Self.catchUp : nil, notBefore: notBefore)
        next.dueNote = run.dueNote
        append(next, &draft)
    }
}

extension Run {
    /// Returns whether the policy allows no further attempt if this one fails.
    func isLastAttempt(under policy: RetryPolicy) -> Bool { attempt - lostBefore >= policy.maximumAttempts }
}

extension RetryPolicy {
    /// Returns the delay before the attempt that follows a number of failures.
    func delay(afterFailures failures: Int, jitter random: Double) -> Duration {
        var delay = min(initialDelay, maximumDelay)
        var doublings = failures - 1
        while doublings > 0, delay > .zero, delay < maximumDelay {
            delay = min(delay * 2, maximumDelay)
            doublings -= 1
        }
        let share = min(max(random, 0), 1) * jitter
        return share == 0 ? delay : delay - delay * share
    }
}
