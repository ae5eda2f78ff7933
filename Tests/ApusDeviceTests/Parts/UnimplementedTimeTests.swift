import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Unimplemented time")
struct UnimplementedTimeTests {
    let reports = Log<String>()

    @Test("code that does not read the time is not reported")
    func untouched() {
        let time = UnimplementedTime { [reports] in reports.add($0) }
        #expect(time.engine.liveTimerCount == 0)
        time.engine.stop()
        #expect(reports.all == [])
    }

    @Test("each clock that is read is reported by its name")
    func clocks() {
        let time = UnimplementedTime { [reports] in reports.add($0) }
        _ = time.uptime()
        _ = time.continuous()
        _ = time.wall()
        #expect(reports.all.map { $0.prefix { $0 != "(" } } == ["uptime", "continuous", "wall"])
        #expect(reports.all.allSatisfy { $0.contains("UnimplementedTime") })
    }

    @Test("a timer on its engine is reported and never fires")
    func timers() {
        let time = UnimplementedTime { [reports] in reports.add($0) }
        let fired = Log<Bool>()
        time.engine.schedule(at: WallInstant(secondsSince1970: 1)) { fired.add(true) }
        #expect(reports.all.contains { $0.contains("a timer on the wall clock") })
        #expect(fired.all.isEmpty)
    }

    @Test("without a handler, reading a clock ends the process")
    func trap() async {
        await #expect(processExitsWith: .failure) { _ = UnimplementedTime().wall() }
    }
}
