import ApusJobs
import ApusPostgres
import ApusTimers

/// The checks of everything that the nodes and the database do, independent of how they decide.
final class ClusterChecker {
    struct Occurrence: Hashable {
        var job: Int64
        var occurrence: Int
    }

    struct Call {
        var node: ClusterNode
        var command: SchedulerCommand
        var plan: ClusterPlan?
        /// Whether the command or its effect was lost in a promotion.
        var isLost = false
    }

    unowned let world: ClusterWorld
    private(set) var violation: ClusterViolation?
    var active: [Occurrence: [ClusterHandler]] = [:]
    var attempts: Set<RunKey> = []
    /// The instants on the database's clock at which postponements end.
    var snoozes: [RunKey: WallInstant] = [:]
    /// The handlers of runs that the database has lost in a promotion.
    var lost: [ClusterHandler] = []
    var lastPromotion: Int64?
    /// The time at which the database's clock was last set.
    var lastClockStep: Int64 = .min
    var calls: [Int: Call] = [:]
    var answered: Set<Int> = []
    /// The submissions that turns have taken.
    var submissions: Set<Int64> = []
    /// The jobs in answers, by their keys.
    var jobs: [Int64: JobID] = [:]
    var idempotent: [String: Int64] = [:]
    /// The number of commands to run each job by hand.
    ///
    /// `runsAnswered` has the occurrences in the answers to these commands.
    var runsAsked: [JobID: Int] = [:]
    var runsAnswered: Set<Occurrence> = []
    var epochs: [ShardID: StoreEpoch] = [:]
    /// The time at which a process was killed once the trouble of the history was over.
    ///
    /// It is `nil` until then, and again after ``checkTakeOver()``.
    ///
    /// `counts.longestTakeOver` is the longest delay of a run that began after that time.
    var killed: Int64?
    var counts = ClusterSimulation.Counts()

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
        for taken in turn.taken where parts.contains(taken.part) && !submissions.insert(taken.sequence).inserted {
            fail(.once, "submission \(taken.sequence) is carried out again")
        }
        if !changes.isEmpty {
            world.trace(
                "node \(node) writes "
                    + changes.map { change in
                        "\(change.job.id)(\(change.shard.rawValue)) \(change.job.state)"
                            + change.runs.map { " \($0.occurrence).\($0.attempt) \($0.state)" }.joined()
                    }.joined(separator: ", "))
        }
        for change in changes {
            if let shard = change.destination { world.trace("\(change.job.id) moves to shard \(shard.rawValue)") }
        }
        counts.placed += changes.count { session.shards[$0.shard] == nil }
        if !turn.released.isEmpty { world.trace("node \(node) gives back \(turn.released.map(\.rawValue))") }
        for run in changes.flatMap(\.runs) where run.state == .running {
            let due = max(run.due, run.notBefore ?? run.due)
            if world.wall < due { fail(.neverEarly, "\(run.jobID) is claimed \(world.wall.duration(to: due)) early") }
        }
        checkContents(changes)
        checkFreeNames(parts.map { turn.parts[$0] })
        guard tables.nodes[node]?.ended == false else { return fail(.fenced, "node \(node) writes after its end") }
        for change in changes where session.shards[change.shard] != nil || change.expected != .absent {
            let shard = tables.shards[change.shard.rawValue]
            let isReleased = turn.released.contains(change.shard)
            let epoch = session.shards[change.shard]?.rawValue
            if shard.owner != node && !isReleased || shard.epoch != epoch {
                fail(.fenced, "node \(node) writes \(change.job.id) to shard \(change.shard.rawValue) of another epoch")
            }
            let after = change.destination ?? change.shard
            if let row = tables.rows[change.job.key], row.shard != after {
                fail(.fenced, "\(change.job.id) is in shard \(row.shard.rawValue), not \(after.rawValue)")
            }
            if change.destination != nil { checkMove(change, tables) }
        }
    }

    private func checkMove(_ change: JobChange, _ tables: ModelDatabase.Tables) {
        counts.moved += 1
        if tables.rows[change.job.key]?.open.contains(where: { $0.state == .running }) ?? false {
            fail(.placed, "\(change.job.id) moves while a run of it is claimed")
        }
    }

    private func checkContents(_ changes: [JobChange]) {
        for change in changes where change.job.request.uniqueness.countsContent && !change.job.state.isFinal {
            let same = world.database.tables.rows.values.filter {
                !$0.job.state.isFinal && $0.job.request.hasContent(of: change.job.request)
            }
            if same.count > 1 { fail(.unique, "\(same.map(\.job.id)) have one content") }
        }
    }

    /// Checks that a job that required a free name shares its name with no other open job.
    ///
    /// The check sees the state at the end of the transaction. It leaves out jobs that a later part of the turn
    /// changes, because they may have got the name only after the job with the requirement was made.
    private func checkFreeNames(_ parts: [[JobChange]]) {
        for (index, part) in parts.enumerated() {
            for change in part where change.requiresFreeName {
                let later = Set(parts[(index + 1)...].joined().map(\.job.id))
                let name = change.job.request.name
                let others = world.database.tables.rows.values.filter {
                    $0.job.request.name == name && !$0.job.state.isFinal && $0.job.id != change.job.id
                        && !later.contains($0.job.id)
                }
                counts.named += 1
                if let other = others.first {
                    fail(.named, "\(change.job.id) is made, and \(other.job.id) has the name \(name ?? "-") too")
                }
            }
        }
    }

    func clockSet() { lastClockStep = world.now }

    /// Records a postponement.
    ///
    /// It ends by the database's clock, as far as the node knows that clock. If the answers to the node are slow, its
    /// knowledge is so vague that the end is not checked.
    func snoozed(_ handler: ClusterHandler) {
        if lost.contains(where: { $0 === handler }) { return }
        counts.snoozes += 1
        let isVague = handler.node.process.slow.until > world.now - .ms(10_000)
        let end = world.wall.advanced(by: .milliseconds(handler.plan.snooze - 50))
        snoozes[RunKey(handler.run)] = isVague ? WallInstant(nanoseconds: 0) : end
    }

    func taken(_ shard: ShardID, _ epoch: StoreEpoch) {
        if let last = epochs.updateValue(epoch, forKey: shard), last >= epoch {
            fail(.fenced, "shard \(shard.rawValue) has a new owner in the epoch \(epoch.rawValue) of the last one")
        }
    }

    func overwritten(_ old: Run, _ new: Run) {
        // A retry makes an outcome non-final.
        guard !old.state.isOpen else { return }
        var retried = old
        retried.isFinal = new.isFinal
        // A range of skipped occurrences may grow.
        if old.state == .skipped, new.state == .skipped { return }
        if retried != new || !old.isFinal {
            fail(
                .oneOutcome,
                "run \(old.occurrence).\(old.attempt) of \(old.jobID) was \(old.state), and is \(new.state)")
        }
    }

    // MARK: Handlers

    func began(_ handler: ClusterHandler) {
        let (run, node) = (handler.run, handler.node)
        counts.starts += 1
        let name = "\(run.jobID) \(run.occurrence).\(run.attempt)"
        world.trace("\(node.name) begins \(name)")
        // If the clock was set in the last ten seconds, the run may have been claimed before that.
        let isAfterStep = lastClockStep > world.now - .ms(10_000)
        if !isAfterStep, world.wall < max(run.due, run.notBefore ?? run.due) {
            fail(.neverEarly, "\(name) begins \(world.wall.duration(to: run.due)) early")
        }
        if world.database.tables.nodes[node.id]?.ended != false {
            fail(.acting, "\(name) begins on \(node.name), which has ended")
        }
        let stored = world.database.tables.rows[run.jobKey]?.runs[.init(run)]
        if stored?.state != .running, isStale(handler.node) { return lost.append(handler) }
        if stored?.state != .running { fail(.acting, "\(name) begins, and is \(stored?.state.rawValue ?? "nowhere")") }
        if let end = snoozes.removeValue(forKey: RunKey(run)) {
            if !isAfterStep, world.wall < end {
                fail(.snoozed, "\(name) begins \(world.wall.duration(to: end)) too soon")
            }
        } else if !attempts.insert(RunKey(run)).inserted {
            fail(.acting, "\(name) begins twice")
        }
        checkLimit(handler)
        let key = Occurrence(job: run.jobKey, occurrence: run.occurrence)
        for other in active[key, default: []] {
            counts.overlaps += 1
            let isCancelled = other.reason != nil && !other.plan.obeys || other.node.process.isPaused
            // The node of the other handler has read the promoted database anew since that handler began, and has
            // cancelled it.
            let isForgotten =
                isCancelled && other.node !== node && other.node.readAnew.map { $0 >= other.began } ?? false
            if other.node.isActing && !isForgotten || !isCancelled {
                fail(
                    .alone,
                    "\(name) begins on \(node.name) beside attempt \(other.run.attempt) on \(other.node.name), "
                        + "which \(other.node.isActing ? "acts" : "acts no more") and was "
                        + "\(other.reason.map { "cancelled (\($0))" } ?? "not cancelled")")
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
            // In a queue, the run may wait for another job's run.
            if !wasBusy, world.history.limits[handler.plan.queue] == nil, handler.plan.key == nil {
                counts.takenOver += 1
                counts.longestTakeOver = max(counts.longestTakeOver, world.now - max(killed, due))
            }
        }
        active[key, default: []].append(handler)
    }

    private func checkLimit(_ handler: ClusterHandler) {
        let queue = handler.plan.queue
        checkKey(handler)
        // A promoted database does not know all places that were assigned. It assigns these places again before their
        // former owners notice the promotion.
        let isKnown = { [lastPromotion] (instant: Int64) in lastPromotion.map { instant > $0 + .ms(5_000) } ?? true }
        guard let limit = world.history.limits[queue], isKnown(world.now) else { return }
        let others = active.values.joined().filter {
            $0.plan.queue == queue && $0.reason == nil && !$0.node.process.isPaused && isKnown($0.began)
        }
        counts.limited += others.count + 1 == limit ? 1 : 0
        if others.count >= limit {
            fail(
                .limited,
                "\(handler.run.jobID) begins on \(handler.node.name) beside "
                    + others.map { "\($0.run.jobID) on \($0.node.name)" }.joined(separator: ", "))
        }
    }

    private func checkKey(_ handler: ClusterHandler) {
        let (queue, key) = (handler.plan.queue, handler.plan.key)
        guard let key, let limit = world.history.limitsPerKey[queue] else { return }
        let others = active.values.joined().filter {
            $0.node === handler.node && $0.plan.queue == queue && $0.plan.key == key && $0.reason == nil
        }
        counts.limitedByKey += others.count + 1 == limit ? 1 : 0
        if others.count >= limit {
            fail(
                .limited,
                "\(handler.run.jobID) begins on \(handler.node.name) beside \(others.map { "\($0.run.jobID)" }) of \(key)"
            )
        }
    }

    func ended(_ handler: ClusterHandler) {
        let key = Occurrence(job: handler.run.jobKey, occurrence: handler.run.occurrence)
        active[key]?.removeAll { $0 === handler }
        lost.removeAll { $0 === handler }
    }

    // MARK: Commands

    func asked(_ number: Int, of node: ClusterNode, _ command: SchedulerCommand, _ plan: ClusterPlan?) {
        calls[number] = Call(node: node, command: command, plan: plan)
        if case .job(.runNow(let id)) = command { runsAsked[id, default: 0] += 1 }
    }

    var hasOpenCalls: Bool { !calls.isEmpty }

    /// Forgets the commands of a node that has ended, because their callers get no answer.
    func callerGone(_ node: ClusterNode) { calls = calls.filter { $0.value.node !== node } }

    func answered(_ number: Int, of node: ClusterNode, _ result: Result<SchedulerReply, JobError>) {
        guard let call = calls.removeValue(forKey: number) else {
            if answered.contains(number) { fail(.once, "command \(number) is answered twice") }
            return
        }
        answered.insert(number)
        // The answer may have been in transit when the promotion lost the effect of the command.
        if call.isLost || isStale(node) { return world.trace("\(number) is answered, and was lost: \(result)") }
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
        case .submitted(let results):
            results.map { "\($0.outcome) \($0.id) \($0.key) \($0.state)" }.joined(separator: ", ")
        case .run(let run): "\(run.jobID) \(run.occurrence).\(run.attempt) \(run.state)"
        case .queue, .deleted, .done: "\(reply)"
        }
    }

    private func succeeded(_ call: Call, _ reply: SchedulerReply) {
        guard case .job(let command) = call.command else { return }
        switch (command, reply) {
        case (.submit(let requests), .submitted(let results)):
            let found = results.map(\.job)
            guard found.count == requests.count else { return fail(.once, "\(command) is answered \(describe(reply))") }
            for (request, job) in zip(requests, found) {
                let isMet = job.request.hasContent(of: request)
                if job.id != request.id, !isMet { fail(.durable, "\(request.id) is answered with \(job.id)") }
                jobs[job.key] = job.id
                guard let key = request.idempotencyKey else { continue }
                let earlier = idempotent.updateValue(job.key, forKey: key)
                if let earlier, earlier != job.key { fail(.once, "\(key) has made the jobs \(earlier) and \(job.key)") }
            }
            check(found)
        case (.cancel(let id, _), .jobs(let found)), (.suspend(let id), .jobs(let found)),
            (.resume(let id), .jobs(let found)):
            guard found.count == 1, found[0].id == id else {
                return fail(.once, "\(command) is answered \(describe(reply))")
            }
            check(found)
        case (.runNow(let id), .run(let run)):
            if run.jobID != id { fail(.once, "\(command) is answered \(describe(reply))") }
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
            fail(.once, "run \(run.occurrence).\(run.attempt) of \(run.jobID) is answered, and not stored")
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
        case (.submit, .alreadyExists) where call.plan?.requiresFreeName == true: counts.namesTaken += 1
        // The instant may have passed before a node has examined the submission.
        case (.submit, .invalid) where call.plan?.isAt == true: return
        case (.submit, _): fail(.once, "\(command) is refused: \(error)")
        case (.retry, .conflict), (.retry, .invalid), (.cancelRun, .conflict), (_, .notFound): return
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
        checkEffects()
        for handler in lost where handler.reason == nil {
            fail(
                .promoted, "\(handler.run.jobID) continues, and \(handler.node.name) was not notified of the promotion")
        }
        for (key, id) in jobs where tables.rows[key]?.job.id != id {
            fail(.durable, "job \(key) was answered as \(id), and is \(tables.rows[key]?.job.id.rawValue ?? "gone")")
        }
        let before = world.wall.advanced(by: .seconds(-3))
        for key in world.database.unreadable.sorted() {
            guard let row = tables.rows[key] else { continue }
            if row.job.version != 1 { fail(.setAside, "\(row.job.id) was changed") }
            if !world.database.isSetAside(row) || row.job.nextWake != nil {
                fail(.setAside, "\(row.job.id) is looked at, at \(row.job.nextWake.map { "\($0)" } ?? "no time")")
            }
        }
        let readable = tables.rows.values.filter { !world.database.unreadable.contains($0.job.key) }
        for row in readable.sorted(by: { $0.job.key < $1.job.key }) {
            // Runs of a suspended job wait.
            for run in row.open where row.job.state == .scheduled && max(run.due, run.notBefore ?? run.due) < before {
                fail(
                    .oneOutcome, "run \(run.occurrence).\(run.attempt) of \(run.jobID) is \(run.state), due \(run.due)")
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
        let workers = live.filter { tables.nodes[$0.id]?.jobs?.isEmpty == false }
        let counts = workers.map { node in tables.shards.count { $0.owner == node.id } }
        if counts.reduce(0, +) != tables.shards.count || counts.max() ?? 0 > (counts.min() ?? 0) + 1 {
            fail(.spread, "the nodes \(workers.map(\.id)) have \(counts) of \(tables.shards.count) shards")
        }
        for node in live where node.membership?.state != .member {
            fail(.spread, "\(node.name) is \(node.membership.map { "\($0.state)" } ?? "nothing")")
        }
        if let left = tables.submissions.first { fail(.spread, "a submission is left: \(left)") }
        if let left = tables.replies.first { fail(.spread, "a reply is left: \(left)") }
        if let open = calls.keys.min() { fail(.progress, "command \(open) has no answer: \(calls[open]!.command)") }
    }
}

extension ClusterChecker {
    /// Handles a promotion: only what the promoted database contains counts.
    func promoted() {
        let tables = world.database.tables
        counts.promotions += 1
        lastPromotion = world.now
        submissions = []
        jobs = jobs.filter { tables.rows[$0.key]?.job.id == $0.value }
        idempotent = idempotent.filter { tables.rows[$0.value]?.job.request.idempotencyKey == $0.key }
        func stored(_ key: RunKey) -> Run? {
            tables.rows[key.job]?.runs.values.first { RunKey($0) == key }
        }
        attempts = attempts.filter { stored($0).map { $0.state != .waiting } ?? false }
        // After the promotion, the row may contain an earlier postponement of the same attempt, or the claim that came
        // before the postponement.
        snoozes = snoozes.filter { key, end in
            guard let run = stored(key) else { return false }
            switch run.state {
            case .waiting: return run.notBefore.map { $0 >= end } ?? false
            case .running: return run.claimed.map { $0 >= end } ?? false
            default: return false
            }
        }
        runsAnswered = runsAnswered.filter { answered in
            tables.rows[answered.job]?.runs.values.contains { $0.occurrence == answered.occurrence } ?? false
        }
        for (shard, row) in tables.shards.enumerated() {
            epochs[ShardID(rawValue: shard)] = StoreEpoch(rawValue: row.epoch)
        }
        for number in calls.keys { calls[number]!.isLost = true }
        for key in active.keys {
            let gone = active[key]!.filter { handler in
                tables.rows[handler.run.jobKey]?.job.id != handler.run.jobID
                    || stored(RunKey(handler.run)).map { $0.state != .running } ?? true
            }
            lost += gone
            active[key]!.removeAll { handler in gone.contains { $0 === handler } }
        }
    }

    /// Returns whether the node has not noticed the last promotion yet, so that it still acts on the former database.
    func isStale(_ node: ClusterNode) -> Bool {
        guard let lastPromotion, node.readAnew.map({ $0 < lastPromotion }) ?? true else { return false }
        return node.timeline != world.database.timeline && world.now - lastPromotion < .ms(10_000)
    }
}
