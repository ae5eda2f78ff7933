import ApusDevice
import ApusTimers
import QuartzCore
import SimulatedAppleCore
import Testing
import UIKit

private final class DisplayDelegate: UIResponder, UIApplicationDelegate {
    let journal: Journal
    private(set) var link: CADisplayLink?

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let link = CADisplayLink { [journal] link in
            journal.lines.append("\(link.targetTimestamp - link.timestamp > 0.03 ? 30 : 60)")
        }
        link.add(to: .main, forMode: .default)
        self.link = link
        return true
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("CADisplayLink")
    struct DisplayLinks {
        private func run(_ body: (SimulatedDevice, Journal, () throws -> CADisplayLink) throws -> Void) throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: DisplayDelegate(journal))
                device.launch()
                try body(device, journal) {
                    try #require((device.app as? DisplayDelegate)?.link)
                }
            }
        }

        @Test(
            "a display link delivers 60 frames in a second, or the divisor of 60 that is nearest to the preferred rate")
        func rates() throws {
            try run { device, journal, link in
                let begin = CACurrentMediaTime()
                device.advance(by: .seconds(1))
                #expect(CACurrentMediaTime() - begin == 1)
                #expect(journal.take().count == 60)
                #expect(try abs(link().duration - 1.0 / 60) < 1e-6)
                try link().preferredFrameRateRange = CAFrameRateRange(minimum: 20, maximum: 60, preferred: 26)
                device.advance(by: .seconds(1))
                #expect(journal.take() == Array(repeating: "30", count: 30))
            }
        }

        @Test(
            "a display link delivers no frames while it is paused, while the user scrolls in default mode, and after invalidate"
        )
        func pauses() throws {
            try run { device, journal, link in
                try link().isPaused = true
                device.advance(by: .seconds(1))
                #expect(journal.take().isEmpty)
                try link().isPaused = false
                device.scroll(for: .seconds(1))
                // The link is in the default mode, so only the latest frame is delivered when the scrolling has ended.
                #expect(journal.take().count == 1)
                try link().add(to: .main, forMode: .common)
                device.scroll(for: .seconds(1))
                #expect(journal.take().count == 60)
                try link().invalidate()
                device.advance(by: .seconds(1))
                #expect(journal.take().isEmpty)
            }
        }

        @Test("a suspended app gets no frames, and continues with the present one")
        func suspension() throws {
            try run { device, journal, _ in
                device.pressHome()
                device.advance(by: .seconds(10))
                _ = journal.take()
                device.advance(by: .seconds(60))
                #expect(journal.take().isEmpty)
                device.open()
                device.advance(by: .seconds(1))
                #expect((60...61).contains(journal.take().count))
            }
        }
    }
}
