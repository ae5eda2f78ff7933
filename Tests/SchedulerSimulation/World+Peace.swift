import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime

/// The checks that commands are answered in time, and that everything is done at the end.
extension World {
    /// The maximum duration of a command while nothing hangs, in nanoseconds.
    private static let patience: Int64 = 30_000_000_000

    /// Checks that every command is answered in time, if nothing hangs, and that `stop` returns within its grace.
    func checkAnswers() {
        let now = ledger.now
        ledger.with { state in
            guard let flows = state.flowsSince else { return }
            for command in state.commands where !command.isOver {
                var since = max(flows, command.issued.elapsed)
                var limit = Self.patience
                if command.kind == .stop {
                    let node = state.nodes[command.node]
                    if let grace = command.grace {
                        limit = Int64(grace + 1_000 + 10_000) * 1_000_000
                    } else {
                        // A stop without a grace waits until all handlers have ended, however long they take.
                        since = node.running.isEmpty ? max(since, node.lastEnd) : now.elapsed
                    }
                }
                guard now.elapsed - since > limit else { continue }
                let promise: Promise = command.kind == .stop ? .stopped : .answered
                state.report(
                    promise,
                    "\(command.kind)\(command.job.map { " job\($0)" } ?? "") has no answer after "
                        + "\(seconds((now.elapsed - command.issued.elapsed) / 1_000_000))", at: now)
            }
        }
    }

    /// Ends the faults, makes all conditions hold, and checks that everything due has its outcome and nothing is left.
    func makePeace() {
        ledger.with { $0.isPeace = true }
        heal()
        become(.good)
        for node in nodes {
            thaw(node)
            node.waits.endAll()
        }
        settle()
        pass(seconds: 10)
        if !isUp { start() }
        pass(seconds: 10)
        guard let node = current, facts(of: node).isStarted else {
            return ledger.report(.recovery, "a scheduler does not start although its store works")
        }
        guard isUp, ledger.with({ $0.owner }) == node.number else {
            return ledger.report(.ownership, "the scheduler that opened the store last does not run")
        }
        for queue in ledger.with({ $0.queues.keys.sorted() }) {
            configure(queue, [.paused(false), .concurrency(nil), .noRate])
        }
        for job in jobs() where job.state == .suspended {
            give(.resume, plan(of: job), id: job.id)
        }
        rest()
        pass(seconds: 45)
        checkRows()
        rows.checkEverythingArrived(jobs())
        checkSubmissions(of: node)
        checkUnreadable()
        guard ledger.violation == nil else { return }
        for job in jobs() where !job.state.isFinal {
            give(.cancel, plan(of: job), id: job.id)
        }
        rest()
        pass(seconds: 40)
        checkRows()
        for job in jobs() where !job.state.isFinal {
            ledger.report(.answered, "\(job.id) was cancelled, and is \(job.state)")
        }
        guard ledger.violation == nil else { return }
        checkNothingIsLeft(node)
    }

    /// Returns the number of the plan that made a job.
    private func plan(of job: Job) -> Int { ledger.with { $0.facts[JobPlan.number(of: job)].plan.id } }

    /// Lets time pass in small pieces.
    private func pass(seconds: Int) {
        for _ in 0..<(seconds / 5) where ledger.violation == nil {
            advance(milliseconds: 5_000)
            settle()
        }
    }

    /// Checks that all submissions of applications were taken, and have made their jobs unless another job prevented
    /// this.
    private func checkSubmissions(of node: Node) {
        let (base, session) = (base, StoreSession(node: NodeID(rawValue: "\(node.number)"), shards: [:], clock: nil))
        let left = (try? time.perform { try await base.submissions(limit: .max, in: session) }) ?? []
        if let first = left.first?.command {
            ledger.report(.recovery, "\(left.count) submissions are left in the store, the first for \(first.ids)")
        }
        let now = ledger.now
        ledger.with { state in
            for facts in state.facts where facts.isInTransaction && facts.key == nil {
                let others = state.facts.filter { $0.number != facts.number && $0.plan.id == facts.plan.id }
                // A submission that replaces always makes a job. But if another submission has updated that job before
                // the next check, the job has the number of the other submission by now.
                let isReplacing =
                    facts.plan.conflict == .replace && others.allSatisfy { $0.plan.conflict != .update }
                guard others.isEmpty || isReplacing else { continue }
                state.report(
                    .durable, "submission \(facts.number) of job\(facts.plan.id) was committed, and has made no job",
                    at: now)
            }
        }
    }

    private func checkNothingIsLeft(_ node: Node) {
        let running = ledger.with { state in state.nodes[node.number].running.map { state.calls[$0] } }
        if let call = running.first { ledger.report(.tidy, "a handler of submission \(call.submission) still runs") }
        let timers = node.process.engine.liveTimerCount
        // A timer may be left for a job in the far future that was cancelled in the meantime. When it fires, it finds
        // nothing to load.
        if timers > 1 { ledger.report(.tidy, "every job has ended, and \(timers) timers are left") }
        if node.host.isFollowed.conditions {
            ledger.report(.tidy, "every job has ended, and the conditions are followed")
        }
        node.stop(grace: 1_000)
        rest()
        if !facts(of: node).isStopReturned {
            ledger.report(.stopped, "nothing runs, and stop does not return at once")
        }
        let left = node.process.engine.liveTimerCount
        if left > 0 { ledger.report(.tidy, "\(left) timers are left after stop has returned") }
        if node.process.unfinishedTasks > 0 {
            ledger.report(.tidy, "\(node.process.unfinishedTasks) callers are not answered after stop has returned")
        }
        weak let scheduler = node.scheduler
        node.forget()
        rest()
        if scheduler != nil { ledger.report(.tidy, "a scheduler that has stopped is still there") }
    }
}
