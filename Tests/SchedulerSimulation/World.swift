import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime

/// The run of one history in virtual time, with a check of the promises after each step.
///
/// The fault model: a store fails commits before or after they were applied, hangs, is full, or fails reads. A process
/// is killed between any two pieces of its work, is frozen and resumed, or loses its store to another process. The wall
/// clock is set, the machine sleeps, and conditions change. The store itself never loses an accepted commit.
///
/// The end is peaceful: nothing fails any more, and everything due must soon have its outcome.
final class World {
    let history: History
    let time = VirtualTime()
    let base = MemoryStore()
    let ledger: Ledger
    private(set) var nodes: [Node] = []
    private(set) var device = Step.Device.good
    var fault: Step.Fault?
    var rows: RowCheck
    /// Receives the events, line by line.
    private let trace: ((String) -> Void)?

    init(_ history: History, trace: ((String) -> Void)? = nil) {
        self.history = history
        self.trace = trace
        ledger = Ledger(history, time: time)
        rows = RowCheck(ledger: ledger)
        addUnreadable()
    }

    /// Runs the history and returns the first broken promise; rows are checked after each `rowsEvery`th step.
    func run(rowsEvery: Int) -> Violation? {
        defer { cleanUp() }
        for (number, step) in history.steps.enumerated() {
            trace?("\(number + 1). \(step)")
            begin(step)
            rest()
            settle()
            traceCalls()
            if (number + 1).isMultiple(of: rowsEvery) { checkRows() }
            if let violation = ledger.violation { return violation }
        }
        makePeace()
        return ledger.violation
    }

    private func traceCalls() {
        guard let trace else { return }
        trace("    at \(seconds(ledger.now.elapsed / 1_000_000))")
        for call in ledger.with({ $0.calls }) {
            trace(
                "    run \(call.key)/\(call.occurrence).\(call.attempt) in process \(call.node): "
                    + "\(call.claimed ?? -1) \(call.started.elapsed) \(call.ended?.elapsed ?? -1) "
                    + "\(call.result.map { "\($0)" } ?? "")")
        }
    }

    var current: Node? { nodes.last }

    func facts(of node: Node) -> Ledger.NodeFacts { ledger.with { $0.nodes[node.number] } }

    /// Whether the newest process has a scheduler that was not asked to stop, and can run.
    var isUp: Bool {
        guard let current else { return false }
        let facts = facts(of: current)
        return !facts.isDead && !facts.isStopIssued && !facts.hasFailedToStart && !facts.hasLostStore
    }

    // MARK: Steps

    func begin(_ step: Step) {
        switch step {
        case .submit(let plans): submit(plans)
        case .submitInTransaction(let plans): submitInTransaction(plans)
        case .command(let command, let job): give(command, job)
        case .bulk(let bulk, let queue): give(bulk, queue: queue)
        case .configure(let queue, let setting): configure(queue, [setting])
        case .together(let steps): for step in steps { begin(step) }
        case .advance(let time): advance(milliseconds: time)
        case .sleep(let time):
            disturb()
            self.time.sleepOnly(for: .milliseconds(time))
            // Graces and pauses count the uptime, which stood still.
            ledger.with { $0.flowsSince = nil }
        case .moveWallClock(let seconds): moveWallClock(seconds)
        case .device(let device): become(device)
        case .fault(let fault):
            self.fault = fault
            if let current { apply(fault, to: current) }
        case .heal: heal()
        case .release(let isReversed):
            current?.store.release { isReversed ? (0..<$0).reversed() : Array(0..<$0) }
        case .stop(let grace): if isUp { current?.stop(grace: grace) }
        case .start: if !isUp { start() }
        case .kill(let work): kill(afterWork: work)
        case .freeze: freeze()
        case .thaw: for node in nodes { thaw(node) }
        case .takeOver: if isUp { startNode() }
        }
    }

    func submit(_ plans: [JobPlan]) {
        guard isUp, let current else { return }
        let (command, numbers) = ledger.submit(plans, node: current.number)
        let now = time.wall()
        let requests = zip(plans, numbers).map { $0.request(number: $1, now: now) }
        current.give(command) { scheduler in
            if requests.count == 1 { return [try await scheduler.submit(requests[0]).job] }
            return try await scheduler.submit(requests).map(\.job)
        }
    }

