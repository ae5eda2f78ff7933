import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
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
            #expect(device.ownNotes == ["ten", "twenty"])
        }
    }

    @Test("work that other threads submit to the main queue runs meanwhile")
    func threads() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            DispatchQueue.global().async { DispatchQueue.main.async { host.note("from elsewhere") } }
            // This takes real time, at most ten seconds, because the work is on another thread.
            for _ in 1...500 where device.ownNotes.isEmpty { await device.runInRealTime(for: .milliseconds(20)) }
            #expect(device.ownNotes == ["from elsewhere"])
        }
    }

    @Test(
        "a device in real time runs until its task is cancelled, and is not delayed by a control that moves time")
    func lives() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let begin = device.time.uptime()
            let real = SystemTime()
            let realBegin = real.uptime()
            host.engine.schedule(after: .seconds(30)) { host.note("thirty") }
            host.engine.schedule(after: .seconds(86_430)) { host.note("tomorrow") }
            var steps = 0
            var hasSkipped = false
            let life = Task {
                await device.runInRealTime(speed: { 300 }) {
                    steps += 1
                    guard device.ownNotes == ["thirty"], !hasSkipped else { return }
                    hasSkipped = true
                    device.advance(by: .seconds(86_400))
                }
            }
            // This loop waits in real time, because the test is about real time. It takes a tenth of a second, and at
            // most ten seconds.
            for _ in 1...1_000 where !device.ownNotes.contains("tomorrow") { try await pause() }
            life.cancel()
            await life.value
            #expect(device.ownNotes == ["thirty", "tomorrow"])
            let passed = begin.duration(to: device.time.uptime())
            #expect(passed >= .seconds(86_430))
            // A device that waited until real time had caught up with the skipped day would stand still. A device that
            // counted real time twice would be ahead.
            #expect(passed <= .seconds(86_400) + realBegin.duration(to: real.uptime()) * 300)
            #expect(steps > 1)
            #expect(device.log.filter { $0.what == .control("run in real time") }.count == 1)
        }
    }

    @Test("at speed zero the clocks stop, and work that can run at the instant runs")
    func standsStill() async throws {
        try await SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let begin = device.time.uptime()
            host.engine.schedule(after: .milliseconds(1)) { host.note("never") }
            var steps = 0
            let life = Task { await device.runInRealTime(speed: { 0 }) { steps += 1 } }
            host.mainLoop.run { host.note("now") }
            for _ in 1...1_000 where steps < 3 { try await pause() }
            life.cancel()
            await life.value
            #expect(steps >= 3)
            #expect(device.ownNotes == ["now"])
            #expect(begin.duration(to: device.time.uptime()) == .zero)
        }
    }

    /// Waits for 10 ms of real time, in which the device runs.
    ///
    /// The wait is real, because the device runs in real time. Each test limits the number of its waits.
    private func pause() async throws { try await TimerEngine.shared.sleep(for: .milliseconds(10)) }
}
