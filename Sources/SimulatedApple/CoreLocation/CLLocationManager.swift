import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// The app's interface to the phone's position: the simulated one, which is where the test's route says.
///
/// The simulated phone reports to one manager at a time: when a second one starts, the first one gets no more updates.
/// Delegates are called on the main thread. A change of the user's mind is reported to the manager that has updates.
open class CLLocationManager: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `state`, protected by its lock.

    /// For `@unchecked Sendable`: it is protected by the lock of `state`.
    private struct State: @unchecked Sendable {
        weak var delegate: (any CLLocationManagerDelegate)?
        var desiredAccuracy = kCLLocationAccuracyBest
        var distanceFilter = kCLDistanceFilterNone
        var continuesInBackground = false
        var isUpdating = false
        var last: CLLocation?
        /// The last one that was not too near to the one before.
        var lastReported: CLLocation?
    }

    private let host: any PhoneHost
    private let service: any PhoneLocation
    private let state = Locked(State())

    /// A manager of the running process.
    override public init() {
        let process = SimulatedPhone.process
        host = process.host
        service = process.location
        super.init()
    }

    /// Gets the positions. Not retained. When it is set, it gets the present authorization.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { Handover($0.delegate) }.value }
        set {
            let new = Handover(newValue)
            state.withLock { $0.delegate = new.value }
            if newValue != nil { reportAuthorization() }
        }
    }

    /// How exact positions should be. Without effect here: the route says how exact they are.
    open var desiredAccuracy: CLLocationAccuracy {
        get { state.withLock { $0.desiredAccuracy } }
        set { state.withLock { $0.desiredAccuracy = newValue } }
    }

    /// How far from the last reported position the phone has to be, in metres, for the next one to be reported.
    open var distanceFilter: CLLocationDistance {
        get { state.withLock { $0.distanceFilter } }
        set { state.withLock { $0.distanceFilter = newValue } }
    }

    /// Whether updates continue in the background, and keep the app running there. To set it without having declared
    /// the mode `location` is fatal on a phone, and a fault of the simulated one.
    open var allowsBackgroundLocationUpdates: Bool {
        get { state.withLock { $0.continuesInBackground } }
        set {
            if newValue, !host.manifest.backgroundModes.contains(.location) {
                host.fault(
                    Fault(
                        .undeclaredLocationMode,
                        "allowsBackgroundLocationUpdates was set, but the app did not declare the mode location"))
                return
            }
            let isUpdating = state.withLock { state in
                defer { state.continuesInBackground = newValue }
                return state.isUpdating && state.continuesInBackground != newValue
            }
            if isUpdating { startUpdatingLocation() }
        }
    }

    /// Whether updates pause when the phone stands still for long. They are not resumed by the system.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { service.pausesAutomatically }
        set { service.pausesAutomatically = newValue }
    }

    /// What the user allows.
    open var authorizationStatus: CLAuthorizationStatus { CLAuthorizationStatus(service.authorization) }

    /// The last position that this manager got.
    open var location: CLLocation? { state.withLock { $0.last } }

    // MARK: Asking and starting

    /// Asks the user for positions while the app is used. The answer is that of the simulated user; the app is inactive
    /// meanwhile. Without `NSLocationWhenInUseUsageDescription` it does nothing, and the device's log has a warning.
    open func requestWhenInUseAuthorization() { request(.whenInUse) }

    /// Asks the user for positions at any time. The answer is that of the simulated user; the app is inactive meanwhile.
    ///
    /// The first time the user reads the question about "when in use", and the app is `authorizedAlways` provisionally: when
    /// it gets positions that it has asked for in the background, the user is asked about "always". Without
    /// `NSLocationWhenInUseUsageDescription` and `NSLocationAlwaysAndWhenInUseUsageDescription` it does nothing, and the
    /// device's log has a warning.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization(); WWDC 2019, session 705.
    open func requestAlwaysAuthorization() { request(.always) }

    /// Starts updates. A refusal is reported to the delegate as an error.
    open func startUpdatingLocation() {
        let continuesInBackground = state.withLock { state in
            state.isUpdating = true
            state.lastReported = nil
            return state.continuesInBackground
        }
        service.onPause = { [weak self] in
            guard let self else { return }
            delegate?.locationManagerDidPauseLocationUpdates(self)
        }
        service.beginUpdates(inBackground: continuesInBackground) { [weak self] update in self?.received(update) }
    }

    /// Ends the updates.
    open func stopUpdatingLocation() {
        let wasUpdating = state.withLock { state in
            defer { state.isUpdating = false }
            return state.isUpdating
        }
        if wasUpdating { service.stop() }
    }

    // MARK: Significant changes

    /// Starts the service that reports when the phone has moved 500 m or more, not more often than every five minutes. The
    /// first position comes at once. It needs "always", but not the mode `location`.
    ///
    /// It continues after the end of the process, until it is stopped: the app is started in the background, with
    /// `UIApplication.LaunchOptionsKey.location`, and gets the position when it starts the service again.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/startmonitoringsignificantlocationchanges()
    open func startMonitoringSignificantLocationChanges() {
        host.observe(SignificantChanges.self) { [weak self] position in
            guard let self else { return }
            let location = CLLocation(position)
            state.withLock { $0.last = location }
            delegate?.locationManager(self, didUpdateLocations: [location])
        }
        _ = host.ask(SignificantChanges.self, .start)
    }

    /// Ends the service, also for later processes.
    open func stopMonitoringSignificantLocationChanges() { _ = host.ask(SignificantChanges.self, .stop) }

    /// Whether the device has the service: yes.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    private func request(_ wish: LocationAuthorization) {
        host.mainLoop.run { [weak self, service] in
            let former = service.authorization
            service.askForAuthorization(wish) { [weak self] present in
                if present != former { self?.reportAuthorization() }
            }
        }
    }

    private func reportAuthorization() {
        host.mainLoop.run { [weak self] in
            guard let self else { return }
            delegate?.locationManagerDidChangeAuthorization(self)
        }
    }

    @MainActor
    private func received(_ update: LocationUpdate) {
        switch update {
        case .position(let position): report(CLLocation(position))
        case .noFix: delegate?.locationManager(self, didFailWithError: CLError(.locationUnknown))
        case .authorization(let authorization):
            delegate?.locationManagerDidChangeAuthorization(self)
            if !authorization.allowsPositions {
                delegate?.locationManager(self, didFailWithError: CLError(.denied))
            }
        }
    }

    @MainActor
    private func report(_ location: CLLocation) {
        let isFarEnough = state.withLock { state in
            state.last = location
            if let former = state.lastReported, location.distance(from: former) < state.distanceFilter { return false }
            state.lastReported = location
            return true
        }
        if isFarEnough { delegate?.locationManager(self, didUpdateLocations: [location]) }
    }
}

