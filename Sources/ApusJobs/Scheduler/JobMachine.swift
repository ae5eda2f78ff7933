package import ApusCalendar
package import ApusTimers

/// The state machine of one job, without clocks, locks and I/O.
///
/// Most events are in this file, and the others are in `JobMachine+Definition.swift`. The rules that the events share
/// are in `JobMachine+Rules.swift`. Each event is one mutating method, which returns the change to commit and what to
/// do after the commit. The owner commits first, and discards the machine if that fails. Impossible events trap,
/// because only a defect of Apus can cause them.
package struct JobMachine: Hashable, Sendable {
    private struct Contents: Hashable {
        var job: Job
        var open: [Run]
        var lastSkip: Run?
        var calendar: CalendarTimes?
        mutating func edit(_ body: (inout Job, inout [Run]) -> Void) { body(&job, &open) }
    }

    /// The contents, which copies share until one of them is changed.
    ///
    /// They are shared because the machine is copied for each turn and each decision.
    private var shared: Shared<Contents>
    private var contents: Contents {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }

    /// The job as it will be when the last action's change is committed.
    package var job: Job { _read { yield contents.job } }
    /// The open runs, ordered by (occurrence, attempt).
    package var open: [Run] { _read { yield contents.open } }
    /// The range of skipped occurrences directly before the next occurrence; `nil` if the last occurrence was not
    /// skipped.
    var lastSkip: Run? {
        _read { yield contents.lastSkip }
        _modify { yield &contents.lastSkip }
    }
    /// The times of a calendar trigger, computed with the rules of its zone as they were last read.
    ///
    /// It is `nil` for other triggers, and while the zone does not exist here: the job then waits.
    private(set) var calendar: CalendarTimes? {
        _read { yield contents.calendar }
        _modify { yield &contents.calendar }
    }

    /// Creates the machine of a stored job.
    package init(_ loaded: LoadedJob, in zones: any TimeZones) {
        shared = Shared(
            Contents(
                job: loaded.job, open: loaded.open, lastSkip: loaded.lastSkip,
                calendar: try? loaded.job.request.trigger.times(of: loaded.job.id, in: zones)))
    }

    /// The consequences of an event.
    package struct Action: Sendable {
        /// The change to commit; `nil` if nothing changed.
        package var change: JobChange? {
            get { shared?.value }
            set { shared = newValue.map { Shared($0) } }
        }
        /// The runs whose handlers are started after the commit.
        package var starts: [Run] = []
        /// The running handlers that are cancelled after the commit.
        package var cancels: [Cancel] = []
        /// The runs that wait again because their handlers asked to be called later.
        package var postponed: [Run] = []
        /// The storage of ``change``, through which a part of it can be read without a copy.
        private(set) var shared: Shared<JobChange>?
        package static let none = Action()

        init(
            change: JobChange? = nil, starts: [Run] = [], cancels: [Cancel] = [], postponed: [Run] = []
        ) {
            shared = change.map { Shared($0) }
            (self.starts, self.cancels, self.postponed) = (starts, cancels, postponed)
        }
    }

    package struct Cancel: Hashable, Sendable {
        package var occurrence: Int
        package var attempt: Int
        package var reason: CancellationReason
    }

    /// The end of an attempt.
    package struct Ended: Hashable, Sendable {
        package enum Result: Hashable, Sendable {
            case succeeded
            case failed(reason: String, isFinal: Bool)
            case timedOut
            /// The attempt was cancelled because the process ends, as if a crash had interrupted it.
            case interrupted
        }
        package var result: Result
        /// The delay before another attempt, in place of the policy's; `nil` for the policy's delay.
        package var retryAfter: Duration?
        package var started: WallInstant?
        package var exitCode: Int?
        package var output: [UInt8] = []
        /// The result, which is stored if the attempt succeeds.
        package var handlerResult: [UInt8]?
        package var progress: RunProgress?
        /// Whether the handler was given up.
        ///
        /// The run is then lost, unless its outcome was decided before, and `result` determines what follows.
        package var isAbandoned = false
        package init(_ result: Result, started: WallInstant?, exitCode: Int? = nil, output: [UInt8] = []) {
            self.result = result
            self.started = started
            self.exitCode = exitCode
            self.output = output
        }
    }

    // MARK: Submission

    /// Returns the machine of a new job.
    ///
    /// - Throws: ``JobError`` with `invalid`.
    package static func submitted(
        _ request: JobRequest, now: WallInstant, in zones: any TimeZones
    ) throws(JobError) -> JobMachine {
        try request.validate()
        let calendar = try request.trigger.times(of: request.id, in: zones)
        let first = try request.trigger.first(submittedAt: now, calendar)
        var job = Job(
            request: request, state: .scheduled, created: now, updated: now, firstDue: first.instant, nextDue: nil)
        job.next = first
        var machine = JobMachine(LoadedJob(job: job, open: []), in: zones)
        machine.findWakes()
        return machine
    }

    /// Adopts the stored job after a commit, with its key and version.
    package mutating func committed(_ stored: Job) {
        let isNew = job.key != stored.key
        contents.job = stored
        // Only the runs of a new job lack the key. Setting it in all runs each time would copy the array, because the
        // change shares it.
        guard isNew else { return }
        for index in open.indices { contents.open[index].jobKey = stored.key }
        lastSkip?.jobKey = stored.key
    }

    // MARK: Events

    /// Admits the occurrences that are due at `now`: each becomes a run or is skipped.
    package mutating func arrive(now: WallInstant) -> Action {
        guard let due = arrival, due <= now else { return .none }
        return transition(now) { machine, draft in machine.admit(now: now, &draft) }
    }

    /// Skips the expired occurrences, before a decision that depends on the remaining ones.
    package mutating func expire(now: WallInstant) -> Action {
        let dues = open.map { expiry(of: $0) } + [arrival.flatMap { expiry(dueAt: $0) }]
        guard dues.contains(where: { $0.map { $0 < now } ?? false }) else { return .none }
        return transition(now) { machine, draft in
            if machine.job.state == .scheduled {
                machine.admit(now: now, &draft)
            } else {
                machine.expire(now: now, &draft)
            }
        }
    }

    /// Claims at most `limit` ready runs; `unmet` are the conditions that do not hold.
    package mutating func start(now: WallInstant, limit: Int, unmet: JobConditions = []) -> Action {
        guard limit > 0, !readyRuns(now: now, unmet: unmet).isEmpty else { return .none }
        return transition(now) { $0.claim(limit, unmet, now: now, &$1) }
    }

    /// Admits the occurrences that are due, and claims at most `limit` ready runs, in one transition.
    package mutating func arriveAndStart(now: WallInstant, limit: Int, unmet: JobConditions = []) -> Action {
        guard let due = arrival, due <= now else { return start(now: now, limit: limit, unmet: unmet) }
        return transition(now) { machine, draft in
            machine.admit(now: now, &draft)
            machine.claim(limit, unmet, now: now, &draft)
        }
    }

    private mutating func claim(_ limit: Int, _ unmet: JobConditions, now: WallInstant, _ draft: inout Draft) {
        expire(now: now, &draft)
        for index in readyRuns(now: now, unmet: unmet).prefix(limit) {
            contents.open[index].state = .running
            contents.open[index].claimed = now
            // The reason for which the run waited no longer applies, but a catch-up run keeps its mark.
            if open[index].reason != Self.catchUp { contents.open[index].reason = nil }
            draft.write(open[index])
            draft.starts.append(open[index])
        }
    }

    /// Lets a claimed run wait again under the same attempt number, because its attempt counts as not begun.
    ///
    /// With `snooze`, its handler has asked to be called again later. Without it, its handler was not called, for
    /// example because the clock was set back to before the due instant.
    package mutating func returned(
        occurrence: Int, attempt: Int, snooze: RunDecision? = nil, now: WallInstant
    ) -> Action {
        guard let index = indexOfClaimed(occurrence, attempt) else { return .none }
        return transition(now) { machine, draft in
            if !machine.concludeDecided(index, now: now, &draft) {
                machine.waitAgain(index, snooze, now: now, &draft)
            }
        }
    }

    /// Ends a claimed run whose handler has returned or was given up; `jitter` is a random number from 0 to 1 for the
    /// delay before a retry.
    package mutating func ended(
        occurrence: Int, attempt: Int, _ ended: Ended, now: WallInstant, jitter: Double
    ) -> Action {
        // A run that is not claimed any more was ended by an earlier event, such as ``recover(now:)``.
        guard let index = indexOfClaimed(occurrence, attempt) else { return .none }
        return transition(now) { machine, draft in
            machine.contents.open[index].started = ended.started
            machine.contents.open[index].exitCode = ended.exitCode
            machine.contents.open[index].output = ended.output
            if let progress = ended.progress { machine.contents.open[index].progress = progress }
            if let result = ended.handlerResult { machine.contents.open[index].result = result }
            if machine.concludeDecided(index, now: now, &draft) { return }
            switch ended.result {
            case .succeeded:
                machine.conclude(index, .succeeded, reason: nil, now: now, &draft)
            case .failed(let reason, let isFinal):
                machine.fail(
                    index, reason: JobLimits.reason(reason), isFinal: isFinal, delay: ended.retryAfter, now: now,
                    jitter: jitter, &draft)
            case .timedOut:
                let (state, reason) = ended.isAbandoned ? (RunState.lost, Self.abandoned) : (.failed, "timedOut")
                machine.fail(
                    index, as: state, reason: reason, isFinal: false, delay: ended.retryAfter, now: now, jitter: jitter,
                    &draft)
            case .interrupted:
                machine.lose(index, reason: ended.isAbandoned ? Self.abandoned : "interrupted", now: now, &draft)
            }
        }
    }

    /// Suspends the job after admitting what is due; from then on no occurrence is admitted and no run starts.
    package mutating func suspend(now: WallInstant) -> Action {
        switch job.state {
        case .suspended, .cancelled, .finished: return .none
        case .scheduled: break
        }
        return transition(now) { machine, draft in
            machine.admit(now: now, &draft)
            machine.contents.job.state = .suspended
            if machine.job.request.trigger.isRelative, let due = machine.job.nextDue {
                machine.contents.job.remainder = now.duration(to: due)
                machine.contents.job.nextDue = nil
            }
        }
    }

    /// Resumes the job; a relative trigger continues with the remainder of its interval.
    package mutating func resume(now: WallInstant) -> Action {
        switch job.state {
        case .scheduled, .cancelled, .finished: return .none
        case .suspended: break
        }
        return transition(now) { machine, draft in
            machine.contents.job.state = .scheduled
            if let remainder = machine.job.remainder {
                machine.contents.job.remainder = nil
                if let old = machine.schedule.due(machine.job.nextOccurrence) {
                    machine.contents.job.firstDue = machine.job.firstDue.advanced(
                        by: old.duration(to: now.advanced(by: remainder)))
                }
                machine.contents.job.nextDue = machine.schedule.due(machine.job.nextOccurrence)
            }
            machine.admit(now: now, &draft)
        }
    }

    /// Ends the job permanently, because it was cancelled or because a new job takes its place.
    ///
    /// The handlers of claimed runs are cancelled, and the runs end as cancelled when their handlers do.
    package mutating func cancel(_ reason: CancellationReason = .cancelled, now: WallInstant) -> Action {
        guard !job.state.isFinal else { return .none }
        return transition(now) { machine, draft in
            machine.cancelOpen(reason, includingByHand: true, now: now, &draft)
            machine.contents.job.state = .cancelled
            machine.contents.job.next = nil
            machine.contents.job.remainder = nil
        }
    }

    /// Adds a run by hand, due now, to a job that is not cancelled.
    ///
    /// A finished job is scheduled again only for this run, and finished when the run has its outcome.
    package mutating func runNow(now: WallInstant) -> (run: Run, action: Action) {
        precondition(job.state != .cancelled, "a cancelled job has no further run")
        // The version grows with each change, so a number derived from it is never used twice.
        let run = Run(
            jobKey: job.key, jobID: job.id, occurrence: Int(1 - job.version), attempt: 1, due: now, state: .waiting)
        let action = transition(now) { machine, draft in
            if machine.job.state == .finished { machine.contents.job.state = .scheduled }
            machine.contents.job.bookkeeping.runsSinceRetired += 1
            machine.contents.open.append(run)
            draft.write(run)
        }
        return (run, action)
    }

    /// Ends the claimed runs after a crash, since their handlers do not run any more.
    package mutating func recover(now: WallInstant) -> Action {
        guard open.contains(where: { $0.state == .running }) else { return .none }
        return transition(now) { machine, draft in
            for index in machine.open.indices where machine.open[index].state == .running {
                if !machine.concludeDecided(index, now: now, &draft) { machine.lose(index, now: now, &draft) }
            }
        }
    }

    func indexOfClaimed(_ occurrence: Int, _ attempt: Int) -> Int? {
        open.firstIndex { $0.occurrence == occurrence && $0.attempt == attempt && $0.state == .running }
    }

    // MARK: One transition

    /// The changes that a transition collects; `runs` has the last version of each changed run.
    struct Draft {
        private(set) var runs: [Run]
        var starts: [Run] = []
        var cancels: [Cancel] = []
        /// The number of occurrences that were skipped.
        var skipped = 0
        var missed = 0
        var postponed: [Run] = []
        var isRequestChanged = false
        private var positions: [Position: Int] = [:]

        init(_ runs: [Run] = []) { self.runs = runs }

        private struct Position: Hashable {
            var occurrence: Int
            var attempt: Int
            init(_ run: Run) { (occurrence, attempt) = (run.occurrence, run.attempt) }
        }

        mutating func write(_ run: Run) {
            if let index = position(of: run) {
                runs[index] = run
            } else {
                if !positions.isEmpty { positions[Position(run)] = runs.count }
                runs.append(run)
            }
        }

        /// Returns the position of the run.
        ///
        /// The dictionary is built only for 16 or more runs. There are usually one or two runs, and searching them
        /// takes less time than building a dictionary.
        private mutating func position(of run: Run) -> Int? {
            if runs.count < 16 {
                return runs.firstIndex { $0.occurrence == run.occurrence && $0.attempt == run.attempt }
            }
            if positions.isEmpty {
                for (index, run) in runs.enumerated() { positions[Position(run)] = index }
            }
            return positions[Position(run)]
        }
    }

    mutating func transition(_ now: WallInstant, _ body: (inout JobMachine, inout Draft) -> Void) -> Action {
        var draft = Draft()
        let before = job
        body(&self, &draft)
        contents.open.removeAll { !$0.state.isOpen }
        if open.count > 1 { contents.open.sort { ($0.occurrence, $0.attempt) < ($1.occurrence, $1.attempt) } }
        if !job.state.isFinal, job.nextDue == nil, job.remainder == nil, open.isEmpty {
            contents.job.state = .finished
        }
        contents.job.updated = now
        findWakes()
        // An earlier transition may have written a skipped run that this transition has extended. Skipped occurrences
        // are therefore counted by `skipped`, not by their runs.
        contents.job.occurrenceCount +=
            draft.skipped + draft.runs.count { $0.isFinal && $0.occurrence > 0 && $0.state != .skipped }
        contents.job.missedCount += draft.missed
        let change = JobChange(
            expected: .version(before.version), job: job,
            isRequestChanged: draft.isRequestChanged && job.request != before.request,
            isStateChanged: job.state != before.state, runs: draft.runs)
        return Action(change: change, starts: draft.starts, cancels: draft.cancels, postponed: draft.postponed)
    }

    /// Computes the number of open runs, and the instants at which the job must be examined next.
    mutating func findWakes() {
        contents.job.openRunCount = open.count
        (contents.job.bookkeeping.wake, contents.job.bookkeeping.elapsedWake) = (nil, nil)
        let isRelative = job.request.trigger.isRelative
        for index in turns() {
            let run = open[index]
            let start = earliestStart(run)
            let isElapsed = run.dueCountsElapsed(isRelative) || start > run.due
            isElapsed
                ? Self.lower(&contents.job.bookkeeping.elapsedWake, start)
                : Self.lower(&contents.job.bookkeeping.wake, start)
        }
        if let due = arrival {
            isRelative
                ? Self.lower(&contents.job.bookkeeping.elapsedWake, due)
                : Self.lower(&contents.job.bookkeeping.wake, due)
        }
    }

    private static func lower(_ wake: inout WallInstant?, _ instant: WallInstant) {
        wake = min(wake ?? instant, instant)
    }

    // The extensions in other files change the contents through these methods.
    mutating func edit(_ body: (inout Job, inout [Run]) -> Void) { contents.edit(body) }

    mutating func read(_ calendar: CalendarTimes?) { self.calendar = calendar }
}

