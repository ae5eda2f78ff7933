import ApusJobs
import ApusSQLite
import ApusTimers
import Foundation
import GRDB
import Testing

@Suite("One owner for each file")
struct OwnerTests {
    @Test("a second owner is refused, and told who the first is and since when")
    func second() async throws {
        let directory = try Directory()
        let first = SQLiteStore(path: directory.file(), configuration: .init(ownerName: "the first one"))
        _ = try await first.open()
        let second = SQLiteStore(path: directory.file())
        let error = try await expectError(.owned) { _ = try await second.open() }
        #expect(
            error.message.contains("process \(ProcessInfo.processInfo.processIdentifier) (the first one) since 20"),
            "\(error)")
        #expect(error.message.contains(first.path))
        try await first.close()
        _ = try await second.open()
        try await second.close()
    }

    @Test("a lock that outlives its owner for a moment, in a child that is just being started, is waited for")
    func orphanedLock() async throws {
        let directory = try Directory()
        let lock = open(directory.file() + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX) == 0)
        // No process has this number: the kernel's are smaller (proc(5), pid_max).
        #expect(write(lock, "pid 2147483647\n", 15) == 15)
        // In real time, because the store must meet the lock first, and says nothing of it.
        TimerEngine.shared.schedule(after: .milliseconds(50)) { close(lock) }
        let store = SQLiteStore(path: directory.file())
        _ = try await store.open()
        try await store.close()
    }

    @Test("a symbolic link to the file has the same owner")
    func link() async throws {
        let directory = try Directory()
        let first = SQLiteStore(path: directory.file())
        _ = try await first.open()
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("link.db"), withDestinationPath: directory.file())
        try await expectError(.owned) { _ = try await SQLiteStore(path: directory.file("link.db")).open() }
        try await first.close()
    }

    @Test("the file and its lock are for their user only")
    func modes() async throws {
        let directory = try Directory()
        let store = SQLiteStore(path: directory.file())
        let epoch = try await store.open()
        try await store.add(sampleJob("a"), epoch)
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        try await store.close()
    }

    @Test("an earlier epoch writes nothing, also when the epoch moved behind the store's back")
    func fencing() async throws {
        let directory = try Directory()
        let store = SQLiteStore(path: directory.file())
        let old = try await store.open()
        try await store.add(sampleJob("a"), old)
        let new = try await store.open()
        #expect(new > old)
        try await expectError(.notOwner) { try await store.add(sampleJob("b"), old) }
        try await store.setMetadata("clock", to: "1", epoch: new)
        try foreignConnection(store.path).inDatabase { try $0.execute(sql: "UPDATE owner SET epoch = epoch + 1") }
        try await expectError(.notOwner) { try await store.add(sampleJob("c"), new) }
        try await expectError(.notOwner) {
            try await store.prune(keepRuns: 0, endedBefore: .init(nanoseconds: .max), epoch: new)
        }
        #expect(try await store.allIDs() == ["a"])
        try await store.close()
        let values = try foreignConnection(store.path).inDatabase {
            try String.fetchAll($0, sql: "SELECT value FROM metadata")
        }
        #expect(values == [], "a record of an earlier owner was written")
    }

    @Test("metadata costs no commit of its own, and goes with the next one")
    func metadata() async throws {
        let directory = try Directory()
        let store = SQLiteStore(path: directory.file())
        let epoch = try await store.open()
        func stored() throws -> [String] {
            try foreignConnection(store.path).inDatabase { try String.fetchAll($0, sql: "SELECT value FROM metadata") }
        }
        try await store.setMetadata("clock", to: "1", epoch: epoch)
        #expect(try stored() == [])
        #expect(try await store.metadata("clock") == "1")
        try await store.add(sampleJob("a"), epoch)
        #expect(try stored() == ["1"])
        try await store.setMetadata("clock", to: "2", epoch: epoch)
        try await store.close()
        #expect(try stored() == ["2"])
    }

    @Test("kill -9 releases the lock, at once for whoever asks next, and every acknowledged job is there")
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
        // Not after its end: the kernel may still be taking it apart.
        _ = try await other.open()
        probe.waitUntilExit()
        said += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(probe.terminationReason == .uncaughtSignal)

        let acknowledged = Set(said.split(separator: "\n").map(String.init)).subtracting(["open"])
        let found = Set(try await other.allIDs())
        #expect(acknowledged.count >= 399)
        #expect(acknowledged.subtracting(found).isEmpty)
        // A commit that was synced but not yet answered may add its calls: one of each of the eight tasks.
        #expect(found.subtracting(acknowledged).count <= 8)
        try await other.close()
    }
}
