import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Running a scheduler")
struct SchedulerRunTests {
    private let harness: SchedulerHarness
    private var time: VirtualTime { harness.time }

    init() throws {
        harness = try SchedulerHarness(start: false)
        harness.handleKinds()
    }

    private func run(grace: Duration?) -> Task<Void, any Error> {
        let task = time.start { [scheduler = harness.scheduler] in try await scheduler.run(grace: grace) }
        time.settle()
        return task
    }

    private func end(of task: Task<Void, any Error>) throws { try time.perform { try await task.value } }

    private func isStopped() throws -> Bool {
        do { try harness.submit("other", .after(.seconds(1))) } catch let error as JobError {
            return error.code == .closed
        }
        return false
    }

    @Test("run() runs due jobs until its task is cancelled, and returns when the handlers have ended")
    func untilCancelled() throws {
        let task = run(grace: .seconds(20))
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        task.cancel()
        harness.advance(5)
        #expect(try isStopped())
        #expect(harness.calls.reasons.isEmpty, "the handler may run for the grace")
        harness.advance(5)
        try end(of: task)
        try harness.crash()
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("handlers that run longer than the grace are cancelled, and their runs are lost")
    func grace() throws {
        let task = run(grace: .seconds(3))
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        task.cancel()
        harness.advance(2.9)
        #expect(harness.calls.reasons.isEmpty)
        harness.advance(1.1)
        try end(of: task)
        #expect(harness.calls.reasons == [.shutdown])
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("run() returns without an error when the scheduler is stopped, also during its start")
    func stopped() throws {
        let running = run(grace: .zero)
        _ = try harness.perform { await $0.stop(grace: .zero) }
        try end(of: running)

        let other = try SchedulerHarness(start: false)
        let started = other.time.start { [scheduler = other.scheduler] in try await scheduler.run() }
        let stop = other.time.start { [scheduler = other.scheduler] in await scheduler.stop(grace: .zero) }
        try other.time.perform {
            try await started.value
            try await stop.value
        }
    }

    @Test("a task that is cancelled already leaves a scheduler that has stopped")
    func cancelledBefore() throws {
        let task = time.start { [scheduler = harness.scheduler] in try await scheduler.run() }
        task.cancel()
        try end(of: task)
        #expect(try isStopped())
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("run() throws the start's error: the store's, or that the scheduler was started or stopped before")
    func startFails() throws {
        let other = try SchedulerHarness(start: false)
        other.store.kill()
        let error = #expect(throws: JobError.self) { try other.perform { try await $0.run() } }
        #expect(error?.message == "the process that used the store has died")

        let running = run(grace: .zero)
        let twice = #expect(throws: JobError.self) { try harness.perform { try await $0.run() } }
        #expect(twice?.code == .closed)
        running.cancel()
        try end(of: running)
        let again = #expect(throws: JobError.self) { try harness.perform { try await $0.run() } }
        #expect(again?.code == .closed)
    }

    @Test("run() ends and throws when the store is lost to another owner")
    func lostStore() throws {
        let task = run(grace: nil)
        try harness.submit(.after(.seconds(1)))
        _ = try time.perform { [store = harness.store] in try await store.open(as: NodeID(rawValue: "other")) }
        harness.advance(2)
        let error = #expect(throws: JobError.self) { try end(of: task) }
        #expect(error?.code == .notOwner)
    }

    @Test("a later stop may shorten the grace of an earlier one, and does not lengthen it")
    func shorterGrace() throws {
        let task = run(grace: nil)
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(2)
        task.cancel()
        time.settle()
        let stops = [Duration.seconds(4), .seconds(60)].map { grace in
            time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: grace) }
        }
        harness.advance(3.9)
        #expect(harness.calls.reasons.isEmpty)
        harness.advance(0.1)
        #expect(harness.calls.reasons == [.shutdown])
        try end(of: task)
        for stop in stops { try time.perform { try await stop.value } }
    }

    private func run(
        grace: Duration?, afterStarting: @escaping @Sendable (JobScheduler) async throws -> Void
    ) -> Task<Void, any Error> {
        let task = time.start { [scheduler = harness.scheduler] in
            try await scheduler.run(grace: grace, afterStarting: { try await afterStarting(scheduler) })
        }
        time.settle()
        return task
    }

    @Test("the closure called after the start can declare jobs, which run")
    func afterStarting() throws {
        let task = run(grace: .zero) { scheduler in
            try await scheduler.declare(
                [JobRequest(id: "tick", kind: "work", trigger: .every(.seconds(1)))], as: "set")
        }
        harness.advance(1)
        #expect(try harness.history("tick") == ["1 succeeded"])
        task.cancel()
        try end(of: task)
    }

    @Test("an error of the closure stops the scheduler after its handlers' grace, and is thrown")
    func afterStartingFails() throws {
        struct Refused: Error {}
        let clock = TimerClock<UptimeInstant>(engine: time.engine)
        let task = run(grace: .seconds(20)) { scheduler in
            try await scheduler.submit(JobRequest(id: "job", kind: "slow", trigger: .after(.zero)))
            try await clock.sleep(for: .seconds(1))
            throw Refused()
        }
        harness.advance(9)
        #expect(try isStopped())
        harness.advance(1)
        #expect(throws: Refused.self) { try end(of: task) }
        #expect(harness.calls.reasons.isEmpty)
        try harness.crash()
        #expect(try harness.history() == ["1 succeeded"])
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("`closed` of another scheduler is an error like others; that of a scheduler that stops is not")
    func afterStartingIsRefused() throws {
        let other = try SchedulerHarness(start: false)
        let task = run(grace: .zero) { [stopped = other.scheduler] _ in
            try await stopped.submit(JobRequest(id: "a", kind: "work", trigger: .after(.zero)))
        }
        let error = #expect(throws: JobError.self) { try end(of: task) }
        #expect(error?.code == .closed)

        let third = try SchedulerHarness(start: false)
        let running = third.time.start { [scheduler = third.scheduler] in
            try await scheduler.run(
                grace: .zero,
                afterStarting: {
                    await scheduler.stop(grace: .zero)
                    try await scheduler.submit(JobRequest(id: "late", trigger: .after(.zero)))
                })
        }
        try third.time.perform { try await running.value }
    }

    @Test("an error of the closure does not shorten the grace of a stop in progress")
    func afterStartingFailsDuringStop() throws {
        let clock = TimerClock<UptimeInstant>(engine: time.engine)
        let task = run(grace: .zero) { scheduler in
            try await scheduler.submit(JobRequest(id: "job", kind: "slow", trigger: .after(.zero)))
            try await clock.sleep(for: .seconds(2))
            try await scheduler.submit(JobRequest(id: "late", trigger: .after(.zero)))
        }
        harness.advance(1)
        let stop = time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .seconds(30)) }
        harness.advance(9)
        #expect(harness.calls.reasons.isEmpty)
        try end(of: task)
        try time.perform { try await stop.value }
        try harness.crash()
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("cancellation reaches the closure, whose error is then not the scheduler's")
    func afterStartingIsCancelled() throws {
        let clock = TimerClock<UptimeInstant>(engine: time.engine)
        let task = run(grace: .zero) { _ in try await clock.sleep(for: .seconds(600)) }
        harness.advance(1)
        task.cancel()
        try end(of: task)
        #expect(try isStopped())
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("a closure that throws in reaction to a requested stop neither fails it nor shortens its grace")
    func afterStartingReactsToStop() throws {
        let task = run(grace: .zero) { scheduler in
            try await scheduler.submit(JobRequest(id: "job", kind: "slow", trigger: .after(.zero)))
            scheduler.requestStop(grace: .seconds(30))
            throw CancellationError()
        }
        harness.advance(9)
        #expect(harness.calls.reasons.isEmpty)
        harness.advance(1)
        try end(of: task)
        try harness.crash()
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("a scheduler that has lost its store cancels the closure and ends")
    func endsWithoutAfterStarting() throws {
        let clock = TimerClock<UptimeInstant>(engine: time.engine)
        let task = run(grace: nil) { _ in try await clock.sleep(for: .seconds(600)) }
        try harness.submit(.after(.seconds(1)))
        _ = try time.perform { [store = harness.store] in try await store.open(as: NodeID(rawValue: "other")) }
        harness.advance(2)
        let error = #expect(throws: JobError.self) { try end(of: task) }
        #expect(error?.code == .notOwner)
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }
}
