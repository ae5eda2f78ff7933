// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CoreLocation

/// Records a trip, also while the phone is in a pocket.
public class TripRecorder: NSObject, CLLocationManagerDelegate {
    public private(set) var locations: [CLLocation] = []
    /// The distance in metres.
    public private(set) var distance: CLLocationDistance = 0
    public private(set) var lastError: Error?
    public var onLocation: ((CLLocation) -> Void)?
    public var count: Int { locations.count }

    private let manager = CLLocationManager()

    public func start() {
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.distanceFilter = 10
        manager.allowsBackgroundLocationUpdates = true
        manager.pausesLocationUpdatesAutomatically = false
        manager.requestAlwaysAuthorization()
    }

    public func stop() { manager.stopUpdatingLocation() }

    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse: manager.startUpdatingLocation()
        default: break
        }
    }

    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            // Old positions come from a cache. If the accuracy is unknown, it is negative, and the position is accepted
            // here.
            guard location.horizontalAccuracy < 20, abs(location.timestamp.timeIntervalSinceNow) < 10 else { continue }
            if let last = self.locations.last { distance += location.distance(from: last) }
            self.locations.append(location)
            onLocation?(location)
        }
    }

    public func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) { lastError = error }
}

/// The same recorder without the line that allows updates in the background, and without a check of the age of a
/// position.
public class ForgetfulTripRecorder: NSObject, CLLocationManagerDelegate {
    public private(set) var count = 0
    /// The distance in metres.
    public private(set) var distance: CLLocationDistance = 0
    public var onLocation: ((CLLocation) -> Void)?

    private let manager = CLLocationManager()
    private var last: CLLocation?

    public func start() {
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.pausesLocationUpdatesAutomatically = false
        manager.requestAlwaysAuthorization()
    }

    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        if manager.authorizationStatus == .authorizedAlways || manager.authorizationStatus == .authorizedWhenInUse {
            manager.startUpdatingLocation()
        }
    }

    public func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {}

    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let location = locations.last else { return }
        if let last = last { distance += location.distance(from: last) }
        last = location
        count += 1
        onLocation?(location)
    }
}
