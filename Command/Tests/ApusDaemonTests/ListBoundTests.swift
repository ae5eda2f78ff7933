import ApusCalendar
import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Foundation
import NIOCore
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The bounds of a list's page")
struct ListBoundTests {
    /// A scheduler in virtual time that only the test advances.
    private struct World {
        let time = VirtualTime()
        let zones = SimulatedTimeZones()
        let scheduler: JobScheduler
        var directory: JobDirectory { JobDirectory(scheduler: scheduler, random: SeededRandom(seed: 1)) }

        init() throws {
            scheduler = JobScheduler(
                store: MemoryStore(), engine: time.engine, random: SeededRandom(seed: 1),
                configuration: .init(bootID: "boot", timeZones: zones), executor: time.executor)
            scheduler.register("action") { [time] _ in try await time.engine.sleep(for: .milliseconds(1)) }
            try time.perform { [scheduler] in try await scheduler.start() }
        }

        func submit(_ requests: [JobRequest]) throws {
            _ = try time.perform { [scheduler] in try await scheduler.submit(requests) }
        }

        func daily(_ ids: [String], _ zone: String) throws {
            let schedule = try CalendarSchedule(words: "every day at 9:00")
            try submit(ids.map { JobRequest(id: JobID($0), trigger: .calendar(schedule, timeZone: zone)) })
        }
    }

    /// Returns the pages of obstructed jobs, each with the identifiers of its jobs and the number of pieces in which it
    /// was read.
    private func obstructed(_ world: World, limit: Int) throws -> [(jobs: [String], pieces: Int)] {
        var pages: [(jobs: [String], pieces: Int)] = []
        var after: String?
        repeat {
            let pieces = Locked(0)
            let page = try world.time.perform { [directory = world.directory, after] in
                try await directory.obstructed(limit: limit, after: after) { pieces.withLock { $0 += 1 } }
            }
            pages.append((page.jobs.map(\.id), pieces.withLock { $0 }))
            after = page.next
        } while after != nil && pages.count < 1_000
        return pages
    }

    @Test("a page of obstructed jobs examines a bounded number of jobs, and all pages have each job once")
    func obstructed() throws {
        let world = try World()
        world.zones.replace("Mars/Olympus", by: .utc)
        try world.submit((0..<1_000).map { JobRequest(id: JobID("hourly\($0)"), trigger: .every(.seconds(3_600))) })
        try world.daily((0..<300).map { "well\($0)" }, "UTC")
        let lost = (0..<25).map { "lost\($0)" }
        try world.daily(lost, "Mars/Olympus")
        try world.daily((300..<500).map { "well\($0)" }, "UTC")
        let parked = (0..<25).map { "parked\($0)" }
        try world.submit(
            parked.map { JobRequest(id: JobID($0), kind: "unknown", trigger: .after(.milliseconds(1))) })
        world.zones.replace("Mars/Olympus", by: nil)
        world.time.advance(by: .seconds(1))
        let pages = try obstructed(world, limit: 10)
        #expect(pages.flatMap(\.jobs) == parked + lost)
        #expect(pages.map(\.pieces).max() == 20, "\(pages)")
        #expect(pages.allSatisfy { $0.jobs.count <= 10 } && pages.contains { $0.jobs.isEmpty })
        let pieces = pages.reduce(0) { $0 + $1.pieces }
        #expect(pieces <= 100, "jobs without a calendar cost nothing")
        #expect(try obstructed(world, limit: 1_000).flatMap(\.jobs) == parked + lost)
        #expect(try obstructed(world, limit: 1).flatMap(\.jobs) == parked + lost)
    }

