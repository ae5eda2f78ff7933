#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("The schema of a store")
    struct SchemaNameTests {
        @Test(
            "statements written for the schema `apus` are rewritten for another schema, without other replacements",
            arguments: [
                ("SELECT 1 FROM apus.job AS j", #"SELECT 1 FROM "order".job AS j"#),
                ("SELECT nextval('apus.job_key')", #"SELECT nextval('"order".job_key')"#),
                ("apus.job,apus.run", #""order".job,"order".run"#),
                (#"CREATE SCHEMA "apus""#, #"CREATE SCHEMA "order""#),
                ("LISTEN apus_node_3", "LISTEN order_node_3"),
                ("c.relnamespace = 'apus'::regnamespace", "c.relnamespace = 'order'::regnamespace"),
                ("my_apus.job, apus2.job, apusd, Apus.job", "my_apus.job, apus2.job, apusd, Apus.job"),
                ("apus", "order"),
                ("", ""),
            ])
        func texts(written: String, sent: String) throws {
            #expect(try SchemaName("order").text(written) == sent)
            #expect(SchemaName.apus.text(written) == written)
        }

        @Test("a connection string or an argument names the schema, and libpq gets the rest")
        func configuration() throws {
            #expect(try PostgresConfiguration("postgres://db/jobs").schema == "apus")
            let uri = try PostgresConfiguration("postgres://db/jobs?sslmode=require&schema=app_jobs&port=5433")
            #expect(uri.schema == "app_jobs" && uri["port"] == "5433" && uri["sslmode"] == "require")
            #expect(try PostgresConfiguration("postgres://db/jobs?schema=order")["dbname"] == "jobs")
            let argument = try PostgresConfiguration("host=db dbname=jobs", schema: "app_jobs")
            #expect(argument.schema == "app_jobs" && argument["host"] == "db")
            #expect(try PostgresConfiguration("postgres://db/jobs?schema=one", schema: "two").schema == "two")
            let marked = try PostgresConfiguration("postgres://ann:a?schema=b@db/jobs?schema=one")
            #expect(marked.schema == "one" && marked["password"] == "a?schema=b")
            #expect("\(marked)".hasSuffix(" schema=one"))
        }

        @Test(
            "an ambiguous schema name is refused, and the error says what is allowed",
            arguments: [
                "", "Jobs", "1st", "pg_jobs", "a b", "a\"b", "a.b", "é", "public", String(repeating: "x", count: 33),
            ])
        func refused(name: String) async {
            let error = await postgresError { try PostgresConfiguration("postgres://db/jobs?schema=\(name)") }
            #expect(error?.code == .invalid && error?.message.contains("1 to 32 of a-z, 0-9 and _") == true)
        }

        @Test("stores with different schemas share a database without affecting each other")
        func twoSchemas() async throws {
            try await withDatabase { first in
                var second = first
                second.schemaName = try SchemaName("order")
                let database = Database(configuration: first)
                let ran = Locked<[String]>([])
                let stores = [first, second].map { PostgresStore(patient: $0) }
                let schedulers = stores.map { JobScheduler(store: $0) }
                for (scheduler, place) in zip(schedulers, ["first", "second"]) {
                    scheduler.register("mail") { run in ran.withLock { $0.append("\(place) \(run.job.id)") } }
                    try await scheduler.start()
                }
                // Each store is the only node of its cluster, so its number there is 1.
                for store in stores { #expect(try await store.nodes().map(\.id) == [1]) }
                let names = try await withConnection(first) {
                    try await $0.query(
                        """
                        SELECT DISTINCT application_name FROM pg_stat_activity
                        WHERE datname = current_database() AND application_name LIKE '% node %' ORDER BY 1
                        """
                    ).map { try $0.decode(String.self, at: 0) }
                }
                #expect(names == ["apus node 1", "apus node 1 of order"])

                for scheduler in schedulers {
                    try await scheduler.submit(JobRequest(id: "a", kind: "mail", trigger: .after(.zero)))
                }
                for scheduler in schedulers { #expect(try await scheduler.outcome(of: "a")?.state == .succeeded) }
                #expect(ran.withLock { $0.sorted() } == ["first a", "second a"])
                let statement = try stores[1].submissionStatement(
                    for: JobRequest(id: "b", kind: "mail", trigger: .after(.zero)))
                #expect(statement.hasPrefix(#"SELECT "order".submit("#))
                try await database.run(statement)
                try await database.wait("the second has taken it") { _ in try await schedulers[1].job("b") != nil }
                #expect(try await schedulers[1].outcome(of: "b")?.state == .succeeded)
                #expect(try await schedulers[0].job("b") == nil)

                // The session of the first store's node ends. The other cluster also has a node 1, whose session must
                // not count as the session of that node.
                await stores[0].disconnect()
                let witness = PostgresStore(patient: first)
                try await database.wait("node 1 of the first is silent") { _ in
                    try await witness.nodes().allSatisfy { $0.state == .silent }
                }
                #expect(try await stores[1].nodes().map(\.state) == [.alive])
                await witness.disconnect()
                for scheduler in schedulers { await scheduler.stop(grace: .zero) }
            }
        }
    }
#endif
