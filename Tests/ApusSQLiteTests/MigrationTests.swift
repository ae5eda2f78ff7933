#if SQLite
    import ApusCalendar
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    @Suite("Files of every version that was shipped")
    struct MigrationTests {
        /// Returns a store over a fixture file of an earlier version, such as a user may still have.
        private func file(_ version: Int, in directory: Directory, also sql: String = "") throws -> SQLiteStore {
            let fixture = try #require(
                Bundle.module.url(forResource: "v\(version)", withExtension: "sql", subdirectory: "Fixtures"))
            let dump = try String(contentsOf: fixture, encoding: .utf8)
            let connection = try foreignConnection(directory.file())
            try connection.inDatabase { try $0.execute(sql: dump + sql) }
            try connection.close()
            return SQLiteStore(path: directory.file())
        }

        @Test("copying a file of an earlier schema is refused with the way to migrate it, and the file stays unchanged")
        func source() async throws {
            for version in 1...9 {
                let directory = try Directory()
                _ = try file(version, in: directory)
                let before = try Data(contentsOf: URL(filePath: directory.file()))
                let error = await #expect(throws: JobError.self) {
                    _ = try await CopyableSQLiteStore(path: directory.file()).beginReading()
                }
                #expect(error?.code == .unavailable, "\(version)")
                #expect(
                    error?.message.contains("apus store migrate --store '\(directory.file())'") == true, "\(version)")
                #expect(try Data(contentsOf: URL(filePath: directory.file())) == before, "\(version)")
            }
        }

        @Test(
            "a file of an earlier schema is migrated with all its contents",
            arguments: [
                (1, [[], [], []], nil),
                (2, [[.network, .externalPower], .idle, []], nil),
                (3, [[.network, .externalPower], .idle, []], "a key"),
                (4, [[.network, .externalPower], .idle, []], "a key"),
                (5, [[.network, .externalPower], .idle, []], "a key"),
                (6, [[.network, .externalPower], .idle, []], "a key"),
                (7, [[.network, .externalPower], .idle, []], "a key"),
                (8, [[.network, .externalPower], .idle, []], "a key"),
                (9, [[.network, .externalPower], .idle, []], "a key"),
                (10, [[.network, .externalPower], .idle, []], "a key"),
                (11, [[.network, .externalPower], .idle, []], "a key"),
            ] as [(Int, [JobConditions], String?)])
        func migrates(_ version: Int, _ conditions: [JobConditions], _ key: String?) async throws {
            let directory = try Directory()
            // An application may have a view of a dropped table; SQLite fails on such a view when it reads the schema.
            let view = "CREATE TABLE gone (x TEXT); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone;"
            let store = try file(version, in: directory, also: version >= 8 ? view : "")
            let session = try await store.open()
            #expect(session.shards == [.only: StoreEpoch(rawValue: 4)])

            let page = try await store.jobs(JobQuery())
            // Before schema 4, a job that was replaced got another identifier. Such jobs keep it after the migration.
            #expect(page.jobs.map(\.id.rawValue) == ["swift", version >= 4 ? "tea" : "tea~2", "tea"])
            #expect(page.jobs.map(\.state) == [.scheduled, .cancelled, .finished])
            #expect(page.jobs.map(\.request.policies.conditions) == conditions)
            let swift = page.jobs[0]
            #expect(swift.request.idempotencyKey == key)
            #expect(swift.request.trigger == .every(.seconds(60), count: 3))
            #expect(swift.request.labels == ["a": "1", "é": "\"x\""])
            #expect(swift.request.policies.overlap == .queue(limit: 4))
            #expect(swift.request.policies.retention == (version >= 9 ? .seconds(3_600) : nil))
            let ended = try #require(page.jobs[1].keptUntil)
            #expect(version >= 9 || ended > SystemTime().wall().advanced(by: .seconds(179 * 86_400)))
            #expect(swift.request.policies.expiry == (version >= 9 ? .seconds(600) : nil))
            #expect(swift.request.fairnessKey == (version >= 10 ? "acme" : nil))
            #expect(page.jobs[1].request.uniqueness == (version >= 11 ? .key("tea") : .identifier))
            #expect(session.queues.map(\.concurrencyPerKey) == (version >= 10 ? [2] : []))
            #expect(swift.openRunCount == 1)
            #expect(page.lastRuns.map { $0?.state } == [.running, .cancelled, .succeeded])
            #expect(
                try await store.interrupted(after: 0, limit: 9, in: session).readable.map(\.job.id) == ["swift"])
            #expect(try await store.add(sampleJob("new"), session).key == 4)
            // The migrated table accepts rows of the newest schema.
            var waiting = sampleJob("waiting")
            waiting.request.policies.conditions = .externalPower
            waiting.request.idempotencyKey = "another key"
            waiting.request.fairnessKey = "é"
            waiting.request.trigger = .calendar(try CalendarSchedule(cron: "@daily"), timeZone: "UTC")
            _ = try await store.add(waiting, session)
            let request = try await store.job(waiting.id)?.job.request
            #expect(request?.policies.conditions == .externalPower && request?.idempotencyKey == "another key")
            #expect(request?.fairnessKey == "é")
            #expect(request?.trigger == waiting.request.trigger)
            try await store.add(sampleJob("tea"), session)
            try await expectError(.conflict) { try await store.add(sampleJob("swift"), session) }
            try await store.close(session)
        }

        @Test(
            "a migrated file keeps its instants, and those of relative jobs then follow clock steps",
            arguments: 1...3)
        func instants(_ version: Int) async throws {
            let directory = try Directory()
            let store = try file(
                version, in: directory,
                also: """
                    INSERT INTO run (
                        job, occurrence, attempt, through, lost_before, due, stands_for, state, final, not_before, output)
                    VALUES (1, 1, 2, 1, 0, 1767225660000000000, 1, 'waiting', 0, 1767225690000000000, X'');
                    UPDATE job SET key = 4, state = 'scheduled', next_due = 1767225602000000000, wake = 1767225602000000000
                    WHERE key = 3;
                    UPDATE run SET job = 4 WHERE job = 3;
                    UPDATE owner SET last_key = 4;
                    """)
            let session = try await store.open()
            func check(_ step: Int64) async throws {
                let loaded = try #require(try await store.job(JobID("swift")))
                let at = { (seconds: Int64) in WallInstant(secondsSince1970: 1_767_225_600 + seconds + step) }
                #expect(
                    [loaded.job.firstDue, loaded.job.nextDue, loaded.job.bookkeeping.elapsedWake] == [
                        at(60), at(120), at(120),
                    ])
                #expect(loaded.job.bookkeeping.wake == nil && loaded.job.openRunCount == 2)
                #expect(loaded.open.map(\.due) == [WallInstant(secondsSince1970: 1_767_225_660), at(60)])
                #expect(loaded.open.map(\.notBefore) == [nil, at(90)])
                let wall = try #require(try await store.job(JobID("tea"))?.job)
                let instant = WallInstant(secondsSince1970: 1_767_225_602)
                #expect(
                    [wall.firstDue, wall.nextDue, wall.bookkeeping.wake] == [instant, instant, instant]
                        && wall.bookkeeping.elapsedWake == nil)
            }
            try await check(0)
            _ = try await store.commit([], session, clock: sampleClock(setBy: .seconds(-30)))
            try await check(-30)
            try await store.close(session)
            let broken = try foreignConnection(store.path).inDatabase {
                try Row.fetchAll($0, sql: "PRAGMA foreign_key_check")
            }
            #expect(broken.isEmpty)
        }

        @Test(
            "the clock record of an earlier schema is taken over",
            arguments: [
                ("1b4e28ba-2fa1-11d2-883f 1767225600000000001", "1b4e28ba-2fa1-11d2-883f", 1_767_225_600_000_000_001),
                ("- -5", nil, -5), ("42", "none", 0), ("", "none", 0),
            ] as [(String, String?, Int64)])
        func clock(_ record: String, _ boot: String?, _ offset: Int64) async throws {
            for version in 1...3 {
                let directory = try Directory()
                let store = try file(version, in: directory, also: "UPDATE metadata SET value = '\(record)'")
                let session = try await store.open()
                let expected = StoreClock(bootID: boot, wallOffset: .nanoseconds(offset), elapsedOffset: .zero)
                #expect(session.clock == (boot == "none" ? nil : expected))
                try await store.close(session)
            }
        }

        @Test("a migrated job stays while its idempotency key or its period is in force")
        func uniqueness() async throws {
            let directory = try Directory()
            let store = try file(
                5, in: directory,
                also: """
                    UPDATE request SET unique_payload = 2, unique_within = 9000000000000000000 WHERE job = 3;
                    """)
            let session = try await store.open()
            let key = try #require(try await store.jobs(JobQuery()).jobs.first { $0.request.idempotencyKey != nil })
            #expect(key.uniqueUntil == key.created.advanced(by: .seconds(86_400)))
            #expect(key.keptUntil == nil, "it has not ended")
            #expect(
                try await store.retire(
                    keptUntil: .init(nanoseconds: .max), refusedBefore: .init(nanoseconds: .max), budget: 9, in: session
                ) == false)
            #expect(try await store.allIDs().contains("tea"), "a period of 285 years")
            try await store.close(session)
            #expect(try await SQLiteInspection(path: store.path).check().isEmpty)
        }

        @Test("a run without a job does not prevent a migration")
        func orphan() async throws {
            let directory = try Directory()
            let store = try file(7, in: directory, also: "UPDATE run SET job = 99 WHERE job = 3")
            let session = try await store.open()
            #expect(try await store.runs(RunQuery()).runs.count == 2)
            try await store.close(session)
            #expect(try await SQLiteInspection(path: store.path).check().isEmpty)
        }

        @Test("deleting a migrated job deletes its runs")
        func cascade() async throws {
            let directory = try Directory()
            let store = try file(3, in: directory)
            let session = try await store.open()
            #expect(
                try await store.retire(
                    keptUntil: .init(nanoseconds: .max), refusedBefore: .init(nanoseconds: .max), budget: 9, in: session
                ) == false)
            #expect(try await store.allIDs() == ["swift"])
            #expect(try await store.runs(RunQuery()).runs.map(\.jobID.rawValue) == ["swift"])
            try await store.close(session)
        }

        @Test("SQL cannot give a job an unknown condition")
        func unknownCondition() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            _ = try await store.add(sampleJob("job"), session)
            try await store.close(session)
            let error = #expect(throws: DatabaseError.self) {
                try foreignConnection(store.path).inDatabase {
                    try $0.execute(sql: "UPDATE apus_request SET conditions = 8")
                }
            }
            #expect(error?.message?.contains("request_conditions_known") == true)
        }

        @Test("a new file's schema equals the newest fixture's")
        func sameSchema() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            try await store.openAndClose()
            let fixture = try Directory()
            let old = try file(11, in: fixture).path
            let query = "SELECT name || ': ' || ifnull(sql, '') FROM sqlite_master ORDER BY name"
            let made = try foreignConnection(store.path).inDatabase { try String.fetchAll($0, sql: query) }
            let kept = try foreignConnection(old).inDatabase { try String.fetchAll($0, sql: query) }
            #expect(made == kept)
        }
    }
#endif
