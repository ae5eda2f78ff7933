package import ApusCalendar
package import ApusTimers

// Changes of a job from outside of its runs: a new definition, new rules of time zones, and the setting of the wall
// clock.
extension JobMachine {
    /// Gives the job a new definition.
    ///
    /// An equal trigger changes no due instant. If the trigger differs, future occurrences follow the new trigger from
    /// `now` on, and its count begins again.
    package mutating func update(
        _ request: JobRequest, now: WallInstant, in zones: any TimeZones
    ) throws(JobError) -> Action {
        guard !job.state.isFinal, job.request != request else { return .none }
        return try redefine(
            request, countsAnew: request.trigger != job.request.trigger, from: now, now: now, in: zones)
    }

    /// Gives a job that has not ended the definition of another submission, as ``update(_:now:in:)`` does.
    ///
    /// If the job has no run left to begin, the trigger counts from `submitted` on even if it is equal, so that a run
    /// begins after each submission. An equal trigger `at` is the exception, because the run in progress is the run for
    /// its instant.
    package mutating func resubmit(
        _ request: JobRequest, submitted: WallInstant, now: WallInstant, in zones: any TimeZones
    ) throws(JobError) -> (action: Action, outcome: SubmissionOutcome) {
        precondition(!job.state.isFinal, "an ended job cannot take another submission")
        let isOver = !hasRunToBegin
        let countsAnew = request.trigger != job.request.trigger || isOver && request.trigger.instant == nil
        guard countsAnew || job.request != request else { return (.none, .updated) }
        let action = try redefine(request, countsAnew: countsAnew, from: submitted, now: now, in: zones)
        return (action, isOver && countsAnew ? .rescheduled : .updated)
    }

    private mutating func redefine(
        _ request: JobRequest, countsAnew isNewTrigger: Bool, from submitted: WallInstant, now: WallInstant,
        in zones: any TimeZones
    ) throws(JobError) -> Action {
        try request.validate()
        let times = isNewTrigger ? try request.trigger.times(of: job.id, in: zones) : calendar
        let first = isNewTrigger ? try request.trigger.first(submittedAt: submitted, times) : nil
        return transition(now) { machine, draft in
            draft.isRequestChanged = true
            // The old definition applies to the occurrences that were due before the update.
            if machine.job.state == .scheduled { machine.admit(now: now, &draft) }
            machine.edit { job, _ in
                job.request = request
                guard isNewTrigger, let first else { return }
                job.firstDue = first.instant
                job.bookkeeping.origin = job.nextOccurrence - 1
                job.next = first
                job.remainder = nil
                guard job.state == .suspended, request.trigger.isRelative else { return }
                job.remainder = max(.zero, now.duration(to: first.instant))
                job.next = nil
            }
            machine.read(times)
        }
    }

    /// Computes the next occurrence of a calendar trigger again, because the rules of time zones may have changed.
    ///
    /// An occurrence that is due by the former rules stays due; the following ones are computed by the new rules.
    package mutating func zonesChanged(now: WallInstant, in zones: any TimeZones) -> Action {
        guard job.request.trigger.calendar != nil, !job.state.isFinal else { return .none }
        let wasMissing = missingZone != nil
        read(try? job.request.trigger.times(of: job.id, in: zones))
        if wasMissing, calendar != nil { return refresh(now: now) }
        guard let calendar, let due = job.nextDue, due > now else { return .none }
        let next = calendar.next(after: now)
        guard next?.instant != due else { return .none }
        return transition(now) { machine, _ in
            machine.edit { job, _ in
                job.next = next.map { Due(instant: $0.instant, note: .moved(from: due)) }
            }
        }
    }

    /// Moves the instants that count elapsed time, because the wall clock was set by `offset`.
    ///
    /// Nothing is written, because a store keeps these instants in elapsed time.
    package mutating func clockWasSet(by offset: Duration) {
        edit { job, open in
            job.moveElapsedInstants(by: offset)
            let isRelative = job.request.trigger.isRelative
            for index in open.indices {
                open[index].moveElapsedInstants(by: offset, isTriggerRelative: isRelative)
            }
        }
        findWakes()
    }

    /// Computes and writes the wakes again, because the wall clock was set or a missing zone exists now.
    package mutating func refresh(now: WallInstant) -> Action { transition(now) { _, _ in } }

    /// Makes past occurrences of an anchored trigger due again, because the wall clock was set back by `offset`.
    ///
    /// They are repeated if the clock was set back by at least the interval, or by at least three hours. Such a step
    /// counts as a correction of the clock, as in Vixie's cron (https://man7.org/linux/man-pages/man8/cron.8.html). A
    /// smaller step repeats nothing.
    package mutating func repeatAfterClockWasSet(back offset: Duration, now: WallInstant) -> Action {
        guard !job.state.isFinal, job.request.trigger.isAnchored, missingZone == nil, let due = job.nextDue,
            let next = try? job.request.trigger.first(submittedAt: now, calendar), next.instant < due
        else { return .none }
        let interval =
            job.request.trigger.interval
            ?? calendar?.next(after: next.instant).map { next.instant.duration(to: $0.instant) }
        guard offset >= min(interval ?? .seconds(3 * 3_600), .seconds(3 * 3_600)) else { return .none }
        return transition(now) { machine, _ in
            machine.edit { job, _ in
                if job.request.trigger.calendar == nil {
                    let moved = TriggerSchedule(
                        job.request.trigger, first: job.firstDue, origin: job.bookkeeping.origin
                    )
                    .moved(soThat: job.nextOccurrence, isDueAt: next.instant)
                    (job.firstDue, job.bookkeeping.origin) = (moved.first, moved.origin)
                }
                job.next = next
            }
        }
    }
}
