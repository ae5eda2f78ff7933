import ApusBackground
import ApusFoundation
import ApusTimers
import Foundation
import Testing

/// A new folder, which is removed when the object is released.
private final class Folder {
    let url: URL

    init() throws {
        let template = FileManager.default.temporaryDirectory.appendingPathComponent("apus-records-XXXXXX").path
        var bytes = Array(template.utf8CString)
        let path = try #require(mkdtemp(&bytes))
        url = URL(fileURLWithPath: String(cString: path), isDirectory: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}

private let records: [CountdownRecord] = [
    CountdownRecord(
        .running(
            stop: StoredInstant(
                wall: WallInstant(secondsSince1970: 1_800_000_000), boot: "boot 1",
                continuous: ContinuousInstant(nanoseconds: 123_456_789_012_345)))),
    CountdownRecord(
        .running(
            stop: StoredInstant(
                wall: WallInstant(nanoseconds: .max), boot: nil, continuous: ContinuousInstant(nanoseconds: .max)))),
    CountdownRecord(.paused(remaining: .milliseconds(1500))),
    CountdownRecord(.paused(remaining: .nanoseconds(Int64.max))),
    CountdownRecord(.finished(at: WallInstant(secondsSince1970: 5), unseen: true)),
]

@Suite("Records in files")
struct FileRecordStoreTests {
    private let folder: Folder
    private let store: FileRecordStore

    init() throws {
        folder = try Folder()
        store = try FileRecordStore(folder: folder.url)
    }

    @Test("a countdown's record comes back as it was", arguments: records)
    func roundTrip(record: CountdownRecord) throws {
        try store.save(record, for: "tea")
        #expect(try store.load(CountdownRecord.self, for: "tea") == record)
        #expect(try FileRecordStore(path: folder.url.path).load(CountdownRecord.self, for: "tea") == record)
        #expect(try folder.names == ["tea.json"])
    }

    @Test("files of a killed process are removed with the next store, and no others")
    func leftovers() throws {
        let child = Process()
        child.executableURL = URL(filePath: "/bin/true")
        try child.run()
        child.waitUntilExit()
        try store.save(records[0], for: "tea")
        let kept = ["tea.json.\(getpid()).7.new", "tea.json.x.7.new", "tea.new", "\(child.processIdentifier).7.new"]
        for name in kept + ["tea.json.\(child.processIdentifier).7.new"] {
            try Data().write(to: folder.url.appendingPathComponent(name))
        }
        _ = try FileRecordStore(folder: folder.url)
        #expect(try folder.names == (kept + ["tea.json"]).sorted())
    }

    @Test("a stopwatch's record comes back as it was")
    func stopwatch() throws {
        let instant = StoredInstant(
            wall: WallInstant(secondsSince1970: 9), boot: "b", continuous: ContinuousInstant(nanoseconds: 7))
        for record in [
            StopwatchRecord(.running(elapsed: .seconds(3), at: instant), laps: [.seconds(1), .seconds(2)]),
            StopwatchRecord(.paused(elapsed: .seconds(3))),
        ] {
            try store.save(record, for: "run")
            #expect(try store.load(StopwatchRecord.self, for: "run") == record)
        }
    }

    @Test("a missing record is nil, and saving nil removes a record, repeatedly")
    func removal() throws {
        #expect(try store.load(CountdownRecord.self, for: "tea") == nil)
        try store.save(records[0], for: "tea")
        for _ in 0..<2 { try store.save(CountdownRecord?.none, for: "tea") }
        #expect(try store.load(CountdownRecord.self, for: "tea") == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test(
        "every key has a file of its own inside the folder",
        arguments: ["a/b", "../up", ".", "..", "", "tea", "Tea time", "日本", "a%2Fb", "x.json"])
    func keys(key: String) throws {
        try store.save(records[0], for: key)
        try store.save(records[2], for: key + "2")
        #expect(store.file(for: "Tea").lastPathComponent == "%54ea.json")
        #expect(try store.load(CountdownRecord.self, for: key) == records[0])
        #expect(try folder.names.count == 2)
        #expect(store.file(for: key).deletingLastPathComponent().path == folder.url.path)
    }

    @Test(
        "a torn or foreign file is an error that names it",
        arguments: [
            "", "{", "{\"state\":\"running\",\"vers", "null", "[]",
            "{\"version\":2,\"state\":\"paused\",\"remaining\":1}",
            "{\"version\":1,\"state\":\"paused\",\"remaining\":-1}", "{\"version\":1,\"state\":\"flying\"}",
            "{\"version\":1,\"state\":\"running\",\"stopWall\":1}", "\u{0}\u{0}\u{0}",
        ])
    func damaged(content: String) throws {
        let file = store.file(for: "tea")
        try Data(content.utf8).write(to: file)
        let error = #expect(throws: BackgroundError.self) { try store.load(CountdownRecord.self, for: "tea") }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("“\(file.path)”") == true)
        // Saving again repairs the file.
        try store.save(records[0], for: "tea")
        #expect(try store.load(CountdownRecord.self, for: "tea") == records[0])
    }

    @Test("a folder that does not exist is created; one that cannot be is named in the error")
    func folders() throws {
        let deep = folder.url.appendingPathComponent("a/b/c", isDirectory: true)
        try FileRecordStore(folder: deep).save(records[0], for: "tea")
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep.path) == ["tea.json"])

        let inFile = deep.appendingPathComponent("tea.json/folder", isDirectory: true)
        for place in [inFile, deep.appendingPathComponent("tea.json", isDirectory: true)] {
            let error = #expect(throws: BackgroundError.self) { try FileRecordStore(folder: place) }
            #expect(error?.code == .storeFailed && error?.message.contains("“\(place.path)”") == true)
        }
        let elsewhere = try #require(URL(string: "https://x.y/z"))
        #expect(throws: BackgroundError.self) { try FileRecordStore(folder: elsewhere) }
    }

