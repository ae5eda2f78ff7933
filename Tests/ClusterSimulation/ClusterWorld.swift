import ApusJobs
import ApusTimers

/// A simulated cluster in virtual time, with its processes, their connections to the database, and faults.
final class ClusterWorld {
    enum Link: Int, CaseIterable { case writer, session, queries }
    enum Kind { case answer, timer }

    let history: ClusterHistory
    let mutant: ClusterMutant?
    let random: SeededRandom
    let database: ModelDatabase
    let checksInvariants: Bool
    private(set) lazy var checker = ClusterChecker(self)
    private var queue = EventQueue()
    private let line: ((String) -> Void)?
    private(set) var processes: [ClusterProcess] = []
    private(set) var isPeace = false
    private var plans: [Int: ClusterPlan] = [:]
    private var requests: [Int: JobRequest] = [:]
    /// The time until which the database is unavailable; `restarts` counts the losses of its connections.
    private var downUntil: Int64 = 0
    private var restarts = 0
    /// The total change of the database's clock, in nanoseconds.
    private var wallStep: Int64 = 0
    private var lastCall = 0

    init(
        _ history: ClusterHistory, mutant: ClusterMutant? = nil, checksInvariants: Bool = true,
        trace line: ((String) -> Void)? = nil
    ) {
        self.history = history
        self.mutant = mutant
        self.checksInvariants = checksInvariants
        self.line = line
        random = SeededRandom(seed: history.seed &* 0xD1B5_4A32_D192_ED03 &+ 0x1357_9BDF)
        database = ModelDatabase(shards: history.shards, mutant: mutant)
        for (id, limit) in history.limits { database.tables.queues[id] = JobQueue(id: id, concurrency: limit) }
        for (id, limit) in history.limitsPerKey {
            database.tables.queues[id, default: JobQueue(id: id)].concurrencyPerKey = limit
        }
        for number in 0..<history.unreadable { database.addUnreadable(number, at: wall) }
        database.written = { [unowned self] in checker.written($0, $1, $2, $3) }
        database.overwritten = { [unowned self] in checker.overwritten($0, $1) }
        database.taken = { [unowned self] in checker.taken($0, $1) }
        database.notify = { [unowned self] node, payload in notify(node, payload) }
    }

    var now: Int64 { queue.now }
    /// The database's clock.
    var wall: WallInstant { WallInstant(nanoseconds: UInt64(1_700_000_000_000_000_000 + queue.now + wallStep)) }

    /// The whole seconds of the database's clock.
    var second: Int64 { Int64(wall.nanoseconds / 1_000_000_000) }

    func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    func trace(_ text: @autoclosure () -> String) {
        guard let line else { return }
        let micro = now / 1_000
        line("\(micro / 1_000).\(String(micro % 1_000 + 1_000).dropFirst()) ms  \(text())")
    }

    func plan(of job: Job) -> ClusterPlan { plans[job.request.labels["plan"].flatMap { Int($0) } ?? -1]! }

    // MARK: Running

    /// Runs the history.
    ///
    /// - Returns: The broken promise; `nil` if every promise was kept.
    func run() -> ClusterViolation? {
        for number in 0..<history.nodes {
            let process = ClusterProcess(number, history.roles?[number] ?? ClusterRole(), pick)
            processes.append(process)
            join(process, after: .ms(pick(300)))
        }
        for step in history.steps {
            note(step.action)
            // The history begins when the first nodes have found each other.
            queue.add(at: .ms(2_500 + step.at)) { [unowned self] in perform(step.action) }
        }
        run(until: .ms(2_500 + history.trouble))
        makePeace()
        run(until: now + .ms(8_000))
        killOne()
        run(until: now + .ms(10_000))
        checker.checkTakeOver()
        // Commands that wait for a lost answer are abandoned after 30 s.
        if checker.hasOpenCalls { run(until: now + .ms(25_000)) }
        if checker.violation == nil { checker.checkPeace() }
        return checker.violation
    }

    private func run(until end: Int64) {
        while checker.violation == nil, let next = queue.next, next <= end { queue.pop()?() }
        queue.add(at: end) {}
        if checker.violation == nil { queue.pop()?() }
    }

    private func note(_ action: ClusterHistory.Action) {
        switch action {
        case .submit(_, let plan), .submitInTransaction(let plan): plans[plan.number] = plan
        default: break
        }
    }

