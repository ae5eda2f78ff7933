public import ApusTimers

// Questions about a job: which runs are ready, what they wait for, and when to examine it again.
extension JobMachine {
    /// Returns the positions of the waiting runs that are ready at `now`; `unmet` are the conditions that do not hold.
    package func readyRuns(now: WallInstant, unmet: JobConditions = []) -> [Int] {
        let awaited = job.request.policies.conditions.intersection(unmet)
        return turns().filter { earliestStart(open[$0]) <= now && (awaited.isEmpty || open[$0].isByHand) }
    }

    /// Returns the instant from which the oldest ready run has waited.
    ///
    /// For a run that was attempted or snoozed before, it is the end of the delay, not the due instant. Runs that have
    /// waited longer therefore come first.
    package func oldestReady(now: WallInstant, unmet: JobConditions = []) -> WallInstant? {
        readyRuns(now: now, unmet: unmet).lazy.map { earliestStart(open[$0]) }.min()
    }

    /// Whether the admission of the next occurrence can wait until its run can start, which saves writing a row.
    ///
    /// It can wait if a later admission makes the same run: no other run of the job is open, no occurrence follows, the
    /// job has no conditions, and its policy for missed runs is to run once. Whether the occurrence has expired is
    /// decided when its run can start.
    package var canArriveLate: Bool {
        guard open.isEmpty, case .runOnce = job.request.policies.missedRuns.kind,
            job.request.policies.conditions.isEmpty
        else { return false }
        return arrival != nil && !hasFollowing
    }

    /// Whether the job still has a run to begin: an occurrence that is to come, or a run that waits.
    ///
    /// Runs by hand do not count, because they are independent of the trigger.
    package var hasRunToBegin: Bool {
        job.nextDue != nil || job.remainder != nil
            || !job.state.isFinal && open.contains { $0.state == .waiting && !$0.isByHand }
    }

    /// Returns whether an occurrence is due at `now`, or a run can start.
    package func isDue(_ now: WallInstant) -> Bool {
        if let due = arrival, due <= now { return true }
        return turns().contains { earliestStart(open[$0]) <= now }
    }

    /// Returns the unmet conditions that hold back runs that are due at `now`.
    package func awaited(now: WallInstant, unmet: JobConditions) -> JobConditions {
        let awaited = job.request.policies.conditions.intersection(unmet)
        if awaited.isEmpty { return [] }
        return turns().contains { earliestStart(open[$0]) <= now && !open[$0].isByHand } ? awaited : []
    }

    /// Returns the first instant after `now` at which an occurrence is due or a run can start.
    package func nextLook(after now: WallInstant) -> WallInstant? {
        var next = arrival.flatMap { $0 > now ? $0 : nil }
        for index in turns() {
            let start = earliestStart(open[index])
            if start > now { next = min(next ?? start, start) }
        }
        return next
    }

    /// The due instant of the next occurrence that can be admitted.
    ///
    /// It is `nil` if no occurrence is to come, and if the job is not scheduled. It is also `nil` while the zone of a
    /// calendar trigger is missing, because the occurrence after this one cannot be computed without the zone.
    package var arrival: WallInstant? { job.state == .scheduled && missingZone == nil ? job.nextDue : nil }

    /// The zone of a calendar trigger if it is missing; `nil` otherwise.
    package var missingZone: String? { calendar == nil ? job.request.trigger.calendar?.timeZone : nil }

    /// Returns the occurrences that have become due since the last admission, up to `now`; `nil` if there is none.
    func arrivals(through now: WallInstant) -> Arrivals? {
        guard let next = job.next, next.instant <= now, missingZone == nil else { return nil }
        let kept = if case .runAll(let limit) = job.request.policies.missedRuns.kind { limit } else { 1 }
        let number = job.nextOccurrence
        guard let calendar else {
            return schedule.arrivals(through: now, from: number, due: next.instant, keeping: kept)
        }
        return calendar.arrivals(through: now, from: number, due: next, end: lastOccurrence, keeping: kept)
    }

    /// Whether an occurrence follows the next one.
    private var hasFollowing: Bool {
        guard let calendar else { return schedule.due(job.nextOccurrence + 1) != nil }
        return job.nextOccurrence != lastOccurrence && job.nextDue.map { calendar.next(after: $0) != nil } ?? false
    }

    /// The number of the last occurrence, if the trigger has a count.
    fileprivate var lastOccurrence: Int? {
        guard let count = job.request.trigger.count else { return nil }
        let (last, overflow) = job.bookkeeping.origin.addingReportingOverflow(count)
        return overflow ? .max : last
    }