    @Test("when the folder has gone, saving is an error that names the file")
    func folderGone() throws {
        try FileManager.default.removeItem(at: folder.url)
        let error = #expect(throws: BackgroundError.self) { try store.save(records[0], for: "tea") }
        #expect(error?.code == .storeFailed && error?.message.contains("“\(store.file(for: "tea").path)”") == true)
    }

    @Test("a read while several threads save sees a whole record, and no other file is left")
    func concurrentSaves() async throws {
        let (store, url) = (store, folder.url)
        try store.save(records[0], for: "tea")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    // Each thread has its own store, as if it were another process, so the threads share no lock.
                    let own = try FileRecordStore(folder: url)
                    for index in 0..<25 { try own.save(records[(thread + index) % records.count], for: "tea") }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<100 {
                        let record = try #require(try store.load(CountdownRecord.self, for: "tea"))
                        #expect(records.contains(record))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.names == ["tea.json"])
    }

    @Test("a countdown that was stored in a file is restored from it")
    func countdown() throws {
        try store.save(records[2], for: "tea")
        let record = try store.load(CountdownRecord.self, for: "tea")
        #expect(record?.state == .paused(remaining: .milliseconds(1500)))
        #expect(
            try String(contentsOf: store.file(for: "tea"), encoding: .utf8)
                == "{\"remaining\":1500000000,\"state\":\"paused\",\"version\":1}")
    }
}

@Suite("Records in user defaults")
struct UserDefaultsRecordStoreTests {
    @Test("records come back, are removed, and what is no record is an error that names the default")
    func life() throws {
        let suite = "apus.tests.records"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        let store = UserDefaultsRecordStore(defaults, prefix: "timers.")
        #expect(try store.load(CountdownRecord.self, for: "tea") == nil)
        for record in records {
            try store.save(record, for: "tea")
            #expect(try store.load(CountdownRecord.self, for: "tea") == record)
        }
        for damage: Any in [Data("{".utf8), "text"] {
            defaults.set(damage, forKey: "timers.tea")
            let error = #expect(throws: BackgroundError.self) { try store.load(CountdownRecord.self, for: "tea") }
            #expect(error?.code == .storeFailed && error?.message.contains("“timers.tea”") == true)
        }
        try store.save(CountdownRecord?.none, for: "tea")
        #expect(try store.load(CountdownRecord.self, for: "tea") == nil)
    }
}