    @Test("a client's disconnection stops a page of obstructed jobs at the next read")
    func clientLeaves() throws {
        let world = try World()
        try world.daily((0..<300).map { "well\($0)" }, "UTC")
        struct Left: Error {}
        let pieces = Locked(0)
        #expect(throws: Left.self) {
            try world.time.perform { [directory = world.directory] in
                _ = try await directory.obstructed(limit: 10, after: nil) {
                    try pieces.withLock { pieces in
                        pieces += 1
                        if pieces == 3 { throw Left() }
                    }
                }
            }
        }
        #expect(pieces.withLock { $0 } == 3)
    }

    @Test("statistics list the jobs with the most attempts, and count the omitted ones in the totals")
    func statistics() throws {
        let world = try World()
        try world.submit(
            (1...5).map { (number: Int) in
                JobRequest(id: JobID("job\(number)"), kind: "action", trigger: .every(.seconds(1), count: number))
            })
        world.time.advance(by: .seconds(10))
        let utc = try world.zones.zone("UTC")
        func statistics(limit: Int) throws -> WireStatistics {
            try world.time.perform { [scheduler = world.scheduler] in
                try await StatisticsDirectory(scheduler: scheduler)
                    .statistics(job: nil, since: nil, zone: utc, limit: limit) {}
            }
        }
        let two = try statistics(limit: 2)
        #expect(two.jobs.map(\.job) == ["job4", "job5"] && two.omittedJobs == 3)
        #expect(two.total.attempts == 15 && two.days.map(\.runs.attempts) == [15])
        let all = try statistics(limit: 5)
        #expect(all.jobs.map(\.job) == (1...5).map { "job\($0)" } && all.omittedJobs == 0)
    }

    private struct Document: Codable {
        var version: Int
        var jobs: [WireExportedJob]
        var leftOut: Int?
    }

    /// Returns the pieces of an export, each with the number of reads of the store.
    private func export(_ world: World) throws -> [(text: String, reads: Int)] {
        var pieces: [(text: String, reads: Int)] = []
        var rest: JobExport? = JobExport(labels: [:])
        while let next = rest {
            let reads = Locked(0)
            let piece = try world.time.perform { [scheduler = world.scheduler] in
                try await next.next(from: scheduler) { reads.withLock { $0 += 1 } }
            }
            pieces.append((String(buffer: piece.text), reads.withLock { $0 }))
            rest = piece.rest
        }
        return pieces
    }

    @Test("an export is read and sent in bounded pieces, one line for each job, and names omitted jobs")
    func export() throws {
        let world = try World()
        let text = String(repeating: "x", count: 1_000)
        try world.submit(
            try (0..<1_000).map { number in
                JobRequest(
                    id: JobID("job\(number)"), kind: number % 10 == 9 ? "other" : "action",
                    trigger: .every(.seconds(3_600)),
                    payload: try JSONEncoder().encode(Action(notify: "\(text)\u{202E}\u{7F}\n")).map { $0 })
            })
        let pieces = try export(world)
        let reads = pieces.reduce(0) { $0 + $1.reads }
        #expect(pieces.count > 3 && reads == 10)
        #expect(pieces.allSatisfy { $0.text.utf8.count < 2 * (256 << 10) })
        let all = pieces.map(\.text).joined()
        #expect(PrintableText.firstUnprintable(in: all, allowing: ["\n"]) == nil)
        let document = try StrictJSON.decode(Document.self, from: Data(all.utf8))
        #expect(document.version == WireExportedJob.version && document.leftOut == 100)
        let known = (0..<1_000).filter { $0 % 10 != 9 }
        #expect(document.jobs.compactMap(\.record?.id) == known.map { "job\($0)" })
        #expect(document.jobs[0].submission.action.notify == "\(text)\u{202E}\u{7F}\n")
        #expect(all.utf8.count { $0 == UInt8(ascii: "\n") } == 900 + WireExportedJob.otherLines)
        for end in [1, 2, all.utf8.count / 2] {
            let broken = Data(all.utf8.dropLast(end + 1))
            #expect(throws: (any Error).self) { try StrictJSON.decode(Document.self, from: broken) }
        }
        let empty = try World()
        #expect(try export(empty).map(\.text) == ["{\"version\":2,\"jobs\":[\n]}\n"])
    }
}
