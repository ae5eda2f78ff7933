import ApusJobs
import ApusTimers

/// The settings of queues, and the checks of their limits.
extension Ledger {
    /// Records a command that configures a queue.
    ///
    /// - Returns: The number of the command.
    func configure(_ queue: Int, node: Int, changesRate: Bool) -> Int {
        let command = issue(.configure, node: node)
        with { state in
            state.commands[command].queue = queue
            state.queues[queue, default: .init()].since = .max
            if changesRate { state.queues[queue]!.rateSince = .max }
        }
        return command
    }

    /// Records the answer of a command that configures a queue; `nil` if the command failed and its effect is unknown.
    func configured(_ command: Int, _ queue: Int, as setting: JobQueue?) {
        let now = now.elapsed
        with { state in
            let isDisputed = state.commands.indices.contains { other in
                other != command && state.commands[other].queue == queue && !state.commands[other].isOver
            }
            guard let setting, !isDisputed else { return }
            state.queues[queue]!.isPaused = setting.isPaused
            state.queues[queue]!.concurrency = setting.concurrency
            state.queues[queue]!.concurrencyPerKey = setting.concurrencyPerKey
            state.queues[queue]!.rate = setting.rate.map { ($0.runs, $0.period.wholeNanoseconds) }
            state.queues[queue]!.since = now
            state.queues[queue]!.rateSince = min(state.queues[queue]!.rateSince, now)
        }
    }
}

extension Ledger.State {
    /// Checks the limits of the queue when a run of a submission begins.
    mutating func checkQueue(_ number: Int, _ node: Int, _ now: Ledger.Moment) {
        guard let queue = facts[number].plan.queue, let calm = calmSince, calm < now.elapsed else { return }
        let what = "job\(facts[number].plan.id) (submission \(number)) of queue \(queue) began"
        let beside = nodes[node].running.map { facts[calls[$0].submission].plan }.filter { $0.queue == queue }
        if queue == 0, let limit = history.ownConcurrency, beside.count >= limit {
            report(
                .queues, "\(what) beside \(beside.count) others, but the process runs no more than \(limit)", at: now)
        }
        guard let known = queues[queue], known.since < now.elapsed else { return }
        if known.isPaused { report(.queues, "\(what), but the queue is paused", at: now) }
        if let limit = known.concurrency, beside.count >= limit {
            report(.queues, "\(what) beside \(beside.count) others, but no more than \(limit) may run", at: now)
        }
        if let limit = known.concurrencyPerKey, let key = facts[number].plan.key {
            let same = beside.count { $0.key == key }
            if same >= limit {
                report(.queues, "\(what) beside \(same) of its key, but no more than \(limit) may run", at: now)
            }
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

    /// Returns the elapsed time at which a run was claimed, in nanoseconds; `nil` if it is ambiguous.
    ///
    /// The row contains only what the wall clock showed at that time.
    func claim(of run: Run?, _ now: Ledger.Moment) -> Int64? {
        guard let run, run.state == .running, let claimed = run.claimed else { return nil }
        let wall = Int64(clamping: claimed.nanoseconds)
        if wall == now.wall { return now.elapsed }
        var end = now.elapsed
        var possible: [Int64] = []
        for clock in clocks.reversed() {
            let instant = clock.elapsed + wall - clock.wall
            if (clock.elapsed...end).contains(instant) { possible.append(instant) }
            end = clock.elapsed
        }
        return possible.count == 1 ? possible[0] : nil
    }

    /// Checks the rate of the queue when a run begins; `claimed` is the instant of its claim.
    ///
    /// Whatever happens to processes and the store, the rate limits the instants of claims; the handlers are called
    /// later when a commit or a process hangs.
    mutating func checkRate(_ number: Int, claimed: Int64?, _ now: Ledger.Moment) {
        guard let claimed, let queue = facts[number].plan.queue, let known = queues[queue], let rate = known.rate,
            known.rateSince < claimed
        else { return }
        let since = max(known.rateSince, claimed - rate.period)
        let recent = calls.count { call in
            guard let other = call.claimed else { return false }
            return other > since && other <= claimed && facts[call.submission].plan.queue == queue
        }
        if recent >= rate.runs {
            report(
                .queues,
                "job\(facts[number].plan.id) (submission \(number)) of queue \(queue) was claimed after \(recent) others "
                    + "within its period of \(rate.period) ns", at: now)
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
            case .concurrencyPerKey(let limit): .concurrencyPerKey(limit)
            case .rate(let runs, let period): .rate(QueueRate(runs: runs, per: .milliseconds(period)))
            case .noRate: .rate(nil)
            }
        }
        let changesRate = settings.contains { setting in
            switch setting {
            case .paused, .concurrency, .concurrencyPerKey: false
            case .rate, .noRate: true
            }
        }
        let command = ledger.configure(queue, node: current.number, changesRate: changesRate)
        current.give(command) { [ledger] scheduler in
            do {
                ledger.configured(
                    command, queue, as: try await scheduler.configure(queue: JobPlan.queueID(queue), changes))
            } catch {
                ledger.configured(command, queue, as: nil)
                throw error
            }
            return []
        }
    }
}
