#if SQLite
    import ApusJobs
    import ApusSQLite
    import Foundation
    import Testing

    @Suite("Databases and locks of other users")
    struct ForeignFileTests {
        private func content(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

        @Test(
            "a database, lock, log or journal that another user could have written is refused, named and left alone",
            arguments: ["", ".lock", "-wal", "-shm", "-journal"])
        func planted(_ suffix: String) async throws {
            let directory = try Directory()
            let first = SQLiteStore(path: directory.file())
            let session = try await first.open()
            try await first.add(sampleJob("planted"), session)
            try await first.close(session)
            let path = directory.file() + suffix
            if !FileManager.default.fileExists(atPath: path) { try Data("x".utf8).write(to: URL(filePath: path)) }
            try Planted.give(path)
            let before = try content(path)
            let error = try await expectError(.unavailable) { _ = try await SQLiteStore(path: directory.file()).open() }
            #expect(error.message.contains(path), "\(error)")
            #expect(error.message.contains("user 65534") || error.message.contains("chmod go-w"), "\(error)")
            #expect(try content(path) == before)
        }

        @Test(
            "a lock that is a link to another file is refused, and that file is not truncated",
            arguments: [false, true])
        func linkedLock(isHardLink: Bool) async throws {
            let directory = try Directory()
            let target = directory.file("precious")
            try Data("precious".utf8).write(to: URL(filePath: target))
            #expect(chmod(target, 0o600) == 0)
            let lock = directory.file() + ".lock"
            #expect((isHardLink ? link(target, lock) : symlink(target, lock)) == 0)
            let error = try await expectError(.unavailable) { _ = try await SQLiteStore(path: directory.file()).open() }
            #expect(error.message.contains(lock) && error.message.contains("remove it"), "\(error)")
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
        }

        @Test("a database may be the user's own link if its target also belongs to the user")
        func linkedDatabase() async throws {
            let directory = try Directory()
            #expect(symlink(directory.file("real.db"), directory.file()) == 0)
            let store = SQLiteStore(path: directory.file())
            try await store.close(try await store.open())
            #expect(FileManager.default.fileExists(atPath: directory.file("real.db.lock")))
            try Planted.give(directory.file("real.db"))
            let error = try await expectError(.unavailable) { _ = try await SQLiteStore(path: directory.file()).open() }
            #expect(error.message.contains(directory.file("real.db")), "\(error)")
            if geteuid() == 0 {
                #expect(lchown(directory.file("real.db"), 0, 0) == 0)
                try Planted.give(directory.file())
                let error = try await expectError(.unavailable) {
                    _ = try await SQLiteStore(path: directory.file()).open()
                }
                #expect(error.message.contains("symbolic link that belongs to user 65534"), "\(error)")
            }
        }
    }
#endif
