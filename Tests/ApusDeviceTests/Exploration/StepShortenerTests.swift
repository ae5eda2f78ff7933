import ApusBackground
import ApusTimers
import Testing

@testable import ApusDevice

@Suite("The shortener of scripts")
struct StepShortenerTests {
    /// Shortens a script until there is nothing left to try.
    private func shorten(
        _ steps: [DeviceStep], attempts: Int = 500, fails: ([DeviceStep]) -> Bool
    ) -> (steps: [DeviceStep], attempts: Int) {
        var shortener = StepShortener(steps, attempts: attempts)
        var count = 0
        while let steps = shortener.next() {
            count += 1
            shortener.report(failedAfter: fails(steps) ? steps : nil)
        }
        return (shortener.best, count)
    }

    @Test("of a long script, only the steps that cause the problem remain, in their order")
    func removes() {
        let noise: [DeviceStep] = [.openAppSwitcher, .plugIn, .receiveCall, .endCall, .applyMemoryPressure]
        let steps = noise + [.launch] + noise + noise + [.pressHome] + noise + [.reboot] + noise
        let (short, attempts) = shorten(steps) { steps in
            guard let launch = steps.firstIndex(of: .launch), let home = steps.firstIndex(of: .pressHome) else {
                return false
            }
            return launch < home && steps.contains(.reboot)
        }
        #expect(short == [.launch, .pressHome, .reboot])
        #expect(attempts < 120)
    }

    @Test("waits are joined and rounded to the shortest round duration that is long enough")
    func rounds() {
        let steps: [DeviceStep] = [.advance(.milliseconds(20_300)), .advance(.seconds(7)), .advance(.seconds(4))]
        let (short, _) = shorten(steps) { steps in steps.reduce(.zero) { $0 + $1.duration } > .seconds(25) }
        #expect(short == [.advance(.seconds(30))])
    }

    @Test("a script is unchanged if all its steps are needed")
    func keeps() {
        let steps: [DeviceStep] = [.launch, .lock, .unlock]
        #expect(shorten(steps) { $0 == steps }.steps == steps)
    }

    @Test("after the last attempt nothing more is tried")
    func bounded() {
        let steps = [DeviceStep](repeating: .lock, count: 64)
        #expect(shorten(steps, attempts: 7) { _ in false }.attempts == 7)
    }

    @Test("steps after the problem are removed first")
    func cutsTheEnd() {
        var shortener = StepShortener([.lock, .unlock, .kill, .reboot], attempts: 100)
        _ = shortener.next()
        shortener.report(failedAfter: [.kill])
        #expect(shortener.best == [.kill])
    }

    @Test(
        "a step is described by a line of Swift",
        arguments: [
            (.advance(.milliseconds(1_500)), "device.advance(by: .milliseconds(1500))"),
            (.moveWallClock(.seconds(-3_600)), "device.moveWallClock(by: .seconds(-3600))"),
            (.setBattery(percent: 15), "device.setBattery(0.15)"),
            (.setNetwork(.none), "device.setNetwork(.none)"),
            (.tapNotification("a \"b\""), #"_ = device.notifications.tap("a \"b\"")"#),
            (.launchJob("feed"), #"device.launchJob("feed")"#),
            (.setLocationAuthorization(.whenInUse), "device.location.setAuthorization(.whenInUse)"),
        ] as [(DeviceStep, String)])
    func source(step: DeviceStep, line: String) {
        #expect("\(step)" == line)
    }
}
