import ApusTimers

// The choice of reads of the store, and the use of their answers.
extension SchedulerMachine {
    private static let pageSize = 500

    mutating func nextRead(_ now: SchedulerReading, isStorePaused: Bool) -> SchedulerRead? {
        var references = commands.needs
        // A command that concerns a doubtful job does not wait for the end of a pause.
        if !isStorePaused || commands.waiting.contains(where: { concernsDoubtful($0) }) {
            references += jobs.doubtful.sorted().map { .key($0) }
        }
        if !references.isEmpty { return .load(references) }
        if isStorePaused { return nil }
        if setAside.mustWrite { return nil }
        switch life.phase {
        case .recovering(let key):
            return jobs.all.contains(where: \.news.isInterrupted)
                ? nil : .interrupted(after: key, limit: Self.pageSize)
        case .running: break
        case .stopping, .closing, .stopped: return nil
        }
        // The new record of the clocks is committed before anything else is read.
        if clock.isChanged { return nil }
        let uses = board.uses(now.uptime)
        if !uses.isEmpty { return .places(uses) }
        if let read = sweep.read(jobs, isStarting: loading.isStarting, limit: Self.pageSize) { return read }
        if let key = shards.recovery { return .interrupted(after: key, limit: Self.pageSize) }
        return loading.read(
            now.wall, jobs, loaded: loadedCount, board, runnable: kinds.runnable, unmet: conditions.unmet)
            ?? commands.read(limit: Self.pageSize)
    }

    private func concernsDoubtful(_ command: PendingCommand) -> Bool {
        jobs.isAnyDoubtful(command.command.ids) || jobs.isAnyDoubtful(command.same.values.map(\.id))
    }

    /// Accepts the answer to the last read.
    package mutating func read(_ read: SchedulerRead, _ answer: SchedulerReadAnswer, at now: SchedulerReading) {
        switch (read, answer) {
        case (.load(let references), .loaded(let found)):
            let positions = commands.positions
            for (reference, found) in zip(references, found) {
                took(found, for: reference, neededAt: positions[reference] ?? [], now.wall)
            }
            commands.needsAreRead()
        case (.interrupted, .jobs(let found)) where life.isRunning:
            for loaded in found.readable where jobs[loaded.job.key] == nil && shards.owns(loaded.shard) {
                _ = take(loaded)
            }
            leaveOut(found.unreadable)
            shards.recovered(through: found.last?.key)
        case (.interrupted, .jobs(let found)):
            for loaded in found.readable where shards.owns(loaded.shard) {
                let entry = take(loaded)
                entry.news.isInterrupted = true
                jobs.examine(entry)
            }
            leaveOut(found.unreadable)
            if !found.isEmpty { effects.append(.log(.interrupted(jobs: found.count))) }
            life.recovered(through: found.last?.key)
            if life.isRunning { for entry in jobs.sorted { place(entry, now.wall) } }
        case (.anchored, .jobs(let found)):
            for loaded in found.readable where shards.owns(loaded.shard) {
                let entry = takeClaiming(loaded)
                sweep.cause?.concern(entry)
                jobs.examine(entry)
            }
            leaveOut(found.unreadable)
            sweep.took(through: found.last?.key)
        case (.due(let load), .due(let due)): took(due, of: load, now.wall)
        case (.submissions(let limit), .submissions(let found)): commands.took(found, limit: limit, now.wall)
        case (.places, .places(let places)): board.take(places, now)
        case (.load, _), (.interrupted, _), (.anchored, _), (.due, _), (.submissions, _), (.places, _):
            preconditionFailure("the answer does not belong to \(read)")
        }
    }

