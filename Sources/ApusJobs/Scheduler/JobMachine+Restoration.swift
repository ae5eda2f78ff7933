package import ApusCalendar
package import ApusTimers

extension JobMachine {
    /// Returns the machine of a job from another store, and the runs to store with it.
    ///
    /// Nothing that was due before `now` runs. A trigger that repeats continues with its first occurrence from `now`
    /// on, and has as many occurrences left as before. A job whose only occurrence was due has missed it, and is
    /// finished. A suspended job keeps its instant until it is resumed.
    package static func restored(
        _ restoration: JobRestoration, now: WallInstant, in zones: any TimeZones
    ) throws(JobError) -> (machine: JobMachine, runs: [Run]) {
        let (request, progress) = (restoration.request, restoration.progress)
        let trigger = request.trigger
        try request.validate()
        try progress?.validate(for: trigger)
        let calendar = try trigger.times(of: request.id, in: zones)
        let passed = trigger.count.map { $0 - (progress?.left ?? $0) } ?? 0
        // `passed` may include an occurrence that is open in the other store. It does not continue in this store, so
        // it counts here as an occurrence with an outcome.
        let arrived = max(progress?.occurrences ?? 0, passed)
        var job = Job(
            request: request, state: restoration.isSuspended ? .suspended : .scheduled,
            created: progress?.created ?? now, updated: now, firstDue: now, origin: arrived - passed,
            nextOccurrence: arrived + 1, nextDue: nil, occurrenceCount: arrived, missedCount: progress?.missed ?? 0)
        var next = try restoration.next(now, calendar)
        if passed == trigger.count { next = nil }
        var missed: WallInstant?
        if let due = next?.instant, due < now, !restoration.isSuspended {
            next = trigger.next(after: now, from: due, calendar)
            if next == nil { missed = due }
        }
        if let next {
            job.firstDue = next.instant
            if calendar == nil {
                let moved = TriggerSchedule(trigger, first: next.instant, origin: job.bookkeeping.origin)
                    .moved(soThat: job.nextOccurrence, isDueAt: next.instant)
                (job.firstDue, job.bookkeeping.origin) = (moved.first, moved.origin)
            }
            if restoration.isSuspended, trigger.isRelative {
                job.remainder = max(.zero, now.duration(to: next.instant))
            } else {
                job.next = next
            }
        }
        var machine = JobMachine(LoadedJob(job: job, open: []), in: zones)
        let action = machine.transition(now) { machine, draft in
            guard let missed else { return }
            let number = machine.job.nextOccurrence
            machine.skip(number...number, due: missed, reason: .missed, now: now, &draft)
            machine.edit { job, _ in job.nextOccurrence += 1 }
        }
        return (machine, action.change?.runs ?? [])
    }
}

extension JobRestoration {
    fileprivate func next(_ now: WallInstant, _ calendar: CalendarTimes?) throws(JobError) -> Due? {
        if let progress {
            return (progress.nextDue ?? progress.remainder.map { now.advanced(by: $0) }).map { Due(instant: $0) }
        }
        if let instant = request.trigger.instant { return Due(instant: instant) }
        return try request.trigger.first(submittedAt: now, calendar)
    }
}

extension JobRestoration.Progress {
    /// Checks the numbers; an error names the number as the exported form does.
    fileprivate func validate(for trigger: Trigger) throws(JobError) {
        // Larger integers are not exact in all JSON readers.
        guard (0...9_007_199_254_740_991).contains(occurrences) else {
            throw JobError(code: .invalid, message: "occurrences: must be 0 or more, not \(occurrences)")
        }
        guard (0...occurrences).contains(missed) else {
            throw JobError(
                code: .invalid, message: "missed: must be 0 to \(occurrences), the number of occurrences, not \(missed)"
            )
        }
        guard left == nil || trigger.count != nil else {
            throw JobError(
                code: .invalid, message: "occurrencesLeft: goes with a trigger that has a count; leave it out")
        }
        if let left, let count = trigger.count, !(0...count).contains(left) {
            throw JobError(
                code: .invalid, message: "occurrencesLeft: must be 0 to \(count), the trigger's count, not \(left)")
        }
        guard let remainder else { return }
        guard remainder >= .zero else { throw JobError(code: .invalid, message: "remainingMs: must be 0 or more") }
        try Trigger.checkRange(remainder, "remainingMs")
    }
}

extension Trigger {
    /// Returns the first occurrence after `now` that follows the occurrence due at `past`; `nil` if there is none.
    fileprivate func next(after now: WallInstant, from past: WallInstant, _ calendar: CalendarTimes?) -> Due? {
        if let calendar { return calendar.next(after: now) }
        return interval.flatMap { try? Trigger.every($0, anchoredAt: past).first(submittedAt: now, nil) }
    }
}
