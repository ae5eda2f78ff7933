import ApusJobs
import ApusPostgres
import ApusTimers

/// A node: a process that has opened the database, with its scheduler and its membership in the cluster.
///
/// It does the work of `SchedulerLoop`, `PostgresStore` and `ClusterMember`, one event after another.
final class ClusterNode {
    unowned let world: ClusterWorld
    let process: ClusterProcess
    var id: Int64 = 0
    var membership: MembershipMachine?
    private var machine: SchedulerMachine?
    /// Whether the node has a scheduler, or has had one.
    private(set) var isOpen = false
    var inbox: [SchedulerInput] = []
    /// Whether the process has ended.
    var isGone = false
    /// Whether the scheduler has ended.
    var isClosed = false
    /// Whether the node is giving the store back, after its handlers were cancelled and forgotten.
    private var isClosing = false
    private var isBusy = false
    private var isPumpScheduled = false
    private var alarm = 0
    /// The record of the clocks as the database has it; `nil` if it is unknown.
    private var stored: StoreClock?
    var owned: [ShardID: StoreEpoch] = [:]
    var given: [ShardID: StoreEpoch] = [:]
    private var databaseClock = DatabaseClock()
    /// The timeline of the database that the node knows; a promotion of a standby begins another one.
    var timeline: Int?
    /// The time at which the node last noticed a promotion, and began to read the database anew.
    var readAnew: Int64?
    var handlers: [RunKey: ClusterHandler] = [:]
    /// The jobs that the node can run; `unsaid` contains them until a beat has reported them.
    private(set) lazy var runnable = process.role.jobs
    var unsaid: RunnableJobs?
    /// The other nodes, according to the last beat.
    var others = OtherSchedulers()
    /// How many times the node's session had been broken when the node last began to listen again.
    var breaks = 0
    /// The instant of the last step, with the number of steps at that instant.
    private var steps = (at: Int64(0), count: 0)

    init(_ world: ClusterWorld, _ process: ClusterProcess) {
        self.world = world
        self.process = process
    }

    var name: String { "node \(id) of process \(process.number)" }

    /// Whether the handlers of this node may begin and continue.
    var isActing: Bool {
        guard !isGone, !isClosing, !isClosed, let membership, !process.isPaused else { return false }
        return membership.state == .member
            || membership.state == .leaving
                && membership.endOfTrust.map { $0 > uptime } ?? false
    }

    // MARK: Clocks

    var uptime: UptimeInstant { UptimeInstant(nanoseconds: UInt64(world.now + process.uptimeOffset)) }

    private struct Clocks: TimeSource {
        var up: UptimeInstant
        var going: ContinuousInstant
        var day: WallInstant
        func uptime() -> UptimeInstant { up }
        func continuous() -> ContinuousInstant { going }
        func wall() -> WallInstant { day }
    }

    private var clocks: Clocks {
        // The node's time of day differs from that of the database by hours.
        Clocks(
            up: uptime, going: ContinuousInstant(nanoseconds: UInt64(world.now + process.continuousOffset)),
            day: WallInstant(nanoseconds: world.wall.nanoseconds &+ UInt64(bitPattern: process.wallOffset)))
    }

    var reading: SchedulerReading {
        var reading = SchedulerReading(clocks)
        if let bounds = databaseClock.wall(at: reading.continuous) {
            (reading.wall, reading.latestWall) = (bounds.lowerBound, bounds.upperBound)
        }
        return reading
    }

    /// Records a reading of the database's clock from an answer that arrives now; its request was sent at `asked`.
    func learn(_ wall: WallInstant, asked: UptimeInstant) {
        let here = clocks.going
        let before = here.advanced(by: .zero - asked.duration(to: uptime))
        databaseClock.learn(wall, asked: before, answered: here)
    }

    // MARK: The loop

    func open(_ session: StoreSession) {
        stored = session.clock
        machine = SchedulerMachine(
            session: session,
            configuration: .init(
                horizon: .seconds(30), maximumLoaded: 100, maximumConcurrentRuns: 16,
                node: NodeID(rawValue: "node\(id)"), serves: process.role.queues), at: reading)
        isOpen = true
        for kind in process.role.kinds.sorted() { post(.handler(kind: kind)) }
        let (kinds, delay) = process.role.later
        if kinds.isEmpty { return }
        world.deliver(to: self, at: world.now + .ms(delay), .timer) { [self] in
            for kind in kinds.sorted() { post(.handler(kind: kind)) }
        }
    }

    private var session: StoreSession {
        func session(_ machine: inout SchedulerMachine) -> StoreSession { machine.session }
        return session(&machine!)
    }

    func post(_ input: SchedulerInput) {
        guard isOpen, !isClosed else { return }
        if case .signal(let signal) = input, signal == .cutOff || signal == .connected {
            // The signal reaches the machine at once, whatever it waits for.
            machine!.receive(input, at: reading)
            settle()
            return wakeSoon()
        }
        inbox.append(input)
        wakeSoon()
    }

