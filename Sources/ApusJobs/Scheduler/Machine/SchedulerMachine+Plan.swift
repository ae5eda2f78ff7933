import ApusTimers

/// What a turn decides.
extension SchedulerMachine {
    /// The decisions of a turn whose commit is under way.
    struct Plan: Sendable {
        /// One job of the turn: what it will be, once committed.
        struct Draft: Sendable {
            /// `nil` for a new job.
            var key: Int64?
            var machine: JobMachine
            var action = JobMachine.Action.none
            /// How many of its ends are in the action.
            var ends = 0
        }

        /// What succeeds or fails on its own.
        struct Part: Sendable {
            var command: PendingCommand?
            /// What the command's caller is answered.
            var reply = Reply.done
            /// The shard whose owner is to carry out the command.
            var forward: ShardID?
            /// Positions in `drafts`.
            var drafts: Range<Int>
        }

        enum Reply: Sendable {
            case done
            /// For each request a job that is there, or the position of a draft.
            case jobs([Existing])
            case run(Run)
        }

        enum Existing: Sendable {
            case job(Job)
            case draft(Int)
        }

        var now: ClockReading
        var drafts: [Draft] = []
        var parts: [Part] = []
        /// The parts that are in the transaction; the others change nothing.
        var committed: [Int] = []
        /// Where the draft of a loaded job is.
        var positions: [Int64: Int] = [:]
        /// Identifiers that a command of the turn concerns.
        var ids: Set<JobID> = []
        /// Kinds and payloads of its submissions that are unique by them.
        var payloads: [JobReference] = []
        /// Queues that are new or changed, and what the callers are answered who asked for that.
        var queues: [QueueID: JobQueue] = [:]
        var configurations: [(number: Int, queue: QueueID)] = []
        /// Shards that are given back.
        var released: [ShardID] = []
    }

    /// The most commands in one turn, and the most jobs that it looks at beside them.
    static let maximumCommands = 1_000
    private static let maximumJobs = 4_000

    /// Decides about commands, then ends and arrivals, then claims.
    /// - Returns: what to commit; `nil` if there is nothing.
    mutating func makePlan(_ now: ClockReading, isPaused: Bool) -> StoreTurn? {
        plan = Plan(now: now)
        planCommands()
        if !isPaused {
            planDirty()
            planClaims()
            for id in doubtfulQueues where plan!.queues[id] == nil {
                plan!.queues[id] = board.record(of: board.queue(id), now)
            }
        }
        let turn = finishPlan()
        // What was looked at and not changed has its place, and callers have their answers.
        adoptUnwritten()
        let isEmpty = plan!.committed.isEmpty && plan!.queues.isEmpty && plan!.released.isEmpty
        if !isEmpty || isClockChanged { return turn }
        endPlan()
        return nil
    }

    // MARK: Jobs

    /// The job as it is, with what has happened to it and is not written yet.
    func draft(of key: Int64, _ now: WallInstant) -> Plan.Draft {
        let entry = entries[key]!
        var draft = Plan.Draft(key: key, machine: entry.machine)
        if entry.isInterrupted { draft.action.merge(draft.machine.recover(now: now)) }
        let progress = entry.progress.isEmpty ? [] : entry.progress.sorted { $0.key < $1.key }
        for (run, progress) in progress {
            draft.action.merge(
                draft.machine.progressed(occurrence: run.occurrence, attempt: run.attempt, progress, now: now))
        }
        for end in entry.ends where end.key.job == key {
            let (occurrence, attempt) = (end.key.occurrence, end.key.attempt)
            // A pause counts from here.
            let now = plan!.now.latestWall
            if let ended = end.ended {
                draft.action.merge(
                    draft.machine.ended(
                        occurrence: occurrence, attempt: attempt, ended, now: now, jitter: end.jitter))
            } else {
                draft.action.merge(
                    draft.machine.returned(
                        occurrence: occurrence, attempt: attempt, postponement: end.postponement, now: now))
            }
        }
        draft.ends = entry.ends.count
        if entry.isOutdated { draft.action.merge(draft.machine.refresh(now: now)) }
        if entry.mustReadZone {
            draft.action.merge(draft.machine.zonesChanged(now: now, in: configuration.timeZones))
        }
        if let back = entry.setBack {
            draft.action.merge(draft.machine.repeatAfterClockWasSet(back: back, now: now))
        }
        return draft
    }

    /// Adds drafts that succeed or fail together.
    mutating func add(
        _ drafts: [Plan.Draft], command: PendingCommand? = nil, reply: (Int) -> Plan.Reply = { _ in .done }
    ) {
        let start = plan!.drafts.count
        for (index, draft) in drafts.enumerated() {
            if let key = draft.key { plan!.positions[key] = start + index }
        }
        plan!.drafts += drafts
        plan!.parts.append(
            Plan.Part(command: command, reply: reply(start), drafts: start..<start + drafts.count))
    }

