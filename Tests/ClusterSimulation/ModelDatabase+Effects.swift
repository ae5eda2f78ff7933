import ApusJobs

/// Effects of handlers, which complete their runs in the same transaction.
extension ModelDatabase {
    /// Of which occurrence an effect is.
    struct EffectID: Hashable {
        var job: Int64
        var occurrence: Int
        init(_ run: Run) { (job, occurrence) = (run.jobKey, run.occurrence) }
    }

    /// The transaction of a handler: its effect, and the completion of its run.
    /// - Returns: whether it was committed.
    func complete(_ run: Run) -> Bool {
        guard let stored = tables.rows[run.jobKey]?.runs[RunID(run)], stored.state == .running, !stored.isCompleted,
            stored.jobID == run.jobID
        else { return false }
        tables.rows[run.jobKey]!.runs[RunID(run)]!.isCompleted = true
        tables.effects[EffectID(run), default: 0] += 1
        return true
    }

    /// What may be written over a run: only its success ends one that is completed, and it does not wait again.
    func checkCompletion(_ former: Run?, _ run: inout Run) throws(JobError) {
        guard let former, former.isCompleted, mutant != .completionUnseen else { return }
        guard run.state == .running || run.state == .succeeded else {
            throw JobError(code: .conflict, message: "\(run.jobID): occurrence \(run.occurrence) is completed")
        }
        run.isCompleted = run.state == .running
    }
}

extension ClusterChecker {
    /// What is wrong with the effects of handlers.
    func checkEffects() {
        let tables = world.database.tables
        for (id, count) in tables.effects where count > 1 {
            fail(.exactlyOnce, "occurrence \(id.occurrence) of job \(id.job) has \(count) effects")
        }
        for (id, _) in tables.effects {
            let outcome = tables.rows[id.job]?.runs.values.first { $0.isFinal && $0.occurrence == id.occurrence }
            if let outcome, outcome.state != .succeeded {
                fail(
                    .exactlyOnce, "occurrence \(id.occurrence) of \(outcome.jobID) has an effect, and \(outcome.state)")
            }
        }
        counts.effects += tables.effects.count
    }
}