    private func wakeSoon() {
        if isPumpScheduled || isBusy { return }
        isPumpScheduled = true
        world.deliver(to: self, at: world.now + 1_000, .timer) { [self] in
            isPumpScheduled = false
            pump()
        }
    }

    private func pump() {
        guard !isBusy, !isClosed, isOpen else { return }
        while true {
            let now = reading
            let inputs = inbox
            inbox = []
            for input in inputs { machine!.receive(input, at: now) }
            let step = machine!.next(at: now)
            settle()
            if steps.at != world.now { steps = (world.now, 0) }
            steps.count += 1
            if steps.count > 500 { return world.checker.fail(.progress, "\(name) makes steps, and no time passes") }
            switch step {
            case .wait(let wake):
                setAlarm(wake)
                if inbox.isEmpty { return }
            case .readConditions: machine!.receive(.conditions(unmet: []), at: now)
            case .commit(let turn): return commit(turn)
            case .read(let read): return self.read(read)
            case .retire:
                isBusy = true
                return world.send(self, .writer) { (_: ModelDatabase) in
                    false
                } done: { [self] _ in
                    machine!.retired(hasMore: false)
                    proceed()
                }
            case .delete: preconditionFailure("no user of the simulation deletes jobs")
            case .close: return close()
            }
        }
    }

    /// Checks the invariants and performs the effects, after each call of the state machine.
    private func settle() {
        if world.checksInvariants, let broken = machine!.brokenInvariant() {
            world.checker.fail(.invariants, "\(name): \(broken)")
        }
        for effect in sorted(machine!.takeEffects()) { perform(effect) }
    }

    /// Sorts cancellations, because the machine visits its running handlers in an order that differs between processes.
    private func sorted(_ effects: [SchedulerEffect]) -> [SchedulerEffect] {
        var cancels: [(RunKey, CancellationReason)] = []
        var others: [SchedulerEffect] = []
        for effect in effects {
            if case .cancel(let key, let reason) = effect {
                cancels.append((key, reason))
            } else {
                others.append(effect)
            }
        }
        return others + cancels.sorted { $0.0 < $1.0 }.map { .cancel($0.0, $0.1) }
    }

    private func proceed() {
        settle()
        isBusy = false
        pump()
    }

    private func setAlarm(_ wake: SchedulerWake?) {
        alarm += 1
        guard let wake else { return }
        let number = alarm
        let now = reading
        let delay =
            switch wake.instant {
            case .wall(let instant): now.wall.duration(to: instant)
            case .uptime(let instant): now.uptime.duration(to: instant)
            }
        let late = Int64(world.pick(800_000))
        world.deliver(to: self, at: world.now + max(0, delay.wholeNanoseconds) + late, .timer) { [self] in
            if alarm == number { pump() }
        }
    }

    // MARK: The store

    private func commit(_ turn: StoreTurn) {
        isBusy = true
        let session = session
        let node = id
        let isClockNew = turn.clock != stored
        stored = nil
        let known = timeline
        world.send(
            self, .writer, due: ModelDatabase.claims(turn, in: session)
        ) { [self] (database: ModelDatabase) throws(JobError) in
            let results = try database.commit(
                turn, of: node, in: session, isClockNew: isClockNew, at: world.wall, timeline: known)
            return (results, database.hasSubmissions(node))
        } done: { [self] answer in
            if turn.isLeaving, case .success = answer {
                // A leaving node wants no shards.
                membership!.leave()
            }
            switch answer {
            case .success(let (results, hasSubmissions)):
                released(turn.released)
                if hasSubmissions { post(.signal(.submissions)) }
                // If the node is not trusted any more, another node may have its claimed runs, so the turn counts as
                // failed.
                let isTrusted = membership!.endOfTrust.map { $0 > uptime } ?? false
                guard isTrusted else {
                    machine!.commitFailed(
                        JobError(code: .unavailable, message: "the answer has come after the end of the trust"),
                        at: reading)
                    return proceed()
                }
                stored = turn.clock
                machine!.committed(results, at: reading)
            case .failure(let error):
                forget(turn.released)
                machine!.commitFailed(error, at: reading)
            }
            proceed()
        }
    }

    private func read(_ read: SchedulerRead) {
        isBusy = true
        let session = session
        let node = id
        if case .places(let uses) = read {
            return world.send(self, .writer) { [self] (database: ModelDatabase) throws(JobError) in
                try database.places(uses, of: node, second: world.second)
            } done: { [self] answer in
                switch answer {
                case .success(let found): machine!.read(read, .places(found), at: reading)
                case .failure(let error): machine!.readFailed(read, error, at: reading)
                }
                proceed()
            }
        }
        world.send(self, .queries) { database in
            database.answer(read, in: session)
        } done: { [self] answer in
            switch answer {
            case .success(let found): machine!.read(read, found, at: reading)
            case .failure(let error): machine!.readFailed(read, error, at: reading)
            }
            proceed()
        }
    }

