import ApusTimers

/// What callers ask for.
extension JobScheduler {
    func add(_ request: JobRequest) async throws -> Job {
        try await withLanes([request.id]) { now in
            var machine = try JobMachine.submitted(request, now: now)
            let expected: JobChange.Expectation = request.conflict == .replace ? .replace : .absent
            let stored: Job
            do {
                stored = try await commit([JobChange(expected: expected, job: machine.job)])[0]
            } catch let error as JobError where error.code == .conflict {
                if let earlier = try await submitted(before: request) { return earlier }
                if request.conflict == .replace { throw error }
                guard request.conflict == .keep, let old = try await store.job(request.id) else {
                    throw taken(request.id)
                }
                return old.job
            }
            machine.committed(stored)
            hub.emit(.submitted(stored))
            adoptNew(machine, now: now)
            return stored
        }
    }

    func add(_ requests: [JobRequest]) async throws -> [Job] {
        if requests.isEmpty { return [] }
        // Always in one order, so that two callers cannot wait for each other.
        let ids = Set(requests.map(\.id)).sorted()
        guard ids.count == requests.count else {
            throw JobError(.invalid, "id: one identifier occurs twice among the requests; give each its own")
        }
        return try await withLanes(ids) { now in
            var result: [Job?] = []
            var machines: [JobMachine] = []
            for request in requests {
                let machine = try JobMachine.submitted(request, now: now)
                if let earlier = try await submitted(before: request) {
                    result.append(earlier)
                } else if request.conflict != .replace, let old = try await store.job(request.id) {
                    guard request.conflict == .keep else { throw taken(request.id) }
                    result.append(old.job)
                } else {
                    result.append(nil)
                    machines.append(machine)
                }
            }
            let changes = machines.map { machine in
                let isReplacing = machine.job.request.conflict == .replace
                return JobChange(expected: isReplacing ? .replace : .absent, job: machine.job)
            }
            let stored = changes.isEmpty ? [] : try await commit(changes)
            for index in machines.indices {
                machines[index].committed(stored[index])
                hub.emit(.submitted(stored[index]))
                adoptNew(machines[index], now: now)
            }
            var next = stored.makeIterator()
            return result.map { $0 ?? next.next()! }
        }
    }

    /// The job of an earlier submission with the request's idempotency key.
    private func submitted(before request: JobRequest) async throws -> Job? {
        guard let key = request.idempotencyKey,
            let job = try await store.jobs(JobQuery(idempotencyKey: key, limit: 1)).jobs.first
        else { return nil }
        guard job.request.asksForTheSame(as: request) else {
            throw JobError(
                .invalid,
                "idempotencyKey: it was used for another submission, which is job \(job.id); give each submission its own"
            )
        }
        return job
    }

    private func taken(_ id: JobID) -> JobError {
        JobError(.alreadyExists, "\(id): there is such a job; give another identifier, or allow it to be replaced")
    }

    /// A far job costs a row, and nothing in memory, unless it took the place of one that is there.
    private func adoptNew(_ machine: JobMachine, now: WallInstant) {
        let isFar = locked { state in
            guard let wake = machine.job.wake, state.entries[machine.job.id] == nil else { return false }
            let isFull = state.loadedCount >= configuration.maximumLoaded && wake > now.advanced(by: .seconds(1))
            guard isFull || wake > now.advanced(by: configuration.horizon) else { return false }
            if isFull {
                state.isTruncated = true
                scheduleLoad(at: wake.advanced(by: .seconds(-1)), isUrgent: true, &state)
            } else {
                scheduleLoad(at: wake.advanced(by: .zero - configuration.horizon), &state)
            }
            return true
        }
        if !isFar { adopt(machine, .none) }
    }

    /// A commit of a caller: its error is the caller's, but memory must not stay behind a commit that was applied after
    /// all.
    private func commit(_ changes: [JobChange]) async throws -> [Job] {
        do {
            return try await store.commit(changes, epoch: locked(\.epoch))
        } catch let error as JobError where error.code == .conflict || error.code == .full {
            throw error
        } catch let error as JobError where error.code == .notOwner {
            await halt(error)
            throw error
        } catch {
            locked { state in
                for change in changes where state.entries[change.job.id] != nil {
                    state.entries[change.job.id]!.isStale = true
                    state.kick(change.job.id)
                }
                scheduleLoad(at: engine.time.wall().advanced(by: .milliseconds(100)), isUrgent: true, &state)
            }
            throw error
        }
    }

    /// One event for a job, loaded or not.
    func change<Result: Sendable>(
        _ id: JobID, _ event: (inout JobMachine, WallInstant) throws -> (Result?, JobMachine.Action)
    ) async throws -> (job: Job, result: Result?) {
        try await withLanes([id]) { now in
            for _ in 0..<8 {
                if locked({ $0.entries[id]?.isStale ?? false }) { try await reload(id) }
                var machine: JobMachine
                if let loaded = locked({ $0.entries[id]?.machine }) {
                    machine = loaded
                } else if let stored = try await store.job(id) {
                    machine = JobMachine(stored)
                } else {
                    throw JobError(.notFound, "\(id): there is no such job")
                }
                let (result, action) = try event(&machine, now)
                guard let change = action.change else { return (machine.job, result) }
                do {
                    machine.committed(try await commit([change])[0])
                } catch let error as JobError where error.code == .conflict {
                    locked { $0.entries[id]?.isStale = true }
                    continue
                }
                adopt(machine, action)
                return (machine.job, result)
            }
            throw JobError(.conflict, "\(id): somebody else changes the job all the time; try again")
        }
    }

    func requireLive(_ machine: JobMachine, _ what: String) throws(JobError) {
        guard !machine.job.state.isFinal else {
            throw JobError(
                .invalid, "\(machine.job.id): the job is \(machine.job.state) and cannot be \(what); submit it again")
        }
    }
}
