#if os(iOS) || os(Linux)
    import ApusBackground
    import ApusTimers
    import CoreLocation

    /// The system's location manager, which belongs to the main thread.
    @MainActor
    final class LocationService {
        /// Called on the main thread.
        var onUpdate: (@Sendable (LocationUpdate) -> Void)?

        private let manager = CLLocationManager()
        /// The manager does not keep it.
        private let delegate = LocationDelegate()
        private var questions: [@MainActor @Sendable () -> Void] = []

        init(dates: AppleDates) {
            delegate.dates = dates
            delegate.service = self
            manager.delegate = delegate
        }

        var authorization: LocationAuthorization { LocationAuthorization(manager.authorizationStatus) }

        /// Asks the user. `answered` is called when the system says that something has changed, if it does.
        func ask(always: Bool, _ answered: @escaping @MainActor @Sendable () -> Void) {
            questions.append(answered)
            if always { manager.requestAlwaysAuthorization() } else { manager.requestWhenInUseAuthorization() }
        }

        func start(inBackground: Bool) {
            manager.pausesLocationUpdatesAutomatically = false
            // Without the declared mode that is fatal; the caller has checked it.
            manager.allowsBackgroundLocationUpdates = inBackground
            manager.startUpdatingLocation()
        }

        func stop() { manager.stopUpdatingLocation() }

        fileprivate func received(_ updates: [LocationUpdate]) { for update in updates { onUpdate?(update) } }

        fileprivate func authorizationChanged() {
            onUpdate?(.authorization(authorization))
            guard authorization != .notDetermined else { return }
            let answered = questions
            questions = []
            for question in answered { question() }
        }
    }

    /// Gets positions and passes them on. The manager calls it on the thread that it was made on: the main one.
    ///
    /// For `@unchecked Sendable`: both variables are set once, on the main thread, before the manager knows of it.
    private final class LocationDelegate: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
        weak var service: LocationService?
        var dates: AppleDates?

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            guard let dates else { return }
            let updates = locations.map { location in
                LocationUpdate.position(
                    Position(
                        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                        // Negative: not known.
                        accuracy: location.horizontalAccuracy < 0 ? nil : location.horizontalAccuracy,
                        instant: dates.instant(of: location.timestamp)))
            }
            MainActor.assumeIsolated { service?.received(updates) }
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            // A refusal is reported as a change of the authorization.
            guard (error as? CLError)?.code == .locationUnknown else { return }
            MainActor.assumeIsolated { service?.received([.noFix]) }
        }

        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            MainActor.assumeIsolated { service?.authorizationChanged() }
        }
    }

    extension LocationAuthorization {
        init(_ status: CLAuthorizationStatus) {
            self =
                switch status {
                case .notDetermined: .notDetermined
                case .authorizedAlways: .always
                case .authorizedWhenInUse: .whenInUse
                // Denied or restricted.
                default: .denied
                }
        }
    }
#endif
