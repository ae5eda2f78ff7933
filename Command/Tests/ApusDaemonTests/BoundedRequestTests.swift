import ApusJobs
import ApusTimers
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The bounds of a request's cost")
struct BoundedRequestTests {
    private static let start = WallInstant(secondsSince1970: 1_767_225_600)

    private static func context(of channel: NIOAsyncTestingChannel) -> APIContext {
        APIContext(source: .init(channel: channel, logger: Logger(label: "test")))
    }

    private func at(_ seconds: Int) -> WallInstant { Self.start.advanced(by: .seconds(seconds)) }

    /// Merges the occurrences of jobs that are due each second, job `n` from second `n` on.
    private func merge(
        jobs: Int, perJob: Int, all: Int, until: Int = .max
    ) -> (merged: UpcomingMerge<Int>.Merged, computed: Int) {
        var merge = UpcomingMerge<Int>(perJob: perJob, all: all)
        for job in (0..<jobs).reversed() {
            merge.add(.init(due: at(job), note: nil, job: JobID("job\(job)"), name: nil), job)
        }
        var computed = 0
        let merged = merge.merged(
            size: { _ in 1 },
            next: { second, last in
                computed += 1
                second += 1
                return second > until ? nil : .init(due: at(second), note: nil, job: last.job, name: nil)
            })
        return (merged, computed)
    }

    @Test("of 3,000 endless jobs, only the listed occurrences are computed, the earliest of all")
    func upcomingIsBounded() {
        let (merged, computed) = merge(jobs: 3_000, perJob: 1_000, all: 500)
        #expect(computed == 500 && merged.occurrences.count == 500)
        #expect(merged.occurrences.map(\.due) == merged.occurrences.map(\.due).sorted())
        // One occurrence in second 0, two in second 1, … and 31 in second 30 are 496.
        #expect(merged.cut == at(31))
        #expect(merged.truncated.isEmpty)
    }

    @Test("a job with more occurrences than are listed is named, and the list is not cut")
    func upcomingPerJob() {
        let (merged, computed) = merge(jobs: 2, perJob: 3, all: 100, until: 3)
        #expect(merged.occurrences.map(\.job) == ["job0", "job0", "job1", "job0", "job1", "job1"])
        #expect(merged.truncated == ["job0"] && merged.cut == nil)
        #expect(computed == 6)
    }

    @Test("occurrences dropped to bound the memory are not among the earliest")
    func upcomingDrops() {
        let merged = merge(jobs: 1_000, perJob: 1, all: 10).merged
        #expect(merged.occurrences.map(\.due) == (0..<10).map(at) && merged.cut == at(10))
    }

    @Test("a page of long elements ends early, names the next page's beginning, and loses no element")
    func pages() async throws {
        let size = BoundedPage.bytes / 150
        var found: [Int] = []
        var pages = 0
        var after: String?
        repeat {
            let page = try await BoundedPage.read(
                limit: 1_000, after: after, size: { _ in size },
                piece: { limit, after in
                    let first = after.flatMap { Int($0) } ?? 0
                    let elements = Array(first..<min(first + limit, 1_000))
                    return (elements, elements.last! == 999 ? nil : "\(elements.last! + 1)")
                })
            #expect(page.elements.count <= 200)
            found += page.elements
            after = page.next
            pages += 1
        } while after != nil
        #expect(found == Array(0..<1_000) && pages == 5)
        let small = try await BoundedPage.read(
            limit: 250, after: nil, size: { _ in 1 },
            piece: { limit, after in
                let first = after.flatMap { Int($0) } ?? 0
                return (Array(first..<first + limit), "\(first + limit)")
            })
        #expect(small.elements == Array(0..<250) && small.next == "250")
    }

    @Test("long requests run outside event loops, up to a limit at once, and the others wait for a place")
    func places() async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/apus")).get()
        let long = LongRequests(atOnce: 2)
        let counts = Locked((now: 0, most: 0))
        let request: @Sendable () async throws -> Void = {
            try await long.answer(Self.context(of: channel)) { _ in
                counts.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
                #expect(MultiThreadedEventLoopGroup.currentEventLoop == nil)
                await Task.yield()
                #expect(MultiThreadedEventLoopGroup.currentEventLoop == nil)
                counts.withLock { $0.now -= 1 }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask(operation: request) }
            try await group.waitForAll()
        }
        #expect(counts.withLock { $0.most } <= 2)
    }

    @Test("work for a disconnected client ends at the next check, and its waiting requests do not begin")
    func clientLeaves() async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/apus")).get()
        let context = Self.context(of: channel)
        let long = LongRequests(atOnce: 1)
        let steps = Locked(0)
        await #expect(throws: (any Error).self) {
            try await long.answer(context) { check in
                while true {
                    try check()
                    if steps.withLock({
                        $0 += 1
                        return $0
                    }) == 3 {
                        try await channel.close()
                    }
                }
            }
        }
        #expect(steps.withLock { $0 } == 3)
        await #expect(throws: (any Error).self) {
            try await long.answer(context) { _ in Issue.record("it began without a client") }
        }
    }
}
