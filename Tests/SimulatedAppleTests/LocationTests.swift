import ApusBackground
import ApusDevice
import ApusTimers
import CoreLocation
import SimulatedAppleCore
import Testing
import UIKit

private final class LocationDelegate: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
    private let journal: Journal
    private let continuesInBackground: Bool
    private var manager: CLLocationManager?

    init(_ journal: Journal, continuesInBackground: Bool) {
        self.journal = journal
        self.continuesInBackground = continuesInBackground
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.distanceFilter = 50
        manager.allowsBackgroundLocationUpdates = continuesInBackground
        manager.requestWhenInUseAuthorization()
        self.manager = manager
        return true
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        MainActor.assumeIsolated {
            journal.lines.append("\(manager.authorizationStatus)")
            if manager.authorizationStatus == .authorizedWhenInUse { manager.startUpdatingLocation() }
        }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        MainActor.assumeIsolated {
            for location in locations { journal.lines.append("\(location.coordinate.latitude)") }
        }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        MainActor.assumeIsolated { journal.lines.append("\((error as? CLError)?.code.rawValue ?? -1)") }
    }

    nonisolated func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
        MainActor.assumeIsolated { journal.lines.append("paused") }
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("CLLocationManager")
    struct Locations {
        private func run(
            modes: Set<AppManifest.BackgroundMode> = [.location], _ body: (SimulatedDevice, Journal) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(backgroundModes: modes),
                    delegate: LocationDelegate(journal, continuesInBackground: true))
                device.location.setRoute(
                    .steps(
                        [0, 1, 2, 3].map { step in
                            (.seconds(60), LocationRoute.Place(latitude: Double(step), longitude: 0))
                        }))
                try body(device, journal)
            }
        }

        @Test(
            "the delegate is notified of the authorization, of the missing fix, and of positions, also in the background"
        )
        func updates() throws {
            try run { device, journal in
                device.launch()
                device.advance(by: .seconds(1))
                #expect(journal.take().suffix(2) == ["authorizedWhenInUse", "0"])
                device.advance(by: .seconds(60))
                #expect(journal.take() == ["0.0"])
                device.pressHome()
                device.advance(by: .seconds(200))
                #expect(journal.take() == ["1.0", "2.0", "3.0"])
                #expect(device.host?.phase == .background)
                #expect(UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude)
                device.advance(by: .seconds(3_600))
                #expect(journal.take() == ["paused"])
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("background updates without the declared mode end the app, as on a phone")
        func undeclared() throws {
            try run(modes: []) { device, _ in
                device.expect(.undeclaredLocationMode)
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(10))
                #expect(device.host == nil)
                #expect(device.logText.contains("terminated: SIGABRT, uncaught exception: allowsBackground"))
            }
        }

        @Test("a refusal by the user reaches the delegate as an error")
        func denied() throws {
            try run { device, journal in
                device.location.userAnswer = .denied
                device.launch()
                device.advance(by: .seconds(1))
                #expect(journal.take().last == "denied")
            }
        }

        @Test("refused updates are a warning that names the calls of CLLocationManager")
        func refusalText() throws {
            try run { device, journal in
                device.location.userAnswer = .denied
                device.launch()
                let manager = CLLocationManager()
                manager.startUpdatingLocation()
                device.advance(by: .seconds(1))
                let warning = try #require(device.warnings.last)
                #expect(warning.contains("requestWhenInUseAuthorization"), "\(warning)")
                #expect(!warning.contains("requestAuthorization"), "\(warning)")
            }
        }

        @Test("without a text for the user in the manifest, requests do nothing, and the log names the key")
        func withoutText() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(backgroundModes: [.location], locationWhenInUseUsage: nil),
                    delegate: LocationDelegate(journal, continuesInBackground: true))
                device.launch()
                device.advance(by: .seconds(1))
                #expect(journal.take() == ["notDetermined"])
                #expect(device.warnings.count == 1)
                #expect(device.warnings.last?.contains("NSLocationWhenInUseUsageDescription") == true)
            }
        }

        @Test("positions that are nearer than the distance filter are left out")
        func distance() {
            let here = CLLocation(latitude: 0, longitude: 0)
            let there = CLLocation(latitude: 0, longitude: 1)
            #expect(abs(here.distance(from: there) - 111_195) < 1)
        }
    }
}

/// Notes the positions and the errors of its manager, from which the test requests one position at a time.
private final class OneLocationDelegate: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        manager.delegate = self
        manager.activityType = .fitness
        manager.requestWhenInUseAuthorization()
        return true
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        MainActor.assumeIsolated { journal.lines.append("\(locations.map(\.coordinate.latitude))") }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        MainActor.assumeIsolated { journal.lines.append("error \((error as? CLError)?.code.rawValue ?? -1)") }
    }
}

