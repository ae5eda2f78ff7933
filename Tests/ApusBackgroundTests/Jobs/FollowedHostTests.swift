import ApusTestSupport
import ApusVirtualTime
import Logging
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("What background jobs of an ordinary host watch, and what they report")
struct FollowedHostTests {
    @Test("without a pending request or a run there is no timer, and the host is not observed")
    func nothing() throws {
        let bench = try JobsBench()
        try bench.register("news")
        #expect(bench.isTidy)
        bench.host.advance(by: .seconds(3_600), step: .seconds(600))
        #expect(bench.isTidy)
    }

    @Test("a request that waits for its time costs one timer, and the conditions are not yet observed")
    func oneTimer() throws {
        let bench = try JobsBench(DeviceConditions(isLowPowerMode: true))
        try bench.register("a", "b")
        try bench.submit("a", in: .seconds(3_600))
        try bench.submit("b", in: .seconds(7_200))
        #expect(bench.host.time.pendingTimerCount == 1)
        #expect(!bench.host.isFollowed.conditions)
        let wakeUps = bench.host.engine.statistics.wakeUps
        bench.host.advance(by: .seconds(3_599), step: .seconds(3_599))
        #expect(bench.host.engine.statistics.wakeUps == wakeUps)
        bench.host.advance(by: .seconds(1))
        #expect(bench.host.isFollowed.conditions)
        #expect(bench.host.time.pendingTimerCount == 1, "that of the second request")
        try bench.cancel("a")
        #expect(!bench.host.isFollowed.conditions)
        try bench.cancel("b")
        #expect(bench.isTidy)
    }

    @Test("a change between examining the conditions and observing them is not missed")
    func changeInBetween() throws {
        let bench = try JobsBench(DeviceConditions(isLowPowerMode: true))
        bench.host.changeUnseen(to: DeviceConditions(isLowPowerMode: false))
        try bench.register("news")
        try bench.submit("news")
        #expect(bench.diary == ["0 news begins"])
        #expect(!bench.host.isFollowed.conditions)
        bench.finish("news")
        #expect(bench.isTidy)
    }

    @Test("released jobs leave no timer and no observer")
    func dropped() throws {
        let host = TestHost(DeviceConditions(isLowPowerMode: true))
        var bench: JobsBench? = try JobsBench(host: host)
        try bench?.register("a", "b")
        try bench?.submit("a", in: .seconds(10))
        try bench?.submit("b")
        #expect(host.time.pendingTimerCount == 1)
        #expect(host.isFollowed.conditions && host.isFollowed.phase)
        bench = nil
        host.settle()
        #expect(host.time.leaks == [])
        #expect(!host.isFollowed.conditions && !host.isFollowed.phase)
    }

    /// Returns a logger that records messages without their instants.
    private static func logger(_ log: Log<String>) -> Logger {
        Logger {
            let line = $0.text
            log.add(line.firstRange(of: "not before ").map { String(line[..<$0.upperBound].dropLast()) } ?? line)
        }
    }

    @Test("launches, ends and reasons to wait are logged, and equal reasons only once")
    func logged() throws {
        let log = Log<String>()
        let bench = try JobsBench(logger: Self.logger(log))
        try bench.register("index")
        try bench.submit("index", .processing(requiresNetwork: true), in: .seconds(10))
        bench.host.set(DeviceConditions(network: DeviceConditions.Network.none, batteryLevel: 0.9))
        bench.host.time.moveWallClock(by: .seconds(-5))
        bench.host.advance(by: .seconds(20))
        bench.host.change { $0.batteryLevel = 0.8 }
        bench.host.change { $0.isIdle = false }
        bench.host.change { $0.network = .available }
        bench.host.change { $0.isIdle = true }
        bench.host.advance(by: .seconds(3))
        bench.finish("index")
        #expect(
            log.all == [
                "a background job waits job=index reasons=not before",
                "a background job waits job=index reasons=no network",
                "a background job waits job=index reasons=no network, the device is in use",
                "a background job waits job=index reasons=the device is in use",
                "a background job begins job=index kind=processing",
                "a background job is complete duration=3.0 seconds job=index success=true",
            ])
    }

    @Test("every reason is described in words, with readable instants")
    func words() {
        let instant = WallInstant(secondsSince1970: 1_767_225_600)
        #expect(BackgroundJobObstacle.notBefore(instant).description == "not before 2026-01-01T00:00:00.000Z")
        let until = BackgroundJobObstacle.rateLimited(until: instant)
        #expect(until.description == "launched a short while ago until 2026-01-01T00:00:00.000Z")
        #expect([BackgroundJobObstacle.noNetwork, .busy].words.hasPrefix("no network, the system is busy"))
    }

    @Test("a reason is equal when only its instant has moved")
    func sameReason() throws {
        let log = Log<String>()
        let bench = try JobsBench(logger: Self.logger(log)) { $0.spread = .seconds(3_600) }
        try bench.register("news", "other")
        try bench.submit("news")
        let before = bench.jobs.obstacles(for: "news")
        bench.host.time.moveWallClock(by: .seconds(10))
        try bench.submit("other")
        #expect(bench.jobs.obstacles(for: "news") != before)
        #expect(log.all.count { $0.contains("job=news") } == 1)
        try bench.cancelAll()
    }

    @Test("the same seed and the same script give the same diary")
    func deterministic() throws {
        func diary(seed: UInt64) throws -> [String] {
            let bench = try JobsBench(seed: seed) { $0.spread = .seconds(300) }
            let names = ["a", "b", "c", "d"]
            for name in names { try bench.register(name) }
            let random = SeededRandom(seed: seed &+ 99)
            for _ in 0..<60 {
                let name = names[Int(random.next() % 4)]
                switch random.next() % 8 {
                case 0, 1: try bench.submit(name, in: .seconds(Int64(random.next() % 500)))
                case 2: try bench.submit(name, .processing(requiresNetwork: true))
                case 3: try bench.cancel(name)
                case 4:
                    bench.host.change {
                        $0.network = $0.network == .available ? DeviceConditions.Network.none : .available
                    }
                case 5: bench.host.change { $0.isIdle = $0.isIdle == false }
                case 6: bench.finish(name)
                default: bench.host.advance(by: .seconds(Int64(random.next() % 400)), step: .seconds(50))
                }
            }
            try bench.cancelAll()
            bench.host.set(DeviceConditions(network: DeviceConditions.Network.none, isIdle: false))
            bench.host.advance(by: .seconds(60))
            for name in names { bench.finish(name) }
            #expect(bench.isTidy, "seed \(seed): \(bench.host.time.leaks) \(bench.host.openTasks)")
            return bench.diary
        }
        for seed in UInt64(1)...40 {
            let first = try diary(seed: seed)
            #expect(try diary(seed: seed) == first)
        }
        #expect(try diary(seed: 1) != diary(seed: 2))
    }
}
