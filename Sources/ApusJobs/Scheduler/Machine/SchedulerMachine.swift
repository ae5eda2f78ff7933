import ApusTimers

/// The state machine of all jobs of a scheduler, without clocks, locks, tasks and I/O.
///
/// ``JobMachine`` has the rules of one job.
///
/// ```
///  inputs ──► receive ──► next ──► commit ──► committed ─────► effects
///                          │ ▲        └─────► commitFailed ─┐
///                          │ └──────────────────────────────┘ the turn is dropped; access to the store pauses
///                          ├──► read ──► read(_:), readFailed
///                          └──► wait, retire, delete, close
/// ```
///
/// A loop owns the machine. It delivers inputs as they arrive, asks for the next step, executes it, and delivers the
/// result; inputs that arrive in the meantime wait. A turn decides about all waiting inputs at once, and is one
/// transaction of the store. Until its commit, its decisions are in a ``SchedulerTurn`` beside the state, and have no
/// effects. If the commit fails, the turn is dropped. If the fate of the commit is unknown, the jobs of the turn are
/// doubtful, and are read from the store before any other operation on them.
///
/// Each variable is a part whose state only its own methods change; the machine coordinates the parts.
package struct SchedulerMachine: ~Copyable {
    let configuration: JobScheduler.Configuration
    var life = SchedulerLife()
    var shards: ShardOwnership
    var clock: StoredClock
    var sweep: WallClockSweep
    var jobs = LoadedJobs()
    var setAside = SetAsideJobs()
    var wakes = WakeQueue()
    var board: QueueBoard
    var conditions = HostConditions()
    var kinds: HandlerKinds
    var placement: JobPlacement
    var commands = CommandQueue()
    var calls = ForwardedCalls()
    var loading: JobLoading
    var history = HistoryRemoval()
    var backoff = StoreBackoff()
    var committing: SchedulerTurn?
    var effects: [SchedulerEffect] = []
    /// Whether metrics are reported.
    package var countsRuns = false
    /// Whether events are reported.
    package var emitsEvents = true

    /// Creates the machine for a store that was just opened.
    package init(
        session: StoreSession, configuration: JobScheduler.Configuration, at now: SchedulerReading
    ) {
        self.configuration = configuration
        shards = ShardOwnership(session)
        sweep = WallClockSweep(session)
        kinds = HandlerKinds(serving: configuration.serves)
        placement = JobPlacement(session.others)
        loading = JobLoading(configuration)
        let clock = StoredClock(session, bootID: configuration.bootID, at: now)
        board = QueueBoard(
            session.queues, limit: configuration.maximumConcurrentRuns, limits: configuration.queueConcurrency,
            isShared: session.isShared,
            now: clock.asRecorded(now))
        self.clock = clock
    }

    package var session: StoreSession { shards.session }

    // MARK: Inputs

    /// Accepts an input; ``next(at:)`` decides about the consequences.
    package mutating func receive(_ input: SchedulerInput, at now: SchedulerReading) {
        switch input {
        case .command(let number, .stop(let grace)): stop(number, grace: grace, now)
        case .command(let number, let command):
            guard life.acceptsCommands else { return effects.answer(number, .failure(Self.closed)) }
            switch command {
            case .takeSubmissions: commands.readSubmissions(for: number)
            case .delete(let jobs): history.append(.init(call: number, jobs: jobs))
            default: commands.append(PendingCommand(number, command))
            }
        case .ended(let key, let ended, let jitter):
            took(PendingEnd(key: key, ended: ended, jitter: jitter))
        case .notBegun(let key, let snooze): took(PendingEnd(key: key, snooze: snooze))
        case .progress(let key, let progress):
            guard let entry = jobs[key.job], board.isRunning(key) else { return }
            entry.news.progress[key] = progress
            jobs.examine(entry)
        case .conditions(let unmet):
            let met = conditions.unmet.subtracting(unmet)
            if !met.isEmpty { board.need { !$0.conditions.isDisjoint(with: met) } }
            conditions.read(unmet)
            for entry in conditions.released(jobs) { jobs.examine(entry) }
        case .handler(let kind):
            let isNew = kinds.register(kind)
            if isNew, session.isShared { effects.append(.serve(kinds.runnable)) }
            let runnable = kinds.runnable
            board.need { $0.kind == kind && runnable.contains($0) }
            for key in kinds.parked.keys.sorted() {
                if let entry = jobs[key], entry.job.request.kind == kind { jobs.examine(entry) }
            }
        case .signal(let signal): receive(signal, now)
        case .timeZonesChanged: begin(.init(mustReadZones: true))
        }
    }

    private mutating func took(_ end: PendingEnd) {
        board.ended(end.key)
        life.handlerEnded()
        let entry = jobs[end.key.job]
        if end.ended?.isAbandoned == true {
            effects.append(.log(.handlerIsAbandoned(entry?.job.id, end.key)))
        }
        if shards.endOrphan(end.key) {
            if let entry, !shards.hasOrphans(end.key.job) { jobs.examine(entry) }
        } else if let entry {
            entry.news.ends.append(end)
            jobs.examine(entry)
        }
    }

    private mutating func receive(_ signal: StoreSignal, _ now: SchedulerReading) {
        switch signal {
        case .wake: loading.loadNow(now.wall)
        case .submissions: commands.readSubmissions()
        case .reply(let call, let reply): replied(call, reply)
        case .queue(let queue, let places): board.adopt(queue, noted: places, now)
        case .others(let others): adopt(others, now)
        case .granted(let shard, let epoch): granted(shard, epoch, now)
        case .revoked(let shard): revoked(shard)
        case .ended:
            halt(JobError(code: .notOwner, message: "other schedulers of the store have declared this one dead"))
        case .share(let count): if !life.isStopping { share(count) }
        case .cutOff: if shards.cutOff(now) { cancelRuns() }
        case .connected: if shards.connected() { loading.loadNow(now.wall) }
        }
    }

    private mutating func replied(_ call: Int, _ reply: JobReply) {
        guard calls.replied(call) else { return }
        switch reply {
        case .run(let run): effects.answer(call, .success(.run(run)))
        case .refused(let code, let message):
            effects.answer(call, .failure(JobError(code: JobError.Code(named: code) ?? .unavailable, message: message)))
        case .jobs(let ids): commands.append(PendingCommand(call, .read(ids, outcomes: nil)))
        case .submitted(let submitted):
            commands.append(PendingCommand(call, .read(submitted.map(\.job), outcomes: submitted.map(\.outcome))))
        }
    }

    static let closed = JobError(code: .closed, message: "the scheduler has stopped; start another one")

    /// Returns the effects in their order, and clears them.
    package mutating func takeEffects() -> [SchedulerEffect] {
        if effects.isEmpty { return [] }
        defer { effects = [] }
        return effects
    }

    // MARK: The next step

    /// Returns the next step of the loop.
    package mutating func next(at now: SchedulerReading) -> SchedulerStep {
        precondition(committing == nil, "the last commit has no result yet")
        noticeClock(now)
        endOutage(now)
        continueStop(now)
        commands.resumeReading(now.uptime)
        commands.answerReads(&effects)
        calls.giveUp(now.uptime, &effects)
        switch life.phase {
        case .stopped: return .wait(nil)
        case .closing: return .close
        case .recovering, .running, .stopping: break
        }
        let isStorePaused = backoff.isPaused(now.uptime)
        if let removal = nextRemoval(now, isIdle: false) { return removal }
        repeat {
            if let read = nextRead(now, isStorePaused: isStorePaused) { return .read(read) }
            if !isStorePaused {
                examineDue(now.wall)
                if mustReadConditions(now) { return .readConditions }
            }
            if isStorePaused, commands.isEmpty { break }
            if let turn = decideTurn(now, isStorePaused: isStorePaused) { return .commit(turn) }
            // Even without a commit, the turn may have found that more jobs must be examined, or that none of the
            // waiting jobs in memory can start a run, so that others must be loaded.
        } while !isStorePaused && (jobs.hasExamined || life.isRunning && loading.isDrained(loaded: loadedCount, board))
            || commands.waiting.contains { $0.isPlannable }
        conditions.endTurn()
        // The turn may have found that the results for which the stop waits have been written.
        continueStop(now)
        if case .closing = life.phase { return .close }
        if let removal = nextRemoval(now, isIdle: true) { return removal }
        wakes.dropStale()
        return .wait(wake(now, isStorePaused: isStorePaused))
    }

    private mutating func nextRemoval(_ now: SchedulerReading, isIdle: Bool) -> SchedulerStep? {
        switch history.next(now.wall, isIdle: isIdle, ownsJobs: !session.shards.isEmpty) {
        case nil: nil
        case .delete(let jobs): .delete(jobs)
        case .retire:
            .retire(
                keptUntil: now.wall, refusedBefore: now.wall.advanced(by: .zero - configuration.finishedJobsKept),
                budget: HistoryRemoval.budget)
        }
    }

    /// Notes that a piece of the history was removed.
    package mutating func retired(hasMore: Bool) { history.removed(hasMore: hasMore && life.isRunning) }

    /// Handles a failed removal, which is repeated after an hour unless the store has another owner.
    package mutating func retireFailed(_ error: JobError) {
        if error.code == .notOwner || error.code == .closed { halt(error) }
    }

    /// Handles the store's answer to a deletion.
    ///
    /// What was read for commands may include deleted jobs, so it is read again.
    package mutating func deleted(_ result: Result<Set<Int64>, JobError>) {
        let deletion = history.endDeletion()
        switch result {
        case .success(let keys):
            for key in keys { if let entry = jobs[key] { unload(entry) } }
            if !keys.isEmpty { commands.forgetReads() }
            effects.answer(deletion.call, .success(.deleted(keys)))
        case .failure(let error):
            effects.answer(deletion.call, .failure(error))
            if error.code == .notOwner || error.code == .closed { halt(error) }
        }
    }

    /// Examines the jobs whose wakes have passed, in the order of their wakes.
    private mutating func examineDue(_ now: WallInstant) {
        guard life.isRunning else { return }
        while let key = wakes.popDue(now) {
            if let entry = jobs[key] { jobs.examine(entry) }
        }
    }

    /// Returns whether the conditions must be read before the turn, because a job with conditions may begin in it.
    private func mustReadConditions(_ now: SchedulerReading) -> Bool {
        guard life.isRunning, !conditions.isRead else { return false }
        return board.needsConditions(now.continuous)
            || jobs.isAnyExamined { !$0.job.request.policies.conditions.isEmpty }
    }

    /// The time between two checks of the zones' rules while nothing else wakes the scheduler.
    private static let zoneCheck = Duration.seconds(3_600)

    /// Returns the first instant at which time alone requires a step.
    private func wake(_ now: SchedulerReading, isStorePaused: Bool) -> SchedulerWake? {
        var best: (delay: Duration, wake: SchedulerWake)?
        func consider(_ delay: Duration, _ wake: SchedulerWake) {
            if best.map({ delay < $0.delay }) ?? true { best = (delay, wake) }
        }
        func consider(from start: WallInstant, to latest: WallInstant) {
            consider(
                now.wall.duration(to: latest),
                SchedulerWake(instant: .wall(start), tolerance: start.duration(to: latest)))
        }
        func consider(_ instant: UptimeInstant?) {
            guard let instant else { return }
            consider(now.uptime.duration(to: instant), SchedulerWake(instant: .uptime(instant), tolerance: .zero))
        }
        consider(life.deadline)
        consider(outageDeadline)
        if isStorePaused { consider(backoff.retryAt) }
        consider(commands.readsAt)
        consider(calls.nextDeadline)
        guard life.isRunning, !isStorePaused else { return best?.wake }
        if let first = wakes.first { consider(from: first.wake, to: first.latest) }
        if let load = loading.next { consider(from: load.at, to: load.latest) }
        // The loop checks the zone files at each wake-up, but at most once a second. So it is enough to wake it an hour
        // from now if nothing else does.
        if sweep.usesTimeZones {
            consider(from: now.wall.advanced(by: Self.zoneCheck), to: now.wall.advanced(by: Self.zoneCheck * 5 / 4))
        }
        consider(board.nextAsk(now.uptime))
        if let delay = board.nextStart(now.continuous) {
            let instant = now.wall.advanced(by: delay)
            consider(from: instant, to: instant)
        }
        return best?.wake
    }
}

extension [SchedulerEffect] {
    mutating func answer(_ number: Int, _ result: Result<SchedulerReply, JobError>) { append(.answer(number, result)) }
}