    private func submitInTransaction(_ plans: [JobPlan]) {
        let now = time.wall()
        for (plan, number) in zip(plans, ledger.submitInTransaction(plans)) {
            do { try base.submit(plan.request(number: number, now: now), at: now) } catch {
                ledger.report(.answered, "the store refuses a submission: \(error)")
            }
        }
    }

    /// Sends a command for the job with the identifier `given`, or, without one, for the job of the plan with the
    /// number `job`.
    func give(_ command: Step.Command, _ job: Int, id given: JobID? = nil) {
        guard isUp, let current else { return }
        let id = given ?? ledger.with { $0.jobID(job) }
        func issue(_ kind: Ledger.Command.Kind) -> Int {
            ledger.issue(kind, node: current.number, job: job, id: id)
        }
        switch command {
        case .cancel:
            current.give(issue(.cancel)) { [try await $0.cancel(id)] }
        case .suspend:
            current.give(issue(.suspend)) { [try await $0.suspend(id)] }
        case .resume:
            current.give(issue(.resume)) { [try await $0.resume(id)] }
        case .runNow:
            current.give(issue(.runNow)) { scheduler in
                _ = try await scheduler.runNow(id)
                return []
            }
        case .retry:
            current.give(issue(.retry)) { scheduler in
                _ = try await scheduler.retry(id)
                return []
            }
        case .cancelRun:
            current.give(issue(.cancelRun)) { scheduler in
                let occurrence = try await scheduler.openRuns(of: id).first?.occurrence ?? 1
                _ = try await scheduler.cancelRun(id, occurrence: occurrence)
                return []
            }
        case .delete:
            current.give(issue(.delete)) { scheduler in
                try await scheduler.delete(id)
                return []
            }
        case .query:
            current.give(issue(.query)) { scheduler in
                _ = try await scheduler.runs(RunQuery(jobID: id))
                return try await scheduler.job(id).map { [$0] } ?? []
            }
        }
    }

    private func moveWallClock(_ seconds: Int) {
        disturb()
        let years1980to2200 = 315_532_800...7_258_118_400
        let now = Int(ledger.now.wall / 1_000_000_000)
        guard years1980to2200.contains(now + seconds) else { return }
        ledger.with { state in
            for index in state.facts.indices {
                state.facts[index].sawWallMove = true
                if seconds < 0 { state.facts[index].sawWallMoveBack = true }
            }
        }
        time.moveWallOnly(by: .seconds(seconds))
        let moved = ledger.now
        ledger.with { $0.clocks.append(moved) }
    }

    func become(_ device: Step.Device) {
        disturb()
        self.device = device
        let now = ledger.now.elapsed
        ledger.with { state in
            for bit in [1, 2, 4] {
                if !device.unmet.contains(JobConditions(rawValue: bit)) {
                    state.unmetSince[bit] = nil
                } else if state.unmetSince[bit] == nil {
                    state.unmetSince[bit] = now
                }
            }
        }
        for node in nodes { node.host.become(device.conditions) }
    }

    private func apply(_ fault: Step.Fault, to node: Node) {
        disturb()
        switch fault {
        case .commitsFail(let every, let isFull):
            let error = JobError(code: isFull ? .full : .unavailable, message: "the simulated store fails")
            node.store.faults { $0.isMultiple(of: every) ? .before(error) : nil }
        case .answersLost(let every):
            let error = JobError(code: .unavailable, message: "the simulated store's answer is lost")
            node.store.faults { $0.isMultiple(of: every) ? .after(error) : nil }
        case .commitsHang(let every): node.store.faults { $0.isMultiple(of: every) ? .hold : nil }
        case .readsFail:
            node.store.failReads(JobError(code: .unavailable, message: "the simulated store cannot be read"))
        }
    }

    func heal() {
        disturb()
        fault = nil
        for node in nodes {
            node.store.fail(nil)
            node.store.failReads(nil)
            node.store.release()
        }
    }

    /// Starts another process after the end of the previous one.
    func start() {
        // A stop that is in progress may take a while.
        for _ in 0..<25 {
            guard let current, case let facts = facts(of: current), facts.isStopIssued, !facts.isStopReturned,
                !facts.isDead, !facts.isFrozen
            else { break }
            advance(milliseconds: 1_000)
        }
        startNode()
    }

    private func startNode() {
        disturb()
        let node = Node(
            number: nodes.count, history: history, time: time, base: base, device: device.conditions, ledger: ledger)
        nodes.append(node)
        if let fault { apply(fault, to: node) }
        node.start()
    }

