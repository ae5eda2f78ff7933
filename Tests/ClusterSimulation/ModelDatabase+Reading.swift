import ApusJobs
import ApusTimers

/// The reads of the tables.
extension ModelDatabase {
    private func rows(in session: StoreSession) -> [Row] {
        tables.rows.values.filter { session.shards[$0.shard] != nil }.sorted { $0.job.key < $1.job.key }
    }

    func loaded(_ row: Row) -> LoadedJob {
        let last = row.runs.values.filter(\.isFinal).max { $0.occurrence < $1.occurrence }
        let isSkipped = last.map { $0.state == .skipped && $0.through == row.job.nextOccurrence - 1 } ?? false
        return LoadedJob(
            job: row.job, open: row.open, lastSkip: isSkipped ? last : nil, shard: row.shard,
            elapsedOffset: tables.clock?.elapsedOffset ?? .zero)
    }

    func answer(_ read: SchedulerRead, in session: StoreSession) -> SchedulerReadAnswer {
        switch read {
        case .interrupted(let key, let limit):
            let rows = rows(in: session).filter { row in
                row.job.key > key && row.runs.values.contains { $0.state == .running } && !isSetAside(row)
            }
            return .jobs(rows.prefix(limit).map(found))
        case .anchored(let key, let limit):
            let rows = rows(in: session).filter {
                $0.job.key > key && !$0.job.state.isFinal && $0.job.request.trigger.anchor != nil && !isSetAside($0)
            }
            return .jobs(rows.prefix(limit).map(found))
        case .due(let load):
            let waking = tables.rows.values.filter { session.shards[$0.wakeShard] != nil }
            let (keys, next, left) = load.select(
                waking.compactMap { row in row.job.nextWake.map { (row.job.key, $0, row.job.request.lane) } })
            let due = keys.map { found(tables.rows[$0]!) }
            return .due(DueJobs(jobs: due.readable, unreadable: due.unreadable, next: next, left: left))
        case .load(let references): return .loaded(references.map { find($0).map(found) })
        case .places: preconditionFailure("a request of its own, which changes something")
        case .submissions(let limit):
            let found = tables.submissions.filter { session.shards[$0.shard] != nil }
            return .submissions(found.prefix(limit).map(\.stored))
        }
    }

    func find(_ reference: JobReference) -> Row? {
        switch reference {
        case .key(let key): return tables.rows[key]
        case .idempotencyKey(let key): return tables.rows.values.first { $0.job.request.idempotencyKey == key }
        case .id(let id):
            let same = tables.rows.values.filter { $0.job.id == id }
            return same.first { !$0.job.state.isFinal } ?? same.max { $0.job.key < $1.job.key }
        case .unique(let kind, let content, let instant):
            let same = tables.rows.values.filter {
                $0.job.request.kind == kind && $0.job.request.uniqueContent == content
            }
            return same.first { !$0.job.state.isFinal }
                ?? same.filter { row in instant.map { row.job.created > $0 } ?? false }.max { $0.job.key < $1.job.key }
        }
    }
}

extension Trigger {
    /// The anchor of the instants; `nil` if the trigger has none.
    fileprivate var anchor: WallInstant? { if case .every(_, let anchor, _) = kind { anchor } else { nil } }
}

/// The effects of handlers, which complete their runs in the same transaction.
extension ModelDatabase {
    /// The occurrence of an effect.
    struct EffectID: Hashable {
        var job: Int64
        var occurrence: Int
        init(_ run: Run) { (job, occurrence) = (run.jobKey, run.occurrence) }
    }

    /// Performs the transaction of a handler: its effect, and the completion of its run.
    ///
    /// - Returns: Whether it was committed.
    func complete(_ run: Run) -> Bool {
        guard let stored = tables.rows[run.jobKey]?.runs[RunID(run)], stored.state == .running, !stored.isCompleted,
            stored.jobID == run.jobID
        else { return false }
        tables.rows[run.jobKey]!.runs[RunID(run)]!.isCompleted = true
        tables.effects[EffectID(run), default: 0] += 1
        return true
    }

    /// Refuses a write that would end a completed run other than with success, or make it wait again.
    func checkCompletion(_ former: Run?, _ run: inout Run) throws(JobError) {
        guard let former, former.isCompleted, mutant != .completionUnseen else { return }
        guard run.state == .running || run.state == .succeeded else {
            throw JobError(code: .conflict, message: "\(run.jobID): occurrence \(run.occurrence) is completed")
        }
        run.isCompleted = run.state == .running
    }
}

extension ClusterChecker {
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
