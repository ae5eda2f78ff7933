// Shown: virtual
import Apus
import ApusTesting
import Synchronization
import Testing

@Test("a daily backup runs a week's worth of times in a week, and once for the days that the machine slept")
func dailyBackup() throws {
    let time = VirtualTime()
    let runs = Mutex<[Int]>([])
    let scheduler = JobScheduler(store: MemoryStore(), engine: time.engine, executor: time.executor)
    scheduler.register("backup") { run in runs.withLock { $0.append(run.standsFor) } }

    try time.perform {
        try await scheduler.start()
        _ = try await scheduler.submit(JobRequest(id: JobID("backup"), trigger: .every(.seconds(86_400))))
    }
    time.advance(by: .seconds(7 * 86_400))
    #expect(runs.withLock { $0 } == [1, 1, 1, 1, 1, 1, 1])

    time.sleepMachine(for: .seconds(3 * 86_400 + 3_600))
    #expect(runs.withLock { $0 }.last == 3)

    try time.perform { await scheduler.stop(grace: .zero) }
    #expect(time.leaks == [])
}
// Shown: end
