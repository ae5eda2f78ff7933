import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

/// The scheduler runs on the machine's clocks and threads, for the thread sanitizer and for faults that virtual time
/// cannot show.
@Suite("A scheduler on the machine's clocks")
struct RealEngineTests {
    @Test("jobs of many tasks at once all run, once each, never early")
    func concurrentSubmissions() async throws {
        let scheduler = JobScheduler(store: MemoryStore(), configuration: .init(maximumConcurrentRuns: 8))
        let ran = Locked<[String: Int]>([:])
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        scheduler.register("work") { context in
            #expect(context.lateness >= .zero)
            let count = ran.withLock { ran in
                ran[context.job.id.rawValue, default: 0] += 1
                return ran.values.reduce(0, +)
            }
            if count == 400 { finish.finish() }
        }
        try await scheduler.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let id = JobID("job\(task).\(number)")
                        _ = try await scheduler.submit(
                            JobRequest(id: id, kind: "work", trigger: .after(.milliseconds(1 + number))))
                        guard number.isMultiple(of: 5) else { continue }
                        do {
                            try await scheduler.suspend(id)
                            try await scheduler.resume(id)
                        } catch let error as JobError where error.code == .invalid {
                            // On a slow machine, the job may have ended already.
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for await _ in done {}
        await scheduler.stop(grace: nil)
        let counts = ran.withLock { $0 }
        #expect(counts.count == 400)
        #expect(counts.values.allSatisfy { $0 == 1 })
    }
}
