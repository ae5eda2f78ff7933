#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    /// `apus.submit` refuses in the caller's transaction what no scheduler would take.
    @Suite("The function with which applications submit")
    struct SubmitFunctionTests {
        /// The changes to a request, with the errors that they cause.
        private static let refused: [(change: String, message: String)] = [
            (#"{"id": null}"#, "id: is missing"),
            (#"{"trigger": null}"#, "trigger: is missing"),
            (#"{"trigger": {"name": "afterr", "delayNanoseconds": 0}}"#, #"trigger.name: "afterr" is not one of at, "#),
            (#"{"trigger": {"name": "after"}}"#, "trigger.delayNanoseconds: is missing"),
            (#"{"trigger": {"name": "after", "delayNanoseconds": 1e20}}"#, "delayNanoseconds: must be 0 to "),
            (#"{"trigger": {"name": "every", "intervalNanoseconds": 5}}"#, "must be 1000000 to "),
            (
                #"{"trigger": {"name": "every", "intervalNanoseconds": 1000000, "count": 9223372036854775807}}"#,
                "trigger.count: must be 1 to "
            ),
            (
                #"{"trigger": {"name": "calendar", "schedule": "0 9 * * *", "timeZone": "UTC"}}"#,
                "schedule: must be an object"
            ),
            (#"{"kindd": "mail"}"#, "kindd: is no field here; the fields are "),
            (#"{"policies": {"maxAttempts": 5}}"#, "policies.maxAttempts: is no field here"),
            (#"{"policies": {"retry": {"maximumAttempts": 0}}}"#, "retry.maximumAttempts: must be 1 to "),
            (#"{"policies": {"retry": {"jitter": 2}}}"#, "retry.jitter: must be 0 to 1"),
            (#"{"policies": {"missedRuns": {"name": "runAll", "limit": 1.5}}}"#, "limit: must be a whole number"),
            (#"{"policies": {"conditions": ["idle", "sun"]}}"#, "conditions: must be a list of network, "),
            (#"{"queue": "a b"}"#, "queue: must be 1 to 64 ASCII letters"),
            (#"{"priority": "highest"}"#, #"priority: "highest" is not one of low, "#),
            (#"{"labels": {"a": 1}}"#, "labels: must be an object of strings"),
            (#"{"payload": "?"}"#, "payload: must be base64"),
            (#"{"uniqueness": {"by": "payload", "withinNanoseconds": 0}}"#, "withinNanoseconds: must be 1 to "),
            (#"{"uniqueness": {"by": "payload", "key": "17"}}"#, "uniqueness.key: is no field here"),
            (#"{"uniqueness": {"by": "key"}}"#, "uniqueness.key: "),
            (#"{"uniqueness": {"by": "key", "key": ""}}"#, "uniqueness.key: must be 1 to 1020 bytes"),
        ]

        private static let long: [(field: String, sql: String, message: String)] = [
            ("id", "repeat('x', 256)", "id: must be 1 to 255 bytes, not 256"),
            ("name", "repeat('é', 3200)", "name: must be 1 to 1020 bytes, not 6400"),
            ("kind", "repeat('x', 9000)", "kind: must be 1 to 255 bytes, not 9000"),
            ("payload", "encode(repeat('x', 70000)::bytea, 'base64')", "payload: must be at most 65536 bytes"),
            ("labels", "jsonb_build_object('a', repeat('x', 9000))", "labels: must be at most 8192 bytes"),
        ]

        private static let request =
            #"{"id": "mail", "kind": "k", "trigger": {"name": "after", "delayNanoseconds": 0}}"#

        @Test("an invalid request is refused in the transaction, with the field and its accepted values")
        func refusals() async throws {
            try await withDatabase { configuration in
                let store = PostgresStore(patient: configuration)
                try await store.close(try await store.open(as: NodeID(rawValue: "node")))
                let cases =
                    Self.refused.map { ("'\($0.change)'::jsonb", $0.message) }
                    + Self.long.map { ("jsonb_build_object('\($0.field)', \($0.sql))", $0.message) }
                try await withConnection(configuration) { connection in
                    for (change, message) in cases {
                        let error = await postgresError {
                            try await connection.run("SELECT apus.submit('\(Self.request)'::jsonb || \(change))")
                        }
                        #expect(error?.server?.sqlState == "22023", "\(change)")
                        #expect(
                            error?.server?.message.contains(message) == true,
                            "\(change): \(String(describing: error))")
                    }
                    let count: Int64 = try await connection.value("SELECT count(*) FROM apus.submission")
                    #expect(count == 0)
                }
            }
        }

        @Test("base64 with line breaks, as PostgreSQL writes it, is accepted")
        func lineBreaks() async throws {
            try await withDatabase { configuration in
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                let payload = Array(repeating: UInt8(ascii: "x"), count: 100)
                let runs = Locked<[[UInt8]]>([])
                scheduler.register("k") { run in runs.withLock { $0.append(run.job.request.payload) } }
                try await scheduler.start()
                let database = Database(configuration: configuration)
                try await database.run(
                    """
                    SELECT apus.submit('\(Self.request)'::jsonb
                        || jsonb_build_object('payload', encode(repeat('x', 100)::bytea, 'base64')))
                    """)
                try await database.wait("it has run") { _ in !runs.withLock(\.isEmpty) }
                #expect(runs.withLock { $0 } == [payload])
                await scheduler.stop(grace: .zero)
            }
        }

        @Test("an invalid row written by another program stops only its own job")
        func poison() async throws {
            try await withDatabase { configuration in
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                let runs = Locked<Set<JobID>>([])
                scheduler.register("k") { run in runs.withLock { _ = $0.insert(run.job.id) } }
                try await scheduler.start()
                let database = Database(configuration: configuration)
                let long = "' || (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 282) AS n) || '"
                let nul = #"a\u0000b"#
                for (number, fields) in [
                    #""kind": "k", "name": "\#(long)""#, #""kind": "\#(long)""#, #""kind": "k", "name": "\#(nul)""#,
                    #""kind": "k", "labels": {"a": "\#(nul)"}"#, #""kind": "k", "metadata": {"\#(nul)": ""}"#,
                    // For a unique job, the scheduler first queries the jobs of the same kind and payload. The U+0000
                    // in the kind must not make that query fail.
                    #""kind": "\#(nul)", "uniqueness": {"by": "payload"}"#,
                ].enumerated() {
                    try await database.run(
                        """
                        INSERT INTO apus.submission (shard, submitted, command) VALUES (\(number), apus.now(),
                            '{"command": "submit", "requests": [{"id": "bad-\(number)", "trigger": \
                        {"name": "after", "delayNanoseconds": 0}, \(fields)}]}')
                        """)
                }
                try await database.run("SELECT apus.submit('\(Self.request)')")
                try await database.wait("the others are taken and refused") { connection in
                    try await connection.value(
                        "SELECT count(*) = 0 FROM apus.submission", as: Bool.self)
                        && runs.withLock { $0.contains("mail") }
                }
                #expect(runs.withLock { $0 } == ["mail"])
                await scheduler.stop(grace: .zero)
            }
        }

        @Test("a submission during the job's run runs once after it")
        func whileItRuns() async throws {
            try await withDatabase { configuration in
                let scheduler = JobScheduler(store: PostgresStore(patient: configuration))
                let (began, beginning) = AsyncStream<Int>.makeStream()
                let (end, ending) = AsyncStream<Void>.makeStream()
                scheduler.register("k") { run in
                    beginning.yield(run.occurrence)
                    for await _ in end.prefix(1) {}
                }
                try await scheduler.start()
                var runs = began.makeAsyncIterator()
                let database = Database(configuration: configuration)
                try await database.run("SELECT apus.submit('\(Self.request)')")
                let first = await runs.next()
                #expect(first == 1)
                for _ in 0..<2 { try await database.run("SELECT apus.submit('\(Self.request)')") }
                try await database.wait("they are taken") { connection in
                    try await connection.value("SELECT count(*) = 0 FROM apus.submission", as: Bool.self)
                }
                ending.yield()
                let second = await runs.next()
                #expect(second == 2)
                ending.yield()
                try await database.wait("the job has ended, after two runs") { connection in
                    try await connection.value(
                        "SELECT state = 'finished' AND occurrences = 2 FROM apus.job", as: Bool.self)
                }
                await scheduler.stop(grace: .zero)
            }
        }
    }
#endif