extension SimulatedAppleTests.Locations {
    @Test("requestLocation() reports one position, or one error, and ends the updates")
    func oneLocation() throws {
        try SimulatedDevice.run { device in
            let journal = Journal()
            SimulatedPhone.install(
                on: device, manifest: AppManifest(backgroundModes: []), delegate: OneLocationDelegate(journal))
            device.location.setRoute(
                .steps(
                    [0, 1, 2, 3].map { step in
                        (.seconds(60), LocationRoute.Place(latitude: Double(step), longitude: 0))
                    }))
            device.launch()
            let app = try #require(device.app as? OneLocationDelegate)
            app.manager.requestLocation()
            device.advance(by: .seconds(10))
            #expect(journal.take() == ["error 0"])
            device.advance(by: .seconds(60))
            #expect(journal.take().isEmpty)
            app.manager.requestLocation()
            device.advance(by: .seconds(120))
            #expect(journal.take().count == 1)
        }
    }

    @Test("after a requestLocation() that was stopped, the next updates continue")
    func stoppedLocation() throws {
        try SimulatedDevice.run { device in
            let journal = Journal()
            SimulatedPhone.install(
                on: device, manifest: AppManifest(backgroundModes: []), delegate: OneLocationDelegate(journal))
            device.location.setRoute(
                .steps(
                    [0, 1, 2, 3, 4].map { step in
                        (.seconds(60), LocationRoute.Place(latitude: Double(step), longitude: 0))
                    }))
            device.launch()
            let app = try #require(device.app as? OneLocationDelegate)
            app.manager.requestLocation()
            app.manager.stopUpdatingLocation()
            app.manager.startUpdatingLocation()
            device.advance(by: .seconds(200))
            #expect(journal.take().filter { !$0.hasPrefix("error") }.count >= 3)
        }
    }

    @Test("a search for an address fails as without a network, with a warning")
    func addresses() throws {
        try SimulatedDevice.run { device in
            let journal = Journal()
            SimulatedPhone.install(on: device, manifest: AppManifest(), delegate: OneLocationDelegate(journal))
            device.launch()
            CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 1, longitude: 2)) { places, error in
                SimulatedPhone.note("\(places?.count ?? -1) \((error as? CLError)?.code == .network)")
            }
            device.advance(by: .seconds(1))
            #expect(device.logText.contains("-1 true"))
            #expect(device.warnings.contains { $0.contains("CLGeocoder") })
        }
    }
}

private final class BlindDelegate: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}

private final class CarelessDelegate: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        SimulatedPhone.note("position")
    }
}

/// Starts updates, or asks for one position, with a delegate that has no method for the position or for the error.
private final class ForgetfulApp: UIResponder, UIApplicationDelegate {
    let manager = CLLocationManager()
    private let receiver: any CLLocationManagerDelegate

    init(_ receiver: any CLLocationManagerDelegate) { self.receiver = receiver }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        manager.delegate = receiver
        manager.requestWhenInUseAuthorization()
        return true
    }
}

extension SimulatedAppleTests.Locations {
    private func run(
        _ receiver: any CLLocationManagerDelegate, expectsEnd: Bool = true,
        _ body: (SimulatedDevice, CLLocationManager) -> Void
    ) throws {
        try SimulatedDevice.run { device in
            if expectsEnd { device.expect(.delegateMethodMissing) }
            SimulatedPhone.install(
                on: device, manifest: AppManifest(usesScenes: false), delegate: ForgetfulApp(receiver))
            device.location.setRoute(
                .steps(
                    [0, 1, 2].map { step in (.seconds(60), LocationRoute.Place(latitude: Double(step), longitude: 0)) })
            )
            device.launch()
            device.advance(by: .seconds(1))
            body(device, try #require(device.app as? ForgetfulApp).manager)
        }
    }

    @Test("an error for a delegate without didFailWithError ends the app")
    func unreceivedError() throws {
        try run(CarelessDelegate()) { device, manager in
            manager.startUpdatingLocation()
            device.advance(by: .seconds(1))
            #expect(device.host == nil)
            #expect(device.faults.map(\.rule) == [.delegateMethodMissing])
            #expect(
                device.faults.first?.message.contains("Delegate must respond to locationManager:didFailWithError:")
                    == true)
        }
    }

    @Test("without an error, updates need no didFailWithError")
    func noError() throws {
        try run(CarelessDelegate(), expectsEnd: false) { device, manager in
            device.advance(by: .seconds(60))
            manager.startUpdatingLocation()
            device.advance(by: .seconds(30))
            #expect(device.host != nil && device.notes == ["position"])
        }
    }

    @Test("requestLocation() ends an app whose delegate has not both methods, or that has no delegate")
    func incompleteDelegate() throws {
        let incomplete: [((any CLLocationManagerDelegate)?, String)] = [
            (BlindDelegate(), "didUpdateLocations"), (CarelessDelegate(), "didFailWithError"),
        ]
        // In a release build every class counts as having all methods.
        let cases = incomplete.filter { _ in _isDebugAssertConfiguration() } + [(nil, "didUpdateLocations")]
        for (receiver, method) in cases {
            try run(receiver ?? BlindDelegate()) { device, manager in
                device.advance(by: .seconds(90))
                if receiver == nil { manager.delegate = nil }
                manager.requestLocation()
                device.advance(by: .zero)
                #expect(device.host == nil)
                #expect(device.faults.first?.message.contains(":\(method):") == true, "\(device.faults)")
            }
        }
    }
}
