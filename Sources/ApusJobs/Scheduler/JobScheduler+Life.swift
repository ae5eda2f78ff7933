import ApusTimers
import Logging
import Synchronization

/// Beginning and ending.
extension JobScheduler {
    func begin(_ afterOpening: @Sendable () -> Void) async throws {
        try locked { state throws(JobError) in
            guard state.phase == .idle else {
                throw JobError(.closed, "the scheduler was started before; make another one")
            }
            state.phase = .starting
        }
        do {
            let epoch = try await store.open()
            locked { $0.epoch = epoch }
            afterOpening()
            try await catchUpWithClock(epoch)
            try await recover(epoch)
        } catch {
            locked { $0.phase = .idle }
            try? await store.close()
            throw error
        }
        locked { $0.phase = .running }
        let observation = engine.onWallClockChange(on: .engine) { [weak self] in
            self?.spawn { await $0.clockMoved() }
        }
        ending.withLock { $0 = { observation.cancel() } }
        await load()
    }

    /// The wall clock may have been set while nobody ran.
    private func catchUpWithClock(_ epoch: StoreEpoch) async throws {
        let (_, offset) = readClocks()
        locked { $0.clockOffset = offset }
        let stored = try await storedOffset()
        try await store.setMetadata(Self.clockKey, to: clockRecord(offset), epoch: epoch)
        guard let stored, (offset &- stored).magnitude >= 1_000_000_000 else { return }
        let delta = Duration.nanoseconds(offset &- stored)
        try await store.shiftRelativeJobs(by: delta, epoch: epoch)
        hub.emit(.clockChanged(by: delta))
    }

    private func recover(_ epoch: StoreEpoch) async throws {
        let interrupted = try await store.interruptedJobs()
        let now = engine.time.wall()
        var index = 0
        while index < interrupted.count {
            let changes = interrupted[index..<min(index + 500, interrupted.count)].compactMap { loaded in
                var machine = JobMachine(loaded)
                return machine.recover(now: now).change
            }
            _ = try await store.commit(changes, epoch: epoch)
            for run in changes.flatMap(\.runs) where !run.state.isOpen { hub.emit(.runEnded(run)) }
            index += 500
        }
        if index > 0 { logger.notice("runs were interrupted", metadata: ["jobs": "\(interrupted.count)"]) }
    }

    func end(grace: Duration?) async {
        let isMine = locked { state -> Bool in
            guard state.phase == .running else {
                if state.phase == .idle { state.phase = .stopped }
                return false
            }
            state.phase = .stopping
            disarmAll(&state)
            // What could not be written yet is tried once more now, and then as usual.
            for (id, entry) in state.entries where !entry.ends.isEmpty { state.kick(id) }
            return true
        }
        guard isMine else { return await waitUntilStopped() }
        stopObserving()
        var isIdle = await waitUntilIdle(grace)
        if !isIdle {
            for control in locked({ Array($0.running.values) }) { control.cancel(.shutdown) }
            isIdle = await waitUntilIdle(configuration.cancellationGrace)
        }
        if !isIdle {
            logger.warning(
                "handlers go on although they were told to end; their runs are lost, and made again at the next start",
                metadata: ["runs": "\(locked { $0.running.count })"])
        }
        let unwritten = locked { state in
            let unwritten = state.entries.values.reduce(0) { $0 + $1.ends.count }
            state.phase = .stopped
            disarmAll(&state)
            state.entries = [:]
            return unwritten
        }
        if unwritten > 0 {
            logger.error(
                "the store would not take the outcomes of runs; they are lost, and made again at the next start",
                metadata: ["runs": "\(unwritten)"])
        }
        do { try await store.close() } catch {
            logger.error("closing the store failed", metadata: ["error": "\(error)"])
        }
        hub.finish(.stopped(nil))
        locked { state in
            state.deferred += state.stopWaiters.map { .resume($0) }
            state.stopWaiters = []
        }
    }

    /// Somebody else is stopping it.
    private func waitUntilStopped() async {
        await withCheckedContinuation { continuation in
            let isOver = locked { state in
                if state.phase == .stopping { state.stopWaiters.append(continuation) }
                return state.phase != .stopping
            }
            if isOver { continuation.resume() }
        }
    }

    /// The store has another owner: nothing may be written, so nothing may run.
    func halt(_ error: JobError) async {
        let controls = locked { state -> [RunControl]? in
            guard state.phase == .running || state.phase == .stopping else { return nil }
            state.phase = .stopped
            disarmAll(&state)
            state.entries = [:]
            if let waiter = state.idleWaiter {
                state.idleWaiter = nil
                state.deferred.append(.resumeIdle(waiter))
            }
            return Array(state.running.values)
        }
        guard let controls else { return }
        stopObserving()
        for control in controls { control.cancel(.shutdown) }
        logger.critical("the store has another owner; this scheduler has stopped", metadata: ["error": "\(error)"])
        hub.finish(.stopped(error))
        try? await store.close()
    }

    private func stopObserving() {
        let stop = ending.withLock { body in
            defer { body = nil }
            return body
        }
        stop?()
    }

    private func disarmAll(_ state: inout SchedulerState) {
        for id in Array(state.entries.keys) {
            state.disarm(id)
            state.hold(id, false)
        }
        if let timer = state.loadTimer { state.deferred.append(.cancel(timer)) }
        state.loadTimer = nil
        state.loadBy = nil
    }

    /// - Returns: whether nothing runs any more; `false` when the time is over.
    private func waitUntilIdle(_ limit: Duration?) async -> Bool {
        let deadline = limit.map { engine.time.uptime().advanced(by: $0) }
        let timer = Box<ScheduledTimer>()
        let isIdle = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let answer = locked { state -> Bool? in
                if state.isIdle { return true }
                if limit == .zero { return false }
                state.idleWaiter = continuation
                return nil
            }
            if let answer { return continuation.resume(returning: answer) }
            guard let deadline else { return }
            timer.set(
                engine.schedule(at: deadline) { [weak self] in
                    guard let self else { return }
                    let waiter = locked { state in
                        defer { state.idleWaiter = nil }
                        return state.idleWaiter
                    }
                    waiter?.resume(returning: false)
                })
        }
        _ = timer.take()?.cancel()
        return isIdle
    }
}
