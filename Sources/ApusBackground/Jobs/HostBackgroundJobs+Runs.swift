import ApusTimers
import Logging

/// Executes the decisions of the machine.
extension HostBackgroundJobs {
    /// Returns the current readings of the clocks and the phase, without the conditions.
    func reading() -> HostBackgroundReading { HostBackgroundReading(host, boot: boot) }

    // MARK: Deciding

    /// Calls `look()` soon, in asynchronous work of the host, because the engine's thread and the main loop must not
    /// wait for a store or a file.
    func lookSoon() {
        host.start { [self] in look() }
    }

    func look() { change { _ in } }

    func change(_ event: @Sendable (inout HostBackgroundJobsMachine) -> Void) {
        let plans = gate.withLock { followers in
            inner.withLock { event(&$0.machine) }
            return settle(&followers, reading())
        }
        carryOut(plans)
    }

    /// Decides, stores what has changed, and arms the timers for the next decision; the caller holds the gate.
    func settle(_ followers: inout Followers, _ now: HostBackgroundReading) -> [HostBackgroundJobsMachine.Plan] {
        var plan = decide(now)
        var plans = [plan]
        // A change that happens between the decision and the start of an observation would be missed, so the machine
        // decides once more.
        if follow(plan, &followers) {
            plan = decide(reading())
            plans.append(plan)
            _ = follow(plan, &followers)
        }
        arm(plan, &followers)
        saveOrLog(&followers)
        return plans
    }

    private func decide(_ now: HostBackgroundReading) -> HostBackgroundJobsMachine.Plan {
        var now = now
        if inner.withLock({ [now] in $0.machine.needsConditions(now) }) { now.conditions = host.conditions }
        return inner.withLock { [now] inner in
            let plan = inner.machine.look(now)
            for launch in plan.launches { inner.live[launch.number] = makeLive(launch) }
            return plan
        }
    }

    func makeLive(_ launch: HostBackgroundJobsMachine.Launch) -> Live {
        let driver = HostBackgroundRun(jobs: self, number: launch.number, deadline: launch.deadline)
        return Live(run: BackgroundJobRun(launch.request, mainLoop: host.mainLoop, driver: driver))
    }

    // MARK: Following

    private func arm(_ plan: HostBackgroundJobsMachine.Plan, _ followers: inout Followers) {
        for timer in followers.timers { timer.cancel() }
        followers.timers = []
        let action: @Sendable () -> Void = { [weak self] in self?.lookSoon() }
        if let wall = plan.wall { followers.timers.append(host.engine.schedule(at: wall, action)) }
        if let continuous = plan.continuous { followers.timers.append(host.engine.schedule(at: continuous, action)) }
        if let uptime = plan.uptime { followers.timers.append(host.engine.schedule(at: uptime, action)) }
    }

    /// Starts and stops the observations of the phase and the conditions, and returns whether it started one.
    private func follow(_ plan: HostBackgroundJobsMachine.Plan, _ followers: inout Followers) -> Bool {
        var hasBegun = false
        if plan.followsPhase, followers.phases == nil {
            hasBegun = true
            followers.phases = host.observePhase { [weak self] phase in self?.entered(phase) }
        } else if !plan.followsPhase {
            followers.phases = nil
        }
        if plan.followsConditions, followers.conditions == nil {
            hasBegun = true
            followers.conditions = followConditions()
        } else if !plan.followsConditions {
            followers.conditions.take()?.finish()
        }
        return hasBegun
    }

    private func entered(_ phase: Phase) {
        switch phase {
        case .active, .inactive: inner.withLock { $0.machine.enteredForeground() }
        case .background, .suspended, .terminated: break
        }
        lookSoon()
    }

