import ApusDevice
import SimulatedAppleCore
import Testing
import UIKit

@testable import SampleAppsSwift5

extension SimulatedAppleTests {
    @MainActor
    @Suite("Examples in the documents")
    struct Shown {
        @Test("the test of docs/simulated-apple.md looks into an app in its own process")
        func upload() throws {
            // Shown: simulated-apple-test
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: UploadAppDelegate())
                device.launch()
                device.pressHome()
                let app = try #require(UIApplication.shared.delegate as? UploadAppDelegate)
                #expect(app.upload != .invalid)
            }
            // Shown: end
        }
    }
}
