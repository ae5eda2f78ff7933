import ApusTimers
import Foundation

/// The service that reports when the phone has moved far: a pure state machine.
///
/// It continues after the end of the app's process, until the app stops it. Apple,
/// documentation/corelocation/cllocationmanager/startmonitoringsignificantlocationchanges(): a move of 500 m or more, not
/// more often than about every five minutes; the app is started for it in the background.
struct SignificantChangeMachine {
    /// Where the phone was, and when.
    struct Fix: Equatable {
        var place: LocationRoute.Place
        var at: ContinuousInstant
    }

    /// In metres.
    private static let distance = 500.0
    private static let interval: Duration = .seconds(300)

    /// Whether the app wants to know, in this process or an earlier one.
    private(set) var isMonitoring = false
    /// Whether the running process has started it.
    private(set) var isListening = false
    /// Where the phone was when it was reported last.
    private var reported: Fix?
    private var lookedAt: ContinuousInstant?
    /// What the app gets as soon as it can.
    private var waiting: Fix?

    /// The app starts it: it gets what has waited for it, and otherwise where the phone is.
    mutating func start(at place: LocationRoute.Place?, now: ContinuousInstant) -> Fix? {
        (isMonitoring, isListening) = (true, true)
        lookedAt = now
        let fix = waiting.take() ?? place.map { Fix(place: $0, at: now) }
        reported = fix ?? reported
        return fix
    }

    /// False when it was not there.
    mutating func stop() -> Bool {
        defer { (isMonitoring, isListening, waiting) = (false, false, nil) }
        return isMonitoring
    }

    /// The first instant at which to look, when the receiver reads next at `reading`.
    func nextLook(reading: ContinuousInstant?) -> ContinuousInstant? {
        guard isMonitoring, let reading else { return nil }
        return lookedAt.map { max(reading, $0.advanced(by: Self.interval)) } ?? reading
    }

    /// Looks at where the phone is: true when that has to be reported, which the user has to allow.
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

    /// What the running process gets now.
    mutating func takeReport() -> Fix? { isListening ? waiting.take() : nil }

    /// What waits is kept for the next process.
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
