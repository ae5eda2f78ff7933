import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Unimplemented time")
struct UnimplementedTimeTests {
    let reports = Recorder<String>()

    @Test("code that does not ask for the time is not reported")
    func untouched() {
        let time = UnimplementedTime { [reports] in reports.append($0) }
        #expect(time.engine.liveTimerCount == 0)
        time.engine.stop()
        #expect(reports.values == [])
    }

    @Test("each clock that is read is reported by its name")
    func clocks() {
        let time = UnimplementedTime { [reports] in reports.append($0) }
        _ = time.uptime()
        _ = time.continuous()
        _ = time.wall()
        #expect(reports.values.map { $0.prefix { $0 != "(" } } == ["uptime", "continuous", "wall"])
        #expect(reports.values.allSatisfy { $0.contains("UnimplementedTime") })
    }

    @Test("a timer on its engine is reported and never fires")
    func timers() {
        let time = UnimplementedTime { [reports] in reports.append($0) }
        let fired = Recorder<Bool>()
        time.engine.schedule(at: WallInstant(secondsSince1970: 1)) { fired.append(true) }
        #expect(reports.values.contains { $0.contains("a timer on the wall clock") })
        #expect(fired.values.isEmpty)
    }

    @Test("without a handler, a touch ends the process")
    func trap() async {
        await #expect(processExitsWith: .failure) { _ = UnimplementedTime().wall() }
    }
}