    /// The schedule of a trigger that is not a calendar trigger.
    var schedule: TriggerSchedule {
        TriggerSchedule(job.request.trigger, first: job.firstDue, origin: job.bookkeeping.origin)
    }

    /// Returns the last instant at which a waiting run may begin.
    ///
    /// It is `nil` without an expiry, for a run by hand, and for an occurrence that was attempted or snoozed.
    func expiry(of run: Run) -> WallInstant? {
        guard run.state == .waiting, !run.isByHand, run.attempt == 1, run.notBefore == nil else { return nil }
        return expiry(dueAt: run.due)
    }

    /// Returns the last instant at which an occurrence may begin; `nil` without an expiry.
    func expiry(dueAt due: WallInstant) -> WallInstant? {
        let policies = job.request.policies
        return policies.expiry.map { due.due(after: policies.tolerance + $0) }
    }

    func earliestStart(_ run: Run) -> WallInstant { max(run.due, run.notBefore ?? run.due) }

    /// Returns the positions of the waiting runs whose turn has come, given the job's state and its overlap policy.
    ///
    /// These runs may still wait for their due instants, for conditions or for a place.
    func turns() -> [Int] {
        guard !job.state.isFinal, open.contains(where: { $0.state == .waiting }) else { return [] }
        if open.count == 1 { return open[0].isByHand || job.state == .scheduled ? [0] : [] }
        // The oldest run is the run with the earliest due instant. It need not have the lowest number, because a
        // waiting run may be due later than the following runs if the wall clock was set back.
        let head = open.lazy.filter { !$0.isByHand }.min { ($0.due, $0.occurrence) < ($1.due, $1.occurrence) }?
            .occurrence
        let (limit, isConcurrent) =
            if case .allow(let limit) = job.request.policies.overlap.kind { (limit, true) } else { (1, false) }
        // An update may have lowered the limit below the number of runs in progress.
        let free = max(0, limit - open.count { !$0.isByHand && $0.state == .running })
        var next = open.indices.filter { index in
            let run = open[index]
            guard run.state == .waiting, !run.isByHand, job.state == .scheduled else { return false }
            return run.occurrence == head || isConcurrent && run.reason != Self.catchUp
        }
        if next.count > free {
            next.sort { (open[$0].due, $0) < (open[$1].due, $1) }
            next = next.prefix(free).sorted()
        }
        // Runs by hand and the trigger's runs do not wait for each other. The runs by hand come first in `open`,
        // because their numbers are the lowest, so the positions stay in ascending order.
        return open.indices.filter { open[$0].state == .waiting && open[$0].isByHand } + next
    }
}

/// A future occurrence.
public struct UpcomingOccurrence: Hashable, Sendable {
    /// The due instant.
    public var due: WallInstant
    /// The effect of a change of the clock on the due instant; `nil` if there is none.
    ///
    /// Only occurrences of calendar triggers have a note.
    public var note: DueNote?

    init(_ due: Due) { (self.due, note) = (due.instant, due.note) }
}

/// The future occurrences of a job, if nothing changes it.
package struct UpcomingOccurrences: IteratorProtocol {
    private enum Position {
        case first(after: WallInstant)
        case after(Due, number: Int)
        case end
    }

    private let machine: JobMachine
    private var position: Position

    init(_ machine: JobMachine, after instant: WallInstant) {
        self.machine = machine
        position = .first(after: instant)
    }

    package mutating func next() -> UpcomingOccurrence? {
        let found: (due: Due, number: Int)? =
            switch position {
            case .first(let instant): first(after: instant)
            case .after(let due, let number): following(due, number)
            case .end: nil
            }
        position = found.map { .after($0.due, number: $0.number) } ?? .end
        return found.map { UpcomingOccurrence($0.due) }
    }

    private func first(after instant: WallInstant) -> (due: Due, number: Int)? {
        let job = machine.job
        guard let next = machine.arrival.map({ Due(instant: $0, note: job.dueNote) }) else { return nil }
        if next.instant > instant { return (next, job.nextOccurrence) }
        if let calendar = machine.calendar, machine.lastOccurrence == nil {
            // If the trigger has no count, the numbers of the occurrences before the instant are not needed.
            return calendar.next(after: instant).map { ($0, job.nextOccurrence) }
        }
        guard let arrivals = machine.arrivals(through: instant), let following = arrivals.following else { return nil }
        return (following, arrivals.last + 1)
    }

    private func following(_ due: Due, _ number: Int) -> (due: Due, number: Int)? {
        guard number != machine.lastOccurrence else { return nil }
        let next =
            machine.calendar.map { $0.next(after: due.instant) }
            ?? machine.schedule.due(number + 1).map { Due(instant: $0) }
        return next.map { ($0, number + 1) }
    }
}