    private func makePeace() {
        trace("peace")
        isPeace = true
        downUntil = 0
        for process in processes {
            process.noRequestsUntil = 0
            process.noAnswersUntil = 0
            process.slow.until = 0
            process.lossy.until = 0
            for link in process.links.indices { process.links[link].brokenUntil = 0 }
            process.pausedUntil = 0
            wake(process)
            process.isWanted = true
            if process.node == nil { join(process, after: .ms(100)) }
        }
    }

    /// Kills a process, whose jobs other processes must then take over soon, because there is no other trouble.
    private func killOne() {
        guard processes.count > 1 else { return }
        let process = processes[pick(processes.count)]
        process.isWanted = false
        crash(process, ofMachine: pick(2) == 0)
        checker.takeOverBegan(now)
    }

    // MARK: Processes

    func join(_ process: ClusterProcess, after delay: Int64) {
        queue.add(at: now + delay) { [self] in
            guard process.isWanted, process.node == nil else { return }
            let node = ClusterNode(self, process)
            process.node = node
            process.nodes.append(node)
            node.join()
        }
    }

    private func crash(_ process: ClusterProcess, ofMachine: Bool) {
        trace("process \(process.number) is killed")
        for node in process.nodes {
            node.isGone = true
            for handler in node.handlers.values.sorted(by: { RunKey($0.run) < RunKey($1.run) }) { handler.vanish() }
            node.handlers = [:]
            checker.callerGone(node)
            let id = node.id
            // When a process ends, the kernel closes its connections. The database notices the end of a machine only
            // much later.
            queue.add(at: now + (ofMachine ? .ms(20_000) : 100_000)) { [self] in
                database.tables.nodes[id]?.hasSession = false
            }
        }
        process.nodes = []
        process.node = nil
        process.deferred = []
        process.isPaused = false
        process.links = process.links.map { _ in .init() }
    }

    private func wake(_ process: ClusterProcess) {
        guard process.isPaused, process.pausedUntil <= now else { return }
        process.isPaused = false
        trace("process \(process.number) continues")
        var waiting = process.deferred
        process.deferred = []
        // Answers that have arrived meanwhile are processed before the timers, or after them.
        if pick(2) == 0 { waiting = waiting.filter { $0.kind == .answer } + waiting.filter { $0.kind == .timer } }
        for event in waiting { event.action() }
    }

    // MARK: Events

    /// Schedules an event in the process of a node, if the node still exists then.
    ///
    /// A process that is stopped gets the event when it continues.
    func deliver(to node: ClusterNode, at instant: Int64, _ kind: Kind, _ action: @escaping () -> Void) {
        queue.add(at: instant) { [self] in
            if node.isGone || checker.violation != nil { return }
            let checked = { if !node.isGone { action() } }
            if node.process.isPaused { node.process.deferred.append((kind, checked)) } else { checked() }
        }
    }

    private func delay(_ process: ClusterProcess, _ link: Link) -> Int64 {
        let usual = 100_000 + Int64(pick(900_000))
        let isSlow = process.slow.until > now && [link.rawValue, Link.allCases.count].contains(process.slow.link)
        return isSlow ? usual + .ms(pick(process.slow.upTo)) : usual
    }

    private enum Fate { case arrives, isLost, isRefused, answerIsLost, isLate }

    private func fate(_ process: ClusterProcess) -> Fate {
        if process.noRequestsUntil > now { return .isLost }
        guard process.lossy.until > now, pick(100) < process.lossy.percent else { return .arrives }
        return [.isLost, .isRefused, .answerIsLost, .answerIsLost, .isLate][pick(5)]
    }

