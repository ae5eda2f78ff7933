import ApusJobs
import ApusTestSupport
import ApusTimers
import Testing

/// Handlers that block all threads on which handlers run do not stop the scheduler.
///
/// Each test has its own process, because it leaves no thread of the pool for other tests.
@Suite("Handlers that block their threads", .timeLimit(.minutes(5)))
struct BlockedThreadsTests {
    @Test("turns are committed, time limits act, and the scheduler stops while no handler can get a thread")
    func blocked() async {
        await #expect(processExitsWith: .success) {
            endProcess {
                let scheduler = JobScheduler(
                    store: MemoryStore(),
                    configuration: .init(
                        maximumConcurrentRuns: 2 * moreThanThreads, cancellationGrace: .milliseconds(10),
                        abandonment: .milliseconds(10)))
                let barrier = Barrier()
                let reasons = Locked<[CancellationReason?]>([])
                scheduler.register("blocked") { run in
                    barrier.block()
                    reasons.withLock { $0.append(run.cancellationReason) }
                }
                scheduler.register("other") { _ in }
                try await scheduler.start()
                try await scheduler.submit(
                    (0..<moreThanThreads).map {
                        JobRequest(
                            id: JobID("blocked\($0)"), kind: "blocked", trigger: .after(.zero),
                            policies: .init(timeLimit: .milliseconds(50)))
                    })
                // Each handler that has a thread exceeds its time limit, and its run is abandoned.
                try await until("a run that was given up") {
                    try await !scheduler.runs(RunQuery(states: [.lost])).runs.isEmpty
                }
                try await until("as many of them as threads") {
                    try await scheduler.runs(RunQuery(states: [.lost], limit: 10_000)).runs.count == barrier.count
                }
                let lost = try await scheduler.runs(RunQuery(states: [.lost], limit: 10_000)).runs
                guard lost.allSatisfy({ $0.reason == "abandoned" && $0.isFinal }) else { throw Failure("\(lost)") }
                guard barrier.count < moreThanThreads else { throw Failure("there was a thread for each handler") }
                // Work that needs no handler's thread continues.
                let job = try await scheduler.submit(
                    JobRequest(id: "other", kind: "other", trigger: .every(.milliseconds(20), count: 3)))
                try await scheduler.suspend(job.id)
                try await scheduler.resume(job.id)
                try await until("its claim") {
                    try await scheduler.openRuns(of: job.id).contains { $0.state == .running }
                }
                guard scheduler.stuckHandlers().allSatisfy(\.isAbandoned) else { throw Failure("some are stuck") }
                await scheduler.stop(grace: .zero)
                guard reasons.withLock(\.isEmpty) else { throw Failure("a blocked handler has returned") }
            }
        }
    }

    @Test("handlers that block the application's own executor block only that executor")
    func ownExecutor() async throws {
        let executor = ThreadExecutor(named: "apus-test")
        let scheduler = JobScheduler(
            store: MemoryStore(), configuration: .init(cancellationGrace: .milliseconds(10)), executor: executor)
        let barrier = Barrier()
        scheduler.register("blocked") { _ in barrier.block() }
        try await scheduler.start()
        try await scheduler.submit(JobRequest(id: "blocked", kind: "blocked", trigger: .after(.zero)))
        try await until("the only thread is blocked") { barrier.count == 1 }
        try await scheduler.submit(JobRequest(id: "next", kind: "blocked", trigger: .after(.zero)))
        try await until("the claim of the next") { try await scheduler.openRuns(of: "next").first?.state == .running }
        #expect(barrier.count == 1)
        await scheduler.stop(grace: .zero)
        barrier.open()
        try await until("the next has its turn, which has no effect") { barrier.count == 2 }
        barrier.open()
    }

    @Test("a cancellation handler that blocks holds up no other cancellation")
    func blockedCancellation() async throws {
        let scheduler = JobScheduler(
            store: MemoryStore(), configuration: .init(cancellationGrace: .milliseconds(10)))
        let barrier = Barrier()
        let waiting = Locked<[CheckedContinuation<Void, Never>]>([])
        scheduler.register("blocked") { _ in
            await withTaskCancellationHandler {
                // This wait ignores cancellation. A cancelled task waits at its end for its cancellation handlers, and
                // so needs a thread of the pool.
                await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            } onCancel: {
                barrier.block()
            }
        }
        // The handler ends only when it is cancelled.
        scheduler.register("other") { _ in try await Task.sleep(for: .seconds(86_400)) }
        try await scheduler.start()
        for (number, kind) in ["blocked", "blocked", "other"].enumerated() {
            try await scheduler.submit(
                JobRequest(
                    id: JobID(kind + "\(number)"), kind: kind, trigger: .after(.zero),
                    policies: .init(timeLimit: .milliseconds(10))))
            try await until("it is cancelled") {
                try await kind == "blocked"
                    ? barrier.count == number + 1
                    : !scheduler.runs(RunQuery(jobID: "other2", states: [.failed, .cancelled])).runs.isEmpty
            }
        }
        barrier.open()
        for continuation in waiting.withLock(\.self) { continuation.resume() }
        await scheduler.stop(grace: .zero)
    }
}
