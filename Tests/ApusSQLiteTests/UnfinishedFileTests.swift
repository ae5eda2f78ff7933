#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    @Suite("Files that a killed process left unfinished")
    struct UnfinishedFileTests {
        /// Versions before 0.1.0 left unfinished files when they were killed between two transactions.
        @Test(
            "an empty or unfinished store file is completed by the next start",
            arguments: [
                "",
                "PRAGMA journal_mode = WAL",
                "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
                "PRAGMA journal_mode = WAL; CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
                "PRAGMA application_id = 1097889139",
            ])
        func halfMade(_ sql: String) async throws {
            let directory = try Directory()
            try Data().write(to: URL(filePath: directory.file()))
            let made = try foreignConnection(directory.file())
            try made.inDatabase { try $0.execute(sql: sql) }
            try made.close()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await store.add(sampleJob("a"), session)
            #expect(try await store.allIDs() == ["a"])
            try await store.close(session)
            let (tables, application) = try foreignConnection(store.path).inDatabase { db in
                (
                    try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"),
                    try Int.fetchOne(db, sql: "PRAGMA application_id")
                )
            }
            #expect(
                tables == [
                    "apus_clock", "apus_job", "apus_owner", "apus_queue", "apus_refusal", "apus_request", "apus_run",
                    "apus_set_aside", "apus_submission", "sqlite_sequence",
                ])
            #expect(application == 1_097_889_139)
        }

        @Test(
            "a file begun by another program is refused and stays unchanged",
            arguments: [
                "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL); INSERT INTO grdb_migrations VALUES ('birds')",
                "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL); CREATE TABLE bird (name TEXT)",
                "PRAGMA application_id = 7",
                "PRAGMA user_version = 1",
            ])
        func others(_ sql: String) async throws {
            let directory = try Directory()
            try foreignConnection(directory.file()).inDatabase { try $0.execute(sql: sql) }
            let before = try Data(contentsOf: URL(filePath: directory.file()))
            let error = try await expectError(.damaged) { _ = try await SQLiteStore(path: directory.file()).open() }
            #expect(error.message.contains("another program"))
            #expect(try Data(contentsOf: URL(filePath: directory.file())) == before)
        }

        @Test("a process killed 0 to 150 ms after its start leaves a file that the next one opens")
        func killedAtStart() async throws {
            let clock = TimerClock.continuous()
            var unfinished = 0
            for round in 0..<50 {
                let directory = try Directory()
                let probe = Process()
                probe.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(
                    path: "ApusStoreProbe")
                probe.arguments = [directory.file()]
                probe.standardOutput = FileHandle.nullDevice
                try probe.run()
                // The kill must fall into the milliseconds in which the file is created, so the test sleeps in real
                // time.
                try await clock.sleep(for: .milliseconds(3 * round))
                kill(probe.processIdentifier, SIGKILL)
                probe.waitUntilExit()
                let store = SQLiteStore(path: directory.file())
                let session = try await store.open()
                if session.shards[.only]?.rawValue == 1 { unfinished += 1 }
                _ = try await store.allIDs()
                try await store.close(session)
            }
            print("50 kills at 0 to 147 ms, \(unfinished) of them before the file had an owner")
        }
    }
#endif
