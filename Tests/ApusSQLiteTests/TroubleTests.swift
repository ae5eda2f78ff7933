#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    @Suite("Files that cannot be used")
    struct TroubleTests {
        /// Returns the path of a closed database with some jobs.
        private func filled(_ directory: Directory, jobs: Int = 300) async throws -> String {
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            _ = try await store.commit(
                (0..<jobs).map { [adding(sampleJob("job\($0)", payload: [UInt8](repeating: 1, count: 500)))] }, session)
            try await store.close(session)
            return store.path
        }

        @Test(
            "a damaged file is refused with its name and a remedy, and stays unchanged",
            arguments: ["random bytes", "cut in the middle", "a bad header", "garbage in a page"])
        func damaged(_ how: String) async throws {
            let directory = try Directory()
            let path = try await filled(directory)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            switch how {
            case "random bytes": bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
            case "cut in the middle": bytes.removeLast(bytes.count / 2)
            case "a bad header": bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 0x55, count: 16))
            default: bytes.replaceSubrange(5 * 4096..<6 * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
            }
            try Data(bytes).write(to: URL(filePath: path))
            let error = try await expectError(.damaged) { _ = try await SQLiteStore(path: path).open() }
            #expect(error.message.contains(path))
            #expect(error.message.contains("move it aside") && error.message.contains(".recover"))
            #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == bytes)

            // The error suggests moving these files aside, after which the store can be opened.
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: path + ".aside" + suffix)
            }
            let store = SQLiteStore(path: path)
            try await store.close(try await store.open())
        }

        @Test("a database of another program is refused and not touched")
        func foreign() async throws {
            let directory = try Directory()
            try foreignConnection(directory.file()).inDatabase { try $0.execute(sql: "CREATE TABLE bird (name TEXT)") }
            let before = try Data(contentsOf: URL(filePath: directory.file()))
            let error = try await expectError(.damaged) { _ = try await SQLiteStore(path: directory.file()).open() }
            #expect(error.message.contains("another program"))
            #expect(try Data(contentsOf: URL(filePath: directory.file())) == before)
        }

        @Test("a database of a newer schema is refused and not touched")
        func newer() async throws {
            let directory = try Directory()
            let path = try await filled(directory, jobs: 1)
            try foreignConnection(path).inDatabase { db in
                try db.execute(sql: "PRAGMA journal_mode = DELETE; UPDATE apus_owner SET schema = 12")
            }
            let before = try Data(contentsOf: URL(filePath: path))
            let error = try await expectError(.newerSchema) { _ = try await SQLiteStore(path: path).open() }
            #expect(error.message.contains("schema 12; this program knows 11"))
            #expect(error.message.contains(path) && error.message.contains("update"))
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }

        @Test("the error names a missing directory")
        func missingDirectory() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file("nowhere/jobs.db"))
            let error = try await expectError(.unavailable) { _ = try await store.open() }
            #expect(error.message.contains(directory.file("nowhere/jobs.db")))
        }

        // Tests a folder below /proc, which takes no new files from any user.
        //
        // The superuser may write to all other folders, so the file system itself has to refuse.
        @Test("the error names a directory that cannot be written")
        func unwritableDirectory() async throws {
            let directory = try Directory()
            var path = directory.file()
            if geteuid() == 0 {
                path = "/proc/jobs.db"
            } else {
                try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
            }
            let error = try await expectError(.unavailable) { _ = try await SQLiteStore(path: path).open() }
            #expect(error.message.contains(path))
        }

        @Test("the error names a path that is a directory")
        func isDirectory() async throws {
            let directory = try Directory()
            let path = directory.file("folder")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let error = try await expectError(.unavailable) { _ = try await SQLiteStore(path: path).open() }
            #expect(error.message.contains(path))
        }

        @Test("a write that meets another program's lock fails with an error that says so")
        func busy() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file(), configuration: .init(busyTimeout: .zero))
            let session = try await store.open()
            let other = try foreignConnection(store.path)
            try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let error = try await expectError(.unavailable) { try await store.add(sampleJob("a"), session) }
            #expect(error.message.contains("another program holds a lock"))
            try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            try await store.add(sampleJob("a"), session)
            try await store.close(session)
        }

        @Test(
            "a full disk refuses a turn as a whole; small turns still fit, and the store continues when there is space")
        func full() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await store.limitPages(to: 48)
            let payload = [UInt8](repeating: 7, count: 60_000)
            try await store.add(sampleJob("fits", payload: payload), session)
            let error = try await expectError(.full) {
                _ = try await store.commit(
                    [[adding(sampleJob("fits too"))]]
                        + (0..<4).map { [adding(sampleJob("big\($0)", payload: payload))] },
                    session, clock: sampleClock(setBy: .seconds(9)))
            }
            #expect(error.message.contains(store.path) && error.message.contains("space"))
            #expect(try await store.allIDs() == ["fits"])
            #expect(try await store.job(JobID("fits"))?.elapsedOffset == .zero)
            try await store.add(sampleJob("small"), session)

            try await store.limitPages(to: 1_000_000)
            try await store.add(sampleJob("after", payload: payload), session)
            try await store.close(session)
            let again = try await store.open()
            #expect(try await store.allIDs() == ["fits", "small", "after"])
            try await store.close(again)
        }

        @Test(
            "a page token that no page returned is refused",
            arguments: ["", "j", "x1", "j-1", "j01", "j1 ", "r5", "5", "j99999999999999999999"])
        func badToken(_ token: String) async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await expectError(.invalid) { _ = try await store.jobs(JobQuery(cursor: token)) }
            if token != "r5" { try await expectError(.invalid) { _ = try await store.runs(RunQuery(cursor: token)) } }
            try await expectError(.invalid) { _ = try await store.jobs(JobQuery(limit: 0)) }
            try await store.close(session)
        }
    }
#endif
