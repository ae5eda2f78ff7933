import ApusJobs
import ApusTimers

/// The database that all nodes share: its tables, and the rules of its transactions.
///
/// It performs in one step of virtual time what `PostgresStore` does in SQL.
final class ModelDatabase {
    struct RunID: Hashable, Comparable {
        var occurrence: Int
        var attempt: Int
        init(_ run: Run) { (occurrence, attempt) = (run.occurrence, run.attempt) }
        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.occurrence, lhs.attempt) < (rhs.occurrence, rhs.attempt)
        }
    }

    struct Row {
        var job: Job
        var shard: ShardID
        /// The shard whose wakes contain those of the job.
        var wakeShard: ShardID
        var runs: [RunID: Run] = [:]
        /// The order in which the runs were first written.
        var sequences: [RunID: Int64] = [:]
        init(job: Job, shard: ShardID) { (self.job, self.shard, wakeShard) = (job, shard, shard) }
        var open: [Run] { runs.values.filter(\.state.isOpen).sorted { RunID($0) < RunID($1) } }
    }

    struct Node {
        var ended = false
        var isLeaving = false
        var beat: Int64 = 0
        var hasSession = false
        /// The jobs that the node can run; `nil` if it has not reported them.
        var jobs: RunnableJobs?
    }

    struct Shard {
        var epoch: Int64 = 0
        var owner: Int64?
    }

    struct Submission {
        var stored: StoreSubmission
        var shard: ShardID
        var sender: Int64?
        var call: Int?
    }

    struct Reply {
        var node: Int64
        var call: Int
        var reply: JobReply
    }

    struct PlaceID: Hashable {
        var queue: QueueID
        var node: Int64
    }

    struct Place: Hashable {
        var places: Int
        var wanted: Int
    }

    /// The state that a transaction changes, and restores if it fails.
    struct Tables {
        var nodes: [Int64: Node] = [:]
        var shards: [Shard]
        var rows: [Int64: Row] = [:]
        var submissions: [Submission] = []
        /// The refused submissions, by their sequence numbers.
        var refused: [Int64: RefusedSubmission] = [:]
        /// The jobs that are set aside, by their keys.
        var setAside: [Int64: Aside] = [:]
        var replies: [Reply] = []
        var clock: StoreClock?
        var queues: [QueueID: JobQueue] = [:]
        var places: [PlaceID: Place] = [:]
        /// The number of effects of each occurrence.
        var effects: [EffectID: Int] = [:]
        /// The timeline to which the numbers and epochs belong.
        var timeline = 1
    }

    /// The sequences, which a transaction does not restore.
    struct Sequences {
        var job: Int64 = 0
        var run: Int64 = 0
        var submission: Int64 = 0
        var node: Int64 = 0
    }

    var tables: Tables
    var sequences = Sequences()
    /// The time for which the other nodes wait for a silent node.
    var patience: Duration = .seconds(3)
    /// The number of the timeline; each promotion begins another one.
    var timeline = 1
    /// Returns the key that the compared database has given to a new job.
    ///
    /// The arguments are the positions of the job's part and change.
    var chosenKey: ((_ part: Int, _ change: Int) -> Int64?)?
    /// Returns the number that the compared database has given to the forwarded call of a part.
    var chosenSequence: ((_ part: Int) -> Int64?)?
    let mutant: ClusterMutant?
    /// The jobs whose rows no node can read.
    var unreadable: Set<Int64> = []
    /// Called after a turn was written.
    var written: ((_ node: Int64, _ session: StoreSession, _ turn: StoreTurn, _ parts: [Int]) -> Void)?
    var overwritten: ((_ old: Run, _ new: Run) -> Void)?
    var taken: ((ShardID, StoreEpoch) -> Void)?
    var notify: ((_ node: Int64, _ payload: String) -> Void)?

    init(shards: Int, mutant: ClusterMutant?) {
        tables = Tables(shards: Array(repeating: Shard(), count: shards))
        self.mutant = mutant
    }

    // MARK: Transactions

    /// Performs a transaction, which has no effect if it throws.
    func transaction<R>(_ body: () throws(JobError) -> R) throws(JobError) -> R {
        let before = tables
        do { return try body() } catch {
            tables = before
            throw error
        }
    }

    func fence(
        _ node: Int64, _ shards: Set<ShardID>, _ session: StoreSession?, timeline known: Int? = nil
    ) throws(JobError) {
        if mutant == .noFence { return }
        guard tables.nodes[node]?.ended == false else {
            throw JobError(code: .notOwner, message: "node \(node) can write nothing any more")
        }
        if let known, known != timeline, mutant != .staleTimeline {
            throw JobError(
                code: .unavailable, message: "the database was promoted, and node \(node) does not know that yet")
        }
        for shard in shards {
            let row = tables.shards[shard.rawValue]
            guard row.owner == node, row.epoch == session?.shards[shard]?.rawValue else {
                throw JobError(code: .unavailable, message: "node \(node) has lost shard \(shard.rawValue)")
            }
        }
    }

    /// Returns the parts that contain no change of another owner's job and no submission for another owner.
    ///
    /// A new job may be in any shard.
    private static func parts(_ turn: StoreTurn, in session: StoreSession) -> [Int] {
        turn.parts.indices.filter { part in
            turn.parts[part].allSatisfy { isAllowed($0, in: session) } && takesOwn(part, of: turn, session)
        }
    }

    /// Returns whether all submissions that the part takes are in shards of the session.
    private static func takesOwn(_ part: Int, of turn: StoreTurn, _ session: StoreSession) -> Bool {
        let taken = turn.taken.filter { $0.part == part }.map(\.shard)
        let forwarded = turn.forwarded.compactMap { command -> ShardID? in
            guard command.part == part, case .submission(_, let home) = command.origin else { return nil }
            return home
        }
        return (taken + forwarded).allSatisfy { session.shards[$0] != nil }
    }

    private static func isAllowed(_ change: JobChange, in session: StoreSession) -> Bool {
        session.shards[change.shard] != nil || change.expected == .absent
    }

    /// Returns the latest due instant of the runs that the turn claims.
    static func claims(_ turn: StoreTurn, in session: StoreSession) -> WallInstant? {
        var latest: WallInstant?
        for change in parts(turn, in: session).flatMap({ turn.parts[$0] }) {
            for run in change.runs where run.state == .running {
                let due = max(run.due, run.notBefore ?? run.due)
                latest = max(latest ?? due, due)
            }
        }
        return latest
    }

    /// Performs the transaction of a turn, at an instant of the database's clock.
    ///
    /// Parts may be refused for reasons that are not modelled.
    func commit(
        _ turn: StoreTurn, of node: Int64, in session: StoreSession, isClockNew: Bool, at now: WallInstant,
        timeline: Int? = nil, refusing refused: Set<Int> = []
    ) throws(JobError) -> [Result<[Job], JobError>] {
        try transaction { () throws(JobError) in
            let parts = Self.parts(turn, in: session)
            let changes = parts.flatMap { turn.parts[$0] }
            if mutant != .moveUnfenced || changes.allSatisfy({ $0.destination == nil }) {
                let shards = Set(changes.map(\.shard)).union(turn.shardsBeside(parts: parts))
                try fence(node, shards.filter { session.shards[$0] != nil }, session, timeline: timeline)
            }
            if let due = Self.claims(turn, in: session), now.duration(to: due) > .milliseconds(100) {
                throw JobError(code: .unavailable, message: "the node is ahead of the clock of the database")
            }
            if turn.isLeaving { tables.nodes[node]?.isLeaving = true }
            if isClockNew { tables.clock = turn.clock }
            for shard in turn.released where tables.shards[shard.rawValue].owner == node {
                tables.shards[shard.rawValue].owner = nil
            }
            for queue in turn.queues { tables.queues[queue.id] = queue }
            for job in turn.setAside { setAside(job, session) }
            var results: [Result<[Job], JobError>] = []
            for part in turn.parts.indices {
                let before = tables
                do throws(JobError) {
                    if refused.contains(part) { throw JobError(code: .conflict, message: "part \(part) is refused") }
                    results.append(.success(try apply(part, of: turn, node, session)))
                } catch {
                    tables = before
                    results.append(.failure(error))
                }
            }
            let applied = results.indices.filter { if case .success = results[$0] { true } else { false } }
            written?(node, session, turn, applied)
            for forward in turn.forwarded where applied.contains(forward.part) { notifyOwner(forward.shard) }
            notifyOfJobs(applied.flatMap { turn.parts[$0] }, in: session)
            return results
        }
    }

    /// Notifies the owners of other shards that have received jobs.
    private func notifyOfJobs(_ changes: [JobChange], in session: StoreSession) {
        let placed = changes.filter { session.shards[$0.shard] == nil }.map(\.shard) + changes.compactMap(\.destination)
        for owner in Set(placed.compactMap { tables.shards[$0.rawValue].owner }).sorted() { notify?(owner, "jobs") }
    }

    private func apply(
        _ part: Int, of turn: StoreTurn, _ node: Int64, _ session: StoreSession
    ) throws(JobError) -> [Job] {
        if let change = turn.parts[part].first(where: { !Self.isAllowed($0, in: session) }) {
            throw JobError(code: .notOwner, message: "this scheduler does not own the shard \(change.shard.rawValue)")
        }
        guard Self.takesOwn(part, of: turn, session) else {
            throw JobError(code: .conflict, message: "a submission of the part is another scheduler's")
        }
        var jobs: [Job] = []
        for (position, change) in turn.parts[part].enumerated() {
            jobs.append(try apply(change, chosenKey?(part, position)))
        }
        if let taken = turn.taken.first(where: { $0.part == part }) { try take(taken) }
        if let command = turn.forwarded.first(where: { $0.part == part }) { try forward(command, from: node) }
        return jobs
    }

    private func index(of sequence: Int64, in shard: ShardID) throws(JobError) -> Int {
        let index = tables.submissions.firstIndex { $0.stored.sequence == sequence && $0.shard == shard }
        guard let index else {
            throw JobError(code: .conflict, message: "the submission \(sequence) no longer exists")
        }
        return index
    }

    private func take(_ taken: TakenSubmission) throws(JobError) {
        let index = try index(of: taken.sequence, in: taken.shard)
        let submission = tables.submissions[index]
        if let refusal = taken.refusal {
            tables.refused[taken.sequence] = RefusedSubmission(
                sequence: taken.sequence, submitted: submission.stored.submitted, refusal: refusal,
                command: submission.stored.command.map { JobJSON.text(of: $0) } ?? "")
        }
        if mutant != .submissionStays || submission.sender == nil { tables.submissions.remove(at: index) }
        guard let sender = submission.sender, let call = submission.call, let reply = taken.reply else { return }
        // A node that has ended cannot take the reply, so there is none.
        guard tables.nodes[sender]?.ended == false else { return }
        guard !tables.replies.contains(where: { $0.node == sender && $0.call == call }) else { return }
        tables.replies.append(Reply(node: sender, call: call, reply: reply))
        notify?(sender, "replies")
    }

    private func forward(_ command: ForwardedCommand, from node: Int64) throws(JobError) {
        switch command.origin {
        case .call(let call, let asked, let submitted):
            sequences.submission = chosenSequence?(command.part) ?? sequences.submission + 1
            tables.submissions.append(
                Submission(
                    stored: StoreSubmission(
                        sequence: sequences.submission, submitted: submitted, command: asked, isCall: true,
                        shard: command.shard),
                    shard: command.shard, sender: node, call: call))
        case .submission(let sequence, let home):
            let index = try index(of: sequence, in: home)
            tables.submissions[index].shard = command.shard
            tables.submissions[index].stored.shard = command.shard
        }
    }

    private func notifyOwner(_ shard: ShardID, _ payload: String = "submissions") {
        if let owner = tables.shards[shard.rawValue].owner { notify?(owner, payload) }
    }

    /// Submits a job in a transaction of an application.
    func submit(_ request: JobRequest, at now: WallInstant, shard: ShardID) {
        sequences.submission += 1
        // In a burst, only some submissions notify the owner; here it is the first one. The owner also checks every
        // second.
        let isFirst = !tables.submissions.contains { $0.sender == nil }
        tables.submissions.append(
            Submission(
                stored: StoreSubmission(
                    sequence: sequences.submission, submitted: now, command: .submit([request]), shard: shard),
                shard: shard))
        if isFirst { notifyOwner(shard, "burst") }
    }

    // MARK: Jobs

    private func apply(_ change: JobChange, _ chosen: Int64?) throws(JobError) -> Job {
        var job = change.job
        switch change.expected {
        case .absent:
            sequences.job += 1
            job.key = chosen ?? sequences.job
            job.version = 1
            try checkEnd(of: job)
            try checkNames(of: job)
            if change.requiresFreeName, mutant != .nameUnchecked { try checkName(of: job) }
            if let known = change.onlyBeside { try checkLabel(known) }
            tables.rows[job.key] = Row(job: job, shard: change.shard)
        case .version(let version):
            guard let row = tables.rows[job.key], row.job.version == version, row.job.id == job.id else {
                throw JobError(code: .conflict, message: "\(job.id): another transaction has changed it")
            }
            try checkEnd(of: job)
            if !change.isRequestChanged { job.request = row.job.request }
            try checkNames(of: job)
            job.version = version + 1
            tables.rows[job.key]!.job = job
            tables.rows[job.key]!.shard = change.destination ?? change.shard
            if mutant != .wakeStays { tables.rows[job.key]!.wakeShard = change.destination ?? change.shard }
        }
        for given in change.runs {
            var run = given
            (run.jobKey, run.jobID) = (job.key, job.id)
            try write(run)
        }
        if let kept = change.keptRuns { retireRuns(of: job.key, max(0, kept)) }
        return job
    }

    private func write(_ given: Run) throws(JobError) {
        var run = given
        let id = RunID(run)
        try checkCompletion(tables.rows[run.jobKey]!.runs[id], &run)
        sequences.run += 1
        let former = tables.rows[run.jobKey]!.runs.updateValue(run, forKey: id)
        if tables.rows[run.jobKey]!.sequences[id] == nil { tables.rows[run.jobKey]!.sequences[id] = sequences.run }
        if let former, former != run { overwritten?(former, run) }
        let outcomes = tables.rows[run.jobKey]!.runs.values.count { $0.isFinal && $0.occurrence == run.occurrence }
        guard outcomes <= 1 else {
            throw JobError(
                code: .conflict, message: "\(run.jobID): occurrence \(run.occurrence) has an outcome already")
        }
    }

    /// Removes all but the newest attempts, and all but the newest skipped ranges.
    private func retireRuns(of key: Int64, _ kept: Int) {
        let row = tables.rows[key]!
        for isAttempt in [true, false] {
            let old = row.runs.values.filter {
                !$0.state.isOpen && ($0.attempt > 0 && $0.state != .skipped) == isAttempt
            }
            .sorted { row.sequences[RunID($0)]! > row.sequences[RunID($1)]! }.dropFirst(kept)
            for run in old {
                tables.rows[key]!.runs[RunID(run)] = nil
                tables.rows[key]!.sequences[RunID(run)] = nil
            }
        }
    }

    private func checkEnd(of job: Job) throws(JobError) {
        if job.state.isFinal, job.nextDue != nil || job.bookkeeping.wake != nil || job.bookkeeping.elapsedWake != nil {
            throw JobError(code: .invalid, message: "\(job.id) has ended, and something is to come of it")
        }
    }

    private func checkName(of job: Job) throws(JobError) {
        let isTaken = tables.rows.values.contains {
            $0.job.request.name == job.request.name && !$0.job.state.isFinal
        }
        if isTaken, let name = job.request.name { throw .nameIsTaken(name) }
    }

    private func checkLabel(_ known: LabelledJobs) throws(JobError) {
        let isOther = tables.rows.values.contains {
            $0.job.request.labels[known.label] == known.value && !$0.job.state.isFinal
                && !known.keys.contains($0.job.key)
        }
        if isOther { throw .isLabelled(known) }
    }

    /// Checks that no other open job has the same identifier or content, and that no other job has the same idempotency
    /// key.
    private func checkNames(of job: Job) throws(JobError) {
        let request = job.request
        for row in tables.rows.values where row.job.key != job.key {
            if let key = request.idempotencyKey, row.job.request.idempotencyKey == key {
                throw JobError(code: .conflict, message: "\(job.id): the idempotency key is taken")
            }
            guard !job.state.isFinal, !row.job.state.isFinal else { continue }
            if row.job.id == job.id { throw JobError(code: .conflict, message: "\(job.id): the identifier is taken") }
            if request.hasContent(of: row.job.request) {
                throw JobError(code: .conflict, message: "\(job.id): the content is taken")
            }
        }
    }
}

extension JobRequest {
    /// Returns whether both jobs are unique by the same content.
    func hasContent(of other: JobRequest) -> Bool {
        uniqueContent != nil && kind == other.kind && uniqueContent == other.uniqueContent
    }
}
