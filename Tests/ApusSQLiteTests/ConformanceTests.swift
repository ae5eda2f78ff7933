#if SQLite
    import ApusJobs
    import ApusJobsTesting
    import ApusSQLite
    import ApusTimers
    import ApusVirtualTime
    import GRDB
    import Testing

    @Suite("The SQLite store's conformance")
    struct ConformanceTests {
        @Test(
            "the SQLite store passes every check of the conformance suite", arguments: StoreConformance.checks,
            StorePlace.allCases)
        func conforms(_ check: StoreCheck, _ place: StorePlace) async throws {
            let directory = try Directory()
            let files = Counter()
            try await check.run(
                makeStore: { try place.store(directory.file("\(files.next()).db")) },
                reopen: { try place.store(($0 as! SQLiteStore).path) })
        }

        @Test(
            "the SQLite store passes the conformance checks for applications' transactions",
            arguments: StoreConformance.submissionChecks, StorePlace.allCases)
        func submissions(_ check: StoreCheck, _ place: StorePlace) async throws {
            let directory = try Directory()
            let files = Counter()
            let time = VirtualTime()
            @Sendable func store(_ path: String) throws -> SQLiteStore {
                try place.store(path, configuration: .init(time: time))
            }
            try await check.run(
                makeStore: { try store(directory.file("\(files.next()).db")) },
                reopen: { try store(($0 as! SQLiteStore).path) },
                submit: { store, request, now in
                    time.moveWallOnly(by: time.wall().duration(to: now))
                    let store = store as! SQLiteStore
                    try foreignConnection(store.path).inTransaction { db in
                        try store.submit(request, in: db)
                        return .commit
                    }
                })
        }

        @Test("a store with relaxed durability passes the conformance checks")
        func relaxed() async throws {
            let directory = try Directory()
            for check in StoreConformance.checks.prefix(5) {
                let files = Counter()
                try await check.run(
                    makeStore: {
                        SQLiteStore(
                            path: directory.file("\(files.next()).db"), configuration: .init(durability: .relaxed))
                    },
                    reopen: { $0 })
                _ = files
                try removeAll(in: directory)
            }
        }
    }
#endif
