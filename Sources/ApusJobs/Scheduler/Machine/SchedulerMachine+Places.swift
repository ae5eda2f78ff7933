import ApusTimers

// The places of loaded jobs: a job waits for an instant, for a place to run, for conditions or for a handler. A job
// that need not wait in memory is unloaded.
extension SchedulerMachine {
    /// Brings a job into memory, if it is not there.
    mutating func take(_ loaded: LoadedJob) -> LoadedJobs.Entry {
        if let entry = jobs[loaded.job.key] { return entry }
        var machine = machine(of: loaded)
        sweep.note(loaded.job.request.trigger)
        if let zone = machine.missingZone { effects.append(.log(.timeZoneMissing(loaded.job.id, zone))) }
        let wakes = [machine.job.bookkeeping.wake, machine.job.bookkeeping.elapsedWake]
        machine.findWakes()
        let entry = jobs.insert(machine, shard: loaded.shard)
        entry.news.isOutdated = wakes != [machine.job.bookkeeping.wake, machine.job.bookkeeping.elapsedWake]
        if shards.isUnrecovered(loaded.shard), loaded.open.contains(where: { $0.state == .running }) {
            entry.news.isInterrupted = true
            jobs.examine(entry)
        }
        if jobs[loaded.job.id]?.job.state.isFinal ?? true { jobs.name(entry) }
        return entry
    }

    /// Brings a job into memory, and lets claimed runs whose handlers were not called wait again.
    ///
    /// This scheduler must have claimed these runs; see ``resolveClaims(_:)``.
    mutating func takeClaiming(_ loaded: LoadedJob) -> LoadedJobs.Entry {
        let entry = take(loaded)
        resolveClaims(entry)
        return entry
    }

    /// Returns the machine of a job that was read from the store.
    ///
    /// Its instants in elapsed time are moved to this scheduler's record of the clocks, which may be newer than the
    /// stored one.
    func machine(of loaded: LoadedJob) -> JobMachine {
        var machine = JobMachine(loaded, in: configuration.timeZones)
        let offset = clock.record.elapsedOffset - loaded.elapsedOffset
        if offset != .zero { machine.clockWasSet(by: offset) }
        return machine
    }

    /// Lets claimed runs without a handler wait again.
    ///
    /// The answer to the commit of their claims was lost, so their handlers were not called. If this scheduler has lost
    /// the store, the store refuses the change.
    func resolveClaims(_ entry: LoadedJobs.Entry) {
        if jobs.isDoubtful(entry) || entry.news.isInterrupted { return }
        for run in entry.machine.open where run.state == .running {
            let runKey = RunKey(run)
            if board.isRunning(runKey) || entry.news.ends.contains(where: { $0.key == runKey }) { continue }
            entry.news.ends.append(PendingEnd(key: runKey))
        }
    }

    mutating func unload(_ entry: LoadedJobs.Entry) {
        conditions.release(entry.key, &effects)
        board.withdraw(entry.key)
        kinds.unpark(entry.key)
        wakes.disarm(entry.key)
        jobs.remove(entry)
    }

    /// The number of jobs that count toward the limit on jobs in memory.
    ///
    /// Jobs that wait for conditions or handlers have a separate limit.
    var loadedCount: Int { jobs.count - conditions.held.count - kinds.parked.count }

    /// Returns the facts that ``JobLoading`` needs to decide whether a new job is left in the store.
    func laneLoad(for machine: JobMachine) -> JobLoading.LaneLoad {
        let lane = machine.job.request.lane
        let (parked, held) = (kinds.parked.counts, conditions.held.counts)
        return .init(
            lane: lane, count: (board.waiting[lane] ?? 0) + (parked[lane] ?? 0) + (held[lane] ?? 0),
            isHeld: board.queue(lane.queue).isPaused || !kinds.runnable.contains(lane)
                || !lane.conditions.isDisjoint(with: conditions.unmet),
            heldLanes: parked.count + held.count, canArriveLate: machine.canArriveLate)
    }

