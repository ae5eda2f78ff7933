#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import Foundation
    import Testing
    import UIKit

    @testable import SampleAppsSwift5
    @testable import SampleAppsSwift6
    @testable import SimulatedAppleCore

    @MainActor
    @Suite("The logs of sample apps in new processes", .simulatedPhone())
    struct SameLogTests {
        private static let apps: [(name: String, program: @convention(c) () -> Void)] = [
            ("delayed work 5", { SimulatedPhone.run(SampleAppsSwift5.DelayedWorkAppDelegate()) }),
            ("delayed work 6", { SimulatedPhone.run(SampleAppsSwift6.DelayedWorkAppDelegate()) }),
            ("kitchen timer 5", { SimulatedPhone.run(SampleAppsSwift5.KitchenTimerAppDelegate()) }),
            ("kitchen timer 6", { SimulatedPhone.run(SampleAppsSwift6.KitchenTimerAppDelegate()) }),
            ("news 5", { SimulatedPhone.run(SampleAppsSwift5.NewsAppDelegate()) }),
            ("news 6", { SimulatedPhone.run(SampleAppsSwift6.NewsAppDelegate()) }),
            ("primes 5", { SimulatedPhone.run(SampleAppsSwift5.PrimeAppDelegate()) }),
            ("primes 6", { SimulatedPhone.run(SampleAppsSwift6.PrimeAppDelegate()) }),
            ("upload 5", { SimulatedPhone.run(SampleAppsSwift5.UploadAppDelegate()) }),
        ]

        private func log(_ program: @escaping @convention(c) () -> Void) throws -> [String] {
            let device = SimulatedDevice(seed: 3)
            device.showsOutput = false
            let manifest = AppManifest(
                backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.news.refresh"], usesScenes: false)
            SimulatedPhone.install(on: device, manifest: manifest, program: program)
            device.launch()
            device.advance(by: .seconds(5))
            device.pressHome()
            device.advance(by: .seconds(600))
            device.open()
            device.advance(by: .seconds(2))
            device.kill()
            device.launch()
            device.advance(by: .seconds(2))
            device.kill()
            return device.log.map(\.description)
        }

        @Test("each app has the same log in twenty new processes")
        func twenty() throws {
            var first: [[String]] = []
            for run in 0..<20 {
                // With another environment, the processes are forked from another launcher than in the previous run, so
                // hashes and addresses differ.
                let environment = ProcessInfo.processInfo.environment.merging(["APUS_RUN": "\(run)"]) { $1 }
                _ = try AppLauncher.current(environment)
                let logs = try Self.apps.map { try log($0.program) }
                if run == 0 { first = logs }
                for (index, app) in Self.apps.enumerated() where logs[index] != first[index] {
                    Issue.record("\(app.name), run \(run): \(logs[index].difference(from: first[index]))")
                }
            }
        }
    }
#endif
