import ApusJobs
import ApusTimers

/// What the simulation of a cluster tries to break, in words.
package enum ClusterPromise: String, CaseIterable, Sendable {
    case durable = "an answered submission's job exists for ever, with its identity"
    case oneOutcome = "each occurrence has one final outcome, which never changes; in peace, each that is due has one"
    case neverEarly = "no handler begins before its run is due by the database's clock"
    case fenced = "a node writes nothing after it was ended, and nothing to a shard that it has lost"
    case alone =
        "a second handler of an occurrence begins only if the first one's node acts no more, and it was told to end"
    case acting = "a handler begins only on a node that has not ended, of a claim that is stored"
    case once = "a command is carried out at most once, and its answer agrees with the tables"
    case spread = "in peace the shards are spread evenly, and no submission and no reply is left"
    case takeOver = "what is due of a dead node's jobs begins within five seconds"
    case progress = "time passes, and every command is answered"
    case invariants = "the invariants of every scheduler hold"
}

/// A promise that was broken, and how.
package struct ClusterViolation: Sendable, CustomStringConvertible {
    /// Which one.
    package var promise: ClusterPromise
    /// What was seen.
    package var detail: String
    /// When, in milliseconds.
    package var millisecond: Int64
    package var description: String { "\(promise.rawValue)\n  at \(millisecond) ms: \(detail)" }
}

/// Sees everything that the nodes and the database do, and knows nothing of how they decide.
final class ClusterChecker {
    private struct Occurrence: Hashable {
        var job: Int64
        var occurrence: Int
    }

    private struct Call {
        var node: ClusterNode
        var command: SchedulerCommand
        var plan: ClusterPlan?
    }

    private unowned let world: ClusterWorld
    private(set) var violation: ClusterViolation?
    private var active: [Occurrence: [ClusterHandler]] = [:]
    private var attempts: Set<RunKey> = []
    private var calls: [Int: Call] = [:]
    private var answered: Set<Int> = []
    /// Jobs that were answered.
    private var jobs: [Int64: JobID] = [:]
    private var idempotent: [String: Int64] = [:]
    /// How often each job by hand was asked to run, and the occurrences that were answered.
    private var runsAsked: [JobID: Int] = [:]
    private var runsAnswered: Set<Occurrence> = []
    private var epochs: [ShardID: StoreEpoch] = [:]
    /// When a process was killed in peace, and how much later than that or than its due a run has begun at most.
    private var killed: Int64?
    private(set) var counts = ClusterSimulation.Counts()

    init(_ world: ClusterWorld) { self.world = world }

    func fail(_ promise: ClusterPromise, _ detail: String) {
        guard violation == nil else { return }
        violation = ClusterViolation(promise: promise, detail: detail, millisecond: world.now / 1_000_000)
        world.trace("BROKEN: \(promise.rawValue): \(detail)")
    }

    // MARK: The database

    func written(_ node: Int64, _ session: StoreSession, _ turn: StoreTurn, _ parts: [Int]) {
        let tables = world.database.tables
        let changes = parts.flatMap { turn.parts[$0] }
        counts.forwarded += turn.forwarded.count
        if !changes.isEmpty {
            world.trace(
                "node \(node) writes "
                    + changes.map { change in
                        "\(change.job.id)(\(change.shard.rawValue)) \(change.job.state)"
                            + change.runs.map { " \($0.occurrence).\($0.attempt) \($0.state)" }.joined()
                    }.joined(separator: ", "))
        }
        if !turn.released.isEmpty { world.trace("node \(node) gives back \(turn.released.map(\.rawValue))") }
        guard tables.nodes[node]?.ended == false else { return fail(.fenced, "node \(node) writes after its end") }
        for change in changes {
            let shard = tables.shards[change.shard.rawValue]
            let isReleased = turn.released.contains(change.shard)
            let epoch = session.shards[change.shard]?.rawValue
            if shard.owner != node && !isReleased || shard.epoch != epoch {
                fail(.fenced, "node \(node) writes \(change.job.id) to shard \(change.shard.rawValue) of another epoch")
            }
            if let row = tables.rows[change.job.key], row.shard != change.shard {
                fail(.fenced, "\(change.job.id) is in shard \(row.shard.rawValue), not \(change.shard.rawValue)")
            }
        }
    }

    func taken(_ shard: ShardID, _ epoch: StoreEpoch) {
        if let last = epochs.updateValue(epoch, forKey: shard), last >= epoch {
            fail(.fenced, "shard \(shard.rawValue) has a new owner in the epoch \(epoch.rawValue) of the last one")
        }
    }

    func overwritten(_ old: Run, _ new: Run) {
        // A retry makes an outcome one that is not final.
        guard !old.state.isOpen else { return }
        var retried = old
        retried.isFinal = new.isFinal
        // A range of skipped occurrences grows.
        if old.state == .skipped, new.state == .skipped { return }
        if retried != new || !old.isFinal {
            fail(
                .oneOutcome, "run \(old.occurrence).\(old.attempt) of \(old.job) was \(old.state), and is \(new.state)")
        }
    }

