#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusJobsTesting
    import ApusTimers
    import PostgresTestServer
    import Testing

    @Suite("The PostgreSQL store's conformance")
    struct StoreConformanceTests {
        /// Runs the check with a schema of one database for each store, and drops the schemas at the end.
        private func run(_ check: StoreCheck, submit: StoreFactory.Submit? = nil) async throws {
            let server = try await PostgresServer.shared.value.configuration
            let stores = Locked<[PostgresStore]>([])
            let names = Locked<[ObjectIdentifier: String]>([:])
            @Sendable func open(_ name: String) throws -> PostgresStore {
                var configuration = server
                configuration.connectTimeout = .seconds(60)
                configuration.schemaName = try SchemaName(name)
                let store = PostgresStore(patient: configuration)
                stores.withLock { $0.append(store) }
                names.withLock { $0[ObjectIdentifier(store)] = name }
                return store
            }
            let result = await Result {
                try await check.run(
                    makeStore: { try open(uniqueName("store")) },
                    reopen: { old in
                        let old = old as! PostgresStore
                        // This stands for a new process. The old store's connections are closed, as at the end of a
                        // process, and a new store is opened.
                        await old.disconnect()
                        return try open(names.withLock { $0[ObjectIdentifier(old)]! })
                    }, submit: submit)
            }
            for store in stores.withLock({ $0 }) { await store.disconnect() }
            for name in Set(names.withLock(\.values)) {
                try await withConnection { try await $0.run("DROP SCHEMA IF EXISTS \(name) CASCADE") }
            }
            try result.get()
        }

        @Test("the PostgreSQL store passes every check of the conformance suite", arguments: StoreConformance.checks)
        func conforms(_ check: StoreCheck) async throws { try await run(check) }

        @Test(
            "the PostgreSQL store passes the conformance checks for applications' transactions",
            arguments: StoreConformance.submissionChecks)
        func submissions(_ check: StoreCheck) async throws {
            try await run(check) { store, request, now in
                try await (store as! PostgresStore).submit(request, at: now)
            }
        }
    }

    extension Result where Failure == any Error {
        fileprivate init(_ body: () async throws -> Success) async {
            do { self = .success(try await body()) } catch { self = .failure(error) }
        }
    }
#endif