extension JobMachine.Action {
    /// Merges a later event into the same commit; the later version of a run replaces the earlier one.
    package mutating func merge(_ later: consuming JobMachine.Action) {
        guard var change = later.change else { return }
        guard let earlier = self.change else {
            self = later
            return
        }
        var draft = JobMachine.Draft(earlier.runs)
        for run in change.runs { draft.write(run) }
        change.runs = draft.runs
        change.expected = earlier.expected
        change.isRequestChanged = change.isRequestChanged || earlier.isRequestChanged
        change.isStateChanged = change.isStateChanged || earlier.isStateChanged
        self.change = change
        starts += later.starts
        cancels += later.cancels
        postponed += later.postponed
    }
}

// Changes of single runs.
extension JobMachine {
    /// Sets the progress that the handler of a claimed run has reported.
    package mutating func progressed(
        occurrence: Int, attempt: Int, _ progress: RunProgress, now: WallInstant
    ) -> Action {
        guard let index = indexOfClaimed(occurrence, attempt), open[index].progress != progress else { return .none }
        return transition(now) { machine, draft in
            machine.edit { _, open in open[index].progress = progress }
            draft.write(machine.open[index])
        }
    }

    /// Cancels the open run of one occurrence; returns `nil` if there is none.
    ///
    /// The handler of a claimed run is cancelled, and the run ends as cancelled when the handler does.
    package mutating func cancelRun(_ occurrence: Int, now: WallInstant) -> (run: Run, action: Action)? {
        guard let index = open.firstIndex(where: { $0.occurrence == occurrence }) else { return nil }
        var run = open[index]
        let action = transition(now) { machine, draft in
            machine.cancel(index, .cancelled, now: now, &draft)
            run = machine.open[index]
        }
        return (run, action)
    }

    /// Adds another attempt to the occurrence whose outcome is `run`, and reopens the occurrence, and the job if it has
    /// finished.
    ///
    /// `run` is the stored outcome: an attempt that failed, was lost or was cancelled, of a job that is not cancelled.
    package mutating func retry(_ run: Run, now: WallInstant) -> (run: Run, action: Action) {
        precondition(run.canBeTriedAgain && job.state != .cancelled, "this run cannot be tried again")
        var former = run
        former.isFinal = false
        let action = transition(now) { machine, draft in
            if machine.job.state == .finished { machine.edit { job, _ in job.state = .scheduled } }
            if !run.isByHand { machine.edit { job, _ in job.occurrenceCount -= 1 } }
            draft.write(former)
            machine.tryAgain(former, lostBefore: run.lostBefore, notBefore: nil, now: now, &draft)
        }
        return (open.first { $0.occurrence == run.occurrence }!, action)
    }
}
