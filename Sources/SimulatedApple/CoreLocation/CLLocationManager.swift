import ApusBackground
public import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// The app's interface to the position of the simulated phone, which is determined by the test's route.
///
/// Each manager has its own updates, which end when the manager is released. Delegates are called on the main thread. A
/// change of the user's permission is reported to the managers that have updates.
open class CLLocationManager: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all mutable state is in `state`, protected by its lock.

    /// For `@unchecked Sendable`: the lock of `state` protects it.
    private struct State: @unchecked Sendable {
        weak var delegate: (any CLLocationManagerDelegate)?
        var desiredAccuracy = kCLLocationAccuracyBest
        var distanceFilter = kCLDistanceFilterNone
        var settings = LocationSettings()
        var isUpdating = false
        var last: CLLocation?
        /// The last position that passed the distance filter.
        var lastReported: CLLocation?
        /// Whether the app has asked for a single position, after which the updates end.
        var wantsOne = false
        var activityType = CLActivityType.other
        var showsIndicator = false
    }

    private static let lastNumber = Locked(0)

    /// The number by which the device distinguishes the managers; it is unique, because a manager may outlive the app's
    /// process in a test.
    private let number = lastNumber.withLock { number in
        number += 1
        return number
    }
    private let host: any PhoneHost
    private let service: any PhoneLocation
    private let state = Locked(State())

    /// Creates a manager for the running process.
    override public init() {
        let process = SimulatedPhone.process
        host = process.host
        service = process.location
        super.init()
    }

    deinit {
        if state.withLock({ $0.isUpdating }) { service.stop(number) }
    }

    /// The delegate, which is not retained; when it is set, it is notified of the present authorization.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { Handover($0.delegate) }.value }
        set {
            OptionalMethods.check(newValue, of: (any CLLocationManagerDelegate).self) {
                $0 is any CLLocationManagerDelegate.Type
            }
            let new = Handover(newValue)
            state.withLock { $0.delegate = new.value }
            if newValue != nil { reportAuthorization() }
        }
    }

    /// The desired accuracy, which has no effect here, because the route determines the accuracy of positions.
    open var desiredAccuracy: CLLocationAccuracy {
        get { state.withLock { $0.desiredAccuracy } }
        set { state.withLock { $0.desiredAccuracy = newValue } }
    }

    /// The minimum distance from the last reported position, in metres, at which the next position is reported.
    open var distanceFilter: CLLocationDistance {
        get { state.withLock { $0.distanceFilter } }
        set { state.withLock { $0.distanceFilter = newValue } }
    }

    /// Whether updates continue in the background, and keep the app running there.
    ///
    /// Setting it to `true` without having declared the mode `location` ends the app on a phone. On the simulated phone
    /// this is a fault, and the value stays as it was.
    open var allowsBackgroundLocationUpdates: Bool {
        get { state.withLock { $0.settings.inBackground } }
        set {
            if newValue, !host.manifest.backgroundModes.contains(.location) {
                host.fault(
                    Fault(
                        .undeclaredLocationMode,
                        "allowsBackgroundLocationUpdates was set, but the app does not declare the mode location; add "
                            + "it to UIBackgroundModes"))
                return
            }
            set(\.inBackground, to: newValue)
        }
    }

    /// Whether updates pause when the phone stands still for a long time; the system does not resume them.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { state.withLock { $0.settings.pausesAutomatically } }
        set { set(\.pausesAutomatically, to: newValue) }
    }

    private func set(_ setting: WritableKeyPath<LocationSettings, Bool>, to value: Bool) {
        let changed: LocationSettings? = state.withLock { state in
            let former = state.settings
            state.settings[keyPath: setting] = value
            return state.isUpdating && state.settings != former ? state.settings : nil
        }
        if let changed { service.change(number, changed) }
    }

    /// The user's permission.
    open var authorizationStatus: CLAuthorizationStatus { CLAuthorizationStatus(service.authorization) }

    /// The last position that this manager received.
    open var location: CLLocation? { state.withLock { $0.last } }

    // MARK: Permission and updates

    /// Asks the user for permission to use positions while the app is in use.
    ///
    /// The simulated user answers; the app is inactive meanwhile. Without `NSLocationWhenInUseUsageDescription` the
    /// call only adds a warning to the device's log.
    open func requestWhenInUseAuthorization() { request(.whenInUse) }

    /// Asks the user for permission to use positions at any time.
    ///
    /// The simulated user answers; the app is inactive meanwhile. The first time, the user reads the question about
    /// "when in use", and the app is provisionally `authorizedAlways`; the user is asked about "always" when the app
    /// receives positions in the background. Without `NSLocationWhenInUseUsageDescription` and
    /// `NSLocationAlwaysAndWhenInUseUsageDescription` the call only adds a warning to the device's log.
    ///
    /// Rule: Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization(); WWDC 2019, session 705.
    open func requestAlwaysAuthorization() { request(.always) }

    /// Starts updates; a refusal is reported to the delegate as an error.
    open func startUpdatingLocation() {
        let settings = state.withLock { state in
            state.isUpdating = true
            state.lastReported = nil
            return state.settings
        }
        service.beginUpdates(number, settings) { [weak self] report in self?.received(report) }
    }

    /// Asks for one position; the updates end when the delegate has received a position or an error.
    ///
    /// As on a phone, this also ends the updates of ``startUpdatingLocation()``; the two must not be used together. It
    /// is a fault if there is no delegate, or if the delegate lacks the method for positions or the method for errors.
    ///
    /// Rule: Apple, documentation/corelocation/cllocationmanager/requestlocation()
    open func requestLocation() {
        let needed = ["didUpdateLocations", "didFailWithError"]
        let missing =
            if let delegate {
                OptionalMethods.firstMissing(of: needed, in: delegate, of: (any CLLocationManagerDelegate).self) {
                    $0 is any CLLocationManagerDelegate.Type
                }
            } else { needed.first }
        if let missing { return fault(missing: missing) }
        state.withLock { $0.wantsOne = true }
        startUpdatingLocation()
    }

    /// Records the fault that the delegate lacks a method that a phone would call.
    fileprivate func fault(missing method: String) {
        host.fault(
            Fault(
                .delegateMethodMissing,
                "Delegate must respond to locationManager:\(method): (add the method, and set the delegate before the "
                    + "call)"))
    }

    /// Returns whether a position or an error ends the request for a single position, and forgets the request.
    private func isLast() -> Bool {
        state.withLock { state in
            defer { state.wantsOne = false }
            return state.wantsOne
        }
    }

    /// Returns `true`, because the simulated phone has location services.
    open class func locationServicesEnabled() -> Bool { true }
    /// The user's permission, in the form before iOS 14.
    open class func authorizationStatus() -> CLAuthorizationStatus { CLLocationManager().authorizationStatus }
    /// The accuracy that the user allows, which is always the full one here.
    open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

    /// The purpose of the positions, which has no effect, because the route determines the pauses.
    open var activityType: CLActivityType {
        get { state.withLock { $0.activityType } }
        set { state.withLock { $0.activityType = newValue } }
    }

    /// Whether the user sees that the app uses positions in the background; the value has no effect.
    open var showsBackgroundLocationIndicator: Bool {
        get { state.withLock { $0.showsIndicator } }
        set { state.withLock { $0.showsIndicator = newValue } }
    }

    /// Ends the updates.
    open func stopUpdatingLocation() {
        let wasUpdating = state.withLock { state in
            state.wantsOne = false
            defer { state.isUpdating = false }
            return state.isUpdating
        }
        if wasUpdating { service.stop(number) }
    }

    // MARK: Significant changes

    /// Starts the service that reports movements of the phone by 500 m or more, at most once in five minutes.
    ///
    /// The first position comes at once. The service needs the permission "always", but not the mode `location`.
    ///
    /// After the process has ended, the service continues until the app stops it. To report a position, the system
    /// launches the app in the background, with `UIApplication.LaunchOptionsKey.location`, and the app receives the
    /// position when it starts the service again.
    ///
    /// Rule: Apple, documentation/corelocation/cllocationmanager/startmonitoringsignificantlocationchanges()
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

    /// Returns `true`, because the simulated phone has the service.
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
    private func received(_ event: LocationReport) {
        switch event {
        case .update(.position(let position)):
            if isLast() { stopUpdatingLocation() }
            report(CLLocation(position))
        case .update(.noFix): failed(.locationUnknown)
        case .update(.authorization(let authorization)):
            delegate?.locationManagerDidChangeAuthorization(self)
            if !authorization.allowsPositions { failed(.denied) }
        case .refused: failed(.denied)
        case .paused: delegate?.locationManagerDidPauseLocationUpdates(self)
        }
    }

    @MainActor
    private func failed(_ code: CLError.Code) {
        if isLast() { stopUpdatingLocation() }
        delegate?.locationManager(self, didFailWithError: CLError(code))
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
    /// The device's present instant, as a date of the app's Foundation.
    static var machineNow: Date { SimulatedPhone.date(of: SimulatedPhone.process.host.engine.time.wall()) }
}