    /// Sends a request, which is one transaction.
    ///
    /// If the transaction has a `due` instant that is near, it waits for that instant.
    func send<R>(
        _ node: ClusterNode, _ link: Link, due: WallInstant? = nil,
        _ work: @escaping (ModelDatabase) throws(JobError) -> R,
        done: @escaping (Result<R, JobError>) -> Void
    ) {
        let process = node.process
        let lost = JobError(code: .unavailable, message: "the connection is lost")
        func fail(at instant: Int64) {
            deliver(to: node, at: instant, .answer) { done(.failure(lost)) }
        }
        func breakLink() -> Int64 {
            let until = now + .ms(20 + pick(4_000))
            process.links[link.rawValue].brokenUntil = until
            process.links[link.rawValue].breaks += 1
            if link == .session, pick(2) == 0 { database.tables.nodes[node.id]?.hasSession = false }
            return until
        }
        if process.links[link.rawValue].brokenUntil > now { return fail(at: process.links[link.rawValue].brokenUntil) }
        let fate = fate(process)
        if fate == .isLost { return fail(at: breakLink()) }
        let arrival = max(process.links[link.rawValue].lastArrival + 1, now + delay(process, link))
        process.links[link.rawValue].lastArrival = arrival
        let generation = restarts
        var isAnswered = true
        var late: Int64 = 0
        if fate == .isLate || fate == .answerIsLost {
            isAnswered = false
            let failure = breakLink()
            fail(at: failure)
            // The transaction arrives less than 90 ms after the failure. If it came later, only the next load would
            // find its new job.
            if fate == .isLate { late = max(0, failure - arrival) + .ms(pick(90)) }
        }
        func execute() {
            if checker.violation != nil { return }
            guard downUntil <= now, generation == restarts else {
                if isAnswered { fail(at: now + 200_000) }
                return
            }
            var result: Result<R, JobError>
            if fate == .isRefused {
                result = .failure(JobError(code: .unavailable, message: "the transaction was aborted"))
            } else if let due, due > wall, wall.duration(to: due) <= .milliseconds(100) {
                return queue.add(at: now + wall.duration(to: due).wholeNanoseconds) { execute() }
            } else {
                do throws(JobError) { result = .success(try work(database)) } catch { result = .failure(error) }
            }
            guard isAnswered else { return }
            if process.noAnswersUntil > now { return fail(at: breakLink()) }
            let answer = max(process.links[link.rawValue].lastAnswer + 1, now + delay(process, link))
            process.links[link.rawValue].lastAnswer = answer
            deliver(to: node, at: answer, .answer) { done(result) }
        }
        queue.add(at: arrival + late) { execute() }
    }

    var isDatabaseUp: Bool { downUntil <= now }

    /// Schedules an event outside of the processes.
    func afterwards(_ delay: Int64, _ action: @escaping () -> Void) {
        queue.add(at: now + delay) { [self] in if checker.violation == nil { action() } }
    }

    private func notify(_ id: Int64, _ payload: String) {
        for process in processes {
            guard let node = process.node, node.id == id, node.isOpen else { continue }
            guard process.noAnswersUntil <= now, process.links[Link.session.rawValue].brokenUntil <= now else { return }
            deliver(to: node, at: now + delay(process, .session), .answer) {
                if !node.isClosed { node.notified(payload) }
            }
        }
    }

    // MARK: Steps

    private func process(_ number: Int) -> ClusterProcess { processes[number % processes.count] }

    private func perform(_ action: ClusterHistory.Action) {
        if checker.violation != nil { return }
        switch action {
        case .submit(let number, let plan):
            call(number, .job(.submit([request(of: plan)])), plan)
        case .submitInTransaction(let plan):
            trace("an application submits \(plan)")
            database.submit(request(of: plan), at: wall, shard: shard(of: plan.id))
        case .command(let command, let number, let job): self.command(command, number, ClusterPlan.jobID(job))
        case .crash(let number, let ofMachine, let back):
            crash(process(number), ofMachine: ofMachine)
            join(process(number), after: .ms(back))
        case .pause(let number, let time):
            let process = process(number)
            trace("process \(process.number) is stopped for \(time) ms")
            process.isPaused = true
            process.pausedUntil = now + .ms(time)
            queue.add(at: process.pausedUntil) { [self] in wake(process) }
        case .partition(let number, let requests, let answers, let time):
            let process = process(number)
            trace("process \(process.number) is cut off for \(time) ms: \(requests) \(answers)")
            if requests || !answers { process.noRequestsUntil = now + .ms(time) }
            if answers { process.noAnswersUntil = now + .ms(time) }
        case .slow(let number, let link, let upTo, let time):
            trace("process \(process(number).number) is slow, up to \(upTo) ms, for \(time) ms")
            process(number).slow = (now + .ms(time), upTo, link)
        case .lossy(let number, let percent, let time):
            trace("process \(process(number).number) loses \(percent) % for \(time) ms")
            process(number).lossy = (now + .ms(time), percent)
        case .restartDatabase(let time):
            trace("the database restarts, for \(time) ms")
            restart(for: time)
            for node in database.tables.nodes.keys { database.tables.nodes[node]!.hasSession = false }
        case .promote(let lag, let time):
            trace("the standby has this")
            let copy = database.copy
            queue.add(at: now + .ms(lag)) { [self] in
                if checker.violation != nil || isPeace { return }
                trace("the standby is promoted, lags by \(lag) ms, and is there in \(time) ms")
                restart(for: time)
                database.promote(copy, skipping: Int64(pick(2) == 0 ? 0 : pick(33)))
                checker.promoted()
            }
        case .setClock(let step):
            trace("the database's clock is set by \(step) ms")
            wallStep += .ms(step)
            checker.clockSet()
        case .leave(let number, let grace, let back):
            let process = process(number)
            guard let node = process.node, node.isOpen else { return }
            trace("\(node.name) is to stop, grace \(grace.map { "\($0) ms" } ?? "unlimited")")
            process.isWanted = false
            lastCall += 1
            node.post(.command(lastCall, .stop(grace: grace.map { .milliseconds($0) })))
            queue.add(at: now + .ms(back)) { [self] in
                process.isWanted = true
                if process.node == nil { join(process, after: 0) }
            }
        }
    }

