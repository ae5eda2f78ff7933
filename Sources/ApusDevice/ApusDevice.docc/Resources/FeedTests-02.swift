import ApusTestTraits
import ApusTesting
import SimulatedAppleCore
import Testing
import UIKit

@testable import Feed

@MainActor
@Test("the feed is refreshed in the background, repeatedly", .simulatedPhone(seed: 7))
func feedInTwoDays() throws {
    let device = try #require(SimulatedDevice.current)
    let manifest = AppManifest(
        backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.feed.refresh"], usesScenes: false)
    SimulatedPhone.install(on: device, manifest: manifest, program: { SimulatedPhone.run(FeedAppDelegate()) })

    device.launch()
    device.pressHome()
    device.advance(by: .seconds(2 * 86_400))

    let runs = device.jobs.report.runs
    #expect(runs.count >= 4)
    #expect(runs.allSatisfy { $0.outcome == .succeeded })
}
