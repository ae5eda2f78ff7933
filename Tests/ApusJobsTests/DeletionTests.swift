import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Deleting jobs that have ended")
struct DeletionTests {
    private let harness: SchedulerHarness

    init() throws { harness = try SchedulerHarness() }

    private func ids() throws -> [String] {
        try harness.perform { try await $0.jobs(JobQuery()).jobs.map(\.id.rawValue) }
    }

    @Test("deleting a finished job deletes its runs; its identifier then refers to the job that ended before it")
    func one() throws {
        for _ in 1...2 {
            try harness.submit(.after(.seconds(1)))
            harness.advance(1)
        }
        let jobs = try harness.perform { try await $0.jobs(JobQuery()).jobs }
        try #require(jobs.count == 2)
        let events = harness.scheduler.events()
        try harness.perform { try await $0.delete("job") }
        let event = try harness.perform { _ in
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }
        guard case .deleted("job")? = event else { return #expect(Bool(false), "\(String(describing: event))") }
        #expect(try harness.job() == jobs[0])
        #expect(try harness.runs().map(\.jobKey) == [jobs[0].key])
        try harness.perform { try await $0.delete("job") }
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(error?.code == .notFound)
    }

    @Test("deleting an active job, or a cancelled one whose handler still runs, is refused")
    func notEnded() throws {
        try harness.submit(.after(.seconds(60)), kind: "stubborn")
        let scheduled = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(scheduled?.message == "job: the job is scheduled and cannot be deleted; cancel it first")
        harness.advance(61)
        try harness.perform { _ = try await $0.cancel("job") }
        let running = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(running?.message == "job: the job cannot be deleted while a run of it is in progress")
        #expect(try harness.perform { try await $0.delete(all: JobQuery()) } == 0)
        harness.advance(10)
        try harness.perform { try await $0.delete("job") }
        #expect(try ids() == [])
    }

    @Test("a bulk deletion ignores jobs submitted during it")
    func bounded() throws {
        for id in ["a", "b", "c"] { try harness.submit(id, .after(.zero)) }
        harness.advance(1)
        let first = try harness.perform { try await $0.deletePage(JobQuery(limit: 2)) }
        try harness.submit("later", .after(.zero))
        harness.advance(1)
        let second = try harness.perform { try await $0.deletePage(JobQuery(limit: 2, cursor: first.next)) }
        #expect(first.changed.count == 2 && second.changed.count == 1 && second.next == nil)
        #expect(try ids() == ["later"])
    }

    @Test("all matching jobs are deleted, on however many pages, and due jobs run in between")
    func matching() throws {
        let requests = (1...2_500).map { number in
            JobRequest(
                id: JobID("job\(number)"), kind: number.isMultiple(of: 5) ? "failing" : "work", trigger: .after(.zero))
        }
        harness.calls.failNext(500)
        _ = try harness.perform { try await $0.submit(requests) }
        harness.advance(1)
        try harness.submit("scheduled", .after(.seconds(60)))
        let numbers = Log<Int>()
        let failed = JobQuery(states: [.finished], lastEnded: [.failed], limit: 1)
        #expect(try harness.perform { try await $0.delete(all: failed) { numbers.add($0) } } == 500)
        #expect(numbers.all == [500])
        #expect(try harness.perform { try await $0.count(JobQuery(states: [.finished])) } == 2_000)
        // A page holds as many jobs as one commit may delete, whatever the query's limit is.
        #expect(try harness.perform { try await $0.delete(all: JobQuery(limit: 1, cursor: "7")) } == 2_000)
        #expect(try ids() == ["scheduled"])
        harness.advance(60)
        #expect(try harness.history("scheduled") == ["1 succeeded"])
    }

    @Test("a deletion by query refuses states other than ended")
    func states() throws {
        let query = JobQuery(states: [.finished, .suspended])
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.delete(all: query) } }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasPrefix("states: ") == true)
    }

    @Test("a failed deletion throws the store's error, and the next command finds out whether the job was deleted")
    func storeFails() throws {
        let error = JobError(code: .unavailable, message: "no answer")
        harness.calls.failNext(1)
        try harness.submit(.after(.zero), kind: "failing")
        harness.advance(1)
        // The job stays in memory, because a command has read it.
        #expect(throws: JobError.self) { try harness.perform { try await $0.suspend("job") } }
        harness.store.fail(.before(error))
        let before = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(before?.message == "no answer")
        harness.store.fail(.after(error))
        #expect(try ids() == ["job"])
        let after = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(after?.message == "no answer")
        harness.store.fail(nil)
        let gone = #expect(throws: JobError.self) { try harness.perform { try await $0.runNow("job") } }
        #expect(gone?.code == .notFound)
    }

    @Test("another caller's command on a job takes effect wholly before or after its deletion")
    func concurrent() throws {
        harness.calls.failNext(1)
        try harness.submit(.after(.zero), kind: "failing")
        harness.advance(1)
        let codes = Log<(call: Int, code: JobError.Code?)>()
        let calls: [@Sendable (JobScheduler) async throws -> Void] = [
            { try await $0.delete("job") }, { _ = try await $0.runNow("job") }, { try await $0.delete("job") },
        ]
        for (index, call) in calls.enumerated() {
            harness.time.start { [scheduler = harness.scheduler] in
                do {
                    try await call(scheduler)
                    codes.add((index, nil))
                } catch { codes.add((index, (error as? JobError)?.code)) }
            }
        }
        harness.time.settle()
        #expect(codes.all.sorted { $0.call < $1.call }.map(\.code) == [nil, .notFound, .conflict])
        #expect(try ids() == [])
    }

    /// Returns a scheduler whose store's answers can be delayed.
    private func delayable() throws -> (SchedulerHarness, RefusingStore) {
        var made: RefusingStore?
        let harness = try SchedulerHarness(around: { memory in
            let store = RefusingStore(memory)
            made = store
            return store
        })
        return (harness, try #require(made))
    }

    /// Deletes a job while the answer to the next read is pending, then runs the call that needs that read.
    private func delete(
        _ id: JobID, during body: @escaping @Sendable (JobScheduler) async throws -> Void,
        in harness: SchedulerHarness, _ store: RefusingStore
    ) throws -> JobError? {
        let deleted = Log<JobError?>()
        store.delayFind { [time = harness.time, scheduler = harness.scheduler] in
            time.start {
                do {
                    try await scheduler.delete(id)
                    deleted.add(nil)
                } catch { deleted.add(error as? JobError) }
            }
            for _ in 1...20 { await Task.yield() }
        }
        try harness.perform(body)
        return try #require(deleted.all.first)
    }

    @Test("a submission creates a new job if the existing one is deleted after it was read")
    func submittedMeanwhile() throws {
        let (harness, store) = try delayable()
        var request = JobRequest(id: "job", kind: "work", trigger: .after(.zero))
        request.idempotencyKey = "key"
        let outcomes = Log<SubmissionOutcome>()
        for _ in 1...2 {
            try harness.perform { [request] in outcomes.add(try await $0.submit(request).outcome) }
            harness.advance(1)
        }
        let error = try delete(
            "job", during: { [request] in outcomes.add(try await $0.submit(request).outcome) }, in: harness, store)
        #expect(error == nil)
        #expect(outcomes.all == [.inserted, .joined, .inserted])
        #expect(try harness.perform { try await $0.jobs(JobQuery()).jobs.count } == 1)
    }

    @Test("a job that another caller reactivates between its reading and its deletion stays")
    func continuedMeanwhile() throws {
        let (harness, store) = try delayable()
        harness.calls.failNext(1)
        try harness.submit(.after(.zero), kind: "failing")
        harness.advance(1)
        store.delayFind { [time = harness.time, scheduler = harness.scheduler] in
            time.start { _ = try await scheduler.runNow("job") }
            for _ in 1...200 { await Task.yield() }
        }
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(error?.code == .conflict)
        #expect(try harness.job().state == .finished)
        #expect(try harness.runs().map(\.state) == [.failed, .succeeded])
    }

    @Test("a scheduler that has stopped deletes nothing")
    func stopped() throws {
        try harness.submit(.after(.zero))
        harness.advance(1)
        try harness.perform { await $0.stop(grace: .zero) }
        let closed = #expect(throws: JobError.self) { try harness.perform { try await $0.delete("job") } }
        #expect(closed?.code == .closed)
    }
}
