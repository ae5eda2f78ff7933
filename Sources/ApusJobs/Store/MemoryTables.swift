import ApusTimers

/// What ``MemoryStore`` keeps behind its lock.
struct MemoryTables {
    struct RunKey: Hashable, Comparable {
        var occurrence: Int
        var attempt: Int
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.occurrence, lhs.attempt) < (rhs.occurrence, rhs.attempt) }
    }

    /// Which occurrences have an outcome, so that a second one is refused.
    struct Outcomes {
        private var single: [Int: Int] = [:]
        private var ranges: [Run] = []

        mutating func insert(_ run: Run) {
            if run.through == run.occurrence {
                single[run.occurrence] = run.attempt
            } else if let index = ranges.firstIndex(where: { $0.occurrence == run.occurrence }) {
                ranges[index] = run
            } else {
                single[run.occurrence] = nil
                ranges.append(run)
            }
        }

        func check(_ runs: [Run], id: JobID) throws(JobError) {
            var all = self
            for run in runs where run.isFinal {
                guard !run.state.isOpen else { throw JobError(.conflict, "\(id): an open run cannot be final") }
                guard !all.isTaken(by: run) else {
                    throw JobError(.conflict, "\(id): occurrence \(run.occurrence) has an outcome already")
                }
                if runs.count > 1 { all.insert(run) }
            }
        }

        /// The same row may be written again, and a range may grow.
        private func isTaken(by run: Run) -> Bool {
            if let attempt = single[run.occurrence], attempt != run.attempt { return true }
            if run.through > run.occurrence {
                let rest = (run.occurrence + 1)...run.through
                let isTaken =
                    rest.count < single.count
                    ? rest.contains { single[$0] != nil } : single.keys.contains { rest.contains($0) }
                if isTaken { return true }
            }
            return ranges.contains { other in
                let isSame = other.occurrence == run.occurrence && other.attempt == run.attempt
                return !isSame && other.occurrence <= run.through && run.occurrence <= other.through
            }
        }
    }

    struct Row {
        var job: Job
        var outcomes = Outcomes()
        var open: [RunKey: Run] = [:]
        /// All runs, with the number of the write that made them.
        var runs: [RunKey: (written: Int64, run: Run)] = [:]
        /// The newest skipped range.
        var lastSkip: Run?

        var loaded: LoadedJob {
            LoadedJob(
                job: job, open: open.sorted { $0.key < $1.key }.map(\.value),
                lastSkip: lastSkip?.through == job.nextOccurrence - 1 ? lastSkip : nil)
        }

        /// See ``JobPage/lastRuns``.
        var lastRun: Run? {
            func newest(_ isWanted: (Run) -> Bool) -> Run? {
                runs.values.filter { isWanted($0.run) }.max { $0.written < $1.written }?.run
            }
            return newest { $0.state == .claimed } ?? newest { $0.claimed != nil } ?? newest { !$0.state.isOpen }
        }
    }

    var epoch: Int64 = 0
    var isOpen = false
    var rows: [Int64: Row] = [:]
    var keys: [JobID: Int64] = [:]
    private var idempotencyKeys: [String: Int64] = [:]
    var metadata: [String: String] = [:]
    private var lastKey: Int64 = 0
    private var lastWrite: Int64 = 0

    mutating func open() -> StoreEpoch {
        epoch += 1
        isOpen = true
        return StoreEpoch(rawValue: epoch)
    }

    func check(_ epoch: StoreEpoch) throws(JobError) {
        guard epoch.rawValue == self.epoch, isOpen else {
            throw JobError(.notOwner, "the store has another owner (epoch \(self.epoch), not \(epoch.rawValue))")
        }
    }

    // MARK: Changes

    mutating func commit(_ changes: [JobChange]) throws(JobError) -> [Job] {
        // One change is checked before anything is written; only several need a copy to go back to.
        if changes.count == 1 { return [try apply(changes[0])] }
        let before = self
        do {
            var jobs: [Job] = []
            for change in changes { jobs.append(try apply(change)) }
            return jobs
        } catch {
            self = before
            throw error
        }
    }

    private mutating func apply(_ change: JobChange) throws(JobError) -> Job {
        var job = change.job
        switch change.expected {
        case .absent:
            guard keys[job.id] == nil else { throw JobError(.conflict, "\(job.id): the identifier is taken") }
            try checkKey(of: job)
            try Outcomes().check(change.runs, id: job.id)
            insert(&job)
        case .replace:
            try checkKey(of: job)
            try Outcomes().check(change.runs, id: job.id)
            if let old = keys[job.id] { retire(old, at: job.created) }
            insert(&job)
        case .version(let version):
            guard let row = rows[job.key] else { throw JobError(.conflict, "\(job.id): there is no job \(job.key)") }
            guard row.job.version == version, row.job.id == job.id else {
                throw JobError(.conflict, "\(job.id): version \(row.job.version), not \(version)")
            }
            try row.outcomes.check(change.runs, id: job.id)
            job.version = version + 1
            rows[job.key]!.job = job
        }
        for run in change.runs { write(run, key: job.key, id: job.id) }
        return job
    }

    private func checkKey(of job: Job) throws(JobError) {
        guard let key = job.request.idempotencyKey, idempotencyKeys[key] != nil else { return }
        throw JobError(.conflict, "\(job.id): the idempotency key is taken")
    }

    private mutating func insert(_ job: inout Job) {
        lastKey += 1
        job.key = lastKey
        job.version = 1
        if let key = job.request.idempotencyKey { idempotencyKeys[key] = job.key }
        keys[job.id] = job.key
        rows[job.key] = Row(job: job)
    }

    private mutating func retire(_ key: Int64, at now: WallInstant) {
        var row = rows[key]!
        keys[row.job.id] = nil
        let wasFinal = row.job.state.isFinal
        row.job.request.id = JobID("\(row.job.id)~\(key)")
        keys[row.job.id] = key
        for (runKey, var run) in row.open {
            run.state = .cancelled
            run.reason = "replaced"
            run.isFinal = true
            run.finished = now
            row.runs[runKey]!.run = run
            row.outcomes.insert(run)
            if run.occurrence > 0 { row.job.occurrences += 1 }
        }
        row.open = [:]
        for runKey in row.runs.keys { row.runs[runKey]!.run.job = row.job.id }
        if !wasFinal { row.job.state = .cancelled }
        row.job.nextDue = nil
        row.job.remainder = nil
        row.job.wake = nil
        row.job.updated = now
        row.job.version += 1
        rows[key] = row
    }

    private mutating func write(_ given: Run, key: Int64, id: JobID) {
        var run = given
        run.jobKey = key
        run.job = id
        let runKey = RunKey(occurrence: run.occurrence, attempt: run.attempt)
        lastWrite += 1
        let written = rows[key]!.runs[runKey]?.written ?? lastWrite
        rows[key]!.runs[runKey] = (written, run)
        rows[key]!.open[runKey] = run.state.isOpen ? run : nil
        if run.isFinal { rows[key]!.outcomes.insert(run) }
        if run.state == .skipped, run.through >= rows[key]!.lastSkip?.through ?? 0 { rows[key]!.lastSkip = run }
    }

    mutating func shift(by offset: Duration) {
        for key in rows.keys {
            var row = rows[key]!
            guard row.job.state == .scheduled, row.job.request.trigger.isRelative else { continue }
            row.job.first = row.job.first.advanced(by: offset)
            row.job.nextDue = row.job.nextDue?.advanced(by: offset)
            row.job.wake = row.job.wake?.advanced(by: offset)
            row.job.version += 1
            for (runKey, var run) in row.open where run.state == .waiting {
                run.due = run.due.advanced(by: offset)
                run.notBefore = run.notBefore?.advanced(by: offset)
                row.open[runKey] = run
                row.runs[runKey]!.run = run
            }
            rows[key] = row
        }
    }

    mutating func prune(keepRuns: Int, endedBefore: WallInstant) {
        for (key, row) in rows {
            if row.job.state.isFinal, row.open.isEmpty, row.job.updated < endedBefore {
                keys[row.job.id] = nil
                if let idempotencyKey = row.job.request.idempotencyKey { idempotencyKeys[idempotencyKey] = nil }
                rows[key] = nil
                continue
            }
            guard row.runs.count > keepRuns else { continue }
            let newest = row.runs.sorted { $0.value.written > $1.value.written }
            for kept in [newest.filter { $0.key.attempt > 0 }, newest.filter { $0.key.attempt == 0 }] {
                for (runKey, value) in kept.dropFirst(keepRuns) where !value.run.state.isOpen {
                    rows[key]!.runs[runKey] = nil
                }
            }
        }
    }

    // MARK: Queries

    func wakingJobs(through instant: WallInstant, limit: Int) -> [LoadedJob] {
        rows.values.filter { $0.job.wake.map { $0 <= instant } ?? false }
            .sorted { ($0.job.wake!, $0.job.key) < ($1.job.wake!, $1.job.key) }
            .prefix(max(0, limit)).map(\.loaded)
    }

    func jobs(_ query: JobQuery) -> JobPage {
        let after = query.after.flatMap { Int64($0) } ?? 0
        let found = rows.values.filter { row in
            let job = row.job
            if job.key <= after { return false }
            if let text = query.idPrefixOrName, !job.id.rawValue.hasPrefix(text), job.request.name != text {
                return false
            }
            if !query.states.isEmpty, !query.states.contains(job.state) { return false }
            if let kind = query.kind, job.request.kind != kind { return false }
            if let key = query.idempotencyKey, job.request.idempotencyKey != key { return false }
            return query.labels.allSatisfy { job.request.labels[$0.key] == $0.value }
        }.sorted { $0.job.key < $1.job.key }
        let page = found.prefix(max(0, query.limit))
        return JobPage(
            jobs: page.map(\.job),
            lastRuns: page.map(\.lastRun),
            next: found.count > page.count ? page.last.map { String($0.job.key) } : nil)
    }

    func runs(_ query: RunQuery) -> RunPage {
        let before = query.after.flatMap { Int64($0) } ?? .max
        var found: [(written: Int64, run: Run)] = []
        let candidates: [Row]
        if let id = query.job {
            candidates = keys[id].flatMap { rows[$0] }.map { [$0] } ?? []
        } else {
            candidates = Array(rows.values)
        }
        for row in candidates {
            for value in row.runs.values where value.written < before {
                let run = value.run
                if let occurrence = query.occurrence, !(run.occurrence...run.through).contains(occurrence) { continue }
                if !query.states.isEmpty, !query.states.contains(run.state) { continue }
                if query.begunOnly, run.claimed == nil { continue }
                found.append(value)
            }
        }
        found.sort { $0.written > $1.written }
        let page = found.prefix(max(0, query.limit))
        return RunPage(
            runs: page.map(\.run), next: found.count > page.count ? page.last.map { String($0.written) } : nil)
    }
}
