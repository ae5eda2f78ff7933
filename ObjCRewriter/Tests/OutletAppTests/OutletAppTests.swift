#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import SimulatedAppleCore
    import Testing
    import UIKit

    @testable import OutletApp

    @MainActor
    @Suite("An app with outlets and selectors, in its own process", .serialized, .simulatedPhone())
    struct OutletAppTests {
        private func launched() throws -> SimulatedDevice {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
            device.launch()
            return device
        }

        /// Returns the texts of the screen's two labels.
        private func labels(_ device: SimulatedDevice) throws -> [String] {
            let lines = try SimulatedPhone.screen(on: device)
            #expect(lines.first == "Pomodoro" && lines.contains("Start") && lines.contains("Stop"))
            return lines.filter { !["Pomodoro", "Help", "Done", "Start", "Stop"].contains($0) }
        }

        @Test("a timer, a display link, observers and a delayed call call its methods, until a button stops them")
        func counts() throws {
            let device = try launched()
            try SimulatedPhone.tap("Start", on: device)
            #expect(try labels(device) == ["60 s", "tapped Start"])
            device.advance(by: .milliseconds(3_500))
            #expect(try labels(device) == ["57 s", "counted three"])
            try SimulatedPhone.tap("Stop", on: device)
            #expect(try labels(device) == ["57 s", "stopped after 210 frames and 3 counts"])
            device.advance(by: .milliseconds(1_900))
            #expect(try labels(device).first == "57 s")
            device.advance(by: .milliseconds(200))
            #expect(try labels(device).first == "stopped")
        }

        @Test("bar buttons and a gesture call its methods with their senders")
        func taps() throws {
            let device = try launched()
            try SimulatedPhone.tap("Help", on: device)
            #expect(try labels(device) == ["help by Help"])
            try SimulatedPhone.tap("Done", on: device)
            #expect(try labels(device) == ["done, which responds: true"])
            try SimulatedPhone.tap("time", on: device)
            #expect(try labels(device) == ["tapped in state ended", "done, which responds: true"])
        }

        @Test("notifications of the life cycle reach methods without a parameter and with one")
        func background() throws {
            let device = try launched()
            device.pressHome()
            device.advance(by: .seconds(90))
            device.open()
            device.advance(by: .seconds(1))
            #expect(try labels(device) == ["away for 90 s, \(UIApplication.willEnterForegroundNotification.rawValue)"])
        }
    }
#endif
