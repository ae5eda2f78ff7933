import ApusTesting
import SimulatedPhone
import Testing
import UIKit

@testable import SampleAppsSwift5

extension SimulatedAppleTests {
    /// What the documents show.
    @MainActor
    @Suite("Examples in the documents")
    struct Shown {
        @Test("the test in the README fails with the fault that it shows")
        func upload() throws {
            do {
                // Shown: simulated-apple-test
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, delegate: UploadAppDelegate())
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                }
                // Shown: end
                Issue.record("the app does not end its claim")
            } catch let error as DeviceError {
                #expect(
                    error.description == """
                        the simulated device (seed 0) does not agree with the test:
                          unexpected fault, claimNotEnded: end the claim “upload” in its handler at the latest
                        """)
            }
        }
    }
}