    private func close() {
        isBusy = true
        isClosing = true
        let node = id
        world.send(self, .writer) { database in
            database.end(node)
        } done: { [self] _ in
            machine!.closed()
            settle()
        }
    }

    // MARK: Effects

    private func perform(_ effect: SchedulerEffect) {
        switch effect {
        case .start(let run, let job): start(run, of: job)
        case .cancel(let key, let reason): handlers[key]?.cancel(reason)
        case .answer(let number, let result): world.checker.answered(number, of: self, result)
        case .stopped: stopped()
        case .serve(let jobs): (runnable, unsaid) = (jobs, jobs)
        case .emit, .count, .followConditions, .log, .started: break
        }
    }

    private func stopped() {
        isClosed = true
        world.trace("\(name) has stopped")
        // Commands that the scheduler has not processed fail when it ends, so their callers get no other answer.
        world.checker.callerGone(self)
        process.node = nil
        if process.isWanted, !isGone { world.join(process, after: .ms(100)) }
    }

    private func start(_ run: Run, of job: Job) {
        let key = RunKey(run)
        guard reading.wall >= run.due else { return post(.notBegun(key, nil)) }
        if !process.role.mayRun(job.request) {
            world.checker.fail(.placed, "\(run.jobID) of \(job.request.kind) begins on \(name)")
        }
        let handler = ClusterHandler(self, run, world.plan(of: job))
        handlers[key] = handler
        world.checker.began(handler)
        handler.begin()
    }
}

final class ClusterHandler {
    let node: ClusterNode
    let run: Run
    let plan: ClusterPlan
    let began: Int64
    private(set) var reason: CancellationReason?
    private(set) var hasEnded = false

    init(_ node: ClusterNode, _ run: Run, _ plan: ClusterPlan) {
        (self.node, self.run, self.plan, began) = (node, run, plan, node.world.now)
    }

    func begin() {
        let world = node.world
        let random = SeededRandom(
            seed: UInt64(bitPattern: Int64(plan.number * 7_919 + run.occurrence * 31 + run.attempt)))
        var length = Int(random.next() % UInt64(plan.longest + 1))
        if world.isPeace { length = min(length, 20) }
        let snoozes = !world.isPeace && plan.snooze > 0 && world.pick(3) == 0
        let fails = !world.isPeace && Int(random.next() % 10) < plan.failures
        world.deliver(to: node, at: world.now + .ms(length) + 50_000, .timer) { [self] in
            if plan.completes, !fails, !snoozes, reason == nil { return commit(random) }
            end(fails: fails, snoozes: snoozes)
        }
    }

    /// Commits the effect in a transaction on a separate connection.
    ///
    /// The transaction may take long, and its answer may be lost.
    private func commit(_ random: SeededRandom) {
        if hasEnded { return }
        let world = node.world
        let isSlow = !world.isPeace && random.next() % 4 == 0
        let isAnswered = world.isPeace || random.next() % 8 != 0
        let delay = .ms(1) + (isSlow ? Int64(random.next() % 6_000_000_000) : 0)
        world.afterwards(delay) { [self] in
            let isCommitted = world.isDatabaseUp && world.database.complete(run)
            if isCommitted {
                world.trace("\(node.name) commits the effect of \(run.jobID) \(run.occurrence).\(run.attempt)")
            }
            world.deliver(to: node, at: world.now + .ms(1), .answer) { [self] in end(fails: !isCommitted || !isAnswered)
            }
        }
    }

    func cancel(_ reason: CancellationReason) {
        guard self.reason == nil, !hasEnded else { return }
        self.reason = reason
        guard plan.obeys else { return }
        let world = node.world
        world.deliver(to: node, at: world.now + Int64(world.pick(3_000_000)), .timer) { [self] in end(fails: true) }
    }

    private func end(fails: Bool, snoozes: Bool = false) {
        guard !hasEnded else { return }
        hasEnded = true
        let key = RunKey(run)
        node.handlers[key] = nil
        if snoozes, reason == nil { node.world.checker.snoozed(self) }
        node.world.checker.ended(self)
        if snoozes, reason == nil {
            let snooze = RunDecision.snooze(for: .milliseconds(plan.snooze), reason: "later")
            let isHeeded = node.world.mutant != .snoozeAtOnce
            return node.post(.notBegun(key, isHeeded ? snooze : nil))
        }
        var ended = JobMachine.Ended(.succeeded, started: node.reading.wall)
        if fails {
            ended.result = reason == .shutdown ? .interrupted : .failed(reason: "as planned", isFinal: false)
        }
        node.post(.ended(key, ended, jitter: 0.5))
    }

    /// Ends the handler together with its process.
    func vanish() {
        hasEnded = true
        node.world.checker.ended(self)
    }
}
