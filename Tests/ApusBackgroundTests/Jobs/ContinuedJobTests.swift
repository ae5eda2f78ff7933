import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Continued jobs of an ordinary host")
struct ContinuedJobTests {
    private func continued(_ strategy: ContinuedJob.Strategy = .queue) -> BackgroundJobRequest.Kind {
        .continued(ContinuedJob(title: "Export", subtitle: "0 of 9", strategy: strategy))
    }

    @Test(
        "continued work begins at once in the foreground, whatever its earliest begin",
        arguments: [Phase.active, .inactive])
    func atOnce(phase: Phase) throws {
        let bench = try JobsBench(host: TestHost(phase: phase)) { $0.spread = .seconds(1_000) }
        try bench.register("export")
        try bench.submit("export", continued(.fail), in: .seconds(100))
        #expect(bench.diary == ["0 export begins"])
        bench.finish("export")
        #expect(bench.isTidy)
    }

    @Test("continued work cannot start in the background, and its request is not kept")
    func failsInBackground() throws {
        let bench = try JobsBench(host: TestHost(phase: .background))
        try bench.register("export")
        #expect(bench.code { try bench.submit("export", continued(.fail)) } == .cannotStartNow)
        #expect(try bench.pending() == [])
        #expect(bench.isTidy)
    }

    @Test("continued work that queues waits for the foreground, in order")
    func queues() throws {
        let bench = try JobsBench(host: TestHost(phase: .background)) { $0.maximumContinuedRuns = 1 }
        try bench.register("a", "b")
        try bench.submit("a", continued())
        try bench.submit("b", continued())
        #expect(bench.jobs.obstacles(for: "a") == [.appInBackground])
        #expect(bench.host.time.pendingTimerCount == 0)
        bench.host.enter(.active)
        #expect(bench.running() == ["a"])
        #expect(bench.jobs.obstacles(for: "b") == [.busy])
        bench.finish("a")
        #expect(bench.running() == ["b"])
        bench.finish("b")
        #expect(bench.isTidy)
    }

    @Test("continued work beyond the limit cannot start now")
    func failsWhenBusy() throws {
        let bench = try JobsBench { $0.maximumContinuedRuns = 1 }
        try bench.register("a", "b")
        try bench.submit("a", continued(.fail))
        #expect(bench.code { try bench.submit("b", continued(.fail)) } == .cannotStartNow)
        bench.finish("a")
        try bench.submit("b", continued(.fail))
        #expect(bench.running() == ["b"])
        bench.finish("b")
    }

    @Test("continued work without progress for 60 s expires; each new report gives it another 60 s")
    func progress() throws {
        let bench = try JobsBench()
        try bench.register("export")
        try bench.submit("export", continued())
        let run = try #require(bench.run("export"))
        #expect(run.timeRemaining == nil)
        bench.host.advance(by: .seconds(50))
        run.report(completed: 1, of: 9)
        bench.host.advance(by: .seconds(50))
        // The same report again is no progress.
        run.report(completed: 1, of: 9)
        bench.host.advance(by: .seconds(9))
        #expect(bench.running() == ["export"])
        bench.host.advance(by: .seconds(1))
        #expect(bench.diary == ["0 export begins", "110 export is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("a run's progress and titles can be read while it runs")
    func shown() throws {
        let bench = try JobsBench()
        try bench.register("export")
        try bench.submit("export", continued())
        let run = try #require(bench.run("export"))
        run.report(completed: 3, of: 9)
        run.update(title: "Export", subtitle: "3 of 9")
        bench.host.advance(by: .seconds(4))
        let shown = try #require(bench.jobs.running().first)
        #expect(shown.progress == .init(completed: 3, total: 9))
        #expect(shown.request.kind == .continued(ContinuedJob(title: "Export", subtitle: "3 of 9")))
        #expect(shown.duration == .seconds(4))
        #expect(!shown.isExpiring)
        bench.finish("export")
        #expect(bench.jobs.running() == [])
    }

    @Test("continued work keeps running after a request to stop, until the host's time is over")
    func keepsRunning() throws {
        let bench = try JobsBench()
        try bench.register("export")
        try bench.submit("export", continued())
        let run = try #require(bench.run("export"))
        bench.host.enter(.background, remaining: .seconds(30))
        #expect(run.timeRemaining == .seconds(30))
        bench.host.advance(by: .seconds(26))
        #expect(bench.running() == ["export"])
        #expect(bench.host.openTasks == ["background job export"])
        bench.host.expire()
        bench.host.settle()
        #expect(bench.diary == ["0 export begins", "26 export is cancelled"])
        #expect(bench.isTidy)
    }
}
