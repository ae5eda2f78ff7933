import ApusTimers

/// The state of a ``MemoryStore``, protected by its lock.
struct MemoryTables {
    struct RunKey: Hashable, Comparable {
        var occurrence: Int
        var attempt: Int
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.occurrence, lhs.attempt) < (rhs.occurrence, rhs.attempt) }
    }

    /// The occurrences that have an outcome, so that a second outcome is refused.
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

        mutating func remove(_ run: Run) {
            if single[run.occurrence] == run.attempt { single[run.occurrence] = nil }
            ranges.removeAll { $0.occurrence == run.occurrence && $0.attempt == run.attempt }
        }

        func check(_ runs: [Run], id: JobID) throws(JobError) {
            var all = self
            for run in runs where run.isFinal {
                guard !run.state.isOpen else {
                    throw JobError(code: .invalid, message: "\(id): an open run cannot be final")
                }
                guard !all.isTaken(by: run) else {
                    throw JobError(
                        code: .conflict, message: "\(id): occurrence \(run.occurrence) has an outcome already")
                }
                if runs.count > 1 { all.insert(run) }
            }
        }

        /// Returns whether another run is already the outcome of an occurrence of this run.
        ///
        /// The same run may be written again, and its range may grow.
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

    /// A job with its runs.
    ///
    /// It is an object, so that a change looks it up once and then modifies it in place.
    final class Row {
        var job: Job
        var outcomes = Outcomes()
        var open: [RunKey: Run] = [:]
        /// All runs, each with the number of the write that created it.
        var runs: [RunKey: (written: Int64, run: Run)] = [:]
        var lastSkip: Run?
        /// The problem that makes the job unreadable, set only by tests; `nil` for a readable job.
        var problem: String?
        /// The problem and the wakes of a job that is set aside; `nil` otherwise.
        var aside: (problem: String, wake: WallInstant?, elapsedWake: WallInstant?)?

        init(_ job: Job) { self.job = job }

        func copy() -> Row {
            let row = Row(job)
            (row.outcomes, row.open, row.runs, row.lastSkip) = (outcomes, open, runs, lastSkip)
            (row.problem, row.aside) = (problem, aside)
            return row
        }

        /// The run for ``JobPage/lastRuns``.
        var lastRun: Run? {
            func newest(_ isWanted: (Run) -> Bool) -> Run? {
                runs.values.filter { isWanted($0.run) }.max { $0.written < $1.written }?.run
            }
            return newest { $0.state == .running } ?? newest { $0.claimed != nil } ?? newest { !$0.state.isOpen }
        }

        /// The state for ``JobQuery/lastEnded``.
        var lastEnded: RunState? {
            runs.values.filter { $0.run.claimed != nil && !$0.run.state.isOpen }.max { $0.written < $1.written }?
                .run.state
        }

        func matches(_ query: JobQuery) -> Bool {
            let isMeant = query.idPrefixOrName.map { job.id.rawValue.hasPrefix($0) || job.request.name == $0 } ?? true
            if !isMeant { return false }
            if !query.names.isEmpty, !(job.request.name.map(query.names.contains) ?? false) { return false }
            if !query.states.isEmpty, !query.states.contains(job.state) { return false }
            if let kind = query.kind, job.request.kind != kind { return false }
            if !query.queues.isEmpty, !query.queues.contains(job.request.queue) { return false }
            if !query.fairnessKeys.isEmpty, !(job.request.fairnessKey.map(query.fairnessKeys.contains) ?? false) {
                return false
            }
            if let due = query.due, !(job.nextDue.map(due.contains) ?? false) { return false }
            if let created = query.created, !created.contains(job.created) { return false }
            if let key = query.idempotencyKey, job.request.idempotencyKey != key { return false }
            if query.calendarsOnly, job.request.trigger.calendar == nil { return false }
            if !query.lastEnded.isEmpty, !(lastEnded.map(query.lastEnded.contains) ?? false) { return false }
            return query.labels.allSatisfy { job.request.labels[$0.key] == $0.value }
        }

        func retireRuns(keeping kept: Int) {
            let newest = runs.sorted { $0.value.written > $1.value.written }
            func isAttempt(_ run: Run) -> Bool { run.attempt > 0 && run.state != .skipped }
            for some in [newest.filter { isAttempt($0.value.run) }, newest.filter { !isAttempt($0.value.run) }] {
                for (runKey, value) in some.dropFirst(kept) where !value.run.state.isOpen {
                    runs[runKey] = nil
                    outcomes.remove(value.run)
                    if lastSkip?.occurrence == runKey.occurrence { lastSkip = nil }
                }
            }
        }
    }

    var epoch: Int64 = 0
    var isOpen = false
    var clock: StoreClock?
    private var queues: [QueueID: JobQueue] = [:]
    var rows: [Int64: Row] = [:]
    /// The keys of the jobs with an identifier, in the order of their submission.
    private var keys: [JobID: [Int64]] = [:]
    private(set) var idempotencyKeys: [String: Int64] = [:]
    private var lastKey: Int64 = 0
    private var lastWrite: Int64 = 0
    /// The submissions, ordered by sequence.
    private(set) var submissions: [StoreSubmission] = []
    private var lastSubmission: Int64 = 0
    /// The refused submissions, ordered by sequence.
    private(set) var refusals: [RefusedSubmission] = []

    mutating func open(as node: NodeID) -> StoreSession {
        epoch += 1
        isOpen = true
        giveWakesBack()
        return StoreSession(
            node: node, shards: [.only: StoreEpoch(rawValue: epoch)], clock: clock,
            queues: queues.values.sorted { $0.id < $1.id },
            mayHaveCalendars: rows.values.contains { $0.job.request.trigger.calendar != nil })
    }

    func check(_ session: StoreSession) throws(JobError) {
        guard owns(session) else {
            let number = session.shards[.only]?.rawValue ?? 0
            throw JobError(code: .notOwner, message: "the store has another owner (epoch \(epoch), not \(number))")
        }
    }

    func owns(_ session: StoreSession) -> Bool { isOpen && session.shards[.only]?.rawValue == epoch }

    // MARK: Changes

    mutating func commit(_ turn: StoreTurn) -> [Result<[Job], JobError>] {
        // This store has no separate axis of elapsed time, so it moves the instants themselves.
        let step = turn.clock.elapsedOffset - (clock?.elapsedOffset ?? .zero)
        if step != .zero { moveElapsedInstants(by: step) }
        clock = turn.clock
        for queue in turn.queues { queues[queue.id] = queue }
        for job in turn.setAside { setAside(job) }
        let taken = turn.takenByPart
        return turn.parts.enumerated().map { index, part in
            Result { () throws(JobError) in try commit(part, taking: taken[index]) }
        }
    }

    private mutating func commit(_ changes: [JobChange], taking taken: TakenSubmission?) throws(JobError) -> [Job] {
        guard let taken else { return try commit(changes) }
        let found = submissions.firstIndex { $0.sequence == taken.sequence && $0.shard == taken.shard }
        guard let index = found else {
            throw JobError(code: .conflict, message: "the submission \(taken.sequence) no longer exists")
        }
        let jobs = try commit(changes)
        if let refusal = taken.refusal { keep(submissions[index], refusal) }
        submissions.remove(at: index)
        return jobs
    }

    private mutating func keep(_ submission: StoreSubmission, _ refusal: SubmissionRefusal) {
        let command = submission.command.map { JobJSON.text(of: $0) } ?? ""
        refusals.append(
            RefusedSubmission(
                sequence: submission.sequence, submitted: submission.submitted, refusal: refusal, command: command))
        refusals.sort { $0.sequence < $1.sequence }
    }

    mutating func submit(_ request: JobRequest, at now: WallInstant) {
        lastSubmission += 1
        submissions.append(StoreSubmission(sequence: lastSubmission, submitted: now, command: .submit([request])))
    }

    private mutating func commit(_ changes: [JobChange]) throws(JobError) -> [Job] {
        // Each change is checked before any of it is written, so only the previous changes have to be undone.
        var undo: [Undo] = []
        do {
            var jobs: [Job] = []
            for change in changes {
                let before = changes.count > 1 && change.expected != .absent ? rows[change.job.key]?.copy() : nil
                let job = try apply(change)
                jobs.append(job)
                if changes.count > 1 { undo.append(Undo(key: job.key, id: job.id, before: before)) }
            }
            return jobs
        } catch {
            for step in undo.reversed() { take(back: step) }
            throw error
        }
    }

    /// The information that undoes a change.
    private struct Undo {
        var key: Int64
        var id: JobID
        /// The row before the change; `nil` for a new job.
        var before: Row?
    }

    private mutating func take(back step: Undo) {
        if let key = rows[step.key]?.job.request.idempotencyKey { idempotencyKeys[key] = nil }
        rows[step.key] = step.before
        if let before = step.before {
            if let key = before.job.request.idempotencyKey { idempotencyKeys[key] = step.key }
        } else {
            forget(step.key, of: step.id)
        }
    }

    private mutating func forget(_ key: Int64, of id: JobID) {
        keys[id]?.removeAll { $0 == key }
        if keys[id]?.isEmpty == true { keys[id] = nil }
    }

    private mutating func apply(_ change: JobChange) throws(JobError) -> Job {
        var job = change.job
        guard change.shard == .only else {
            throw JobError(code: .notOwner, message: "\(job.id): the store has no shard \(change.shard.rawValue)")
        }
        switch change.expected {
        case .absent:
            try checkID(of: job)
            try checkKey(of: job)
            try checkContent(of: job)
            if change.requiresFreeName { try checkName(of: job) }
            if let known = change.onlyBeside { try checkLabel(known) }
            try Outcomes().check(change.runs, id: job.id)
            insert(&job)
        case .version(let version):
            guard let row = rows[job.key] else {
                throw JobError(code: .conflict, message: "\(job.id): there is no job \(job.key)")
            }
            guard row.job.version == version, row.job.id == job.id else {
                throw JobError(code: .conflict, message: "\(job.id): version \(row.job.version), not \(version)")
            }
            if row.job.state.isFinal { try checkID(of: job) }
            try row.outcomes.check(change.runs, id: job.id)
            if change.isRequestChanged || row.job.state.isFinal { try checkContent(of: job) }
            if change.isRequestChanged {
                if job.request.idempotencyKey != row.job.request.idempotencyKey { try checkKey(of: job) }
                if let key = row.job.request.idempotencyKey { idempotencyKeys[key] = nil }
                if let key = job.request.idempotencyKey { idempotencyKeys[key] = job.key }
            } else {
                job.request = row.job.request
            }
            job.version = version + 1
            row.job = job
            row.aside = nil
        }
        let row = rows[job.key]!
        for run in change.runs { write(run, of: row) }
        if let kept = change.keptRuns { row.retireRuns(keeping: kept) }
        return job
    }

    /// Returns the job with this identifier that has not ended, or else the last submitted one.
    func find(_ id: JobID) -> Row? {
        let rows = (keys[id] ?? []).compactMap { self.rows[$0] }
        return rows.first { !$0.job.state.isFinal } ?? rows.last
    }

    func find(_ reference: JobReference) -> Row? {
        switch reference {
        case .id(let id): find(id)
        case .key(let key): rows[key]
        case .idempotencyKey(let key): idempotencyKeys[key].flatMap { rows[$0] }
        case .unique(let kind, let content, let instant): find(kind: kind, content, after: instant)
        }
    }

    func find(kind: String, _ content: JobUniqueness.Content, after instant: WallInstant?) -> Row? {
        let same = rows.values.filter { row in
            row.job.request.kind == kind && row.job.request.uniqueContent == content
        }
        if let open = same.first(where: { !$0.job.state.isFinal }) { return open }
        guard let instant else { return nil }
        return same.filter { $0.job.created > instant }.max { $0.job.key < $1.job.key }
    }

    func loaded(_ row: Row) -> LoadedJob {
        LoadedJob(
            job: row.job, open: row.open.sorted { $0.key < $1.key }.map(\.value),
            lastSkip: row.lastSkip?.through == row.job.nextOccurrence - 1 ? row.lastSkip : nil,
            elapsedOffset: clock?.elapsedOffset ?? .zero)
    }

    /// Returns the job of a row, or the description of one that cannot be read.
    func found(_ row: Row) -> FoundJob {
        guard let problem = row.problem else { return .job(loaded(row)) }
        return .unreadable(UnreadableJob(key: row.job.key, id: row.job.id, problem: problem))
    }

    private mutating func insert(_ job: inout Job) {
        lastKey += 1
        job.key = lastKey
        job.version = 1
        if let key = job.request.idempotencyKey { idempotencyKeys[key] = job.key }
        keys[job.id, default: []].append(job.key)
        rows[job.key] = Row(job)
    }

    private mutating func write(_ given: Run, of row: Row) {
        var run = given
        (run.jobKey, run.jobID) = (row.job.key, row.job.id)
        let runKey = RunKey(occurrence: run.occurrence, attempt: run.attempt)
        lastWrite += 1
        let former = row.runs[runKey]
        if let former, former.run.isFinal, !run.isFinal { row.outcomes.remove(former.run) }
        row.runs[runKey] = (former?.written ?? lastWrite, run)
        row.open[runKey] = run.state.isOpen ? run : nil
        if run.isFinal { row.outcomes.insert(run) }
        if run.state == .skipped, run.through >= row.lastSkip?.through ?? 0 { row.lastSkip = run }
    }

    private mutating func moveElapsedInstants(by offset: Duration) {
        for id in queues.keys { queues[id]!.lastStart = queues[id]!.lastStart?.moved(by: offset) }
        for row in rows.values {
            let isRelative = row.job.request.trigger.isRelative
            row.job.moveElapsedInstants(by: offset)
            let elapsedWake = row.aside?.elapsedWake?.moved(by: offset)
            row.aside?.elapsedWake = elapsedWake
            for (runKey, var run) in row.open {
                run.moveElapsedInstants(by: offset, isTriggerRelative: isRelative)
                row.open[runKey] = run
                row.runs[runKey]!.run = run
            }
        }
    }

    mutating func retire(keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int) -> Bool {
        let ended = rows.values.filter { row in
            row.job.state.isFinal && row.open.isEmpty && row.job.keptUntil ?? row.job.updated < instant
        }
        .map(\.job).sorted { ($0.keptUntil ?? $0.updated, $0.key) < ($1.keptUntil ?? $1.updated, $1.key) }
        for job in ended.prefix(max(0, budget)) { remove(job) }
        let old = Set(refusals.filter { $0.refusal.refused < refusedBefore }.prefix(max(0, budget)).map(\.sequence))
        refusals.removeAll { old.contains($0.sequence) }
        return ended.count > budget || refusals.contains { $0.refusal.refused < refusedBefore }
    }

    private mutating func remove(_ job: Job) {
        forget(job.key, of: job.id)
        if let key = job.request.idempotencyKey { idempotencyKeys[key] = nil }
        rows[job.key] = nil
    }

    mutating func delete(_ jobs: [JobVersion]) -> Set<Int64> {
        var deleted: Set<Int64> = []
        for job in jobs {
            guard let row = rows[job.key], row.job.version == job.version, row.job.state.isFinal, row.open.isEmpty
            else {
                continue
            }
            remove(row.job)
            deleted.insert(job.key)
        }
        return deleted
    }

    // MARK: Queries

    func due(_ load: JobLoad) -> DueJobs {
        let (keys, next, left) = load.select(
            rows.values.lazy.compactMap { row in row.job.nextWake.map { (row.job.key, $0, row.job.request.lane) } })
        let found = keys.map { self.found(rows[$0]!) }
        return DueJobs(jobs: found.readable, unreadable: found.unreadable, next: next, left: left)
    }

    func page(after key: Int64, limit: Int, _ isWanted: (Row) -> Bool) -> [FoundJob] {
        rows.values.filter { $0.job.key > key && $0.aside == nil && isWanted($0) }
            .sorted { $0.job.key < $1.job.key }.prefix(max(0, limit))
            .map { found($0) }
    }

    func jobs(_ query: JobQuery) -> JobPage {
        let after = query.cursor.flatMap { Int64($0) } ?? (query.newestFirst ? .max : 0)
        let found = rows.values.filter { row in
            (query.newestFirst ? row.job.key < after : row.job.key > after) && row.matches(query)
        }.sorted { query.newestFirst ? $0.job.key > $1.job.key : $0.job.key < $1.job.key }
        let page = found.prefix(max(0, query.limit))
        let readable = page.filter { $0.problem == nil }
        return JobPage(
            jobs: readable.map(\.job), lastRuns: readable.map { query.includesLastRuns ? $0.lastRun : nil },
            unreadable: page.map { self.found($0) }.unreadable,
            nextCursor: found.count > page.count ? page.last.map { String($0.job.key) } : nil)
    }

    func runs(_ query: RunQuery) -> RunPage {
        let before = query.cursor.flatMap { Int64($0) } ?? .max
        var found: [(written: Int64, run: Run)] = []
        let candidates: [Row]
        if let id = query.jobID {
            candidates = find(id).map { [$0] } ?? []
        } else {
            candidates = Array(rows.values)
        }
        for row in candidates where row.matches(query.jobQuery) {
            for value in row.runs.values where value.written < before {
                let run = value.run
                if let occurrence = query.occurrence, !(run.occurrence...run.through).contains(occurrence) { continue }
                if !query.states.isEmpty, !query.states.contains(run.state) { continue }
                if query.begunOnly, run.claimed == nil { continue }
                if let since = query.since, let finished = run.finished, finished < since { continue }
                found.append(value)
            }
        }
        found.sort { $0.written > $1.written }
        let page = found.prefix(max(0, query.limit))
        let named = page.compactMap { found in
            rows[found.run.jobKey]?.job.request.name.map { (found.run.jobID, $0) }
        }
        return RunPage(
            runs: page.map(\.run), names: Dictionary(named) { newest, _ in newest },
            nextCursor: found.count > page.count ? page.last.map { String($0.written) } : nil)
    }
}

