#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    private final class PlainDelegate: UIResponder, UIApplicationDelegate {
        private let started = "made"

        func applicationDidBecomeActive(_ application: UIApplication) { SimulatedPhone.note("active, \(started)") }
    }

    /// Names the class of its scene delegate in code, as apps without a storyboard do.
    private final class SceneNamingDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
            options: UIScene.ConnectionOptions
        ) -> UISceneConfiguration {
            let configuration = UISceneConfiguration(name: "Main", sessionRole: connectingSceneSession.role)
            configuration.delegateClass = WindowSceneDelegate.self
            return configuration
        }
    }

    /// The scene delegate that the manifest names.
    final class WindowSceneDelegate: UIResponder, UIWindowSceneDelegate {
        private let started = "made"
        func sceneDidBecomeActive(_ scene: UIScene) { SimulatedPhone.note("scene active, \(started)") }
    }

    @MainActor
    @Suite("An app that is started by its main()", .simulatedPhone())
    struct MainTests {
        private static func plist(_ keys: String) -> Data {
            Data(#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>\#(keys)</dict></plist>"#.utf8)
        }

        private static func scenes(delegate: String) -> String {
            """
            <key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>
            <key>UIWindowSceneSessionRoleApplication</key><array><dict>
            <key>UISceneDelegateClassName</key><string>\(delegate)</string></dict></array></dict></dict>
            """
        }

        @Test("the delegate's main() runs the app")
        func plain() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { PlainDelegate.main() })
            device.launch()
            #expect(device.notes == ["active, made"])
        }

        @Test("the scene's delegate is of the class that the app's delegate names")
        func namedInCode() throws {
            let device = try #require(SimulatedDevice.current)
            let manifest = AppManifest(usesScenes: true)
            SimulatedPhone.install(on: device, manifest: manifest, program: { SceneNamingDelegate.main() })
            device.launch()
            #expect(device.notes == ["scene active, made"])
        }

        @Test(
            "the scene's delegate is of the class in the Info.plist, if the app's delegate names none",
            arguments: ["SimulatedAppleTests", "$(PRODUCT_MODULE_NAME)"])
        func namedInManifest(module: String) throws {
            let device = try #require(SimulatedDevice.current)
            let manifest = try AppManifest(
                infoPlist: Self.plist(Self.scenes(delegate: "\(module).WindowSceneDelegate")))
            SimulatedPhone.install(on: device, manifest: manifest, program: { PlainDelegate.main() })
            device.launch()
            #expect(device.notes == ["scene active, made"])
        }

        @Test("an app with scenes that names no delegate for them is a fault")
        func unnamed() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.scenesDoNotFit)
            SimulatedPhone.install(
                on: device, manifest: AppManifest(usesScenes: true), program: { PlainDelegate.main() })
            device.launch()
            #expect(device.faults.first?.message.contains("delegateClass") == true)
        }

        @Test("the main bundle has the identifier and the Info.plist of the manifest")
        func bundle() throws {
            let device = try #require(SimulatedDevice.current)
            let read: @convention(c) () -> Void = {
                let bundle = Bundle.main
                SimulatedPhone.note(bundle.bundleIdentifier ?? "none")
                SimulatedPhone.note("\(bundle.object(forInfoDictionaryKey: "CFBundleShortVersionString") ?? "none")")
                let modes = bundle.infoDictionary?["UIBackgroundModes"] as? [String]
                SimulatedPhone.note(modes?.joined() ?? "none")
                PlainDelegate.main()
            }
            let manifest = try AppManifest(
                infoPlist: Self.plist(
                    """
                    <key>CFBundleIdentifier</key><string>com.example.tea</string>
                    <key>CFBundleShortVersionString</key><string>1.2</string>
                    <key>UIBackgroundModes</key><array><string>fetch</string></array>
                    """))
            SimulatedPhone.install(on: device, manifest: manifest, program: read)
            device.launch()
            device.kill()
            SimulatedPhone.install(
                on: device, manifest: AppManifest(bundleIdentifier: "com.example.soup", usesScenes: false),
                program: read)
            device.launch()
            #expect(
                device.notes == [
                    "com.example.tea", "1.2", "fetch", "active, made", "com.example.soup", "none", "none",
                    "active, made",
                ])
        }
    }
#endif