    /// Determines where the job waits; the machine calls this after each change of the job.
    mutating func place(_ entry: LoadedJobs.Entry, _ now: WallInstant) {
        if jobs.isDoubtful(entry) { return }
        if !entry.news.isEmpty { return jobs.examine(entry) }
        guard life.isRunning, !shards.holdsBack(entry) else { return }
        let (machine, key) = (entry.machine, entry.key)
        if machine.job.state.isFinal, machine.open.isEmpty, !board.isWaiting(key), !jobs.isExamined(entry) {
            return unload(entry)
        }
        if destination(of: machine, now) != nil { return jobs.examine(entry) }
        // This turn has not read the conditions, so it cannot decide whether they hold the job. The next turn reads
        // them, because it examines the job.
        if !conditions.isRead, !machine.job.request.policies.conditions.isEmpty, machine.isDue(now) {
            return jobs.examine(entry)
        }
        let isHeld = !machine.awaited(now: now, unmet: conditions.unmet).isEmpty
        if isHeld {
            conditions.hold(key, machine.job.request.lane, &effects)
        } else {
            conditions.release(key, &effects)
        }
        let isParked = park(entry, now)
        if !isParked { offer(entry, machine, now) }
        let isWaiting = board.isWaiting(key)
        if let due = machine.arrival, due <= now, !(isWaiting && machine.canArriveLate) { jobs.examine(entry) }
        let stays = isHeld || isParked || isWaiting || machine.open.contains { $0.state == .running }
        if let next = machine.nextLook(after: now) {
            if stays || !loading.isFar(next, now) {
                return wakes.arm(key, at: next, tolerance: machine.job.request.policies.tolerance)
            }
            loading.load(before: next)
        }
        wakes.disarm(key)
        if !stays, !jobs.isExamined(entry) { unload(entry) }
    }

    /// Parks a due job that no known scheduler can run; returns false if the job need not be parked.
    private mutating func park(_ entry: LoadedJobs.Entry, _ now: WallInstant) -> Bool {
        guard !kinds.canRun(entry.job.request),
            entry.machine.oldestReady(now: now, unmet: conditions.unmet) != nil
        else {
            kinds.unpark(entry.key)
            return false
        }
        kinds.park(entry, &effects)
        return true
    }

    /// Offers a job to the board, where it waits for a place, if one of its runs may start.
    mutating func offer(_ entry: LoadedJobs.Entry, _ machine: JobMachine, _ now: WallInstant) {
        guard !board.isWaiting(entry.key), kinds.canRun(machine.job.request), !shards.holdsBack(entry)
        else { return }
        if let ready = machine.oldestReady(now: now, unmet: conditions.unmet) {
            board.offer(entry.key, due: ready, machine.job.request)
        } else if machine.canArriveLate, let next = machine.arrival, next <= now {
            board.offer(entry.key, due: next, machine.job.request)
        }
    }

    // MARK: The wall clock

    mutating func noticeClock(_ now: SchedulerReading) {
        guard let (step, moved) = clock.notice(now) else { return }
        for entry in jobs.sorted {
            if moved != .zero { entry.machine.clockWasSet(by: moved) }
            wakes.disarm(entry.key)
            place(entry, now.wall)
            if jobs[entry.key] != nil { jobs.examine(entry) }
        }
        if step < .zero { begin(.init(setBack: .zero - step)) }
        loading.loadNow(now.wall)
    }

    /// Begins a sweep, or extends the one in progress; the next turn examines the loaded jobs that the cause concerns.
    mutating func begin(_ cause: WallClockSweep.Cause) {
        let cause = sweep.begin(cause)
        for entry in jobs.sorted {
            cause.concern(entry)
            if !entry.news.isEmpty { jobs.examine(entry) }
        }
    }
}
