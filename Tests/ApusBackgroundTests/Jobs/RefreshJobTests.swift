import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Refresh jobs of an ordinary host")
struct RefreshJobTests {
    @Test("a refresh begins when the wall clock shows its earliest begin, and no earlier")
    func earliestBegin() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news", in: .seconds(100))
        #expect(bench.jobs.obstacles(for: "news") == [.notBefore(bench.host.time.wall().advanced(by: .seconds(100)))])
        bench.host.advance(by: .seconds(99))
        #expect(bench.diary == [])
        bench.host.advance(by: .seconds(1))
        #expect(bench.diary == ["100 news begins"])
        bench.finish("news")
        #expect(bench.isTidy)
    }

    @Test("without a spread, a refresh without an earliest begin begins at once")
    func atOnce() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news")
        #expect(bench.diary == ["0 news begins"])
        bench.finish("news")
    }

    @Test("the earliest begin follows the wall clock when it is set")
    func wallClock() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news", in: .seconds(100))
        bench.host.advance(by: .seconds(50))
        bench.host.time.moveWallClock(by: .seconds(-20))
        bench.host.advance(by: .seconds(69))
        #expect(bench.diary == [])
        bench.host.advance(by: .seconds(1))
        #expect(bench.diary == ["120 news begins"])
        bench.finish("news")
    }

    @Test("each refresh begins at a random instant within the spread, which the seed decides")
    func spread() throws {
        func begins(seed: UInt64, in delay: Duration?) throws -> [String] {
            let bench = try JobsBench(seed: seed) { $0.spread = .seconds(3_600) }
            for name in ["a", "b", "c"] {
                try bench.register(name)
                try bench.submit(name, in: delay)
            }
            bench.host.advance(by: (delay ?? .zero) + .seconds(3_600), step: .seconds(20))
            for name in ["a", "b", "c"] { bench.finish(name) }
            #expect(bench.isTidy)
            return bench.diary.filter { $0.hasSuffix("begins") }
        }
        for delay in [nil, Duration.seconds(600)] {
            let first = try begins(seed: 7, in: delay)
            #expect(first.count == 3)
            #expect(Set(first.map { $0.prefix { $0 != " " } }).count == 3)
            #expect(try begins(seed: 7, in: delay) == first)
            #expect(try begins(seed: 8, in: delay) != first)
        }
    }

    @Test(
        "a refresh waits while the battery is at 20 % or less and nothing charges it",
        arguments: [
            DeviceConditions(isOnExternalPower: true, batteryLevel: 0.2),
            DeviceConditions(isOnExternalPower: false, batteryLevel: 0.21),
            DeviceConditions(),
        ])
    func lowBattery(better: DeviceConditions) throws {
        let bench = try JobsBench(DeviceConditions(isOnExternalPower: false, batteryLevel: 0.2))
        try bench.register("news")
        try bench.submit("news")
        #expect(bench.jobs.obstacles(for: "news") == [.lowBattery])
        bench.host.advance(by: .seconds(10))
        #expect(bench.diary == [])
        #expect(bench.host.time.pendingTimerCount == 0)
        bench.host.set(better)
        #expect(bench.diary == ["10 news begins"])
        bench.finish("news")
        #expect(bench.isTidy)
    }

    @Test("a refresh waits while low-power mode is on")
    func lowPowerMode() throws {
        let bench = try JobsBench(DeviceConditions(isLowPowerMode: true))
        try bench.register("news")
        try bench.submit("news")
        #expect(bench.jobs.obstacles(for: "news") == [.lowPowerMode])
        bench.host.set(DeviceConditions(isLowPowerMode: false))
        #expect(bench.diary == ["0 news begins"])
        bench.finish("news")
    }

    @Test("a refresh that has begun keeps running when the battery gets low")
    func batteryWhileRunning() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news")
        bench.host.set(DeviceConditions(isOnExternalPower: false, batteryLevel: 0.1, isLowPowerMode: true))
        bench.finish("news")
        #expect(bench.diary == ["0 news begins"])
    }

    @Test("refreshes of one identifier begin at least 15 minutes apart, and others are not delayed")
    func spacing() throws {
        let bench = try JobsBench()
        try bench.register("news", "mail")
        try bench.submit("news")
        bench.host.advance(by: .seconds(5))
        bench.finish("news")
        try bench.submit("news")
        let until = bench.host.time.wall().advanced(by: .seconds(895))
        #expect(bench.jobs.obstacles(for: "news") == [.rateLimited(until: until)])
        try bench.submit("mail")
        bench.finish("mail")
        bench.host.advance(by: .seconds(895))
        bench.finish("news")
        #expect(bench.diary == ["0 news begins", "5 mail begins", "900 news begins"])
        #expect(bench.isTidy)
    }

    @Test("setting the wall clock does not change the spacing")
    func spacingAndWallClock() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news")
        bench.finish("news")
        try bench.submit("news")
        bench.host.time.moveWallClock(by: .seconds(86_400))
        bench.host.advance(by: .seconds(899))
        #expect(bench.diary.count == 1)
        bench.host.advance(by: .seconds(1))
        #expect(bench.diary.last == "900 news begins")
        bench.finish("news")
    }

    @Test(
        "a refresh expires after 30 s: its handler is called, its task cancelled, and its background task ends with it"
    )
    func timeLimit() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news")
        let run = try #require(bench.run("news"))
        run.onExpiration { [host = bench.host] in host.note("expired") }
        bench.host.advance(by: .seconds(12))
        #expect(run.timeRemaining == .seconds(18))
        bench.host.advance(by: .seconds(18))
        #expect(bench.diary == ["0 news begins", "30 expired", "30 news is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("a run without an expiration handler ends when it expires, although its handler still winds up")
    func expiresWithoutHandler() throws {
        let bench = try JobsBench()
        try bench.register("news") { [host = bench.host] _ in host.note("background tasks \(host.openTasks.count)") }
        try bench.submit("news")
        bench.host.advance(by: .seconds(30))
        #expect(bench.diary == ["0 news begins", "30 news is cancelled", "30 background tasks 0"])
        #expect(bench.isTidy)
    }

    @Test("a handler can submit the next run, and its own request is no longer pending")
    func submitsTheNext() throws {
        let bench = try JobsBench { $0.refreshSpacing = .seconds(10) }
        try bench.jobs.register("news") { [jobs = bench.jobs, host = bench.host] run in
            host.note("begins")
            let before = await jobs.pending().count
            if host.second < 100 {
                let next = host.time.wall().advanced(by: .seconds(50))
                try await jobs.submit(BackgroundJobRequest("news", .refresh, earliestBegin: next))
            }
            host.note("\(before) then \(await jobs.pending().count)")
        }
        try bench.submit("news")
        bench.host.advance(by: .seconds(200))
        #expect(
            bench.diary == [
                "0 begins", "0 0 then 1", "50 begins", "50 0 then 1", "100 begins", "100 0 then 0",
            ])
        #expect(bench.isTidy)
    }

    @Test("two runs of one identifier never overlap")
    func noOverlap() throws {
        let bench = try JobsBench {
            $0.refreshSpacing = .zero
            $0.refreshTimeLimit = .seconds(1_000)
        }
        try bench.register("news")
        try bench.submit("news")
        try bench.submit("news")
        #expect(bench.jobs.obstacles(for: "news") == [.busy])
        bench.host.advance(by: .seconds(40))
        #expect(bench.diary == ["0 news begins"])
        bench.finish("news")
        #expect(bench.diary == ["0 news begins", "40 news begins"])
        bench.finish("news")
    }

    @Test("a request that came due during the machine's sleep begins afterwards")
    func sleep() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news", in: .seconds(100))
        bench.host.time.sleepMachine(for: .seconds(500))
        bench.host.settle()
        #expect(bench.diary == ["0 news begins"])
        bench.finish("news")
    }
}
