extension JobMachine {
    /// Returns a description of a broken invariant; `nil` if there is none.
    ///
    /// With all runs of the job, it also checks that each occurrence has exactly one outcome.
    package func brokenInvariant(history runs: [Run]? = nil) -> String? {
        for run in open where !run.state.isOpen { return "run \(run.occurrence) is not open" }
        for run in open where run.isFinal { return "open run \(run.occurrence) is final" }
        for run in open where run.occurrence >= job.nextOccurrence {
            return "run \(run.occurrence) is open, and its occurrence is still to come"
        }
        for run in open where run.state == .waiting && (run.claimed != nil || run.started != nil) {
            return "run \(run.occurrence) waits, and was claimed or started already"
        }
        if Set(open.map(\.occurrence)).count != open.count { return "an occurrence has two open runs" }
        if job.state.isFinal, job.nextDue != nil { return "an ended job has a next occurrence" }
        if job.state.isFinal, open.contains(where: { $0.state == .waiting }) { return "an ended job has a waiting run" }
        if job.state == .finished, !open.isEmpty { return "a finished job has an open run" }
        if job.request.trigger.calendar == nil, job.state == .scheduled, let next = job.nextDue,
            next != schedule.due(job.nextOccurrence)
        {
            return "the next occurrence is not due at the instant that the trigger gives"
        }
        if let count = job.request.trigger.count, job.nextDue != nil,
            job.nextOccurrence - job.bookkeeping.origin > count
        {
            return "the next occurrence is \(job.nextOccurrence), and the trigger has only \(count)"
        }
        if job.nextDue == nil, job.dueNote != nil { return "there is no next occurrence, but a note about one" }
        if let next = arrival, job.nextWake.map({ $0 > next }) ?? true {
            return "no wake-up is set for the next occurrence"
        }
        if job.openRunCount != open.count { return "it has \(open.count) open runs, and counts \(job.openRunCount)" }
        if let lastSkip, lastSkip.state != .skipped || lastSkip.through >= job.nextOccurrence {
            return "the last skipped range, through \(lastSkip.through), does not end before the next occurrence"
        }
        let openOccurrences = open.count { $0.occurrence > 0 }
        if job.occurrenceCount + openOccurrences != job.nextOccurrence - 1 {
            return
                "\(job.occurrenceCount) outcomes and \(openOccurrences) open occurrences are not \(job.nextOccurrence - 1) occurrences"
        }
        return runs.flatMap { brokenHistory($0) }
    }

    /// Traps if an invariant is broken.
    package func checkInvariants() {
        if let broken = brokenInvariant() { preconditionFailure("job \(job.id): \(broken)") }
    }

    private func brokenHistory(_ runs: [Run]) -> String? {
        let finals = runs.filter { $0.isFinal && $0.occurrence > 0 }.sorted { $0.occurrence < $1.occurrence }
        let pending = Set(open.lazy.map(\.occurrence).filter { $0 > 0 })
        var next = 1
        for run in finals {
            while pending.contains(next), next < run.occurrence { next += 1 }
            if run.occurrence != next { return "occurrence \(next) has no outcome, or \(run.occurrence) has two" }
            next = run.through + 1
        }
        while pending.contains(next) { next += 1 }
        if next != job.nextOccurrence { return "occurrence \(next) has no outcome" }
        for run in runs {
            if let started = run.started, started < run.due { return "occurrence \(run.occurrence) ran early" }
        }
        return nil
    }
}
