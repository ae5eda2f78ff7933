#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Testing

    /// After a failed sync the store reopens the file and rewrites its log.
    ///
    /// The kernel may report success for pages that it has dropped, so no later write over the same connection can be
    /// trusted.
    @Suite("A disk that fails to sync", .serialized)
    struct SyncFailureTests {
        /// A kind of write that a scheduler makes.
        enum Write: CaseIterable {
            case job, clock, retirement, ownership
        }

        @Test(
            "after a failed sync every kind of write is refused until the log is rewritten and synced",
            arguments: Write.allCases, StorePlace.allCases)
        func latch(_ write: Write, _ place: StorePlace) async throws {
            FileFaults.install()
            let directory = try Directory()
            let store = try place.store(directory.file())
            let session = try await store.open()
            var old = sampleJob("old")
            (old.state, old.nextDue, old.bookkeeping.wake) = (.finished, nil, nil)
            old.keptUntil = old.updated
            try await store.add(old, session)
            let log = store.path + "-wal"
            try await FileFaults.failingSyncs(of: log) {
                let error = try await expectError(.unavailable) { try await store.add(sampleJob("a"), session) }
                #expect(error.message.contains("until the file is opened again"))
                // The log cannot be synced and keeps its contents.
                try await expectError(.unavailable) { try await self.perform(write, store, session) }
                try await expectError(.unavailable) { _ = try await store.allIDs() }
            }
            // The disk reports success again.
            let syncs = FileFaults.syncs(of: store.path)
            let current = try await perform(write, store, session)
            #expect(FileFaults.syncs(of: store.path) > syncs, "the file was not written anew")
            try await store.add(sampleJob("c"), current)
            let found = Set(try await store.allIDs()).subtracting(["b", "old"])
            // The fate of the job whose sync failed is unknown.
            #expect(found == ["c"] || found == ["a", "c"])
            try await store.close(current)
            let again = try await store.open()
            #expect(Set(try await store.allIDs()).isSuperset(of: found))
            try await store.close(again)
        }

        /// Performs a write.
        ///
        /// - Returns: the session that may write after this write.
        @discardableResult
        private func perform(
            _ write: Write, _ store: SQLiteStore, _ session: StoreSession
        ) async throws -> StoreSession {
            switch write {
            case .job: try await store.add(sampleJob("b"), session)
            case .clock: _ = try await store.commit([], session, clock: sampleClock(setBy: .seconds(9)))
            case .retirement:
                _ = try await store.retire(
                    keptUntil: .init(nanoseconds: .max), refusedBefore: .init(nanoseconds: .max), budget: 9, in: session
                )
            case .ownership: return try await store.open()
            }
            return session
        }

        @Test("no other process can take the file while it is reopened")
        func lockKept() async throws {
            FileFaults.install()
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await FileFaults.failingSyncs(of: store.path + "-wal") {
                try await expectError(.unavailable) { try await store.add(sampleJob("a"), session) }
                try await expectError(.unavailable) { try await store.add(sampleJob("b"), session) }
                try await expectError(.owned) { _ = try await SQLiteStore(path: store.path).open() }
            }
            try await store.add(sampleJob("c"), session)
            try await expectError(.owned) { _ = try await SQLiteStore(path: store.path).open() }
            try await store.close(session)
        }

        @Test(
            "a scheduler reports a failing disk and continues without a restart when the disk works again",
            arguments: StorePlace.allCases)
        func scheduler(_ place: StorePlace) async throws {
            FileFaults.install()
            let directory = try Directory()
            let store = try place.store(directory.file())
            let scheduler = JobScheduler(store: store)
            let later = Trigger.after(.seconds(86_400))
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            scheduler.register("waits") { _ in for await _ in ended {} }
            try await scheduler.start()
            try await scheduler.submit(JobRequest(id: "running", kind: "waits", trigger: .after(.zero)))
            while try await scheduler.openRuns(of: "running").first?.state != .running { await Task.yield() }
            try await FileFaults.failingSyncs(of: store.path + "-wal") {
                try await expectError(.unavailable) {
                    _ = try await scheduler.submit(JobRequest(id: "a", kind: "waits", trigger: later))
                }
                #expect(scheduler.storeOutage?.error.code == .unavailable)
                end.finish()
            }
            while scheduler.storeOutage != nil { await Task.yield() }
            while try await scheduler.job("running")?.state != .finished { await Task.yield() }
            #expect(try await scheduler.runs(RunQuery(jobID: "running")).runs.map(\.state) == [.succeeded])
            try await scheduler.submit(JobRequest(id: "b", kind: "waits", trigger: later))
            await scheduler.stop(grace: .zero)
        }
    }
#endif
