import ApusTesting
import ApusTimers
import Dispatch
import Testing

@MainActor
@Suite("The simulated device in real time")
struct RealTimeTests {
    @Test("exactly the duration passes on the device, and its timers fire in their order")
    func exact() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let begin = device.time.uptime()
            host.engine.schedule(after: .seconds(20)) { host.note("twenty") }
            host.engine.schedule(after: .seconds(10)) { host.note("ten") }
            await device.runInRealTime(for: .seconds(30), speed: 300)
            #expect(begin.duration(to: device.time.uptime()) == .seconds(30))
            #expect(device.notes == ["ten", "twenty"])
        }
    }

    @Test("what other threads hand to the main queue runs meanwhile")
    func threads() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            DispatchQueue.global().async { DispatchQueue.main.async { host.note("from elsewhere") } }
            // Real time, because the work is on another thread: ten seconds at most.
            for _ in 1...500 where device.notes.isEmpty { await device.runInRealTime(for: .milliseconds(20)) }
            #expect(device.notes == ["from elsewhere"])
        }
    }
}
