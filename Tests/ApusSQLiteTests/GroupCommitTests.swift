import ApusJobs
import ApusSQLite
import ApusTimers
import Synchronization
import Testing

/// Holds the writer's thread before its next commit, until it is let go.
final class Gate: Sendable {
    private let isClosed = Atomic(false)
    private let isHolding = Atomic(false)

    func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }
    func open() { isClosed.store(false, ordering: .sequentiallyConsistent) }

    /// Called on the writer's thread, which stands for one that waits for the disk: it spins instead, so that no time
    /// is measured.
    func pass() {
        while isClosed.load(ordering: .sequentiallyConsistent) {
            isHolding.store(true, ordering: .sequentiallyConsistent)
        }
        isHolding.store(false, ordering: .sequentiallyConsistent)
    }

    func untilHolding() async { while !isHolding.load(ordering: .sequentiallyConsistent) { await Task.yield() } }
}

@Suite("Calls that arrive during a commit share the next one")
struct GroupCommitTests {
    /// A store whose first commit is held at the gate, with `calls` waiting behind it.
    private func gathered(
        _ changes: @escaping @Sendable (Int) -> [JobChange], calls: Int, limit: Int = 1_000, prepare: [Job] = []
    ) async throws -> (store: SQLiteStore, failures: [Int: JobError], commits: Int, directory: Directory) {
        let directory = try Directory()
        let gate = Gate()
        var configuration = SQLiteStore.Configuration()
        configuration.beforeCommit = { gate.pass() }
        configuration.groupLimit = limit
        let store = SQLiteStore(path: directory.file(), configuration: configuration)
        let epoch = try await store.open()
        for job in prepare { try await store.add(job, epoch) }
        let before = store.commitCount
        gate.close()
        async let first = store.add(sampleJob("first"), epoch)
        await gate.untilHolding()
        let failures = await withTaskGroup(of: (Int, JobError?).self) { group in
            for number in 0..<calls {
                group.addTask {
                    do {
                        _ = try await store.commit(changes(number), epoch: epoch)
                        return (number, nil)
                    } catch { return (number, error as? JobError) }
                }
            }
            while store.waitingCalls < calls { await Task.yield() }
            gate.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        _ = try await first
        return (store, failures, store.commitCount - before, directory)
    }

    @Test("64 calls that wait for a commit make one commit, and are all there")
    func oneCommit() async throws {
        let result = try await gathered({ [JobChange(expected: .absent, job: sampleJob("job\($0)"))] }, calls: 64)
        #expect(result.failures.isEmpty)
        #expect(result.commits == 2)
        #expect(Set(try await result.store.allIDs()) == Set((0..<64).map { "job\($0)" } + ["first"]))
        try await result.store.close()
    }

    @Test("a group has no more changes than the limit, except for a single larger call")
    func bounded() async throws {
        let result = try await gathered(
            { call in
                (0..<(call == 0 ? 25 : 5)).map { JobChange(expected: .absent, job: sampleJob("job\(call).\($0)")) }
            }, calls: 13, limit: 20)
        #expect(result.failures.isEmpty)
        // The first alone, the large one alone, and twelve of five changes by fours; where the large one stands can cut
        // one group in two.
        #expect((5...6).contains(result.commits), "\(result.commits)")
        #expect(try await result.store.allIDs().count == 1 + 25 + 60)
        try await result.store.close()
    }

    @Test(
        "a call that fails after its first change leaves nothing behind, and the others of its group are committed together"
    )
    func failsAlone() async throws {
        let result = try await gathered(
            { number in
                let own = JobChange(expected: .absent, job: sampleJob("job\(number)"))
                return number % 8 == 5 ? [own, JobChange(expected: .absent, job: sampleJob("taken"))] : [own]
            }, calls: 64, prepare: [sampleJob("taken")])
        #expect(Set(result.failures.keys) == Set(stride(from: 5, to: 64, by: 8)))
        #expect(result.failures.values.allSatisfy { $0.code == .conflict })
        #expect(result.commits == 2)
        let expected = (0..<64).filter { $0 % 8 != 5 }.map { "job\($0)" }
        #expect(Set(try await result.store.allIDs()) == Set(expected + ["first", "taken"]))
        try await result.store.close()
    }

    @Test("a change that breaks the state machine is refused by name, alone")
    func namedConstraint() async throws {
        let result = try await gathered(
            { number in
                var job = sampleJob("job\(number)")
                if number == 3 { job.state = .finished }
                return [JobChange(expected: .absent, job: job)]
            }, calls: 8)
        #expect(result.failures.keys.sorted() == [3])
        #expect(result.failures[3]?.code == .invalid)
        #expect(result.failures[3]?.message.contains("job_final_has_nothing_to_come") == true)
        try await result.store.close()
    }

    @Test("lists are read while a commit is held up")
    func readersDoNotWait() async throws {
        let directory = try Directory()
        let gate = Gate()
        var configuration = SQLiteStore.Configuration()
        configuration.beforeCommit = { gate.pass() }
        let store = SQLiteStore(path: directory.file(), configuration: configuration)
        let epoch = try await store.open()
        try await store.add(sampleJob("a"), epoch)
        gate.close()
        async let late = store.add(sampleJob("b"), epoch)
        await gate.untilHolding()
        #expect(try await store.allIDs() == ["a"])
        gate.open()
        _ = try await late
        #expect(try await store.allIDs() == ["a", "b"])
        try await store.close()
    }

    @Test("closing answers everybody who came before, and turns away whoever comes later")
    func closing() async throws {
        let directory = try Directory()
        let gate = Gate()
        var configuration = SQLiteStore.Configuration()
        configuration.beforeCommit = { gate.pass() }
        let store = SQLiteStore(path: directory.file(), configuration: configuration)
        let epoch = try await store.open()
        gate.close()
        async let first = store.add(sampleJob("a"), epoch)
        await gate.untilHolding()
        async let second = store.add(sampleJob("b"), epoch)
        while store.waitingCalls < 1 { await Task.yield() }
        async let closed: Void = store.close()
        gate.open()
        _ = try await (first, second, closed)
        try await expectError(.closed) { try await store.add(sampleJob("c"), epoch) }
        try await expectError(.closed) { _ = try await store.jobs(JobQuery()) }
        _ = try await store.open()
        #expect(try await store.allIDs() == ["a", "b"])
        try await store.close()
    }
}
