#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTestSupport
    import ApusTimers
    import Foundation
    import GRDB
    import Testing

    @Suite("One owner for each file")
    struct OwnerTests {
        @Test("a second owner is refused, and the error names the first owner and its start")
        func second() async throws {
            let directory = try Directory()
            let first = SQLiteStore(path: directory.file(), configuration: .init(ownerName: "the first one"))
            let session = try await first.open()
            let second = SQLiteStore(path: directory.file())
            let error = try await expectError(.owned) { _ = try await second.open() }
            #expect(
                error.message.contains("process \(ProcessInfo.processInfo.processIdentifier) (the first one) since 20"),
                "\(error)")
            #expect(error.message.contains(first.path))
            try await first.close(session)
            try await second.close(try await second.open())
        }

        @Test("opening waits for a lock that a starting child process holds briefly after its owner's end")
        func orphanedLock() async throws {
            let directory = try Directory()
            let lock = open(directory.file() + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(flock(lock, LOCK_EX) == 0)
            // No process has this identifier, because the kernel's identifiers are smaller (proc(5), pid_max).
            #expect(write(lock, "pid 2147483647\n", 15) == 15)
            // The delay is real, because the store reports nothing when it meets the lock.
            TimerEngine.shared.schedule(after: .milliseconds(50)) { close(lock) }
            let store = SQLiteStore(path: directory.file())
            try await store.close(try await store.open())
        }

        @Test("a symbolic link to the file has the same owner")
        func link() async throws {
            let directory = try Directory()
            let first = SQLiteStore(path: directory.file())
            let session = try await first.open()
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("link.db"), withDestinationPath: directory.file())
            try await expectError(.owned) { _ = try await SQLiteStore(path: directory.file("link.db")).open() }
            try await first.close(session)
        }

        @Test("a store with any busy time-out is opened, written and read", arguments: Duration.extremes)
        func busyTimeouts(duration: Duration) async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file(), configuration: .init(busyTimeout: duration))
            let session = try await store.open()
            try await store.add(sampleJob("a"), session)
            #expect(try await store.job("a") != nil)
            try await store.close(session)
        }

        @Test("the file and its lock are accessible to their user only")
        func modes() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await store.add(sampleJob("a"), session)
            for suffix in ["", "-wal", "-shm", ".lock"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: store.path + suffix)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
            }
            try await store.close(session)
        }

        @Test("an earlier epoch writes nothing, even if another connection has moved the epoch")
        func fencing() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let old = try await store.open()
            try await store.add(sampleJob("a"), old)
            let new = try await store.open()
            try await expectError(.notOwner) { try await store.add(sampleJob("b"), old) }
            try foreignConnection(store.path).inDatabase {
                try $0.execute(sql: "UPDATE apus_owner SET epoch = epoch + 1")
            }
            try await expectError(.notOwner) {
                _ = try await store.commit(
                    [[adding(sampleJob("c"))]], new, clock: sampleClock(setBy: .seconds(9)))
            }
            try await expectError(.notOwner) {
                _ = try await store.retire(
                    keptUntil: .init(nanoseconds: .max), refusedBefore: .init(nanoseconds: .max), budget: 9, in: new)
            }
            #expect(try await store.allIDs() == ["a"])
            #expect(try await store.job(JobID("a"))?.elapsedOffset == .zero)
            try await store.close(new)
            // The session no longer owns the file, but its store was closed nevertheless, so another store can open the
            // file.
            try await SQLiteStore(path: store.path).openAndClose()
        }

        @Test("of two sessions of one store, closing the earlier one has no effect")
        func twoSessions() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let first = try await store.open()
            let second = try await store.open()
            try await store.close(first)
            try await store.add(sampleJob("a"), second)
            try await store.close(second)
            try await expectError(.closed) { try await store.add(sampleJob("b"), second) }
            let third = try await store.open()
            for session in [first, second] { try await store.close(session) }
            try await store.add(sampleJob("b"), third)
            #expect(try await store.allIDs() == ["a", "b"])
            try await store.close(third)
        }

        @Test("a store whose file cannot be read any more can be closed")
        func closesUnreadable() async throws {
            let directory = try Directory()
            let store = SQLiteStore(path: directory.file())
            let session = try await store.open()
            try await store.add(sampleJob("a"), session)
            let other = try foreignConnection(store.path)
            try await other.write { try $0.execute(sql: "DROP TABLE apus_owner") }
            try await expectError(.unavailable) { try await store.add(sampleJob("b"), session) }
            try await store.close(session)
            try await expectError(.closed) { _ = try await store.allIDs() }
        }

        @Test("kill -9 releases the lock, at once for the next process, and every acknowledged job is there")
        func killed() async throws {
            let directory = try Directory()
            let probe = Process()
            probe.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "ApusStoreProbe")
            probe.arguments = [directory.file()]
            let pipe = Pipe()
            probe.standardOutput = pipe
            try probe.run()

            var said = ""
            while said.count(where: { $0 == "\n" }) < 400 {
                let data = pipe.fileHandleForReading.availableData
                try #require(!data.isEmpty, "the probe ended by itself")
                said += String(decoding: data, as: UTF8.self)
            }
            let other = SQLiteStore(path: directory.file())
            let error = try await expectError(.owned) { _ = try await other.open() }
            #expect(error.message.contains("process \(probe.processIdentifier) (probe)"))

            kill(probe.processIdentifier, SIGKILL)
            // The store opens before the test waits for the end of the process, which the kernel may still be removing.
            let session = try await other.open()
            probe.waitUntilExit()
            said += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(probe.terminationReason == .uncaughtSignal)

            let acknowledged = Set(said.split(separator: "\n").map(String.init)).subtracting(["open"])
            let found = Set(try await other.allIDs())
            #expect(acknowledged.count >= 399)
            #expect(acknowledged.subtracting(found).isEmpty)
            // For each of the eight tasks, one call may have been synced without an answer.
            #expect(found.subtracting(acknowledged).count <= 8)
            try await other.close(session)
        }
    }
#endif
