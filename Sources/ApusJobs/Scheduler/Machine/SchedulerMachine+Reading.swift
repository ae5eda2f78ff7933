import ApusTimers

/// What is read from the store, and when.
extension SchedulerMachine {
    static let pageSize = 500

    mutating func nextRead(_ now: ClockReading, isPaused: Bool) -> SchedulerRead? {
        var references = commands.flatMap(\.needs)
        // Callers do not wait for the end of a pause.
        if !isPaused || commands.contains(where: { concernsDoubtful($0) }) {
            references += doubtful.sorted().map { .key($0) }
        }
        if !references.isEmpty { return .load(references) }
        if isPaused { return nil }
        switch phase {
        case .recovering(let key):
            return entries.values.contains { $0.isInterrupted } ? nil : .interrupted(after: key, limit: Self.pageSize)
        case .running: break
        case .stopping, .closing, .stopped: return nil
        }
        // The new reading of the clocks is committed first.
        if isClockChanged { return nil }
        let uses = board.uses(now.uptime)
        if !uses.isEmpty { return .places(uses) }
        if let read = sweepRead() { return read }
        if let key = shards.recovery { return .interrupted(after: key, limit: Self.pageSize) }
        guard isStarting || isDrained || load.map({ $0.at <= now.wall }) ?? false else { return submissionsRead }
        // Those that are loaded may be among them again. At least one finds room, however many wait for a place.
        let limit = entries.count + max(1, configuration.maximumLoaded - loadedCount)
        // A queue that cannot keep up, or is paused, must not fill the memory with its jobs.
        fullLanes = Set(board.lanes.filter { board.waitingCount($0) >= maximumWaiting })
        return .due(
            through: now.wall.advanced(by: configuration.horizon), limit: limit, excluding: fullLanes.sorted())
    }

    /// There is room in memory for jobs that were left in the store.
    var isDrained: Bool {
        isTruncated && loadedCount <= configuration.maximumLoaded / 2
            || fullLanes.contains { board.waitingCount($0) <= maximumWaiting / 2 }
    }

    /// How many jobs of one queue and priority are loaded to wait for a place, about.
    private var maximumWaiting: Int { max(1, configuration.maximumLoaded / 4) }

    private func concernsDoubtful(_ command: PendingCommand) -> Bool {
        func isDoubtful(_ id: JobID) -> Bool { keys[id].map { doubtful.contains($0) } ?? false }
        return command.command.ids.contains(where: isDoubtful) || command.same.values.contains { isDoubtful($0.id) }
    }

    /// The answer to the last read.
    package mutating func read(_ read: SchedulerRead, _ answer: SchedulerReadAnswer, at now: ClockReading) {
        switch (read, answer) {
        case (.load(let references), .loaded(let found)):
            for (reference, found) in zip(references, found) { took(found, for: reference, now.wall) }
            for index in commands.indices where !commands[index].needs.isEmpty {
                commands[index].needs = []
                commands[index].hasRead = true
            }
        case (.interrupted, .jobs(let found)) where phase.isRunning: recovered(found)
        case (.interrupted, .jobs(let found)):
            for loaded in found where isOwned(loaded) {
                take(loaded)
                entries[loaded.job.key]!.isInterrupted = true
                markDirty(loaded.job.key)
            }
            if let last = found.last {
                effect(.log(.interrupted(jobs: found.count)))
                phase = .recovering(after: last.job.key)
            } else {
                phase = .running
                for key in entries.keys.sorted() { place(key, now.wall) }
            }
        case (.anchored, .jobs(let found)): swept(found)
        case (.due(let through, let limit, _), .due(let due)): took(due, through: through, limit: limit, now.wall)
        case (.submissions(let limit), .submissions(let found)): took(found, limit: limit, now.wall)
        case (.places, .places(let places)): board.take(places, now)
        case (.load, _), (.interrupted, _), (.anchored, _), (.due, _), (.submissions, _), (.places, _):
            preconditionFailure("the answer does not belong to \(read)")
        }
    }

    /// The store could not be read.
    package mutating func readFailed(_ read: SchedulerRead, _ error: JobError, at now: ClockReading) {
        if case .places(let uses) = read { board.placesAreUnknown(uses.map(\.queue)) }
        // The callers whose jobs were to be read get the error.
        let waiting = commands
        commands = []
        var isOfSubmissions = false
        for command in waiting {
            if command.needs.isEmpty, !concernsDoubtful(command) {
                commands.append(command)
            } else {
                if command.submission != nil { isOfSubmissions = true }
                fail(command, error)
            }
        }
        if case .load = read, doubtful.isEmpty, !isOfSubmissions {
            if error.code == .notOwner { halt(error) }
            return
        }
        storeFailed(error, now)
    }

    private mutating func took(_ due: DueJobs, through: WallInstant, limit: Int, _ now: WallInstant) {
        load = nil
        for loaded in due.jobs where isOwned(loaded) {
            let key = loaded.job.key
            // What is in memory is as new, unless another program has changed it.
            if let entry = entries[key] {
                if loaded.job.version > entry.machine.job.version { doubt(key) }
            } else {
                takeClaiming(loaded)
            }
            place(key, now)
        }
        isTruncated = due.jobs.count >= limit
        if isTruncated, let last = due.jobs.last?.job.nextWake {
            scheduleLoad(at: max(last, now.advanced(by: .seconds(1))), isUrgent: true)
        } else if let next = due.next {
            scheduleLoad(at: max(now, next.advanced(by: .zero - configuration.horizon)))
        }
        // What a lost connection still brings into the store is not seen elsewhere.
        if session.isShared { scheduleLoad(at: now.advanced(by: .seconds(5))) }
        if isStarting {
            isStarting = false
            effect(.started)
        }
    }

