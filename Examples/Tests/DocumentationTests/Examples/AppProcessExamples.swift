#if os(Linux)
    import ApusTesting
    import Foundation
    import SimulatedAppleCore
    import Testing

    @MainActor
    @Test("an app that ticks is a process of its own")
    func ticksInAProcess() throws {
        // Shown: process
        try SimulatedDevice.run { device in
            SimulatedPhone.install(
                on: device,
                program: {
                    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in SimulatedPhone.note("tick") }
                })
            device.launch()
            device.advance(by: .seconds(3))  // three ticks
            device.pressHome()
            device.advance(by: .seconds(600))  // some more, until the app is suspended
            device.kill()
        }
        // Shown: end
    }
#endif