    // MARK: Handlers

    func began(_ handler: ClusterHandler) {
        let (run, node) = (handler.run, handler.node)
        counts.starts += 1
        let name = "\(run.job) \(run.occurrence).\(run.attempt)"
        world.trace("\(node.name) begins \(name)")
        if world.wall < max(run.due, run.notBefore ?? run.due) {
            fail(.neverEarly, "\(name) begins \(world.wall.duration(to: run.due)) early")
        }
        if world.database.tables.nodes[node.id]?.ended != false {
            fail(.acting, "\(name) begins on \(node.name), which has ended")
        }
        let stored = world.database.tables.rows[run.jobKey]?.runs[.init(run)]
        if stored?.state != .claimed { fail(.acting, "\(name) begins, and is \(stored?.state.rawValue ?? "nowhere")") }
        if !attempts.insert(RunKey(run)).inserted { fail(.acting, "\(name) begins twice") }
        let key = Occurrence(job: run.jobKey, occurrence: run.occurrence)
        for other in active[key, default: []] {
            counts.overlaps += 1
            let isTold = other.reason != nil && !other.plan.obeys || other.node.process.isPaused
            if other.node.isActing || !isTold {
                fail(
                    .alone,
                    "\(name) begins on \(node.name) beside attempt \(other.run.attempt) on \(other.node.name), "
                        + "which \(other.node.isActing ? "acts" : "acts no more") and was "
                        + "\(other.reason.map { "told \($0)" } ?? "not told") to end")
            }
        }
        if let killed {
            let due = world.wall.duration(to: max(run.due, run.notBefore ?? run.due)).wholeNanoseconds + world.now
            let row = world.database.tables.rows[run.jobKey]
            let wasBusy =
                active.contains { $0.key.job == run.jobKey && !$0.value.isEmpty }
                || row?.runs.values.contains { other in
                    other.finished.map { $0 >= run.due } ?? false && other.claimed != nil && !other.state.isOpen
                        && other.state != .lost
                } ?? false
            if !wasBusy {
                counts.takenOver += 1
                counts.longestTakeOver = max(counts.longestTakeOver, world.now - max(killed, due))
            }
        }
        active[key, default: []].append(handler)
    }

    func ended(_ handler: ClusterHandler) {
        let key = Occurrence(job: handler.run.jobKey, occurrence: handler.run.occurrence)
        active[key]?.removeAll { $0 === handler }
    }

    // MARK: Commands

    func asked(_ number: Int, of node: ClusterNode, _ command: SchedulerCommand, _ plan: ClusterPlan?) {
        calls[number] = Call(node: node, command: command, plan: plan)
        if case .job(.runNow(let id)) = command { runsAsked[id, default: 0] += 1 }
    }

    var hasOpenCalls: Bool { !calls.isEmpty }

    /// Who has asked it gets no answer.
    func callerGone(_ node: ClusterNode) { calls = calls.filter { $0.value.node !== node } }

    func answered(_ number: Int, of node: ClusterNode, _ result: Result<SchedulerReply, JobError>) {
        guard let call = calls.removeValue(forKey: number) else {
            if answered.contains(number) { fail(.once, "command \(number) is answered twice") }
            return
        }
        answered.insert(number)
        switch result {
        case .success(let reply):
            world.trace("\(number) is answered: \(describe(reply))")
            succeeded(call, reply)
        case .failure(let error):
            world.trace("\(number) is answered: \(error.code), \(error.message)")
            refused(call, error)
        }
    }

    private func describe(_ reply: SchedulerReply) -> String {
        switch reply {
        case .jobs(let jobs): jobs.map { "\($0.id) \($0.key) \($0.state)" }.joined(separator: ", ")
        case .run(let run): "\(run.job) \(run.occurrence).\(run.attempt) \(run.state)"
        case .queue, .done: "\(reply)"
        }
    }

    private func succeeded(_ call: Call, _ reply: SchedulerReply) {
        guard case .job(let command) = call.command else { return }
        switch (command, reply) {
        case (.submit(let requests), .jobs(let found)):
            guard found.count == requests.count else { return fail(.once, "\(command) is answered \(describe(reply))") }
            for (request, job) in zip(requests, found) {
                if job.id != request.id { fail(.durable, "\(request.id) is answered with \(job.id)") }
                jobs[job.key] = job.id
                guard let key = request.idempotencyKey else { continue }
                let earlier = idempotent.updateValue(job.key, forKey: key)
                if let earlier, earlier != job.key { fail(.once, "\(key) has made the jobs \(earlier) and \(job.key)") }
            }
            check(found)
        case (.cancel(let id), .jobs(let found)), (.suspend(let id), .jobs(let found)),
            (.resume(let id), .jobs(let found)):
            guard found.count == 1, found[0].id == id else {
                return fail(.once, "\(command) is answered \(describe(reply))")
            }
            check(found)
        case (.runNow(let id), .run(let run)):
            if run.job != id { fail(.once, "\(command) is answered \(describe(reply))") }
            if !runsAnswered.insert(Occurrence(job: run.jobKey, occurrence: run.occurrence)).inserted {
                fail(.once, "two commands are answered with run \(run.occurrence) of \(id)")
            }
            check(run)
        case (.cancelRun, .run(let run)), (.retry, .run(let run)): check(run)
        default: fail(.once, "\(command) is answered \(describe(reply))")
        }
    }

