#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusVirtualTime
    import ApusTimers
    import CoreLocation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Starts the service in each of its processes.
    private final class Mover: UIResponder, UIApplicationDelegate, @preconcurrency CLLocationManagerDelegate {
        private let manager = CLLocationManager()

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("launched\(launchOptions?[.location] != nil ? " for a position" : "")")
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.startMonitoringSignificantLocationChanges()
            return true
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            for location in locations { SimulatedPhone.note("at \(location.coordinate.latitude)") }
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple,
        /// documentation/corelocation/cllocationmanager/startmonitoringsignificantlocationchanges().
        @MainActor
        @Suite("Significant changes of the location")
        struct SignificantChangeTests {
            private func run(
                policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Void
            ) throws {
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, delegate: Mover())
                    device.location.setAuthorization(.always)
                    device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 50, longitude: 8)))
                    try body(device)
                }
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Mover()) })
                    device.location.setAuthorization(.always)
                    device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 50, longitude: 8)))
                    try body(device)
                }
            }

            private func notes(_ device: SimulatedDevice) -> [String] {
                device.notes.filter { $0.hasPrefix("at") || $0.hasPrefix("launched") }
            }

            private func move(_ device: SimulatedDevice, to latitude: Double) {
                device.location.setRoute(.standing(at: LocationRoute.Place(latitude: latitude, longitude: 8)))
            }

            @Test("a move of 500 m is reported and a shorter one is not, not more often than each five minutes")
            func moves() throws {
                try run { device in
                    device.launch()
                    device.advance(by: .seconds(600))
                    #expect(notes(device) == ["launched", "at 50.0"])
                    // 0.004 degrees of latitude are 445 m.
                    move(device, to: 50.004)
                    device.advance(by: .seconds(600))
                    move(device, to: 50.005)
                    device.advance(by: .seconds(1))
                    #expect(notes(device) == ["launched", "at 50.0", "at 50.005"])
                    move(device, to: 51)
                    device.advance(by: .seconds(298))
                    #expect(notes(device).last == "at 50.005")
                    device.advance(by: .seconds(2))
                    #expect(notes(device).last == "at 51.0")
                }
            }

            @Test("a suspended app is resumed for a move, and an ended one is started in the background")
            func wakes() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(600))
                    #expect(device.host?.phase == .suspended)
                    move(device, to: 51)
                    device.advance(by: .seconds(10))
                    #expect(notes(device) == ["launched", "at 50.0", "at 51.0"])
                    #expect(device.host?.phase == .suspended)
                    device.kill(nil)
                    device.advance(by: .seconds(600))
                    move(device, to: 52)
                    device.advance(by: .seconds(10))
                    #expect(notes(device).suffix(2) == ["launched for a position", "at 52.0"])
                    #expect(device.host?.phase == .suspended)
                    #expect(device.launchCount == 2)
                }
            }

            @Test("an app with the authorization whenInUse is not started for a move")
            func whenInUse() throws {
                try run { device in
                    device.location.setAuthorization(.whenInUse)
                    device.launch()
                    device.kill(nil)
                    device.advance(by: .seconds(600))
                    move(device, to: 51)
                    device.advance(by: .seconds(600))
                    #expect(device.launchCount == 1)
                }
            }

            @Test(
                "after a force quit a move starts the app up to iOS 18, and no longer with iOS 26",
                arguments: [(SystemPolicy.iOS18, 2), (SystemPolicy.iOS26, 1)])
            func forceQuit(policy: SystemPolicy, launches: Int) throws {
                try run(policy: policy) { device in
                    device.launch()
                    device.swipeAway()
                    device.advance(by: .seconds(600))
                    move(device, to: 51)
                    device.advance(by: .seconds(600))
                    #expect(device.launchCount == launches)
                }
            }

            @Test("a service that was stopped starts nothing, in no later process")
            func stopped() throws {
                try run { device in
                    device.launch()
                    device.kill(nil)
                    device.open()
                    _ = device.host?.ask(SignificantChanges.self, .stop)
                    device.kill(nil)
                    device.advance(by: .seconds(600))
                    move(device, to: 51)
                    device.advance(by: .seconds(600))
                    #expect(device.launchCount == 2)
                }
            }
        }
    }
#endif