extension LocationAuthorization {
    fileprivate var allowsPositions: Bool {
        switch self {
        case .notDetermined, .denied: false
        case .whenInUse, .always: true
        }
    }
}

extension CLAuthorizationStatus {
    fileprivate init(_ authorization: LocationAuthorization) {
        self =
            switch authorization {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
    }
}

extension CLLocation {
    fileprivate convenience init(_ position: Position) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: position.latitude, longitude: position.longitude), altitude: 0,
            horizontalAccuracy: position.accuracy ?? -1, verticalAccuracy: -1,
            timestamp: SimulatedPhone.date(of: position.instant))
    }
}

extension Date {
    /// Now, as the app's Foundation says.
    static var machineNow: Date { SimulatedPhone.date(of: SimulatedPhone.process.host.engine.time.wall()) }
}

/// The calls about the phone's position, on the main thread. All methods are optional, as in the framework.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Positions, the oldest first.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// There is no position, and why.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// What the user allows is known, or has changed.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// The phone stands still, so the updates were paused; the app resumes them.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
}

/// What the user allows.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// The user cannot allow it. The simulation does not give this.
    case restricted = 1
    /// Nothing.
    case denied = 2
    /// Always.
    case authorizedAlways = 3
    /// While the app is used.
    case authorizedWhenInUse = 4
}

/// Why there is no position.
public struct CLError: CustomNSError, Hashable, Sendable {
    /// The kinds of failure that the simulation has.
    public enum Code: Int, Sendable {
        /// The receiver has no fix; it continues to try.
        case locationUnknown = 0
        /// The user does not allow it.
        case denied = 1

        /// Whether an error has this code, for `catch CLError.denied`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
    }

    /// The kind of failure.
    public let code: Code
    /// An error of that kind.
    public init(_ code: Code) { self.code = code }
    /// "kCLErrorDomain".
    public static var errorDomain: String { "kCLErrorDomain" }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// See ``Code``.
    public static var locationUnknown: Code { .locationUnknown }
    /// See ``Code``.
    public static var denied: Code { .denied }
}
