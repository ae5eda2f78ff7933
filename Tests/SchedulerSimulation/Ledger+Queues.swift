import ApusJobs
import ApusTimers

/// What is known of queues, and whether their limits hold.
extension Ledger {
    /// The number of the command.
    func configure(_ queue: Int, node: Int) -> Int {
        with { state in
            state.queues[queue, default: .init()].since = .max
            state.queues[queue]!.pending += 1
        }
        return issue(.configure, node: node)
    }

    /// Such a command has an answer; `nil`: it failed, and nobody knows what is true.
    func configured(_ queue: Int, as setting: JobQueue?) {
        let now = now.elapsed
        with { state in
            state.queues[queue]!.pending -= 1
            guard let setting, state.queues[queue]!.pending == 0 else { return }
            state.queues[queue]!.isPaused = setting.isPaused
            state.queues[queue]!.concurrency = setting.concurrency
            state.queues[queue]!.rate = setting.rate.map { ($0.runs, $0.period.wholeNanoseconds) }
            state.queues[queue]!.since = now
        }
    }
}

extension Ledger.State {
    /// A run of a submission begins.
    mutating func checkQueue(_ number: Int, _ node: Int, _ now: Ledger.Moment) {
        guard let queue = facts[number].plan.queue, let calm = calmSince, let known = queues[queue],
            max(calm, known.since) < now.elapsed
        else { return }
        let what = "job\(facts[number].plan.id) (submission \(number)) of queue \(queue) began"
        if known.isPaused { report(.queues, "\(what), but the queue is paused", at: now) }
        let beside = nodes[node].running.count { facts[calls[$0].submission].plan.queue == queue }
        if let limit = known.concurrency, beside >= limit {
            report(.queues, "\(what) beside \(beside) others, but no more than \(limit) may run", at: now)
        }
        guard let rate = known.rate else { return }
        let since = max(known.since, now.elapsed - rate.period)
        let recent = calls.count { call in
            call.wasCalm && call.started.elapsed > since && facts[call.submission].plan.queue == queue
        }
        if recent >= rate.runs {
            report(.queues, "\(what) after \(recent) others within its period of \(rate.period) ns", at: now)
        }
    }
}

extension World {
    func configure(_ queue: Int, _ settings: [Step.Setting]) {
        guard isUp, let current else { return }
        let changes = settings.map { setting -> JobQueue.Change in
            switch setting {
            case .paused(let isPaused): .paused(isPaused)
            case .concurrency(let limit): .concurrency(limit)
            case .rate(let runs, let period): .rate(QueueRate(runs: runs, per: .milliseconds(period)))
            case .noRate: .rate(nil)
            }
        }
        current.give(ledger.configure(queue, node: current.number)) { [ledger] scheduler in
            do {
                ledger.configured(
                    queue, as: try await scheduler.configure(queue: JobPlan.queueID(queue), changes))
            } catch {
                ledger.configured(queue, as: nil)
                throw error
            }
            return []
        }
    }
}