    private func check(_ found: [Job]) {
        for job in found {
            let row = world.database.tables.rows[job.key]
            if row?.job.id != job.id { fail(.durable, "\(job.id) is answered, and not in the tables") }
            if let row, row.job.version < job.version { fail(.once, "\(job.id) is answered newer than it is stored") }
        }
    }

    private func check(_ run: Run) {
        let stored = world.database.tables.rows[run.jobKey]?.runs[.init(run)]
        if stored == nil {
            fail(.once, "run \(run.occurrence).\(run.attempt) of \(run.job) is answered, and not stored")
        }
    }

    private func refused(_ call: Call, _ error: JobError) {
        switch error.code {
        case .unavailable, .closed, .notOwner: return
        default: break
        }
        guard case .job(let command) = call.command else { return }
        switch (command, error.code) {
        case (.submit, .alreadyExists) where call.plan?.conflict == .refuse: return
        // Its instant may have passed before a node has come to it.
        case (.submit, .invalid) where call.plan?.isAt == true: return
        case (.submit, _): fail(.once, "\(command) is refused: \(error)")
        case (.retry, .conflict), (.retry, .invalid), (_, .notFound): return
        case (_, .invalid): return
        default: fail(.once, "\(command) is refused: \(error)")
        }
    }

    // MARK: Peace

    func takeOverBegan(_ now: Int64) { killed = now }

    func checkTakeOver() {
        if counts.longestTakeOver > .ms(5_000) {
            fail(.takeOver, "a run began \(counts.longestTakeOver / 1_000_000) ms after the end of the process")
        }
        killed = nil
    }

    func checkPeace() {
        let tables = world.database.tables
        for (key, id) in jobs where tables.rows[key]?.job.id != id {
            fail(.durable, "job \(key) was answered as \(id), and is \(tables.rows[key]?.job.id.rawValue ?? "gone")")
        }
        let before = world.wall.advanced(by: .seconds(-3))
        for row in tables.rows.values.sorted(by: { $0.job.key < $1.job.key }) {
            // What is suspended waits.
            for run in row.open where row.job.state == .scheduled && max(run.due, run.notBefore ?? run.due) < before {
                fail(.oneOutcome, "run \(run.occurrence).\(run.attempt) of \(run.job) is \(run.state), due \(run.due)")
            }
            if row.job.state == .scheduled, let due = row.job.nextDue, due < before {
                fail(.oneOutcome, "occurrence \(row.job.nextOccurrence) of \(row.job.id) has not come, due \(due)")
            }
            for run in row.runs.values where run.isFinal && run.through > run.occurrence {
                let others = row.runs.values.filter {
                    $0.isFinal && $0.occurrence > run.occurrence && $0.occurrence <= run.through
                }
                if let other = others.first {
                    fail(.oneOutcome, "\(row.job.id) has two outcomes of \(other.occurrence)")
                }
            }
            let byHand = Set(row.runs.values.filter { $0.occurrence <= 0 }.map(\.occurrence))
            let asked = runsAsked[row.job.id] ?? 0
            if row.job.id.rawValue.hasPrefix("hand"), byHand.count > asked {
                fail(.once, "\(row.job.id) was run \(byHand.count) times, and that was asked \(asked) times")
            }
        }
        let keys = tables.rows.values.compactMap(\.job.request.idempotencyKey)
        if Set(keys).count < keys.count { fail(.once, "two jobs have one idempotency key") }
        let live = world.processes.compactMap { $0.node }.filter { !$0.isClosed && !$0.isGone }
        let counts = live.map { node in tables.shards.count { $0.owner == node.id } }
        if counts.reduce(0, +) != tables.shards.count || counts.max() ?? 0 > (counts.min() ?? 0) + 1 {
            fail(.spread, "the nodes \(live.map(\.id)) have \(counts) of \(tables.shards.count) shards")
        }
        for node in live where node.membership?.state != .member {
            fail(.spread, "\(node.name) is \(node.membership.map { "\($0.state)" } ?? "nothing")")
        }
        if let left = tables.submissions.first { fail(.spread, "a submission is left: \(left)") }
        if let left = tables.replies.first { fail(.spread, "a reply is left: \(left)") }
        if let open = calls.keys.min() { fail(.progress, "command \(open) has no answer: \(calls[open]!.command)") }
    }
}
