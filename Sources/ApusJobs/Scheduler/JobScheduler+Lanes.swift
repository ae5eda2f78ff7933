import ApusTimers
import Synchronization

/// One lane for each job, first come, first served; and the gate before all lanes.
extension JobScheduler {
    /// Runs `body` under the lock; what it left in `deferred` is done after that.
    func locked<Result: Sendable, Failure: Error>(
        _ body: (inout SchedulerState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, deferred) = try state.withLock { state throws(Failure) in
            let result = try body(&state)
            let deferred = state.deferred
            if !deferred.isEmpty { state.deferred = [] }
            return (result, deferred)
        }
        for each in deferred {
            switch each {
            case .process(let id): spawn { await $0.process(id) }
            case .load: spawn { await $0.load() }
            case .resume(let continuation): continuation.resume()
            case .resumeIdle(let continuation): continuation.resume(returning: true)
            case .cancel(let timer): _ = timer.cancel()
            case .follow(let end): followConditions(until: end)
            case .endFollowing(let end): end.finish()
            }
        }
        return result
    }

    func spawn(_ body: @escaping @Sendable (JobScheduler) async -> Void) {
        _ = Task(executorPreference: executor) { await body(self) }
    }

    /// Runs `body` with the lanes of `ids`, and a reading of the wall clock that agrees with the stored jobs.
    func withLanes<Result: Sendable>(
        _ ids: [JobID], whileStopping: Bool = false, _ body: (WallInstant) async throws -> Result
    ) async throws -> Result {
        while true {
            try await enterGate(whileStopping: whileStopping)
            for id in ids { await enterLane(id) }
            let (now, offset) = readClocks()
            if hasMoved(offset) {
                leave(ids)
                await clockMoved()
                continue
            }
            do {
                let result = try await body(now)
                leave(ids)
                return result
            } catch {
                leave(ids)
                throw error
            }
        }
    }

    private func enterGate(whileStopping: Bool) async throws(JobError) {
        while true {
            let isOpen = try locked { state throws(JobError) in
                switch state.phase {
                case .running: break
                case .stopping where whileStopping: break
                case .idle, .starting: throw JobError(.closed, "the scheduler was not started; call start() first")
                case .stopping, .stopped: throw JobError(.closed, "the scheduler has stopped; start another one")
                }
                if state.isGateClosed { return false }
                state.inside += 1
                return true
            }
            if isOpen { return }
            await waitForGate()
        }
    }

    func waitForGate() async {
        await withCheckedContinuation { continuation in
            let isOpen = locked { state in
                if state.isGateClosed { state.gateWaiters.append(continuation) }
                return !state.isGateClosed
            }
            if isOpen { continuation.resume() }
        }
    }

    private func enterLane(_ id: JobID) async {
        let isFree = locked { state in
            if state.lanes[id] != nil { return false }
            state.lanes[id] = []
            return true
        }
        if isFree { return }
        await withCheckedContinuation { continuation in
            let isFree = locked { state in
                if state.lanes[id] != nil {
                    state.lanes[id]!.append(continuation)
                    return false
                }
                state.lanes[id] = []
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ ids: [JobID]) {
        locked { state in
            for id in ids {
                if state.lanes[id]!.isEmpty {
                    state.lanes[id] = nil
                } else {
                    state.deferred.append(.resume(state.lanes[id]!.removeFirst()))
                }
            }
            state.inside -= 1
            if state.inside == 0, let waiter = state.gateEmptied {
                state.gateEmptied = nil
                state.deferred.append(.resume(waiter))
            }
            state.checkIdle()
        }
    }

    /// Waits without a thread, on the uptime clock.
    func pause(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            _ = engine.schedule(at: engine.time.uptime().advanced(by: duration)) { continuation.resume() }
        }
    }

    /// 0.1 s, doubled with each failure, at most 5 s.
    static func backoff(_ failures: Int) -> Duration {
        failures > 6 ? .seconds(5) : min(.seconds(5), .milliseconds(100 << max(0, failures - 1)))
    }
}
