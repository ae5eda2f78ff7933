import ApusBackground
import ApusDevice
import CoreLocation
import Testing
import UIKit

/// An app with two location managers, which notes what each of them receives.
private final class TwoManagers: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
    let recorder = CLLocationManager()
    var map: CLLocationManager? = CLLocationManager()
    private let plan: @MainActor @Sendable (TwoManagers) -> Void

    init(_ plan: @escaping @MainActor @Sendable (TwoManagers) -> Void) {
        self.plan = plan
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        recorder.delegate = self
        map?.delegate = self
        plan(self)
        return true
    }

    /// Calls `action` this many seconds after the launch.
    func at(_ seconds: Double, _ action: @escaping @MainActor @Sendable (TwoManagers) -> Void) {
        _ = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { [weak self] _ in
            MainActor.assumeIsolated {
                if let self { action(self) }
            }
        }
    }

    nonisolated private func note(_ manager: CLLocationManager, _ text: String) {
        MainActor.assumeIsolated { SimulatedPhone.note("\(manager === recorder ? "recorder" : "map") \(text)") }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { note(manager, "\(location.coordinate.latitude)") }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        note(manager, "error \((error as? CLError)?.code.rawValue ?? -1)")
    }

    nonisolated func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { note(manager, "paused") }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        note(manager, "\(manager.authorizationStatus)")
    }
}

extension SimulatedAppleTests.Locations {
    /// Launches an app with two managers on a phone that moves by one degree each minute.
    private func launch(
        _ device: SimulatedDevice, _ authorization: LocationAuthorization, moves: Int = 59,
        program: @escaping @convention(c) () -> Void
    ) {
        SimulatedPhone.install(
            on: device, manifest: AppManifest(backgroundModes: [.location], usesScenes: false), program: program)
        device.location.setAuthorization(authorization)
        device.location.setRoute(
            .steps((0..<moves).map { (.seconds(60), LocationRoute.Place(latitude: Double($0), longitude: 0)) }))
        device.launch()
    }

    /// An app of whose managers only the map's pauses, and is started again after 1,000 seconds.
    private static let mapPauses: @convention(c) () -> Void = {
        SimulatedPhone.run(
            TwoManagers { app in
                app.recorder.pausesLocationUpdatesAutomatically = false
                app.at(70) { $0.recorder.startUpdatingLocation() }
                app.at(80) { $0.map?.startUpdatingLocation() }
                app.at(1_000) { $0.map?.startUpdatingLocation() }
            })
    }

    /// Advances the device's time, and returns the notes that the app makes meanwhile.
    private func notes(_ device: SimulatedDevice, during seconds: Int) -> [String] {
        let count = device.notes.count
        device.advance(by: .seconds(seconds))
        return Array(device.notes.dropFirst(count))
    }

