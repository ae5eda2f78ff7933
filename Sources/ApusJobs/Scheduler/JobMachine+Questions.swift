public import ApusTimers

/// What is asked of a job: which runs have their turn, what they wait for, and when to look again.
extension JobMachine {
    /// The positions of the waiting runs whose turn it is at `now`, while `unmet` are the conditions that do not hold;
    /// oldest first.
    package func readyRuns(now: WallInstant, unmet: JobConditions = []) -> [Int] {
        let awaited = job.request.policies.conditions.intersection(unmet)
        return turns().filter { earliestStart(open[$0]) <= now && (awaited.isEmpty || open[$0].isByHand) }
    }

    /// Since when the oldest run that is ready at `now` has had its turn: one that was tried or snoozed before comes
    /// after those that have waited longer since.
    package func oldestReady(now: WallInstant, unmet: JobConditions = []) -> WallInstant? {
        readyRuns(now: now, unmet: unmet).lazy.map { earliestStart(open[$0]) }.min()
    }

    /// Whether the occurrence that is due may become a run as late as it can start. Its run is the same whenever that
    /// is, and one row is written less: nothing else of the job is open, no occurrence follows, it waits for no
    /// conditions, and no policy asks how late it arrives. Whether it has expired is decided when it can start.
    package var canArriveLate: Bool {
        guard open.isEmpty, case .runOnce = job.request.policies.missedRuns.kind,
            job.request.policies.conditions.isEmpty
        else { return false }
        return arrival != nil && !hasFollowing
    }

    /// Whether a run is left to begin, whatever becomes of those in progress: an occurrence is to come, or waits. Runs
    /// by hand are beside the trigger, and do not count.
    package var hasRunToBegin: Bool {
        job.nextDue != nil || job.remainder != nil
            || !job.state.isFinal && open.contains { $0.state == .waiting && !$0.isByHand }
    }

    /// Whether an occurrence has arrived at `now`, or a run might start.
    package func isDue(_ now: WallInstant) -> Bool {
        if let due = arrival, due <= now { return true }
        return turns().contains { earliestStart(open[$0]) <= now }
    }

    /// What runs that are due at `now` wait for, of the conditions that do not hold; empty when none waits for any.
    package func awaited(now: WallInstant, unmet: JobConditions) -> JobConditions {
        let awaited = job.request.policies.conditions.intersection(unmet)
        if awaited.isEmpty { return [] }
        return turns().contains { earliestStart(open[$0]) <= now && !open[$0].isByHand } ? awaited : []
    }

    /// When time alone changes what is to be done, after `now`: an occurrence arrives, or a run may start.
    package func nextLook(after now: WallInstant) -> WallInstant? {
        var next = arrival.flatMap { $0 > now ? $0 : nil }
        for index in turns() {
            let start = earliestStart(open[index])
            if start > now { next = min(next ?? start, start) }
        }
        return next
    }

    /// When the next occurrence arrives; `nil` if none does, and while the zone of a calendar trigger is not there, without
    /// which what follows is not known.
    package var arrival: WallInstant? { job.state == .scheduled && missingZone == nil ? job.nextDue : nil }

    /// The zone of a calendar trigger, if it is not there.
    package var missingZone: String? { calendar == nil ? job.request.trigger.calendar?.timeZone : nil }

    /// What has come due at `now` since the last occurrence arrived.
    func arrivals(through now: WallInstant) -> Arrivals? {
        guard let next = job.next, next.instant <= now, missingZone == nil else { return nil }
        let kept = if case .runAll(let limit) = job.request.policies.missedRuns.kind { limit } else { 1 }
        let number = job.nextOccurrence
        guard let calendar else {
            return schedule.arrivals(through: now, from: number, due: next.instant, keeping: kept)
        }
        return calendar.arrivals(through: now, from: number, due: next, end: lastOccurrence, keeping: kept)
    }

    /// Whether an occurrence comes after the next one.
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

    /// The intervals of a trigger that is not a calendar's.
    var schedule: TriggerSchedule {
        TriggerSchedule(job.request.trigger, first: job.firstDue, origin: job.bookkeeping.origin)
    }

    /// The last instant at which an open run may begin; `nil` if there is none: of a run by hand, and of an occurrence
    /// that has been attempted.
    func expiry(of run: Run) -> WallInstant? {
        guard run.state == .waiting, !run.isByHand, run.attempt == 1, run.notBefore == nil else { return nil }
        return expiry(dueAt: run.due)
    }

    /// The last instant at which an occurrence may begin.
    func expiry(dueAt due: WallInstant) -> WallInstant? {
        let policies = job.request.policies
        return policies.expiry.map { due.due(after: policies.tolerance + $0) }
    }

    func earliestStart(_ run: Run) -> WallInstant { max(run.due, run.notBefore ?? run.due) }

    /// The positions of the waiting runs that wait for nothing but their instant.
    func turns() -> [Int] {
        guard !job.state.isFinal, open.contains(where: { $0.state == .waiting }) else { return [] }
        if open.count == 1 { return open[0].isByHand || job.state == .scheduled ? [0] : [] }
        // The oldest by its due instant: after the wall clock was set back, a waiting run may be due later than its
        // followers.
        let head = open.lazy.filter { !$0.isByHand }.min { ($0.due, $0.occurrence) < ($1.due, $1.occurrence) }?
            .occurrence
        let (limit, isConcurrent) =
            if case .allow(let limit) = job.request.policies.overlap.kind { (limit, true) } else { (1, false) }
        // An update may have left more of them than the limit.
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
        // Runs by hand do not wait for others, and others do not wait for them. Their numbers are the lowest.
        return open.indices.filter { open[$0].state == .waiting && open[$0].isByHand } + next
    }
}

/// An occurrence that is to come.
public struct UpcomingOccurrence: Hashable, Sendable {
    /// When it is due.
    public var due: WallInstant
    /// What a change of the clock does to that; only calendar triggers have it.
    public var note: DueNote?

    init(_ due: Due) { (self.due, note) = (due.instant, due.note) }
}

/// The occurrences of a job that are to come, if nothing changes it.
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
            // What is passed over need not be counted.
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
