import CoreMetrics
import MetricsTestKit
import Testing

@testable import ApusTimers

@Suite("EngineMetrics")
struct EngineMetricsTests {
    private let backend = TestMetrics()
    private let dimensions = [("engine", "main")]

    private func makeMetrics() -> EngineMetrics {
        EngineMetrics(factory: backend, label: "apus.timers", dimensions: dimensions)
    }

    @Test("each fired timer reports how late it was, in nanoseconds that are shown as milliseconds")
    func lateness() throws {
        let metrics = makeMetrics()
        for late: UInt64 in [0, 1_500_000, .max] { metrics.fired(late: late) }
        let timer = try backend.expectTimer("apus.timers.lateness", dimensions)
        #expect(timer.values == [0, 1_500_000, .max])
        #expect(timer.displayUnit == .milliseconds)
    }

    @Test("each wake-up is counted, with its fires, and with those that shared it")
    func wakeUps() throws {
        let metrics = makeMetrics()
        for fires in [1, 5, 0, 2] { metrics.woke(fires: fires, liveTimers: 10 - fires) }
        #expect(try backend.expectCounter("apus.timers.wake_ups", dimensions).totalValue == 4)
        #expect(try backend.expectCounter("apus.timers.fires", dimensions).values == [1, 5, 2])
        #expect(try backend.expectCounter("apus.timers.coalesced_fires", dimensions).values == [4, 1])
        #expect(try backend.expectMeter("apus.timers.live_timers", dimensions).values == [9, 5, 10, 8])
    }

    @Test("the metrics are there before anything happened, and there are no others")
    func names() {
        withExtendedLifetime(makeMetrics()) {
            #expect(backend.timers.map(\.label) == ["apus.timers.lateness"])
            #expect(backend.meters.map(\.label) == ["apus.timers.live_timers"])
            #expect(backend.recorders.isEmpty)
            let counters = backend.counters.map(\.label).sorted()
            #expect(counters == ["coalesced_fires", "fires", "wake_ups"].map { "apus.timers." + $0 })
        }
    }
}