    @Test("each manager of an app has its own updates; the app is suspended after the last one in the background")
    func ownUpdates() throws {
        try SimulatedDevice.run { device in
            launch(device, .always) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.recorder.allowsBackgroundLocationUpdates = true
                        app.map?.distanceFilter = 150_000
                        app.at(70) { $0.recorder.startUpdatingLocation() }
                        app.at(90) { $0.map?.startUpdatingLocation() }
                        app.at(270) { $0.recorder.stopUpdatingLocation() }
                    })
            }
            device.advance(by: .seconds(65))
            #expect(notes(device, during: 35) == ["recorder 0.0", "map 0.0"])
            device.pressHome()
            #expect(notes(device, during: 160) == ["recorder 1.0", "recorder 2.0", "map 2.0", "recorder 3.0"])
            #expect(notes(device, during: 60).isEmpty)
            #expect(device.host?.phase == .suspended)
            device.open()
            #expect(device.notes.last == "map 4.0")
        }
    }

    @Test("a request for one position of one manager leaves the updates of the other")
    func oneBesideUpdates() throws {
        try SimulatedDevice.run { device in
            launch(device, .whenInUse) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.at(70) { $0.recorder.startUpdatingLocation() }
                        app.at(130) { $0.map?.requestLocation() }
                    })
            }
            device.advance(by: .seconds(65))
            #expect(notes(device, during: 135) == ["recorder 0.0", "recorder 1.0", "map 1.0", "recorder 2.0"])
        }
    }

    @Test(
        "after a refused start of one manager the other one starts; with updates, both are notified of each authorization"
    )
    func refusalAndAuthorization() throws {
        try SimulatedDevice.run { device in
            launch(device, .denied) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.at(70) { $0.recorder.startUpdatingLocation() }
                        app.at(90) { $0.map?.startUpdatingLocation() }
                        app.at(100) { $0.recorder.startUpdatingLocation() }
                    })
            }
            device.advance(by: .seconds(65))
            #expect(notes(device, during: 10) == ["recorder denied", "recorder error 1"])
            device.location.setAuthorization(.always)
            #expect(notes(device, during: 30) == ["map 0.0", "recorder 0.0"])
            device.location.setAuthorization(.denied)
            #expect(
                Set(notes(device, during: 30))
                    == ["map denied", "map error 1", "recorder denied", "recorder error 1"])
            device.location.setAuthorization(.always)
            #expect(
                Set(notes(device, during: 10))
                    == ["map authorizedAlways", "map 1.0", "recorder authorizedAlways", "recorder 1.0"])
        }
    }

    @Test("each manager pauses by itself, and resumes by its own start")
    func ownPauses() throws {
        try SimulatedDevice.run { device in
            launch(device, .always, moves: 1, program: Self.mapPauses)
            #expect(notes(device, during: 900).suffix(3) == ["recorder 0.0", "map 0.0", "map paused"])
            device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 5, longitude: 0)))
            #expect(notes(device, during: 50) == ["recorder 5.0"])
            #expect(notes(device, during: 100) == ["map 5.0"])
        }
    }

    @Test("with when in use, a pause ends the access of the app only if no other manager has updates")
    func pauseWhenInUse() throws {
        try SimulatedDevice.run { device in
            launch(device, .whenInUse, moves: 1, program: Self.mapPauses)
            #expect(notes(device, during: 900).suffix(1) == ["map paused"])
            #expect(notes(device, during: 150) == ["map 0.0"])
        }
    }

    @Test("a start that is refused in the background is an error, and no news of the authorization")
    func refusedInBackground() throws {
        try SimulatedDevice.run { device in
            launch(device, .whenInUse) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.recorder.allowsBackgroundLocationUpdates = true
                        app.at(60) { $0.recorder.startUpdatingLocation() }
                        app.at(70) { $0.map?.startUpdatingLocation() }
                        app.at(75) { $0.map?.requestLocation() }
                    })
            }
            device.advance(by: .seconds(65))
            device.pressHome()
            #expect(notes(device, during: 12).filter { $0.hasPrefix("map") } == ["map error 1", "map error 1"])
        }
    }

    @Test("a change of allowsBackgroundLocationUpdates applies to the running updates and repeats no position")
    func changedBackground() throws {
        try SimulatedDevice.run { device in
            launch(device, .whenInUse) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.at(70) { $0.recorder.startUpdatingLocation() }
                        app.at(80) { $0.recorder.allowsBackgroundLocationUpdates = true }
                    })
            }
            device.advance(by: .seconds(65))
            #expect(notes(device, during: 30) == ["recorder 0.0"])
            device.pressHome()
            #expect(notes(device, during: 100) == ["recorder 1.0", "recorder 2.0"])
        }
    }

    @Test("the release of a manager ends its updates, which no longer keep the app running in the background")
    func releasedManager() throws {
        try SimulatedDevice.run { device in
            launch(device, .always) {
                SimulatedPhone.run(
                    TwoManagers { app in
                        app.map?.allowsBackgroundLocationUpdates = true
                        app.map?.startUpdatingLocation()
                        app.at(130) { $0.map = nil }
                    })
            }
            device.advance(by: .seconds(65))
            device.pressHome()
            #expect(notes(device, during: 60) == ["map 1.0"])
            #expect(notes(device, during: 30).isEmpty)
            #expect(device.host?.phase == .suspended)
        }
    }
}