    private func kill(afterWork work: Int?) {
        guard let current, !facts(of: current).isDead, !facts(of: current).isStopReturned else { return }
        disturb()
        if let work {
            time.moveToNextDeadline(within: .seconds(30))
            for _ in 0..<work { time.runOne() }
        }
        current.process.stop()
        current.store.kill()
        ledger.with { state in
            state.nodes[current.number].isDead = true
            state.nodes[current.number].running = []
            for index in state.commands.indices where state.commands[index].node == current.number {
                state.commands[index].isOver = true
            }
        }
    }

    private func freeze() {
        guard let current, !facts(of: current).isDead else { return }
        disturb()
        current.process.stop()
        ledger.with { $0.nodes[current.number].isFrozen = true }
    }

    func thaw(_ node: Node) {
        guard facts(of: node).isFrozen, !facts(of: node).isDead else { return }
        disturb()
        ledger.with { $0.nodes[node.number].isFrozen = false }
        node.process.resume()
    }

    /// Ends the periods in which the world was calm and healthy.
    private func disturb() {
        ledger.with { state in
            state.calmSince = nil
            state.healthySince = nil
        }
    }

    /// Updates `calmSince`, `healthySince` and `flowsSince` of the ledger after each step.
    func settle() {
        let now = ledger.now.elapsed
        let held = nodes.contains { $0.store.held > 0 && !facts(of: $0).isDead }
        let isFaulty = fault != nil
        ledger.with { state in
            let isFrozen = state.nodes.contains { $0.isFrozen && !$0.isDead }
            if held || isFrozen { state.flowsSince = nil } else if state.flowsSince == nil { state.flowsSince = now }
            let isHealthy = !held && !isFrozen && !isFaulty
            if !isHealthy { state.healthySince = nil } else if state.healthySince == nil { state.healthySince = now }
            let node = state.nodes.last
            let isRunning =
                node.map { $0.isStarted && !$0.isStopIssued && !$0.isDead && !$0.isFrozen && !$0.hasLostStore } ?? false
            let isCalm = isRunning && !isFaulty && !held && state.owner == state.nodes.count - 1
            if !isCalm { state.calmSince = nil } else if state.calmSince == nil { state.calmSince = now }
        }
        checkAnswers()
    }

    // MARK: Time

    /// Runs everything that can run at this instant, and reports a scheduler that never comes to rest.
    func rest() {
        var pieces = 0
        while time.runOne() {
            pieces += 1
            guard pieces < 20_000 else {
                return ledger.report(.recovery, "the scheduler does not come to rest, and no time passes")
            }
        }
    }

    /// Lets time pass, from deadline to deadline.
    func advance(milliseconds: Int) {
        let end = ledger.now.elapsed + Int64(milliseconds) * 1_000_000
        while true {
            rest()
            let left = Duration.nanoseconds(end - ledger.now.elapsed)
            guard left > .zero, ledger.violation == nil else { return }
            if !time.moveToNextDeadline(within: left) { return time.advance(by: left) }
        }
    }

    // MARK: The end

    /// Runs every process until nothing of it is left, over a store that refuses everything.
    private func cleanUp() {
        ledger.with { $0.isOver = true }
        for node in nodes {
            node.store.kill()
            node.forget()
            node.process.resume()
            node.waits.endAll()
        }
        for seconds in [0, 0, 30, 0] {
            for node in nodes { node.waits.endAll() }
            for _ in 0..<20_000 where !time.runOne() { break }
            if seconds > 0 { time.moveToNextDeadline(within: .seconds(seconds)) }
        }
        for node in nodes {
            time.end(node.process)
            while node.process.executor.pendingJobs > 0, node.process.executor.runOne() {}
        }
    }

    func checkRows() {
        // After a violation, the processes may not have come to rest.
        if ledger.violation != nil { return }
        let base = base
        let found = try? time.perform {
            (try await base.jobs(JobQuery(limit: .max)).jobs, try await base.runs(RunQuery(limit: .max)).runs)
        }
        guard let found else { return ledger.report(.tidy, "the store cannot be read") }
        rows.check(jobs: found.0, runs: found.1)
    }

    func jobs() -> [Job] {
        if ledger.violation != nil { return [] }
        let base = base
        return (try? time.perform { try await base.jobs(JobQuery(limit: .max)).jobs }) ?? []
    }
}
