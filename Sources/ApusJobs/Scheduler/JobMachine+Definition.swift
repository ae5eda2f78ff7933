package import ApusTimers

/// What changes a job from outside of its runs: a new definition, and the setting of the wall clock.
extension JobMachine {
    /// The job gets a new definition. With an equal trigger everything stays due when it was; with another one, the
    /// occurrences that are still to come follow the new trigger from `submitted` on (`now` unless given), and its count
    /// begins anew.
    package mutating func update(
        _ request: JobRequest, submitted: WallInstant? = nil, now: WallInstant
    ) throws(JobError) -> Action {
        guard !job.state.isFinal, job.request != request else { return .none }
        try request.validate()
        let isNewTrigger = request.trigger != job.request.trigger
        let first = isNewTrigger ? try request.trigger.first(submittedAt: submitted ?? now) : job.first
        return transition(now) { machine, draft in
            draft.isRequestChanged = true
            // What was due by the old definition is decided by it.
            if machine.job.state == .scheduled { machine.admit(now: now, &draft) }
            machine.edit { job, _ in
                job.request = request
                guard isNewTrigger else { return }
                job.first = first
                job.origin = job.nextOccurrence - 1
                job.nextDue = first
                job.remainder = nil
                guard job.state == .suspended, request.trigger.isRelative else { return }
                job.remainder = max(.zero, now.duration(to: first))
                job.nextDue = nil
            }
        }
    }

    /// The wall clock was set, by `offset`: what counts elapsed time keeps its distance. Nothing is to be written, since
    /// a store keeps these instants on the axis of elapsed time.
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

    /// What the store says of when to look at the job is not true any more: the wall clock was set since. It is written
    /// anew.
    package mutating func refresh(now: WallInstant) -> Action { transition(now) { _, _ in } }

    /// The wall clock was set back, by `offset`. Occurrences on the wall clock that it had already passed come again if
    /// that is a correction: if it is at least the interval, or three hours, as in Vixie's cron
    /// (https://man7.org/linux/man-pages/man8/cron.8.html). A smaller step repeats nothing.
    package mutating func repeatAfterClockWasSet(back offset: Duration, now: WallInstant) -> Action {
        guard !job.state.isFinal, case .every(let interval, .some, _) = job.request.trigger.kind,
            let due = job.nextDue, offset >= min(interval, .seconds(3 * 3_600)),
            let next = try? job.request.trigger.first(submittedAt: now), next < due
        else { return .none }
        let schedule = schedule.moved(soThat: job.nextOccurrence, isDueAt: next)
        return transition(now) { machine, _ in
            machine.edit { job, _ in
                (job.first, job.origin) = (schedule.first, schedule.origin)
                job.nextDue = next
            }
        }
    }
}