    /// Fails the commands that need the last read, which has failed.
    package mutating func readFailed(_ read: SchedulerRead, _ error: JobError, at now: SchedulerReading) {
        if case .places(let uses) = read { board.placesAreUnknown(uses.map(\.queue)) }
        // The callers whose jobs were to be read get the error.
        var kept: [PendingCommand] = []
        var isOfSubmissions = false
        for command in commands.takeAll() {
            if command.needs.isEmpty, !concernsDoubtful(command) {
                kept.append(command)
            } else {
                if command.submission != nil { isOfSubmissions = true }
                commands.fail(command, error, &effects)
            }
        }
        commands.putBack(kept)
        if case .load = read, jobs.doubtful.isEmpty, !isOfSubmissions {
            if error.code == .notOwner { halt(error) }
            return
        }
        storeFailed(error, now)
    }

    /// Notes unreadable jobs of this scheduler's shards for the next turn, which sets them aside.
    ///
    /// If such a job is in memory, another program has changed it, so it is unloaded.
    private mutating func leaveOut(_ unreadable: [UnreadableJob]) {
        for job in unreadable {
            if let entry = jobs[job.key] { unload(entry) }
            if shards.owns(job.shard) { setAside.find(job) }
        }
    }

    private mutating func took(_ due: DueJobs, of load: JobLoad, _ now: WallInstant) {
        loading.began(load)
        leaveOut(due.unreadable)
        for loaded in due.jobs where shards.owns(loaded.shard) {
            // A loaded job is as new as its row, unless another program has changed it.
            if let entry = jobs[loaded.job.key] {
                if loaded.job.version > entry.job.version { jobs.doubt(entry) }
                place(entry, now)
            } else {
                place(takeClaiming(loaded), now)
            }
        }
        if loading.took(due, of: load, &board, isShared: session.isShared, now) { effects.append(.started) }
        // The unreadable jobs count towards the limits of the load, and the next turn sets them aside. Then the lanes
        // with jobs that were left in the store can be loaded further.
        if setAside.mustWrite { for lane in due.left.keys { board.need(lane) } }
    }

    /// Accepts a read job; `positions` has the positions of the commands that need it.
    private mutating func took(
        _ found: FoundJob?, for reference: JobReference, neededAt positions: [Int], _ now: WallInstant
    ) {
        let loaded: LoadedJob?
        switch found {
        case .job(let job): loaded = job
        case nil: loaded = nil
        case .unreadable(let job):
            jobs.endDoubt(job.key)
            if !setAside.contains(job.key) { leaveOut([job]) }
            return commands.update(at: positions) { $0.unreadable = job }
        }
        took(loaded, for: reference, neededAt: positions, now)
    }

    private mutating func took(
        _ loaded: LoadedJob?, for reference: JobReference, neededAt positions: [Int], _ now: WallInstant
    ) {
        switch reference {
        case .id:
            guard let loaded else { return }
            guard shards.owns(loaded.shard) else {
                return commands.update(at: positions) { $0.foreign[loaded.job.id] = loaded }
            }
            let entry = takeClaiming(loaded)
            if jobs[loaded.job.id] == nil { jobs.name(entry) }
            jobs.examine(entry)
        case .idempotencyKey(let key):
            guard let loaded else { return }
            commands.update(at: positions) { $0.earlier[key] = loaded.job }
        case .unique(let kind, let content, _):
            let unique = JobReference.Unique(kind: kind, content: content)
            commands.update(at: positions) { $0.same[unique] = loaded?.job }
            guard let loaded, !loaded.job.state.isFinal else { return }
            took(loaded, for: .id(loaded.job.id), neededAt: positions, now)
        case .key(let key):
            jobs.endDoubt(key)
            guard let entry = jobs[key] else { return }
            guard let loaded, shards.owns(loaded.shard) else { return unload(entry) }
            guard loaded.shard == entry.shard else {
                // The job has moved to another shard, which this scheduler owns now.
                unload(entry)
                return place(takeClaiming(loaded), now)
            }
            entry.machine = machine(of: loaded)
            // If the answer to the commit of a cancellation was lost, the handler has not been cancelled yet.
            for run in entry.machine.open where board.isRunning(RunKey(run)) {
                if let reason = entry.machine.cancellation(run) { effects.append(.cancel(RunKey(run), reason)) }
            }
            resolveClaims(entry)
            place(entry, now)
        }
    }
}
