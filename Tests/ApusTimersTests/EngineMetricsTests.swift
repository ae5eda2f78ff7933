import ApusTimers
import ApusVirtualTime
import CoreMetrics
import Dispatch
import MetricsTestKit
import Testing

@Suite("Metrics of the engine")
struct EngineMetricsTests {
    private let backend = TestMetrics()
    private let dimensions = [("engine", "main")]
    private let time = VirtualTime()

    private func report() { time.engine.reportMetrics(to: backend, dimensions: dimensions) }

    @Test("each action reports how late it was started, in nanoseconds that are shown as milliseconds")
    func lateness() throws {
        report()
        time.engine.schedule(after: .seconds(1)) {}
        time.engine.schedule(after: .milliseconds(2_500), tolerance: .milliseconds(500)) {}
        time.engine.schedule(after: .milliseconds(2_900), tolerance: .milliseconds(500)) {}
        time.advance(by: .seconds(5))
        let timer = try backend.expectTimer("apus.timers.lateness", dimensions)
        #expect(timer.values == [0, 500_000_000, 100_000_000])
        #expect(timer.displayUnit == .milliseconds)
    }

    @Test("each wake-up is counted, with the actions that it started and those that shared it")
    func wakeUps() throws {
        report()
        for after in [1, 2, 2, 2, 4] { time.engine.schedule(after: .seconds(after)) {} }
        time.engine.schedule(after: .seconds(60)) {}.cancel()
        time.engine.schedule(after: .seconds(100)) {}
        time.advance(by: .seconds(10))
        #expect(try backend.expectCounter("apus.timers.wake_ups", dimensions).totalValue == 3)
        #expect(try backend.expectCounter("apus.timers.fires", dimensions).totalValue == 5)
        #expect(try backend.expectCounter("apus.timers.coalesced_fires", dimensions).values == [2])
        #expect(try backend.expectMeter("apus.timers.live_timers", dimensions).values == [5, 2, 1])
    }

    @Test("an action on a queue is counted when it starts there, and not at all if it is cancelled while it waits")
    func elsewhere() throws {
        report()
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        time.engine.schedule(after: .seconds(1), on: .queue(queue)) {}
        let cancelled = time.engine.schedule(after: .seconds(1), on: .queue(queue)) {}
        time.advance(by: .seconds(3))
        let fires = try backend.expectCounter("apus.timers.fires", dimensions)
        #expect(fires.values == [])
        cancelled.cancel()
        queue.resume()
        queue.sync {}
        #expect(fires.values == [1])
        #expect(try backend.expectTimer("apus.timers.lateness", dimensions).values == [2_000_000_000])
    }

    @Test("all metrics exist as soon as reporting begins, and none without it")
    func names() {
        time.engine.schedule(after: .seconds(1)) {}
        time.advance(by: .seconds(1))
        #expect(backend.counters.isEmpty && backend.timers.isEmpty)
        report()
        #expect(backend.timers.map(\.label) == ["apus.timers.lateness"])
        #expect(backend.meters.map(\.label) == ["apus.timers.live_timers"])
        #expect(backend.recorders.isEmpty)
        let counters = backend.counters.map(\.label).sorted()
        #expect(counters == ["coalesced_fires", "fires", "wake_ups"].map { "apus.timers." + $0 })
    }
}
