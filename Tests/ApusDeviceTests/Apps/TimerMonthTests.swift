import ApusBackground
import ApusDevice
import Testing

@testable import ApusTimers

@MainActor
@Suite("A month of a timer that fires every half second", .serialized)
struct TimerMonthTests {
    /// How many ticks came, and how many were missed.
    private final class Ticks: Sendable {
        private let counts = Locked((came: 0, missed: 0))
        var came: Int { counts.withLock { $0.came } }
        var missed: Int { counts.withLock { $0.missed } }

        func add(_ tick: Tick) {
            counts.withLock {
                $0.came += 1
                $0.missed += Int(tick.missedCount)
            }
        }
    }

    private func install(on device: SimulatedDevice) -> Ticks {
        let ticks = Ticks()
        device.install(AppManifest()) { host in
            let app = ProbeApp(host) { _, _ in }
            if let timer = try? RepeatingTimer(
                every: .milliseconds(500), engine: host.engine, handler: { ticks.add($0) })
            {
                timer.resume()
                app.kept.append(timer)
            }
            return app
        }
        return ticks
    }

    private static let seconds = 30 * 86_400

    private func advance(_ device: SimulatedDevice, seconds: Int) { device.advance(by: .seconds(seconds)) }

    @Test("in front, all five million ticks come")
    func inFront() {
        let device = SimulatedDevice()
        let ticks = install(on: device)
        device.launch()
        device.advance(by: .seconds(Self.seconds))
        #expect(ticks.came == 2 * Self.seconds)
        #expect(ticks.missed == 0)
    }

    @Test("suspended, none comes, and then one that counts those that were missed", arguments: [false, true])
    func suspended(asynchronously: Bool) async {
        let device = SimulatedDevice()
        let ticks = install(on: device)
        device.launch()
        device.pressHome()
        advance(device, seconds: 60)
        #expect(device.host?.phase == .suspended)
        let before = ticks.came
        if asynchronously {
            await device.advance(by: .seconds(Self.seconds))
        } else {
            advance(device, seconds: Self.seconds)
        }
        #expect(ticks.came == before)
        device.open()
        advance(device, seconds: 1)
        #expect((before + 2...before + 4).contains(ticks.came))
        #expect(ticks.missed >= 2 * Self.seconds)
    }
}
