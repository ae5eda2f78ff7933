#if os(Linux)
    import ApusDevice
    import ApusTimers
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// A service that belongs to the tests.
    private final class Barometer: DeviceService {
        struct Request: Codable { let unit: String }
        typealias Event = Int

        private let surroundings: PartSurroundings
        private let pressure = Locked(1_013)

        init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

        func answer(_ request: Request) -> String {
            "\(pressure.withLock { $0 }) \(request.unit)"
        }

        func change(to new: Int) {
            pressure.withLock { $0 = new }
            surroundings.send(new, of: Self.self)
        }
    }

    private final class Hiker: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let host = SimulatedPhone.process.host
            host.observe(Barometer.self) { SimulatedPhone.note("now \($0)") }
            SimulatedPhone.note("at the start \(host.ask(Barometer.self, Barometer.Request(unit: "hPa")))")
            return true
        }
    }

    extension SimulatedAppleTests {
        @MainActor
        @Suite("A service that a test adds to the device")
        struct ServiceTests {
            @Test(
                "a test's service answers an app and sends it events, in the test's process and in one of the app's own"
            )
            func bothProcesses() throws {
                for isOwnProcess in [false, true] {
                    try SimulatedDevice.run { device in
                        let barometer = device.add(Barometer.self)
                        if isOwnProcess {
                            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Hiker()) })
                        } else {
                            SimulatedPhone.install(on: device, delegate: Hiker())
                        }
                        device.launch()
                        barometer.change(to: 990)
                        device.pressHome()
                        device.advance(by: .seconds(10))
                        barometer.change(to: 980)
                        device.kill()
                        barometer.change(to: 970)
                        device.open()
                        #expect(device.notes == ["at the start 1013 hPa", "now 990", "at the start 970 hPa"])
                    }
                }
            }
        }
    }
#endif
