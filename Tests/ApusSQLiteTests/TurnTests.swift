#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import GRDB
    import Synchronization
    import Testing

    /// A gate that blocks the writer's thread before each commit while the gate is closed.
    final class Gate: Sendable {
        private let isClosed = Atomic(false)
        private let isHolding = Atomic(false)

        func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }
        func open() { isClosed.store(false, ordering: .sequentiallyConsistent) }

        /// Blocks the writer's thread while the gate is closed, as a slow disk would.
        ///
        /// The thread spins, so it needs no clock.
        func pass() {
            while isClosed.load(ordering: .sequentiallyConsistent) {
                isHolding.store(true, ordering: .sequentiallyConsistent)
            }
            isHolding.store(false, ordering: .sequentiallyConsistent)
        }

        func untilHolding() async { while !isHolding.load(ordering: .sequentiallyConsistent) { await Task.yield() } }
    }

    @Suite("Turns of many parts")
    struct TurnTests {
        /// Opens a store whose commits can be blocked, and adds the job `taken` to it.
        private func opened(
            _ directory: Directory, _ gate: Gate = Gate()
        ) async throws -> (SQLiteStore, StoreSession) {
            FileFaults.install()
            var configuration = SQLiteStore.Configuration()
            configuration.beforeCommit = { gate.pass() }
            let store = SQLiteStore(path: directory.file(), configuration: configuration)
            let session = try await store.open()
            try await store.add(sampleJob("taken"), session)
            return (store, session)
        }

        @Test("refused parts of a turn write nothing, and the others share one commit and one sync")
        func failAlone() async throws {
            let directory = try Directory()
            let (store, session) = try await opened(directory)
            let log = store.path + "-wal"
            let before = (try await store.commitCount(), FileFaults.syncs(of: log))
            let results = try await store.commit(
                (0..<64).map { number in
                    let own = adding(sampleJob("job\(number)"))
                    return number % 8 == 5 ? [own, adding(sampleJob("taken"))] : [own]
                }, session)
            let failed = results.indices.filter { if case .failure = results[$0] { true } else { false } }
            #expect(failed == Array(stride(from: 5, to: 64, by: 8)))
            for index in failed { #expect(throws: JobError.self) { try results[index].get() } }
            #expect(try await store.commitCount() - before.0 == 1)
            #expect(FileFaults.syncs(of: log) - before.1 == 1)
            let expected = ["taken"] + (0..<64).filter { $0 % 8 != 5 }.map { "job\($0)" }
            #expect(try await store.allIDs() == expected)
            try await store.close(session)
        }

        @Test("while another program holds the file's lock, a turn of many parts waits once for the busy timeout")
        func waitsOnce() async throws {
            let directory = try Directory()
            let (store, session) = try await opened(directory)
            let other = try foreignConnection(store.path)
            try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let parts = (0..<50).map { [adding(sampleJob("job\($0)"))] }
            let waited = await FileFaults.withoutRealSleep {
                _ = try? await store.commit(parts, session)
            }
            // SQLite divides the timeout into many small sleeps of the thread that begins the transaction.
            #expect(waited == .seconds(5))
            #expect(try await store.allIDs() == ["taken"])
            try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            #expect(try await store.commit(parts, session).count == 50)
            #expect(try await store.allIDs().count == 51)
            try await store.close(session)
        }

        @Test("only a part that breaks the state machine is refused, by name")
        func namedConstraint() async throws {
            let directory = try Directory()
            let (store, session) = try await opened(directory)
            let results = try await store.commit(
                (0..<8).map { number in
                    var job = sampleJob("job\(number)")
                    if number == 3 { job.state = .finished }
                    return [adding(job)]
                }, session)
            for (number, result) in results.enumerated() {
                guard number == 3 else {
                    #expect(try result.get()[0].id.rawValue == "job\(number)")
                    continue
                }
                let error = #expect(throws: JobError.self) { try result.get() }
                #expect(error?.code == .invalid)
                #expect(error?.message.contains("job_final_has_nothing_to_come") == true)
            }
            try await store.close(session)
        }

        @Test("an identifier with a tilde is an ordinary one: replacing `a` twice leaves the user's `a~1` alone")
        func tilde() async throws {
            let directory = try Directory()
            let (store, session) = try await opened(directory)
            let own = try await store.add(sampleJob("a~1"), session)
            var live = try await store.add(sampleJob("a"), session)
            for _ in 0..<2 {
                var ended = live
                (ended.state, ended.nextDue, ended.bookkeeping.wake) = (.cancelled, nil, nil)
                let end = JobChange(expected: .version(ended.version), job: ended)
                live = try await store.commit([[end, adding(sampleJob("a"))]], session)[0].get()[1]
            }
            #expect(try await store.allIDs() == ["taken", "a~1", "a", "a", "a"])
            #expect(try await store.job(JobID("a~1"))?.job == own)
            #expect(try await store.job(JobID("a"))?.job == live)
            try await store.close(session)
        }

        @Test("lists can be read while a commit is blocked")
        func readersDoNotWait() async throws {
            let directory = try Directory()
            let gate = Gate()
            let (store, session) = try await opened(directory, gate)
            gate.close()
            async let late = store.add(sampleJob("b"), session)
            await gate.untilHolding()
            #expect(try await store.allIDs() == ["taken"])
            gate.open()
            _ = try await late
            #expect(try await store.allIDs() == ["taken", "b"])
            try await store.close(session)
        }

        @Test("closing answers the turn in progress and refuses later turns")
        func closing() async throws {
            let directory = try Directory()
            let gate = Gate()
            let (store, session) = try await opened(directory, gate)
            gate.close()
            async let first = store.add(sampleJob("a"), session)
            await gate.untilHolding()
            async let closed: Void = store.close(session)
            gate.open()
            _ = try await (first, closed)
            try await expectError(.closed) { try await store.add(sampleJob("c"), session) }
            try await expectError(.closed) { _ = try await store.jobs(JobQuery()) }
            let again = try await store.open()
            #expect(try await store.allIDs() == ["taken", "a"])
            try await store.close(again)
        }
    }
#endif