    private func followConditions() -> AsyncStream<Never>.Continuation {
        let (stop, continuation) = AsyncStream.makeStream(of: Never.self)
        let changes = host.conditionChanges()
        host.start { [weak self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [weak self] in
                    for await _ in changes { self?.look() }
                }
                group.addTask {
                    for await _ in stop {}
                }
                await group.next()
                group.cancelAll()
            }
        }
        return continuation
    }

    // MARK: Storing

    /// Stores the requests and the spacings if they have changed; the caller holds the gate.
    func save(_ followers: inout Followers) throws {
        guard let store else { return }
        let all = inner.withLock { $0.machine.record }
        let record = all.isEmpty ? nil : all
        guard record != followers.saved else { return }
        try store.save(record, for: key)
        followers.saved = record
    }

    func saveOrLog(_ followers: inout Followers) {
        do {
            try save(&followers)
        } catch {
            logger.error(
                "the requests of background jobs cannot be stored; after a restart, those that were stored before are pending",
                metadata: ["record": "\(key)", "error": "\(error)"])
        }
    }

    // MARK: Runs

    /// Executes plans outside of all locks, because their execution calls the host and the app.
    func carryOut(_ plans: [HostBackgroundJobsMachine.Plan]) {
        for plan in plans {
            for (number, cause) in plan.expirations { expire(number, because: "\(cause)") }
            for (identifier, obstacles) in plan.deferrals {
                logger.info(
                    "a background job waits", metadata: ["job": "\(identifier)", "reasons": "\(obstacles.words)"])
            }
            for launch in plan.launches { _ = start(launch) }
        }
    }

    /// Begins a run.
    ///
    /// - Returns: `false` if the host refused the background task; the request is then pending again.
    func start(_ launch: HostBackgroundJobsMachine.Launch) -> Bool {
        let number = launch.number
        guard let run = inner.withLock({ $0.live[number]?.run }) else { return true }
        var request = BackgroundTaskRequest(name: "background job \(run.identifier)") { [weak self] in
            self?.backgroundTaskExpired(number)
        }
        request.endsOnExpiration = !host.waitsForExpiredTasks
        let backgroundTask: BackgroundTask
        do {
            backgroundTask = try host.beginBackgroundTask(request)
        } catch {
            logger.info(
                "a background job waits, because the host grants no more background tasks",
                metadata: ["job": "\(run.identifier)", "error": "\(error)"])
            inner.withLock { _ = $0.live.removeValue(forKey: number) }
            change { $0.refused(number) }
            return false
        }
        let isUnderWay = inner.withLock { inner in
            inner.live[number]?.backgroundTask = backgroundTask
            return inner.live[number] != nil
        }
        guard isUnderWay else {
            // The run expired before it began.
            backgroundTask.end()
            return true
        }
        logger.info(
            "a background job begins", metadata: ["job": "\(run.identifier)", "kind": "\(launch.request.kind.word)"])
        run.perform(launch.handler, on: host)
        return true
    }

    func expire(_ number: Int, because reason: String) {
        guard let run = inner.withLock({ $0.live[number]?.run }) else { return }
        logger.info("a background job expires", metadata: ["job": "\(run.identifier)", "reason": "\(reason)"])
        host.mainLoop.run { run.expire() }
    }

    @MainActor private func backgroundTaskExpired(_ number: Int) {
        let run = inner.withLock { inner in
            inner.machine.backgroundTaskExpired(number)
            return inner.live[number]?.run
        }
        guard let run else { return }
        logger.info(
            "a background job expires",
            metadata: ["job": "\(run.identifier)", "reason": "the host's time in the background is over"])
        run.expire()
        lookSoon()
    }

    func completed(_ number: Int, success: Bool) {
        let (entry, live) = inner.withLock { ($0.machine.completed(number), $0.live.removeValue(forKey: number)) }
        guard let entry, let live else { return }
        let duration = entry.began.duration(to: host.engine.time.uptime())
        logger.info(
            "a background job is complete",
            metadata: ["job": "\(live.run.identifier)", "success": "\(success)", "duration": "\(duration)"])
        lookSoon()
        live.backgroundTask?.end()
    }
}

extension RandomSource {
    /// Returns a random duration from zero up to, but not including, `limit`; zero if the limit is not positive.
    func duration(upTo limit: Duration) -> Duration {
        guard limit > .zero else { return .zero }
        let chosen = next().multipliedFullWidth(by: limit.wholeNanoseconds.magnitude).high
        return .nanoseconds(Int64(chosen))
    }
}

/// Reports the events of one run to the jobs of its host.
struct HostBackgroundRun: BackgroundJobDriver {
    let jobs: HostBackgroundJobs
    let number: Int
    let deadline: UptimeInstant?

    var timeRemaining: Duration? {
        let own = deadline.map { max(.zero, jobs.host.engine.time.uptime().duration(to: $0)) }
        let granted = jobs.host.backgroundTimeRemaining
        guard let own, let granted else { return own ?? granted }
        return min(own, granted)
    }

    func completed(success: Bool) { jobs.completed(number, success: success) }

    func progressed(completed: Int64, total: Int64) {
        let now = jobs.host.engine.time.uptime()
        jobs.inner.withLock {
            $0.machine.progressed(number, .init(completed: completed, total: total), at: now)
        }
    }

    func updated(title: String, subtitle: String) {
        jobs.inner.withLock { $0.machine.updated(number, title: title, subtitle: subtitle) }
    }
}
