import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Background jobs of a host that was asked to stop")
struct StoppedHostTests {
    @Test("no job begins in the background, and waiting ones begin after the return")
    func nothingBegins() throws {
        let bench = try JobsBench()
        try bench.register("news", "index")
        try bench.submit("news", in: .seconds(10))
        try bench.submit("index", .processing(), in: .seconds(20))
        bench.host.enter(.background, remaining: .seconds(30))
        #expect(bench.host.time.pendingTimerCount == 0)
        bench.host.advance(by: .seconds(25))
        #expect(bench.diary == [])
        #expect(bench.jobs.obstacles(for: "news") == [.appInBackground])
        bench.host.enter(.active)
        #expect(bench.diary == ["25 news begins", "25 index begins"])
        for name in ["news", "index"] { bench.finish(name) }
        #expect(bench.isTidy)
    }

    @Test("each run holds a background task from its begin to its end")
    func claims() throws {
        let bench = try JobsBench()
        try bench.register("news", "index")
        try bench.submit("news")
        try bench.submit("index", .processing())
        #expect(bench.host.openTasks == ["background job news", "background job index"])
        bench.finish("news")
        #expect(bench.host.openTasks == ["background job index"])
        bench.finish("index")
        #expect(bench.host.begunTaskCount == 2)
        #expect(bench.isTidy)
    }

    @Test(
        "refresh and processing jobs keep running when the host is asked to stop, and expire with their background tasks"
    )
    func expire() throws {
        let bench = try JobsBench()
        try bench.register("news", "index")
        try bench.submit("news")
        try bench.submit("index", .processing())
        bench.host.advance(by: .seconds(5))
        bench.host.enter(.background, remaining: .seconds(14))
        #expect(bench.run("news")?.timeRemaining == .seconds(14))
        bench.host.advance(by: .seconds(10))
        #expect(bench.running() == ["news", "index"])
        bench.host.expire()
        bench.host.settle()
        #expect(bench.running() == [])
        #expect(bench.diary.suffix(2) == ["15 news is cancelled", "15 index is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("on a host that waits, the background task of an expired run stays open until the run is complete")
    func windsUp() throws {
        let bench = try JobsBench()
        let windUp = WindUp()
        try bench.register("news") { _ in await windUp.run() }
        try bench.submit("news")
        bench.run("news")?.onExpiration {}
        bench.host.advance(by: .seconds(32))
        #expect(bench.diary.last == "30 news is cancelled")
        #expect(bench.host.openTasks == ["background job news"])
        #expect(bench.jobs.running().map(\.isExpiring) == [true])
        #expect(bench.host.time.pendingTimerCount == 0)
        windUp.end()
        bench.host.settle()
        #expect(bench.isTidy)
    }

    @Test("on a host that waits, a run whose background task has expired winds up under it")
    func windsUpAtTheEnd() throws {
        let bench = try JobsBench()
        let windUp = WindUp()
        try bench.register("index") { _ in await windUp.run() }
        try bench.submit("index", .processing())
        bench.run("index")?.onExpiration {}
        bench.host.enter(.background, remaining: .seconds(4))
        bench.host.expire()
        bench.host.settle()
        #expect(bench.diary.last == "0 index is cancelled")
        #expect(bench.host.openTasks == ["background job index"])
        windUp.end()
        bench.host.settle()
        #expect(bench.isTidy)
    }

    @Test("on a host that does not wait, the background task ends when the expiration handler has returned")
    func doesNotWait() throws {
        let bench = try JobsBench(host: TestHost(waitsForExpiredTasks: false))
        try bench.register("news")
        try bench.submit("news")
        let run = try #require(bench.run("news"))
        run.onExpiration { [host = bench.host] in host.note("background tasks \(host.openTasks.count)") }
        bench.host.expire()
        bench.host.settle()
        #expect(bench.diary.contains("0 background tasks 1"))
        #expect(bench.isTidy)
    }

    @Test("a run that the host refuses waits for the foreground in its former position, without spacing")
    func refused() throws {
        let bench = try JobsBench()
        bench.host.refuse(true)
        try bench.register("news", "mail")
        try bench.submit("news")
        try bench.submit("mail")
        #expect(bench.diary == [])
        #expect(try bench.pending() == ["news", "mail"])
        #expect(bench.jobs.obstacles(for: "news") == [.appInBackground])
        #expect(bench.host.time.pendingTimerCount == 0)
        bench.host.refuse(false)
        bench.host.enter(.inactive)
        #expect(bench.diary == ["0 news begins", "0 mail begins"])
        for name in ["news", "mail"] { bench.finish(name) }
        #expect(bench.isTidy)
    }
}

/// Work that ignores its cancellation.
private final class WindUp: Sendable {
    private let continuation = Locked<CheckedContinuation<Void, Never>?>(nil)

    func run() async {
        await withCheckedContinuation { continuation in self.continuation.withLock { $0 = continuation } }
    }

    func end() { continuation.withLock { $0.take() }?.resume() }
}
