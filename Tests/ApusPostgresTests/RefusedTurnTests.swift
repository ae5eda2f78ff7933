#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("Turns of which the database refuses parts")
    struct RefusedTurnTests {
        private static func change(_ number: Int, isKept: Bool) throws -> JobChange {
            let now = SystemTime().wall()
            let request = JobRequest(
                id: JobID("job-\(number)"), kind: "k", trigger: .at(now.advanced(by: .seconds(86_400))))
            var job = try JobMachine.submitted(request, now: now, in: SystemTimeZones()).job
            // The payload is longer than the table accepts.
            if !isKept { job.request.payload = Array(repeating: 0, count: 65_537) }
            return JobChange(expected: .absent, job: job)
        }

        @Test("each part is written only a few times, however many are refused, and valid parts are kept")
        func manyRefused() async throws {
            try await withDatabase { configuration in
                let database = Database(configuration: configuration)
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                let parts = try (0..<64).map { [try Self.change($0, isKept: $0 % 4 != 3)] }
                let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
                let before = try await Self.lastKey(in: database)
                let results = try await store.commit(StoreTurn(parts: parts, clock: clock), in: session)
                for (number, result) in results.enumerated() {
                    switch result {
                    case .success(let jobs): #expect(number % 4 != 3 && jobs.map(\.key) != [0])
                    case .failure(let error): #expect(number % 4 == 3 && error.code == .invalid)
                    }
                }
                // Each attempt to write a job takes a key. The whole turn is attempted first, then halves of it, then
                // quarters, and so on.
                #expect(try await Self.lastKey(in: database) - before <= 64 * 8)
                #expect(try await database.value("SELECT count(*) FROM apus.job", as: Int64.self) == 48)
                // The keys in the answers are those of the stored rows.
                let found = try await store.load([.id("job-0"), .id("job-62"), .id("job-63")])
                for (index, number) in [0, 62].enumerated() {
                    #expect(try found[index]?.job.key == results[number].get()[0].key)
                }
                #expect(found[2] == nil)
                try await store.close(session)
            }
        }

        @Test("a part can be refused because of an earlier accepted part, and not because of a refused one")
        func order() async throws {
            try await withDatabase { configuration in
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
                let parts = [
                    [try Self.change(1, isKept: true)], [try Self.change(2, isKept: false)],
                    [try Self.change(1, isKept: true)], [try Self.change(2, isKept: true)],
                ]
                let results = try await store.commit(StoreTurn(parts: parts, clock: clock), in: session)
                let codes = results.map { result -> JobError.Code? in
                    if case .failure(let error) = result { error.code } else { nil }
                }
                #expect(codes == [nil, .invalid, .conflict, nil])
                try await store.close(session)
            }
        }

        private static func lastKey(in database: Database) async throws -> Int64 {
            try await database.value(
                "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM apus.job_key", as: Int64.self)
        }
    }
#endif