/// The delegate of a location manager, whose methods are called on the main thread; all are optional, as in Apple's
/// framework.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Receives positions, the oldest first.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// Is notified of the reason for which there is no position.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// Is notified of the user's permission: when the delegate is set, and after each change if the manager has updates
    /// or has asked for it.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// Is notified that the updates were paused because the phone stands still; the app must resume them.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Records a fault, because a phone raises an exception if this method is missing when there is an error.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        manager.fault(missing: "didFailWithError")
    }
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
}

/// The accuracy that the user allows.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// Exact positions.
    case fullAccuracy = 0
    /// Positions within some kilometres: never here.
    case reducedAccuracy = 1
}

/// The purpose of an app's positions.
public enum CLActivityType: Int, Sendable {
    /// A purpose, without effect.
    case other = 1
    /// A purpose, without effect.
    case automotiveNavigation, fitness, otherNavigation, airborne
}

/// The user's permission.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The user has not been asked yet.
    case notDetermined = 0
    /// The user cannot give the permission; the simulation does not use this case.
    case restricted = 1
    /// The user has refused.
    case denied = 2
    /// The app may use positions at any time.
    case authorizedAlways = 3
    /// The app may use positions while it is in use.
    case authorizedWhenInUse = 4
}

/// An error that says why there is no position.
public struct CLError: CustomNSError, Hashable, Sendable {
    /// The kinds of failure that the simulation has.
    public enum Code: Int, Sendable {
        /// The receiver has no position yet, and continues to try.
        case locationUnknown = 0
        /// The user has not given the permission.
        case denied = 1
        /// The network is not reachable; here each request for an address fails with this error.
        case network = 2

        /// Returns whether an error has this code, for `catch CLError.denied`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
    }

    /// The kind of failure.
    public let code: Code
    /// Creates an error of a kind.
    public init(_ code: Code) { self.code = code }
    /// The domain of the errors: "kCLErrorDomain".
    public static var errorDomain: String { "kCLErrorDomain" }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The code ``Code/locationUnknown``.
    public static var locationUnknown: Code { .locationUnknown }
    /// The code ``Code/denied``.
    public static var denied: Code { .denied }
}

extension Fault.Rule {
    /// The delegate lacks a method that the app's call or the event needs.
    ///
    /// Source: Apple, documentation/corelocation/cllocationmanager/requestlocation()
    public static let delegateMethodMissing = Fault.Rule("NSInternalInconsistencyException.delegateMethodMissing")
}
