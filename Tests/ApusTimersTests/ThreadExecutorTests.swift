import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("ThreadExecutor")
struct ThreadExecutorTests {
    #if os(Linux)
        private static func threads(named name: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
                // A thread that has ended meanwhile has no files.
                let found = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return found == name + "\n"
            }
        }

        @Test("the thread starts with the first job, and ends when the last task has")
        func lifetime() async throws {
            let name = "apus-lifetime"
            let (steps, step) = AsyncStream.makeStream(of: Void.self)
            let counts = Locked<[Int]>([])
            @Sendable func count() { counts.withLock { $0.append((try? Self.threads(named: name)) ?? -1) } }
            // Only the task retains the executor.
            var executor: ThreadExecutor? = ThreadExecutor(named: "apus-lifetime")
            count()
            let task = Task(executorPreference: executor) {
                for await _ in steps { count() }
                count()
            }
            executor = nil
            step.yield()
            try await until("the task has waited once") { counts.withLock(\.count) == 2 }
            step.finish()
            await task.value
            #expect(counts.withLock(\.self) == [0, 1, 1])
            try await until("the thread has ended") { try Self.threads(named: name) == 0 }
        }
    #endif

    @Test("an executor that a job releases is retained until the job returns")
    func releasedByItsJob() async throws {
        let kept = Locked<ThreadExecutor?>(nil)
        for _ in 0..<100 {
            let task = kept.withLock { kept in
                let executor = ThreadExecutor(named: "apus-test")
                kept = executor
                return Task(executorPreference: executor) {}
            }
            kept.withLock { $0 = nil }
            await task.value
        }
    }
}