    private func restart(for time: Int) {
        restarts += 1
        downUntil = now + .ms(time)
    }

    /// Returns the shard of an identifier, which is always the same.
    private func shard(of id: JobID) -> ShardID {
        ShardID(rawValue: id.rawValue.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % history.shards)
    }

    /// Returns the request of a plan, which is always the same.
    private func request(of plan: ClusterPlan) -> JobRequest {
        if let request = requests[plan.number] { return request }
        let request = plan.request(at: wall)
        requests[plan.number] = request
        return request
    }

    private func command(_ command: ClusterHistory.Command, _ number: Int, _ id: JobID) {
        let row = database.find(.id(id))
        let job: JobCommand
        switch command {
        case .cancel: job = .cancel(id)
        case .suspend: job = .suspend(id)
        case .resume: job = .resume(id)
        case .runNow: job = .runNow(id)
        case .retry:
            // `JobScheduler.retry` itself refuses other retries.
            let failed =
                row?.runs.values.filter {
                    $0.isFinal && $0.attempt > 0 && [.failed, .lost, .cancelled].contains($0.state)
                } ?? []
            guard let row, row.job.state != .cancelled, let run = failed.max(by: { $0.occurrence < $1.occurrence })
            else { return }
            job = .retry(run, version: row.job.version)
        case .cancelRun:
            guard let run = row?.open.first else { return }
            job = .cancelRun(id, occurrence: run.occurrence)
        }
        call(number, .job(job), nil)
    }

    private func call(_ number: Int, _ command: SchedulerCommand, _ plan: ClusterPlan?) {
        // If the process has no scheduler, the command goes to another process.
        let usable = processes.filter { $0.node?.isOpen == true && $0.node?.isClosed == false && !$0.isPaused }
        guard !usable.isEmpty else { return }
        let node = usable[number % usable.count].node!
        lastCall += 1
        trace("\(node.name) is asked (\(lastCall)): \(command)")
        checker.asked(lastCall, of: node, command, plan)
        node.post(.command(lastCall, command))
    }
}

/// The future events, in the order of their instants and then of their addition.
struct EventQueue {
    private struct Event {
        var at: Int64
        var number: Int
        var action: () -> Void
        func precedes(_ other: Event) -> Bool { (at, number) < (other.at, other.number) }
    }

    private var heap: [Event] = []
    private var last = 0
    /// The time since the beginning, in nanoseconds.
    private(set) var now: Int64 = 0

    var next: Int64? { heap.first?.at }

    mutating func add(at instant: Int64, _ action: @escaping () -> Void) {
        last += 1
        heap.append(Event(at: max(instant, now), number: last, action: action))
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (() -> Void)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        now = first.at
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                var least = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < heap.count && heap[child].precedes(heap[least]) { least = child }
                if least == parent { break }
                heap.swapAt(parent, least)
                parent = least
            }
        }
        return first.action
    }
}

extension Int64 {
    /// Returns a number of milliseconds in nanoseconds.
    static func ms(_ count: Int) -> Int64 { Int64(count) * 1_000_000 }
}
