import ApusJobs

/// The facts about jobs that are unique by their payloads, and their checks; plans with the same number have the same
/// payload.
extension Ledger.State {
    /// Returns the identifier of the job to which the number of a plan refers.
    func jobID(_ id: Int) -> JobID {
        let newest = facts.filter { $0.plan.id == id && $0.key != nil }.max { ($0.key ?? 0) < ($1.key ?? 0) }
        return newest?.jobID ?? JobPlan.jobID(id)
    }

    /// Checks a submission that has made this job, or has changed it if there is an `earlier` submission of the same
    /// job.
    mutating func checkUnique(_ number: Int, _ job: Job, _ earlier: Ledger.Facts?, _ now: Ledger.Moment) {
        let own = facts[number]
        let what = "submission \(number) of job\(own.plan.id)"
        if own.isRefused { report(.unique, "\(what) was refused, and has an effect on job \(job.key)", at: now) }
        if let earlier {
            if earlier.jobID != job.id {
                report(.unique, "\(what) has changed the identifier of \(job.id)", at: now)
            }
            return
        }
        guard let unique = own.plan.unique else { return }
        // The updated job may be one that no answer has shown.
        let mayHaveUpdated =
            own.plan.conflict == .update
            && facts.contains {
                $0.plan.id == own.plan.id && $0.number != number && $0.key == nil && !$0.isRefused
            }
        if own.plan.conflict != .update, job.id != own.plan.jobID(number: number) {
            report(.unique, "\(what) has made a job with another identifier, \(job.id)", at: now)
        }
        guard let within = unique.within, own.plan.conflict != .replace, !mayHaveUpdated else { return }
        for other in facts where other.plan.id == own.plan.id && other.number != number && other.key != nil {
            guard let key = other.key, key < job.key, other.issued.elapsed < own.issued.elapsed, !other.isMixed,
                !other.isDeleteIssued, !other.sawWallMove, other.issued.wall + Int64(within) * 1_000_000 > now.wall
            else { continue }
            report(
                .unique,
                "\(what) has made a job, although submission \(other.number) had made one within "
                    + seconds(Int64(within)), at: now)
        }
    }

    /// Checks a submission that was answered with the job of another submission.
    mutating func checkAnswer(to own: Int, with number: Int, _ job: Job, _ now: Ledger.Moment) {
        let (plan, other) = (facts[own].plan, facts[number])
        let within = plan.unique?.within
        let mayBeOther =
            switch plan.conflict {
            case .keep: true
            case .update: job.nextDue == nil && within != nil
            case .replace, .refuse: false
            }
        guard mayBeOther, other.plan.id == plan.id else {
            return report(.answered, "submission \(own) was answered with the job of submission \(number)", at: now)
        }
        guard job.state.isFinal || plan.conflict == .update else { return }
        guard let within else {
            return report(.unique, "submission \(own) was answered with \(job.id), which has ended", at: now)
        }
        if !other.sawWallMove, !other.isMixed, let answered = other.answered,
            answered.wall + Int64(within) * 1_000_000 <= facts[own].issued.wall
        {
            report(
                .unique,
                "submission \(own) was answered with \(job.id), which was submitted more than "
                    + "\(seconds(Int64(within))) before", at: now)
        }
    }

    /// Checks that the store has no two open jobs with the same payload.
    mutating func checkUnique(_ jobs: [Job], _ now: Ledger.Moment) {
        var open: [Int: Job] = [:]
        for job in jobs where !job.state.isFinal {
            let number = JobPlan.number(of: job)
            guard facts.indices.contains(number), facts[number].plan.unique != nil else { continue }
            if let other = open.updateValue(job, forKey: facts[number].plan.id) {
                report(.unique, "\(job.id) and \(other.id) have one payload, and neither has ended", at: now)
            }
        }
    }
}
