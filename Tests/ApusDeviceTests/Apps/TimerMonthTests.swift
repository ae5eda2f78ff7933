import ApusBackground
import ApusDevice
import Testing

@testable import ApusTimers

@MainActor
@Suite("A month of a timer that fires every half second", .serialized)
struct TimerMonthTests {
    /// Counts the delivered and the missed ticks.
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

    @Test("an app in the foreground receives all five million ticks")
    func inFront() {
        let device = SimulatedDevice()
        let ticks = install(on: device)
        device.launch()
        device.advance(by: .seconds(Self.seconds))
        #expect(ticks.came == 2 * Self.seconds)
        #expect(ticks.missed == 0)
    }

    @Test(
        "a suspended app receives no tick, and then one tick with the number of missed ones", arguments: [false, true])
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
