import ApusTestSupport
import ApusVirtualTime
import Foundation
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Requests that survive the process")
struct StoredRequestTests {
    private static let later = Duration.seconds(1_000)

    @Test("pending refresh and processing requests survive the process and begin when they have a handler")
    func survive() throws {
        let store = MemoryRecordStore()
        let first = try JobsBench(store: store)
        try first.register("a", "b", "c")
        try first.submit("a", in: .seconds(10))
        try first.submit("b", .processing(requiresNetwork: true), in: .seconds(20))
        let continued = BackgroundJobRequest.Kind.continued(ContinuedJob(title: "Export"))
        first.host.enter(.background)
        try first.submit("c", continued)

        let second = try JobsBench(store: store)
        #expect(try second.pending() == ["a", "b"])
        second.host.advance(by: .seconds(100))
        #expect(second.jobs.obstacles(for: "a") == [.noHandler])
        #expect(second.host.time.pendingTimerCount == 0)
        try second.register("a", "b")
        #expect(second.diary == ["100 a begins", "100 b begins"])
        for name in ["a", "b"] { second.finish(name) }
        #expect(second.isTidy)
    }

    @Test("a request is removed when its run begins or when it is cancelled")
    func usedUp() throws {
        let store = MemoryRecordStore()
        let first = try JobsBench(store: store)
        try first.register("a", "b", "c")
        try first.submit("a", .processing())
        try first.submit("b", in: Self.later)
        try first.submit("c", in: Self.later)
        try first.cancel("b")
        #expect(try JobsBench(store: store).pending() == ["c"])
        try first.cancelAll()
        #expect(try JobsBench(store: store).pending() == [])
        #expect(store.keys == [], "nothing to keep is no record")
        first.finish("a")
    }

    @Test("the spacing of refreshes continues in the next process", arguments: ["boot 1", "boot 2", nil])
    func spacing(boot: String?) throws {
        let store = MemoryRecordStore()
        let first = try JobsBench(store: store)
        try first.register("news")
        try first.submit("news")
        first.finish("news")

        let host = TestHost(bootID: boot)
        host.advance(by: .seconds(300), step: .seconds(300))
        let second = try JobsBench(host: host, store: store)
        try second.register("news")
        try second.submit("news")
        host.advance(by: .seconds(599))
        #expect(second.diary == [])
        host.advance(by: .seconds(1))
        #expect(second.diary == ["900 news begins"])
        second.finish("news")
    }

    @Test("a wall clock that was set back holds no refresh for longer than the spacing")
    func clockSetBack() throws {
        let store = MemoryRecordStore()
        let first = try JobsBench(store: store)
        first.host.time.moveWallClock(by: .seconds(86_400 * 365))
        try first.register("news")
        try first.submit("news")
        first.finish("news")

        let second = try JobsBench(host: TestHost(bootID: "boot 2"), store: store)
        try second.register("news")
        try second.submit("news")
        second.host.advance(by: .seconds(900))
        #expect(second.diary == ["900 news begins"])
        second.finish("news")
    }

    @Test("a submission that cannot be stored changes nothing")
    func failingStore() throws {
        let store = BrokenStore()
        let bench = try JobsBench(store: store)
        try bench.register("a", "b")
        try bench.submit("a", in: .seconds(10))
        store.isBroken.withLock { $0 = true }
        #expect(bench.code { try bench.submit("a", in: Self.later) } == .storeFailed)
        #expect(bench.code { try bench.submit("b") } == .storeFailed)
        #expect(try bench.pending() == ["a"])
        bench.host.advance(by: .seconds(10))
        #expect(bench.diary == ["10 a begins"], "the former request stands")
        bench.finish("a")
        #expect(bench.isTidy)
    }

    @Test("a record that cannot be read is an error, and so is one of another version")
    func unreadable() throws {
        let store = MemoryRecordStore()
        try store.save(17, for: "apus.background.jobs")
        #expect(throws: BackgroundJobError.self) { try JobsBench(store: store) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                HostBackgroundRecord.self, from: Data(#"{"version":2,"requests":[],"spacings":[]}"#.utf8))
        }
    }

    @Test("an earlier version's record is read, and written back identically")
    func record() throws {
        let json = #"""
            {"requests":[{"earliestBegin":1767225600000000000,"identifier":"a","kind":"refresh"},{"identifier":"b","kind":"processing","requiresExternalPower":false,"requiresNetwork":true}],"spacings":[{"boot":"boot 1","continuous":3700000000000,"identifier":"a","wall":1767226500000000000}],"version":1}
            """#
        let record = try JSONDecoder().decode(HostBackgroundRecord.self, from: Data(json.utf8))
        #expect(
            record.requests.map(\.request) == [
                BackgroundJobRequest("a", .refresh, earliestBegin: WallInstant(secondsSince1970: 1_767_225_600)),
                BackgroundJobRequest("b", .processing(requiresNetwork: true)),
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(record), as: UTF8.self) == json)
    }

    @Test("a stored request that is no longer permitted is dropped")
    func noLongerPermitted() throws {
        let store = MemoryRecordStore()
        let first = try JobsBench(store: store)
        try first.register("a", "b")
        try first.submit("a", in: Self.later)
        try first.submit("b", in: Self.later)
        let second = try JobsBench(store: store) { $0.permittedIdentifiers = ["b"] }
        #expect(try second.pending() == ["b"])
    }
}

/// A store that reports a full disk on demand.
private final class BrokenStore: RecordStore {
    struct DiskFull: Error {}

    let isBroken = Locked(false)
    private let records = MemoryRecordStore()

    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        try records.load(type, for: key)
    }

    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        if isBroken.withLock({ $0 }) { throw DiskFull() }
        try records.save(record, for: key)
    }
}
