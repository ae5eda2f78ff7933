#if os(Linux)
    import AVFoundation
    import ApusDevice
    import ApusTestTraits
    import CoreLocation
    import SimulatedAppleCore
    import Testing
    import UIKit

    // In optimized code, a private method that nothing calls is removed, and is not found.

    class BaseDelegate: UIResponder, UIApplicationDelegate {
        func applicationDidBecomeActive(_ application: UIApplication) { SimulatedPhone.note("base") }
    }

    /// A delegate whose superclass declares the conformance to the protocol, but implements fewer of its methods.
    final class BackgroundDelegate: BaseDelegate {
        override func applicationDidBecomeActive(_ application: UIApplication) { SimulatedPhone.note("subclass") }
        func applicationDidEnterBackground(_ application: UIApplication) { SimulatedPhone.note("background") }
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool { true }
        /// This is not a method of the protocol.
        func applicationDidSomething(_ application: UIApplication) {}
    }

    private final class TidyDelegate: BaseDelegate {
        override func applicationDidBecomeActive(_ application: UIApplication) { SimulatedPhone.note("subclass") }
    }

    class BaseWalker: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {}

    final class LateWalker: BaseWalker {
        private let manager = CLLocationManager()

        override init() {
            super.init()
            manager.delegate = self
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    }

    class BaseListener: UIResponder, UIApplicationDelegate, AVAudioPlayerDelegate, AVSpeechSynthesizerDelegate {
    }

    final class LateListener: BaseListener {
        private let voice = AVSpeechSynthesizer()
        private let player = try? AVAudioPlayer(data: Data())

        override init() {
            super.init()
            voice.delegate = self
            player?.delegate = self
        }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
        func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
    }

    @MainActor
    @Suite("Optional methods of delegates in subclasses", .simulatedPhone())
    struct OptionalMethodTests {
        @Test("a method that is not in the class that conforms is a fault, because it is not called here")
        func fault() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.optionalMethodNotCalled)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(BackgroundDelegate()) })
            device.launch()
            #expect(device.notes == ["subclass"])
            #expect(device.faults.count == 2)
            #expect(
                device.faults.allSatisfy {
                    $0.message.contains("BaseDelegate conforms to UIApplicationDelegate")
                        && $0.message.contains("declare it in BaseDelegate too, and override it")
                })
            #expect(device.faults.contains { $0.message.hasPrefix("“applicationDidEnterBackground(") })
            #expect(device.faults.contains { $0.message.contains("didFinishLaunchingWithOptions") })
        }

        @Test("a subclass that overrides what the class above it has is called, without a fault")
        func tidy() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, delegate: TidyDelegate())
            device.launch()
            #expect(device.notes == ["subclass"])
            #expect(device.faults == [])
        }

        @Test("delegates of other frameworks are examined too")
        func location() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.optionalMethodNotCalled)
            SimulatedPhone.install(on: device, delegate: LateWalker())
            device.launch()
            #expect(device.faults.map(\.rule) == [.optionalMethodNotCalled])
            #expect(device.faults.allSatisfy { $0.message.contains("didUpdateLocations") })
        }

        @Test("delegates of players and voices are examined too")
        func audio() throws {
            let device = try #require(SimulatedDevice.current)
            device.expect(.optionalMethodNotCalled)
            SimulatedPhone.install(on: device, delegate: LateListener())
            device.launch()
            #expect(device.faults.map(\.rule) == [.optionalMethodNotCalled, .optionalMethodNotCalled])
            #expect(device.faults.contains { $0.message.contains("audioPlayerDidFinishPlaying") })
            #expect(device.faults.contains { $0.message.contains("didFinish") })
        }
    }
#endif
