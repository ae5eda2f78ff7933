#if Postgres && SQLite
    import ApusJobs
    @testable import ApusPostgres
    import ApusSQLite
    import ApusVirtualTime
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    @Suite("Copies of a store")
    struct CopyTests {
        /// The whole contents of a store, read through the protocol.
        struct Contents: Equatable {
            var clock: StoreClock?
            var queues: [JobQueue]
            var lastKey: Int64
            var lastSubmission: Int64
            var jobs: [Job] = []
            var open: [StoredRun] = []
            var runs: [StoredRun] = []
            var submissions: [StoredSubmission] = []
        }

        func contents(_ place: any CopyableStore) async throws -> Contents {
            let reader = try await place.beginReading()
            let header = try await reader.header()
            var all = Contents(
                clock: header.clock, queues: header.queues, lastKey: header.lastKey,
                lastSubmission: header.lastSubmission)
            // Pages are small, so that there are several.
            while case let page = try await reader.jobs(after: all.jobs.last?.key ?? 0, limit: 7), !page.isEmpty {
                all.jobs += page.map(\.job)
                all.open += page.flatMap(\.open)
            }
            while case let page = try await reader.runs(after: all.runs.last?.sequence ?? 0, limit: 7), !page.isEmpty {
                all.runs += page
            }
            all.submissions = try await reader.submissions(after: 0, limit: 100)
            try await reader.finish()
            return all
        }

        func fill(_ path: String, seed: UInt64, jobs: Int = 60) async throws {
            let (time, random) = (VirtualTime(), RandomStore(seed: seed))
            let store = SQLiteStore(path: path, configuration: .init(time: time))
            let session = try await store.open(as: NodeID(rawValue: "source"))
            let results = try await store.commit(
                StoreTurn(
                    parts: random.changes(jobs).map { [$0] }, clock: RandomStore.clock, queues: random.queues()),
                in: session)
            // Some of the jobs are refused because their unique payloads exist already. Twenty of the others are
            // changed once more.
            let stored = results.compactMap { try? $0.get()[0] }
            #expect(stored.count > jobs / 2)
            let more = stored.prefix(20).map { job in
                var job = job
                job.missedCount += 1
                return [JobChange(expected: .version(job.version), job: job)]
            }
            _ = try await store.commit(StoreTurn(parts: more, clock: RandomStore.clock), in: session)
            // Three jobs are submitted, and a scheduler has taken the first.
            let requests = random.changes(3).map(\.job.request)
            try await DatabaseQueue(path: path).write { db in
                for request in requests {
                    try db.execute(
                        sql: "INSERT INTO apus_submission (submitted, request) VALUES (?, ?)",
                        arguments: [7, String(decoding: try JobJSON.encode(request), as: UTF8.self)])
                }
                try db.execute(sql: "DELETE FROM apus_submission WHERE sequence = 1")
            }
            try await store.close(session)
        }

        private func copy(_ source: any CopyableStore, _ target: any CopyableStore) async throws -> [StoreCopy.Table] {
            try await StoreCopy(from: source, to: target).run { _ in }
        }

        func error(_ body: () async throws -> Void) async -> JobError? {
            do { try await body() } catch { return error as? JobError }
            return nil
        }

        @Test("a copy to PostgreSQL and back is complete, table by table", arguments: [1, 2, 3] as [UInt64])
        func thereAndBack(seed: UInt64) async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let (first, last) = (
                        CopyableSQLiteStore(path: "\(folder)/a.db"), CopyableSQLiteStore(path: "\(folder)/b.db")
                    )
                    try await fill("\(folder)/a.db", seed: seed)
                    let tables = try await copy(first, CopyablePostgresStore(database))
                    #expect(tables.allSatisfy { $0.source == $0.target })
                    let again = try await copy(CopyablePostgresStore(database), last)
                    #expect(tables == again)
                    var (source, there, back) = (
                        try await contents(first), try await contents(CopyablePostgresStore(database)),
                        try await contents(last)
                    )
                    #expect(source.jobs.count == tables[1].source.rows && !source.open.isEmpty && !source.runs.isEmpty)
                    #expect(there.jobs == back.jobs && there.open == back.open && there.runs == back.runs)
                    #expect(there.submissions.map(\.command) == back.submissions.map(\.command))
                    #expect(source.submissions.map(\.sequence) == [2, 3] && source.lastSubmission == 3)
                    let shards = there.submissions.compactMap(\.shard?.rawValue)
                    #expect(shards.count == 2 && shards.allSatisfy((0...255).contains))
                    // PostgreSQL cannot store U+0000, so it is replaced in the contents that are compared.
                    source.replaceNulls()
                    for index in there.submissions.indices { there.submissions[index].shard = nil }
                    there.replaceNulls()
                    #expect(source == there)
                }
            }
        }

        @Test("a copy between databases keeps jobs in their shards")
        func shards() async throws {
            try await withFolder { folder in
                try await withDatabase { one in
                    try await withDatabase { other in
                        try await fill("\(folder)/a.db", seed: 4)
                        _ = try await copy(CopyableSQLiteStore(path: "\(folder)/a.db"), CopyablePostgresStore(one))
                        try await withConnection(one) {
                            try await $0.run("UPDATE apus.job SET shard = 255 - shard")
                            try await $0.run("UPDATE apus.wake SET shard = 255 - shard")
                        }
                        try await withConnection(one) { connection in
                            try await connection.run(
                                """
                                SELECT apus.submit('{"id": "tea", "trigger": {"name": "after", "delayNanoseconds": 0}}')
                                """,
                                """
                                INSERT INTO apus.submission (shard, submitted, command, sender, call)
                                VALUES (9, 5, '{"command": "cancel", "job": "job-1"}', 1, 1)
                                """)
                        }
                        _ = try await copy(CopyablePostgresStore(one), CopyablePostgresStore(other))
                        let file = await error {
                            _ = try await copy(CopyablePostgresStore(one), CopyableSQLiteStore(path: "\(folder)/b.db"))
                        }
                        #expect(file?.message.contains("a command of another node") == true)
                        let rows = "SELECT string_agg(key || ':' || shard, ' ' ORDER BY key) FROM "
                        for table in ["apus.job", "(SELECT DISTINCT key, shard FROM apus.wake) AS w"] {
                            let expected = try await withConnection(one) {
                                try await $0.value(rows + table, as: String.self)
                            }
                            let found = try await withConnection(other) {
                                try await $0.value(rows + table, as: String.self)
                            }
                            #expect(found == expected)
                        }
                        let (a, b) = (
                            try await contents(CopyablePostgresStore(one)),
                            try await contents(CopyablePostgresStore(other))
                        )
                        #expect(a == b)
                    }
                }
            }
        }

        @Test("a scheduler over the copy continues with the next occurrence, and new jobs get later keys")
        func continues() async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let (path, file) = ("\(folder)/a.db", CopyableSQLiteStore(path: "\(folder)/a.db"))
                    try await repeatingJob(path)
                    let keys = try await contents(file).lastKey
                    _ = try await copy(file, CopyablePostgresStore(database))
                    try await expectNext(5, key: keys + 1, in: PostgresStore(patient: database))
                    let back = "\(folder)/b.db"
                    _ = try await copy(CopyablePostgresStore(database), CopyableSQLiteStore(path: back))
                    try await expectNext(6, key: keys + 2, in: SQLiteStore(path: back))
                }
            }
        }

        /// Creates an hourly job whose first four occurrences have ended and whose fifth is due.
        private func repeatingJob(_ path: String) async throws {
            let store = SQLiteStore(path: path)
            let session = try await store.open(as: NodeID(rawValue: "source"))
            let now = SystemTime().wall()
            let anchor = now.advanced(by: .zero - .seconds(4 * 3_600 + 1))
            let due = anchor.advanced(by: .seconds(4 * 3_600))
            let job = Job(
                request: JobRequest(id: "hourly", trigger: .every(.seconds(3_600), anchoredAt: anchor)),
                created: anchor,
                updated: anchor, firstDue: anchor, nextOccurrence: 5, nextDue: due, occurrenceCount: 4, wake: due)
            let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
            _ = try await store.commit(
                StoreTurn(parts: [[JobChange(expected: .absent, job: job)]], clock: clock), in: session)
            try await store.close(session)
        }

        private func expectNext(_ occurrence: Int, key: Int64, in store: any JobStore) async throws {
            let scheduler = JobScheduler(store: store)
            let (runs, continuation) = AsyncStream<Int>.makeStream()
            scheduler.register("hourly") { context in continuation.yield(context.occurrence) }
            try await scheduler.start()
            if occurrence == 6 { try await scheduler.runNow("hourly") }
            let first = await runs.first { _ in true }
            // The sixth occurrence is due only in an hour; in its place the test begins a manual run, whose number is
            // not positive.
            #expect(occurrence == 5 ? first == 5 : first! <= 0)
            let new = try await scheduler.submit(
                JobRequest(id: JobID("new-\(occurrence)"), trigger: .after(.seconds(3_600))))
            #expect(new.key == key)
            await scheduler.stop(grace: nil)
            let session = try await store.open(as: NodeID(rawValue: "test"))
            #expect(try await store.job("hourly")?.job.nextOccurrence == 6)
            try await store.close(session)
        }

        @Test("a target with jobs is refused, and so is a source in use, naming its owner")
        func refused() async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let source = CopyableSQLiteStore(path: "\(folder)/a.db")
                    try await fill("\(folder)/a.db", seed: 5, jobs: 5)
                    _ = try await copy(source, CopyablePostgresStore(database))
                    let again = await error { _ = try await copy(source, CopyablePostgresStore(database)) }
                    #expect(again?.code == .alreadyExists)
                    let back = await error { _ = try await copy(CopyablePostgresStore(database), source) }
                    #expect(back?.code == .alreadyExists)
                    let missing = await error {
                        _ = try await copy(CopyableSQLiteStore(path: "\(folder)/none.db"), source)
                    }
                    #expect(missing?.code == .notFound)
                    let store = PostgresStore(patient: database)
                    let session = try await store.open(as: NodeID(rawValue: "node seven"))
                    let owned = await error {
                        _ = try await copy(CopyablePostgresStore(database), CopyableSQLiteStore(path: "\(folder)/c.db"))
                    }
                    #expect(owned?.code == .owned)
                    #expect(owned?.message.contains("node seven") == true)
                    try await store.close(session)
                    let file = SQLiteStore(path: "\(folder)/a.db", configuration: .init(ownerName: "app seven"))
                    let fileSession = try await file.open(as: NodeID(rawValue: "x"))
                    let locked = await error { _ = try await contents(source) }
                    #expect(locked?.code == .owned)
                    #expect(locked?.message.contains("app seven") == true)
                    try await file.close(fileSession)
                }
            }
        }

        @Test("no node opens an interrupted copy, and the next copy begins anew")
        func interrupted() async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let source = CopyableSQLiteStore(path: "\(folder)/a.db")
                    try await fill("\(folder)/a.db", seed: 6)
                    let reader = try await source.beginReading()
                    let writer = try #require(
                        try await CopyablePostgresStore(database).beginWriting() as? PostgresCopyWriter)
                    try await writer.add(try await reader.header())
                    try await writer.add(try await reader.jobs(after: 0, limit: 10))
                    let second = await error { _ = try await CopyablePostgresStore(database).beginWriting() }
                    #expect(second?.message.contains("another copy") == true)
                    // The end of the copying process would close the connection in the same way.
                    await writer.connection.close()
                    try await reader.finish()
                    let opened = await error {
                        _ = try await PostgresStore(patient: database).open(as: NodeID(rawValue: "node"))
                    }
                    #expect(opened?.code == .conflict)
                    let read = await error { _ = try await contents(CopyablePostgresStore(database)) }
                    #expect(read?.code == .conflict)
                    let tables = try await copy(source, CopyablePostgresStore(database))
                    #expect(tables[1].target.rows > 10)
                    let store = PostgresStore(patient: database)
                    try await store.close(try await store.open(as: NodeID(rawValue: "node")))
                }
            }
        }

        @Test("a copy whose source was opened by another node meanwhile is not completed")
        func takenMeanwhile() async throws {
            try await withDatabase { database in
                let store = PostgresStore(patient: database)
                try await store.close(try await store.open(as: NodeID(rawValue: "node")))
                let reader = try await CopyablePostgresStore(database).beginReading()
                try await withConnection(database) {
                    try await $0.run("UPDATE apus.shard SET epoch = epoch + 1, node = NULL WHERE id = 17")
                }
                let finished = await error { try await reader.finish() }
                #expect(finished?.code == .notOwner)
            }
        }

        @Test("a copy that differs from its source empties its target again")
        func unequal() async throws {
            try await withFolder { folder in
                try await withDatabase { database in
                    let source = CopyableSQLiteStore(path: "\(folder)/a.db")
                    try await fill("\(folder)/a.db", seed: 7)
                    let store = PostgresStore(patient: database)
                    try await store.close(try await store.open(as: NodeID(rawValue: "node")))
                    try await withConnection(database) {
                        try await $0.run(
                            """
                            CREATE FUNCTION public.forge() RETURNS trigger LANGUAGE plpgsql AS
                            $$ BEGIN new.missed := new.missed + 1; RETURN new; END $$
                            """,
                            "CREATE TRIGGER forge BEFORE INSERT ON apus.job FOR EACH ROW EXECUTE FUNCTION public.forge()"
                        )
                    }
                    let found = await error { _ = try await copy(source, CopyablePostgresStore(database)) }
                    #expect(found?.code == .damaged)
                    #expect(found?.message.contains("differs from the source in its jobs") == true)
                    let left = try await contents(CopyablePostgresStore(database))
                    #expect(left.jobs.isEmpty && left.open.isEmpty && left.runs.isEmpty && left.queues.isEmpty)
                }
            }
        }
    }

    extension CopyTests.Contents {
        mutating func replaceNulls() {
            for index in runs.indices {
                runs[index].run.reason = runs[index].run.reason?.replacing("\0", with: "\u{FFFD}")
                let message = runs[index].run.progress?.message
                runs[index].run.progress?.message = message?.replacing("\0", with: "\u{FFFD}")
            }
        }
    }
#endif