    /// A job comes into memory.
    mutating func take(_ loaded: LoadedJob) {
        guard entries[loaded.job.key] == nil else { return }
        var machine = machine(of: loaded)
        if loaded.job.request.trigger.calendar != nil { usesTimeZones = true }
        if let zone = machine.missingZone { effect(.log(.timeZoneMissing(loaded.job.id, zone))) }
        let wakes = [machine.job.wake, machine.job.elapsedWake]
        machine.findWakes()
        entries[loaded.job.key] = Entry(machine, shard: loaded.shard)
        entries[loaded.job.key]!.isOutdated = wakes != [machine.job.wake, machine.job.elapsedWake]
        if shards.unrecovered.contains(loaded.shard), loaded.open.contains(where: { $0.state == .claimed }) {
            entries[loaded.job.key]!.isInterrupted = true
            markDirty(loaded.job.key)
        }
        let id = loaded.job.id
        if let other = keys[id].flatMap({ entries[$0]?.machine.job }), !other.state.isFinal { return }
        keys[id] = loaded.job.key
    }

    /// Whether its shard is this scheduler's still.
    func isOwned(_ loaded: LoadedJob) -> Bool { session.shards[loaded.shard] != nil }

    private mutating func note(foreign loaded: LoadedJob, for reference: JobReference) {
        for index in commands.indices where commands[index].needs.contains(reference) {
            commands[index].foreign[loaded.job.id] = loaded
        }
    }

    /// A job comes into memory while this scheduler is the only one that claims its runs.
    mutating func takeClaiming(_ loaded: LoadedJob) {
        take(loaded)
        resolveClaims(loaded.job.key)
    }

    /// By the machine's own reading of the clocks, should the store not have it yet.
    private func machine(of loaded: LoadedJob) -> JobMachine {
        var machine = JobMachine(loaded, in: configuration.timeZones)
        let offset = clock.elapsedOffset - loaded.elapsedOffset
        if offset != .zero { machine.clockWasSet(by: offset) }
        return machine
    }

    private mutating func took(_ loaded: LoadedJob?, for reference: JobReference, _ now: WallInstant) {
        switch reference {
        case .id:
            guard let loaded else { return }
            guard isOwned(loaded) else { return note(foreign: loaded, for: reference) }
            takeClaiming(loaded)
            if keys[loaded.job.id] == nil { keys[loaded.job.id] = loaded.job.key }
            markDirty(loaded.job.key)
        case .idempotencyKey(let key):
            guard let loaded else { return }
            for index in commands.indices where commands[index].needs.contains(reference) {
                commands[index].earlier[key] = loaded.job
            }
        case .payload:
            for index in commands.indices where commands[index].needs.contains(reference) {
                commands[index].same[reference] = loaded?.job
            }
            guard let loaded, !loaded.job.state.isFinal else { return }
            guard isOwned(loaded) else { return note(foreign: loaded, for: reference) }
            self.took(loaded, for: .id(loaded.job.id), now)
        case .key(let key):
            doubtful.remove(key)
            guard entries[key] != nil else { return }
            guard let loaded, isOwned(loaded) else { return unload(key) }
            entries[key]!.isDoubtful = false
            entries[key]!.machine = machine(of: loaded)
            // Cancel the handler that was not cancelled before because the store's answer was lost.
            for run in entries[key]!.machine.open {
                guard running[RunKey(run)] != nil, let reason = entries[key]!.machine.cancellation(run) else {
                    continue
                }
                effect(.cancel(RunKey(run), reason))
            }
            resolveClaims(key)
            place(key, now)
        }
    }

    /// Claims without a handler are of a commit whose answer was lost: their handlers were not called. The runs wait
    /// again, which a scheduler that has lost the store cannot commit.
    private mutating func resolveClaims(_ key: Int64) {
        if entries[key]!.isDoubtful || entries[key]!.isInterrupted { return }
        for run in entries[key]!.machine.open where run.state == .claimed {
            let runKey = RunKey(run)
            if running[runKey] != nil || entries[key]!.ends.contains(where: { $0.key == runKey }) { continue }
            entries[key]!.ends.append(.init(key: runKey, ended: nil, postponement: nil, jitter: 0))
        }
    }

    mutating func start(_ run: Run, of job: Job, _ now: ClockReading) {
        board.started(job.request.queue, now)
        if shards.isCutOff {
            // The answer has come too late: the run waits again.
            board.ended(job.request.queue)
            entries[job.key]?.ends.append(.init(key: RunKey(run), ended: nil, postponement: nil, jitter: 0))
            return markDirty(job.key)
        }
        running[RunKey(run)] = job.request.queue
        effect(.start(run, of: job))
    }

    /// The store has to be asked about the job.
    mutating func doubt(_ key: Int64) {
        guard entries[key] != nil else { return }
        entries[key]!.isDoubtful = true
        doubtful.insert(key)
    }
}
