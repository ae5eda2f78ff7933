package import ApusTimers

/// What is done to single runs.
extension JobMachine {
    /// The handler of a claimed run reports how far it is.
    package mutating func progressed(
        occurrence: Int, attempt: Int, _ progress: RunProgress, now: WallInstant
    ) -> Action {
        guard let index = indexOfClaimed(occurrence, attempt), open[index].progress != progress else { return .none }
        return transition(now) { machine, draft in
            machine.edit { _, open in open[index].progress = progress }
            draft.write(machine.open[index])
        }
    }

    /// Ends the open run of one occurrence; `nil` if there is none. The handler of a claimed run is cancelled, and the
    /// run is cancelled when it ends.
    package mutating func cancelRun(_ occurrence: Int, now: WallInstant) -> (run: Run, action: Action)? {
        guard let index = open.firstIndex(where: { $0.occurrence == occurrence }) else { return nil }
        var run = open[index]
        let action = transition(now) { machine, draft in
            machine.cancel(index, .cancelled, now: now, &draft)
            run = machine.open[index]
        }
        return (run, action)
    }

    /// An occurrence whose outcome is `run` gets another attempt. Its outcome is open again, and so is the job, if it has
    /// ended with it.
    ///
    /// `run` is the stored outcome: an attempt that failed, was lost or was cancelled, of a job that is not cancelled.
    package mutating func retry(_ run: Run, now: WallInstant) -> (run: Run, action: Action) {
        precondition(run.isFinal && run.attempt > 0 && job.state != .cancelled, "there is nothing to be tried again")
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