    /// The position of the job's draft, which is made if the turn has none.
    private mutating func position(of key: Int64) -> Int {
        if let position = plan!.positions[key] { return position }
        let position = plan!.drafts.count
        plan!.drafts.append(draft(of: key, plan!.now.wall))
        plan!.positions[key] = position
        plan!.parts.append(Plan.Part(drafts: position..<position + 1))
        return position
    }

    private mutating func planDirty() {
        let now = plan!.now.wall
        let isRunning = phase.isRunning
        let keys = Array(dirty.prefix(Self.maximumJobs))
        dirty.removeFirst(keys.count)
        for key in keys {
            guard let entry = entries[key] else { continue }
            entry.isDirty = false
            // It is looked at again when it has been read.
            if entry.isDoubtful || isReleased(entry) && !entry.hasNews { continue }
            if isRunning, !entry.hasNews, entry.machine.canArriveLate, kinds.contains(entry.machine.job.request.kind),
                entry.machine.arrival.map({ $0 <= now }) ?? false
            {
                offer(key, entry.machine, now)
                continue
            }
            let index = position(of: key)
            guard isRunning, !isReleased(entry) else { continue }
            plan!.drafts[index].arrive(now)
            offer(key, plan!.drafts[index].machine, now)
        }
    }

    /// The places that are free are given to runs.
    private mutating func planClaims() {
        guard phase.isRunning, !shards.isCutOff else { return }
        let now = plan!.now
        var free = configuration.maximumConcurrentRuns - running.count
        while free > 0, plan!.drafts.count < 2 * Self.maximumJobs,
            let picked = board.pick(
                now.continuous, isCurrent: { [entries] in entries[$0.key]?.offer?.number == $0.number })
        {
            let key = picked.key
            let entry = entries[key]!
            let queue = entry.offer!.queue
            entry.offer = nil
            conditionalReady.remove(key)
            if entry.isDoubtful {
                board.release(queue)
                continue
            }
            let index = position(of: key)
            guard plan!.drafts[index].machine.job.request.queue == queue else {
                // A command of this turn has moved it to another queue, where it waits.
                board.release(queue)
                offer(key, plan!.drafts[index].machine, now.wall)
                continue
            }
            guard hasConditions || plan!.drafts[index].machine.job.request.policies.conditions.isEmpty else {
                // A command of this turn asks for conditions, which are read in the next one.
                board.release(queue)
                continue
            }
            if plan!.drafts[index].arriveAndStart(now.wall, limit: 1, unmet: unmet) == 1 {
                free -= 1
                // It may have another one that can start beside it.
                offer(key, plan!.drafts[index].machine, now.wall)
            } else {
                board.release(queue)
            }
        }
        for id in board.startingWithRate {
            plan!.queues[id] = board.record(of: plan!.queues[id] ?? board.queue(id), now)
        }
    }

    /// Leaves out what changes nothing.
    private mutating func finishPlan() -> StoreTurn {
        var parts: [[JobChange]] = []
        var taken: [TakenSubmission] = []
        var forwarded: [ForwardedCommand] = []
        for index in plan!.parts.indices {
            let changes = plan!.parts[index].drafts.compactMap { change(of: $0) }
            let submission = plan!.parts[index].command?.submission
            let forward = plan!.parts[index].forward
            if changes.isEmpty, submission == nil, forward == nil { continue }
            precondition(changes.count == plan!.parts[index].drafts.count || plan!.parts[index].command != nil)
            if let forward {
                forwarded.append(ForwardedCommand(origin(of: plan!.parts[index]), shard: forward, part: parts.count))
            } else if let submission {
                let reply = submission.isCall ? storedReply(plan!.parts[index], submission) : nil
                taken.append(TakenSubmission(submission.sequence, part: parts.count, reply: reply))
            }
            plan!.committed.append(index)
            parts.append(changes)
        }
        plan!.released = releasable()
        return StoreTurn(
            parts: parts, clock: clock, queues: plan!.queues.values.sorted { $0.id < $1.id },
            knownQueues: session.isShared ? plan!.queues.keys.sorted().map { board.queue($0) } : [], taken: taken,
            forwarded: forwarded, released: plan!.released, isLeaving: session.isShared && phase.isStopping)
    }

    private mutating func change(of position: Int) -> JobChange? {
        guard var change = plan!.drafts[position].action.change else { return nil }
        if let key = plan!.drafts[position].key { change.shard = entries[key]!.shard }
        // The history is cut now and then, a piece at a time.
        let kept = configuration.historyRunsPerJob
        if change.job.runsSinceRetired > max(1, min(kept / 8, 128)) {
            change.job.runsSinceRetired = 0
            change.keptRuns = kept
        }
        return change
    }
}

extension SchedulerMachine.Plan.Draft {
    mutating func arrive(_ now: WallInstant) { action.merge(machine.arrive(now: now)) }

    /// - Returns: how many runs start.
    mutating func arriveAndStart(_ now: WallInstant, limit: Int, unmet: JobConditions) -> Int {
        let started = machine.arriveAndStart(now: now, limit: limit, unmet: unmet)
        let count = started.starts.count
        action.merge(started)
        return count
    }
}
