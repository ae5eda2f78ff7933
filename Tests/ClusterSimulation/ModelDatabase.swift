import ApusJobs
import ApusTimers

/// The database that all nodes share: its tables, and the rules of its transactions. What `PostgresStore` writes in SQL
/// is done here in one step of virtual time.
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
        var runs: [RunID: Run] = [:]
        var open: [Run] { runs.values.filter(\.state.isOpen).sorted { RunID($0) < RunID($1) } }
    }

    struct Node {
        var ended = false
        var isLeaving = false
        var beat: Int64 = 0
        var hasSession = false
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

    /// What a transaction changes, and takes back.
    struct Tables {
        var nodes: [Int64: Node] = [:]
        var shards: [Shard]
        var rows: [Int64: Row] = [:]
        var submissions: [Submission] = []
        var replies: [Reply] = []
        var clock: StoreClock?
    }

    var tables: Tables
    /// Sequences are no part of a transaction.
    private var lastKey: Int64 = 0
    private var lastSubmission: Int64 = 0
    private var lastNode: Int64 = 0
    private let mutant: ClusterMutant?
    /// Is told of what is written.
    var written: ((_ node: Int64, _ session: StoreSession, _ turn: StoreTurn, _ parts: [Int]) -> Void)?
    var overwritten: ((_ old: Run, _ new: Run) -> Void)?
    var taken: ((ShardID, StoreEpoch) -> Void)?
    var notify: ((_ node: Int64, _ payload: String) -> Void)?

    init(shards: Int, mutant: ClusterMutant?) {
        tables = Tables(shards: Array(repeating: Shard(), count: shards))
        self.mutant = mutant
    }

    // MARK: Transactions

    /// One transaction: nothing of it stays if it throws.
    private func transaction<R>(_ body: () throws(JobError) -> R) throws(JobError) -> R {
        let before = tables
        do { return try body() } catch {
            tables = before
            throw error
        }
    }

    private func fence(_ node: Int64, _ shards: Set<ShardID>, _ session: StoreSession?) throws(JobError) {
        if mutant == .noFence { return }
        guard tables.nodes[node]?.ended == false else {
            throw JobError(.notOwner, "node \(node) can write nothing any more")
        }
        for shard in shards {
            let row = tables.shards[shard.rawValue]
            guard row.owner == node, row.epoch == session?.shards[shard]?.rawValue else {
                throw JobError(.notOwner, "node \(node) has lost shard \(shard.rawValue)")
            }
        }
    }

    /// The latest instant at which a run that the turn claims is due.
    static func claims(_ turn: StoreTurn) -> WallInstant? {
        var latest: WallInstant?
        for change in turn.parts.joined() {
            for run in change.runs where run.state == .claimed {
                let due = max(run.due, run.notBefore ?? run.due)
                latest = max(latest ?? due, due)
            }
        }
        return latest
    }

    func commit(
        _ turn: StoreTurn, of node: Int64, in session: StoreSession
    ) throws(JobError) -> [Result<[Job], JobError>] {
        try transaction { () throws(JobError) in
            let shards = Set(turn.parts.joined().map(\.shard)).filter { session.shards[$0] != nil }
            try fence(node, shards, session)
            if turn.isLeaving { tables.nodes[node]?.isLeaving = true }
            tables.clock = turn.clock
            for shard in turn.released where tables.shards[shard.rawValue].owner == node {
                tables.shards[shard.rawValue].owner = nil
            }
            var results: [Result<[Job], JobError>] = []
            for part in turn.parts.indices {
                let before = tables
                do throws(JobError) { results.append(.success(try apply(part, of: turn, node, session))) } catch {
                    tables = before
                    results.append(.failure(error))
                }
            }
            let applied = results.indices.filter { if case .success = results[$0] { true } else { false } }
            written?(node, session, turn, applied)
            for forward in turn.forwarded where applied.contains(forward.part) { notifyOwner(forward.shard) }
            return results
        }
    }

    private func apply(
        _ part: Int, of turn: StoreTurn, _ node: Int64, _ session: StoreSession
    ) throws(JobError) -> [Job] {
        var jobs: [Job] = []
        for change in turn.parts[part] {
            guard session.shards[change.shard] != nil else {
                throw JobError(.notOwner, "shard \(change.shard.rawValue) is not this scheduler's")
            }
            jobs.append(try apply(change))
        }
        if let taken = turn.taken.first(where: { $0.part == part }) { try take(taken) }
        if let command = turn.forwarded.first(where: { $0.part == part }) { try forward(command, from: node) }
        return jobs
    }

    private func take(_ taken: TakenSubmission) throws(JobError) {
        guard let index = tables.submissions.firstIndex(where: { $0.stored.sequence == taken.sequence }) else {
            throw JobError(.conflict, "there is no submission \(taken.sequence) any more")
        }
        let submission = tables.submissions[index]
        if mutant != .submissionStays || submission.sender == nil { tables.submissions.remove(at: index) }
        guard let sender = submission.sender, let call = submission.call, let reply = taken.reply else { return }
        // To a node that has ended, nobody would take it.
        guard tables.nodes[sender]?.ended == false else { return }
        tables.replies.append(Reply(node: sender, call: call, reply: reply))
        notify?(sender, "replies")
    }

    private func forward(_ command: ForwardedCommand, from node: Int64) throws(JobError) {
        switch command.origin {
        case .call(let call, let asked, let submitted):
            lastSubmission += 1
            tables.submissions.append(
                Submission(
                    stored: StoreSubmission(
                        sequence: lastSubmission, submitted: submitted, command: asked, isCall: true),
                    shard: command.shard, sender: node, call: call))
        case .submission(let sequence):
            guard let index = tables.submissions.firstIndex(where: { $0.stored.sequence == sequence }) else {
                throw JobError(.conflict, "there is no submission \(sequence) any more")
            }
            tables.submissions[index].shard = command.shard
        }
    }

    private func notifyOwner(_ shard: ShardID) {
        if let owner = tables.shards[shard.rawValue].owner { notify?(owner, "submissions") }
    }

    /// An application submits a job in a transaction of its own.
    func submit(_ request: JobRequest, at now: WallInstant) {
        lastSubmission += 1
        let shard = ShardID(rawValue: Int(lastSubmission) % tables.shards.count)
        tables.submissions.append(
            Submission(
                stored: StoreSubmission(sequence: lastSubmission, submitted: now, command: .submit([request])),
                shard: shard))
        notifyOwner(shard)
    }

    // MARK: Jobs

    private func apply(_ change: JobChange) throws(JobError) -> Job {
        var job = change.job
        switch change.expected {
        case .absent:
            try checkID(of: job)
            try checkIdempotencyKey(of: job)
            lastKey += 1
            job.key = lastKey
            job.version = 1
            tables.rows[job.key] = Row(job: job, shard: change.shard)
        case .version(let version):
            guard let row = tables.rows[job.key], row.job.version == version, row.job.id == job.id else {
                throw JobError(.conflict, "\(job.id): another transaction has changed it")
            }
            if row.job.state.isFinal { try checkID(of: job) }
            if !change.isRequestChanged { job.request = row.job.request }
            job.version = version + 1
            tables.rows[job.key]!.job = job
        }
        for given in change.runs {
            var run = given
            (run.jobKey, run.job) = (job.key, job.id)
            let former = tables.rows[job.key]!.runs.updateValue(run, forKey: RunID(run))
            if let former, former != run { overwritten?(former, run) }
            let outcomes = tables.rows[job.key]!.runs.values.count { $0.isFinal && $0.occurrence == run.occurrence }
            guard outcomes <= 1 else {
                throw JobError(.conflict, "\(job.id): occurrence \(run.occurrence) has an outcome already")
            }
        }
        return job
    }

    private func checkID(of job: Job) throws(JobError) {
        guard !job.state.isFinal else { return }
        for row in tables.rows.values where row.job.id == job.id && !row.job.state.isFinal && row.job.key != job.key {
            throw JobError(.conflict, "\(job.id): the identifier is taken")
        }
    }

    private func checkIdempotencyKey(of job: Job) throws(JobError) {
        guard let key = job.request.idempotencyKey else { return }
        guard !tables.rows.values.contains(where: { $0.job.request.idempotencyKey == key }) else {
            throw JobError(.conflict, "\(job.id): the idempotency key is taken")
        }
    }

    // MARK: Nodes

    func join() -> Int64 {
        lastNode += 1
        tables.nodes[lastNode] = Node()
        return lastNode
    }

    /// One transaction of a node's beat.
    func beat(
        _ node: Int64, hasSession: Bool
    ) -> (view: MembershipMachine.View, mine: [ShardID: StoreEpoch], replies: [Reply], hasSubmissions: Bool) {
        if tables.nodes[node]?.ended == false { tables.nodes[node]!.beat += 1 }
        if hasSession { tables.nodes[node]?.hasSession = true }
        let nodes = tables.nodes.filter { !$0.value.ended }.sorted { $0.key < $1.key }.map {
            MembershipMachine.View.Node(
                id: $0.key, beat: $0.value.beat, hasSession: $0.value.hasSession, isLeaving: $0.value.isLeaving)
        }
        var owners: [ShardID: Int64?] = [:]
        var mine: [ShardID: StoreEpoch] = [:]
        for (number, shard) in tables.shards.enumerated() {
            owners[ShardID(rawValue: number)] = .some(shard.owner)
            if shard.owner == node { mine[ShardID(rawValue: number)] = StoreEpoch(rawValue: shard.epoch) }
        }
        let view = MembershipMachine.View(nodes: nodes, owners: owners)
        return (view, mine, takeReplies(node), hasSubmissions(node))
    }

    func hasSubmissions(_ node: Int64) -> Bool {
        tables.submissions.contains { tables.shards[$0.shard.rawValue].owner == node }
    }

    func takeReplies(_ node: Int64) -> [Reply] {
        let found = tables.replies.filter { $0.node == node }
        if !found.isEmpty { tables.replies.removeAll { $0.node == node } }
        return found
    }

    func take(_ wanted: [ShardID], for node: Int64) throws(JobError) -> [(ShardID, StoreEpoch)] {
        try fence(node, [], nil)
        var taken: [(ShardID, StoreEpoch)] = []
        for shard in wanted where tables.shards[shard.rawValue].owner == nil {
            tables.shards[shard.rawValue].owner = node
            if mutant != .epochStays { tables.shards[shard.rawValue].epoch += 1 }
            self.taken?(shard, StoreEpoch(rawValue: tables.shards[shard.rawValue].epoch))
            taken.append((shard, StoreEpoch(rawValue: tables.shards[shard.rawValue].epoch)))
        }
        return taken
    }

    /// If a `beat` is given, only if it is the node's last one.
    func end(_ node: Int64, ifBeat beat: Int64? = nil) {
        if let beat, tables.nodes[node]?.beat != beat { return }
        tables.nodes[node]?.ended = true
        tables.nodes[node]?.hasSession = false
        for shard in tables.shards.indices where tables.shards[shard].owner == node { tables.shards[shard].owner = nil }
        tables.replies.removeAll { $0.node == node }
    }

    // MARK: Queries

    private func rows(in session: StoreSession) -> [Row] {
        tables.rows.values.filter { session.shards[$0.shard] != nil }.sorted { $0.job.key < $1.job.key }
    }

    private func loaded(_ row: Row) -> LoadedJob {
        let skips = row.runs.values.filter { $0.state == .skipped && $0.through == row.job.nextOccurrence - 1 }
        return LoadedJob(job: row.job, open: row.open, lastSkip: skips.first, shard: row.shard)
    }

    func answer(_ read: SchedulerRead, in session: StoreSession) -> SchedulerReadAnswer {
        switch read {
        case .interrupted(let key, let limit):
            let found = rows(in: session).filter { row in
                row.job.key > key && row.runs.values.contains { $0.state == .claimed }
            }
            return .jobs(found.prefix(limit).map(loaded))
        case .anchored(let key, let limit):
            let found = rows(in: session).filter {
                $0.job.key > key && $0.job.nextDue != nil && !$0.job.request.trigger.isRelative
            }
            return .jobs(found.prefix(limit).map(loaded))
        case .due(let instant, let limit, let lanes):
            let waking = rows(in: session).filter { $0.job.nextWake != nil && !lanes.contains($0.job.request.lane) }
                .sorted { ($0.job.nextWake!, $0.job.key) < ($1.job.nextWake!, $1.job.key) }
            let found = waking.prefix { $0.job.nextWake! <= instant }.prefix(limit)
            return .due(
                DueJobs(jobs: found.map(loaded), next: waking.dropFirst(found.count).first?.job.nextWake))
        case .load(let references): return .loaded(references.map { find($0).map(loaded) })
        // No queue has limits.
        case .places(let uses): return .places(uses.map { QueuePlaces(queue: JobQueue(id: $0.queue), places: nil) })
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
        case .payload: return nil
        }
    }
}