// These checks refuse a change of a job because of other jobs.
extension MemoryTables {
    func checkID(of job: Job) throws(JobError) {
        guard !job.state.isFinal, let other = find(job.id)?.job, !other.state.isFinal else { return }
        throw JobError(code: .conflict, message: "\(job.id): the identifier is taken")
    }

    func checkKey(of job: Job) throws(JobError) {
        guard let key = job.request.idempotencyKey, idempotencyKeys[key] != nil else { return }
        throw JobError(code: .conflict, message: "\(job.id): the idempotency key is taken")
    }

    func checkName(of job: Job) throws(JobError) {
        let isTaken = rows.values.contains { $0.job.request.name == job.request.name && !$0.job.state.isFinal }
        if isTaken, let name = job.request.name { throw .nameIsTaken(name) }
    }

    func checkLabel(_ known: LabelledJobs) throws(JobError) {
        let isOther = rows.values.contains { row in
            row.job.request.labels[known.label] == known.value && !row.job.state.isFinal
                && !known.keys.contains(row.job.key)
        }
        if isOther { throw .isLabelled(known) }
    }

    func checkContent(of job: Job) throws(JobError) {
        guard let content = job.request.uniqueContent, !job.state.isFinal,
            let other = find(kind: job.request.kind, content, after: nil)?.job,
            other.key != job.key || job.key == 0
        else { return }
        throw JobError(code: .conflict, message: "\(job.id): job \(other.id) has the same kind and \(content.word)")
    }
}
