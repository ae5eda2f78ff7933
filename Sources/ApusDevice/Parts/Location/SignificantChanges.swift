package import ApusBackground
import ApusTimers
import ApusVirtualTime
import Foundation

/// Reports significant changes of a simulated phone's location, and starts the app for them.
///
/// It may be used from any thread.
package final class SignificantChanges: Sendable {
    package enum Request: Sendable, Codable {
        /// Starts the service, which immediately sends the report that was kept for the app, or the current place.
        ///
        /// The service continues until it is stopped, even if the process has ended.
        case start
        case stop
    }

    private struct State {
        var machine = SignificantChangeMachine()
        var timer: ScheduledTimer?
    }

    private let surroundings: PartSurroundings
    /// Whether a change starts an app that the user has removed from the switcher.
    private let launchesAfterForceQuit: Bool
    private let location: SimulatedLocation
    private let state = Locked(State())

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        location = surroundings.part(SimulatedLocation.self)
        launchesAfterForceQuit = surroundings.policy.locationLaunchesAfterForceQuit
        location.observeRoute { [weak self] in self?.lookSoon() }
    }

    private func start() {
        let (place, now) = (location.place, surroundings.time.continuous())
        let fix = state.withLock { $0.machine.start(at: place, now: now) }
        surroundings.log(.app, .location("significant changes: started"))
        if let fix, location.authorization == .always || location.authorization == .whenInUse { hand(fix) }
        waitForNextLook()
    }

    private func stop() {
        if state.withLock({ $0.machine.stop() }) { surroundings.log(.app, .location("significant changes: stopped")) }
        waitForNextLook()
    }

    /// Examines the place as soon as five minutes have passed since the last time, because the phone was put on another
    /// route and may be elsewhere already.
    private func lookSoon() { waitForNextLook(reading: surroundings.time.continuous()) }

    private func waitForNextLook() { waitForNextLook(reading: location.nextReading) }

    private func waitForNextLook(reading: ContinuousInstant?) {
        state.withLock { state in
            surroundings.arm(&state.timer, at: state.machine.nextLook(reading: reading)) { [weak self] in
                MainActor.assumeIsolated { self?.look() }
            }
        }
    }

    @MainActor
    private func look() {
        let (place, now) = (location.place, surroundings.time.continuous())
        let isAllowed = location.authorization == .always
        if state.withLock({ $0.machine.look(at: place, isAllowed: isAllowed, now: now) }) {
            surroundings.log(.system, .location("moved far"))
            if !surroundings.wake(.location, launchesAfterForceQuit) {
                surroundings.log(.system, .location("the app is not started for this change"))
            }
            // A process that is started for the change receives the report when it starts the service.
            if let fix = state.withLock({ $0.machine.takeReport() }) { hand(fix) }
        }
        waitForNextLook()
    }

    private func hand(_ fix: SignificantChangeMachine.Fix) {
        let age = fix.at.duration(to: surroundings.time.continuous())
        let position = Position(
            latitude: fix.place.latitude, longitude: fix.place.longitude, accuracy: fix.place.accuracy,
            instant: surroundings.time.wall().advanced(by: .zero - age))
        surroundings.send(position, of: Self.self)
    }
}

extension SignificantChanges: DeviceService {
    package typealias Event = Position

    package func processEnded() { state.withLock { $0.machine.processEnded() } }

    /// Starts or stops the service, and returns whether it runs now.
    package func answer(_ request: Request) -> Bool {
        guard !surroundings.isAppDead() else { return false }
        switch request {
        case .start: start()
        case .stop: stop()
        }
        return request == .start
    }
}

/// Decides which changes of the location are significant: a pure state machine.
///
/// The service continues after the end of the app's process, until the app stops it. It reports a change of 500 m or
/// more, at most about every five minutes, and starts the app in the background for it. Source: Apple,
/// documentation/corelocation/cllocationmanager/startmonitoringsignificantlocationchanges().
struct SignificantChangeMachine {
    /// A place of the phone, and the instant at which it was read.
    struct Fix: Equatable {
        var place: LocationRoute.Place
        var at: ContinuousInstant
    }

    /// The least distance of a significant change, in metres.
    private static let distance = 500.0
    private static let interval: Duration = .seconds(300)

    /// Whether the app has started the service, in this process or an earlier one.
    private(set) var isMonitoring = false
    /// Whether the running process has started the service.
    private(set) var isListening = false
    /// The place that was reported last.
    private var reported: Fix?
    private var lookedAt: ContinuousInstant?
    /// The report that the app receives as soon as its process starts the service.
    private var waiting: Fix?

    /// Starts the service, and returns the report that was kept for the app, or the current place.
    mutating func start(at place: LocationRoute.Place?, now: ContinuousInstant) -> Fix? {
        (isMonitoring, isListening) = (true, true)
        lookedAt = now
        let fix = waiting.take() ?? place.map { Fix(place: $0, at: now) }
        reported = fix ?? reported
        return fix
    }

    /// Stops the service; returns false if it was not running.
    mutating func stop() -> Bool {
        defer { (isMonitoring, isListening, waiting) = (false, false, nil) }
        return isMonitoring
    }

    /// Returns the next instant at which to examine the place, if the receiver's next reading is at `reading`.
    func nextLook(reading: ContinuousInstant?) -> ContinuousInstant? {
        guard isMonitoring, let reading else { return nil }
        return lookedAt.map { max(reading, $0.advanced(by: Self.interval)) } ?? reading
    }

    /// Examines the place; returns true if it has changed significantly and the user allows the app to know it.
    mutating func look(at place: LocationRoute.Place?, isAllowed: Bool, now: ContinuousInstant) -> Bool {
        guard isMonitoring else { return false }
        lookedAt = now
        guard isAllowed, let place, reported.map({ $0.place.distance(to: place) >= Self.distance }) ?? true else {
            return false
        }
        reported = Fix(place: place, at: now)
        waiting = reported
        return true
    }

    /// Returns the report for the running process, and removes it, if the process listens.
    mutating func takeReport() -> Fix? { isListening ? waiting.take() : nil }

    /// Notes that the process has ended; a waiting report is kept for the next process.
    mutating func processEnded() { isListening = false }
}

extension LocationRoute.Place {
    /// The distance along the Earth's surface in metres, for a sphere with a radius of 6,371 km.
    package func distance(to other: LocationRoute.Place) -> Double {
        let north = (other.latitude - latitude).inRadians / 2
        let east = (other.longitude - longitude).inRadians / 2
        let cosines = cos(latitude.inRadians) * cos(other.latitude.inRadians)
        let chord = sin(north) * sin(north) + cosines * sin(east) * sin(east)
        return 2 * 6_371_000 * asin(min(1, chord.squareRoot()))
    }
}

extension Double {
    fileprivate var inRadians: Double { self * .pi / 180 }
}
