import ApusTimers
import Logging

/// Bringing jobs into memory when they come within the horizon.
extension JobScheduler {
    /// The next load is at `instant` at the latest; a load that is not urgent waits a little for another wake-up to
    /// share, which loses nothing while the first due instant is a horizon away. Call with the lock held.
    func scheduleLoad(at instant: WallInstant, isUrgent: Bool = false, _ state: inout SchedulerState) {
        guard state.phase == .running else { return }
        let tolerance = isUrgent ? .zero : configuration.horizon / 4
        let latest = instant.advanced(by: tolerance)
        if let earlier = state.loadBy, earlier <= latest { return }
        if let timer = state.loadTimer { state.deferred.append(.cancel(timer)) }
        state.loadBy = latest
        state.loadTimer = engine.schedule(at: instant, tolerance: tolerance) { [weak self] in
            self?.locked { state in
                guard state.loadBy == latest else { return }
                state.loadBy = nil
                state.loadTimer = nil
                state.deferred.append(.load)
            }
        }
    }

    func load() async {
        let isMine = locked { state in
            if state.isLoading { state.loadAgain = true }
            defer { state.isLoading = true }
            return !state.isLoading
        }
        guard isMine else { return }
        var failures = 0
        while true {
            do {
                try await loadOnce()
                failures = 0
            } catch let error as JobError where error.code == .notOwner || error.code == .closed {
                if error.code == .notOwner { await halt(error) }
            } catch {
                failures += 1
                noteStoreFails(error)
                await pause(Self.backoff(failures))
                if locked({ $0.phase == .running }) { continue }
            }
            let isDone = locked { state in
                if state.loadAgain, state.phase == .running {
                    state.loadAgain = false
                    return false
                }
                state.isLoading = false
                state.checkIdle()
                return true
            }
            if isDone { return }
        }
    }

    func loadOnce() async throws {
        let now = try await withLanes([]) { now in
            // Those that wait for conditions come first, and take no room.
            let limit = configuration.maximumLoaded + locked { $0.held.count }
            let through = now.advanced(by: configuration.horizon)
            let found = try await store.wakingJobs(through: through, limit: limit)
            let isTruncated = found.count >= limit
            let next = isTruncated ? nil : try await store.nextWake(after: through)
            locked { state in
                guard state.phase == .running else { return }
                for loaded in found { take(loaded, &state) }
                state.isTruncated = isTruncated
                if isTruncated, let last = found.last?.job.wake {
                    scheduleLoad(at: max(last, now.advanced(by: .seconds(1))), isUrgent: true, &state)
                } else if let next {
                    scheduleLoad(at: max(now, next.advanced(by: .zero - configuration.horizon)), &state)
                }
            }
            return now
        }
        // Not waited for: what is due runs first.
        spawn { scheduler in
            await scheduler.recordClock()
            await scheduler.pruneIfDue(now)
        }
    }

    private func take(_ loaded: LoadedJob, _ state: inout SchedulerState) {
        let id = loaded.job.id
        if let entry = state.entries[id] {
            // What is in memory is as new, unless the answer to a commit was lost.
            if loaded.job.version > entry.machine.job.version, state.lanes[id] == nil {
                state.entries[id]!.isStale = true
                state.kick(id)
            } else {
                rearm(id, &state)
            }
        } else if state.lanes[id] == nil {
            state.entries[id] = SchedulerState.Entry(JobMachine(loaded))
            rearm(id, &state)
        } else {
            // Somebody changes it just now, and may fail; this load did not see the end of that.
            scheduleLoad(at: engine.time.wall().advanced(by: .seconds(1)), isUrgent: true, &state)
        }
    }

    /// Beside a load, so that it wakes nothing.
    private func recordClock() async {
        let (epoch, offset) = locked { ($0.epoch, $0.clockOffset) }
        try? await store.setMetadata(Self.clockKey, to: clockRecord(offset), epoch: epoch)
    }

    /// Prunes the history once an hour at most. History grows by commits alone, so this is asked for after commits and
    /// loads, and needs no timer.
    func pruneIfDue(_ now: WallInstant) async {
        let epoch = locked { state -> StoreEpoch? in
            guard state.phase == .running, Self.isPruningDue(state.lastPruned, now) else { return nil }
            state.lastPruned = now
            return state.epoch
        }
        guard let epoch else { return }
        try? await store.prune(
            keepRuns: configuration.historyRunsPerJob,
            endedBefore: now.advanced(by: .zero - configuration.finishedJobsKept), epoch: epoch)
    }

    /// Also after the wall clock was set back.
    static func isPruningDue(_ last: WallInstant?, _ now: WallInstant) -> Bool {
        last.map { $0.duration(to: now) >= .seconds(3_600) || now < $0 } ?? true
    }
}
