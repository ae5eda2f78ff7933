#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    private final class EmptyDelegate: UIResponder, UIApplicationDelegate {}
    private final class EmptySceneDelegate: UIResponder, UISceneDelegate {
        func sceneDidBecomeActive(_ scene: UIScene) { SimulatedPhone.note("active") }
    }

    /// The delegate of an app whose process checks expectations, two of which fail.
    private final class ExpectingDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            #expect(application.applicationState == .inactive)
            let headlines = [String]()
            #expect(headlines.count == 3, "the headlines were loaded")
            withKnownIssue { Issue.record("known") }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            do { _ = try #require(Int("seven")) } catch { SimulatedPhone.note("\(error)") }
        }
    }

    @MainActor
    @Suite("What would be green although nothing was tested", .simulatedPhone())
    struct WrongGreenTests {
        private static let idle: [@convention(c) () -> Void] = [
            { _ = EmptyDelegate() },
            { SimulatedPhone.note("configured") },
            { Thread.sleep(forTimeInterval: 1) },
        ]

        @Test("a program that returns and leaves nothing is a fault", arguments: 0..<3)
        func returned(index: Int) throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.programReturned)
            SimulatedPhone.install(on: device, program: Self.idle[index])
            device.launch()
            device.advance(by: .seconds(10))
            #expect(device.faults.map(\.rule) == [.programReturned])
            #expect(device.faults.first?.message.contains("SimulatedPhone.run") == true)
        }

        private static let busy: [@convention(c) () -> Void] = [
            { SimulatedPhone.run(EmptyDelegate()) },
            { _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in } },
            { Task { try await Task.sleep(for: .seconds(1)) } },
            { DispatchSemaphore(value: 0).wait() },
            { UIApplication.shared.beginBackgroundTask(withName: "kept") {} },
        ]

        @Test("a program that runs an app, or leaves something that continues, is no fault", arguments: 0..<5)
        func lasting(index: Int) throws {
            let device = try #require(SimulatedDevice.current)
            if index == 3 { device.expect(.slowLaunch) }
            SimulatedPhone.install(on: device, program: Self.busy[index])
            device.launch()
            device.advance(by: .seconds(10))
            #expect(device.faults.map(\.rule) == (index == 3 ? [.slowLaunch] : []))
        }

        @Test("a failed expectation in the app's process is a fault with its place and its text")
        func expectations() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.failedExpectation)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(ExpectingDelegate()) })
            device.launch()
            device.pressHome()
            try #require(device.faults.count == 2)
            let (first, second) = (device.faults[0], device.faults[1])
            #expect(first.message.contains("headlines.count") && first.message.contains("the headlines were loaded"))
            #expect(first.place == "SimulatedAppleTests/WrongGreenTests.swift:23")
            #expect(second.message.contains("seven"))
            #expect(second.place == "SimulatedAppleTests/WrongGreenTests.swift:29")
        }

        private func scenes(_ manifest: AppManifest, _ program: @escaping @convention(c) () -> Void) throws -> [Fault] {
            let device = SimulatedDevice()
            device.expect(.scenesDoNotFit)
            SimulatedPhone.install(on: device, manifest: manifest, program: program)
            device.launch()
            device.pressHome()
            device.open()
            #expect(device.appPhase == .active)
            device.kill()
            return device.faults
        }

        @Test("a manifest whose scenes do not fit the delegate is a fault, in a process of the app's own at its launch")
        func ownProcess() throws {
            let without = try scenes(AppManifest(usesScenes: true)) { SimulatedPhone.run(EmptyDelegate()) }
            #expect(without.map(\.rule) == [.scenesDoNotFit])
            #expect(without.first?.message.contains("usesScenes: false") == true)
            let with = try scenes(AppManifest(usesScenes: false)) {
                SimulatedPhone.run(EmptyDelegate(), sceneDelegate: { EmptySceneDelegate() })
            }
            #expect(with.map(\.rule) == [.scenesDoNotFit])
            #expect(with.first?.message.contains("usesScenes: true") == true)
        }

        @Test("a manifest whose scenes do not fit the delegate is a fault, in the test's process when it is installed")
        func testsProcess() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.scenesDoNotFit)
            SimulatedPhone.install(on: device, manifest: AppManifest(usesScenes: true), delegate: EmptyDelegate())
            #expect(device.faults.map(\.rule) == [.scenesDoNotFit])
            SimulatedPhone.install(
                on: device, manifest: AppManifest(usesScenes: false), delegate: EmptyDelegate(),
                sceneDelegate: { EmptySceneDelegate() })
            #expect(device.faults.map(\.rule) == [.scenesDoNotFit, .scenesDoNotFit])
            device.launch()
            #expect(device.notes == ["active"])
        }

        @Test("without a manifest the app has scenes if it has a scene delegate")
        func noManifest() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, delegate: EmptyDelegate())
            SimulatedPhone.install(on: device, delegate: EmptyDelegate(), sceneDelegate: { EmptySceneDelegate() })
            device.launch()
            #expect(device.notes == ["active"])
        }
    }
#endif
