import ApusTimers

/// The movement of a simulated phone, from the moment at which it is put on the route.
///
/// The route's time is the continuous clock, so the phone moves even while it sleeps. Each step takes the phone to its
/// place at once. Before the first step, and after a step without a place, the receiver has no fix.
public struct LocationRoute: Sendable, Hashable {
    /// A place on Earth.
    public struct Place: Sendable, Hashable {
        /// Degrees north of the equator, from -90 to 90.
        public var latitude: Double
        /// Degrees east of Greenwich, from -180 to 180.
        public var longitude: Double
        /// The radius in metres within which the device probably is; `nil` if it is unknown.
        public var accuracy: Double?

        /// Creates a place, with an accuracy of 5 m by default.
        public init(latitude: Double, longitude: Double, accuracy: Double? = 5) {
            self.latitude = latitude
            self.longitude = longitude
            self.accuracy = accuracy
        }

        fileprivate func isElsewhere(than other: Place?) -> Bool {
            latitude != other?.latitude || longitude != other?.longitude
        }
    }

    /// A reading of the receiver, which is valid from the instant `at` of the route until the next reading.
    struct Reading: Sendable, Hashable {
        var at: Duration
        /// The place; `nil` without a fix.
        var place: Place?
    }

    private enum Kind: Hashable {
        case steps([Reading])
        case moving(from: Place, north: Double, east: Double, every: Duration)
    }

    private let kind: Kind

    /// Returns a route that leads from place to place.
    ///
    /// A step's `after` is the time since the step before it, or since the beginning of the route; a negative time
    /// counts as zero. The instant of each step is at most 292 years after the beginning. A step without a place loses
    /// the fix.
    public static func steps(_ steps: [(after: Duration, place: Place?)]) -> LocationRoute {
        var at = Duration.zero
        return LocationRoute(
            kind: .steps(
                steps.map { step in
                    at = (at + max(.zero, step.after.clamped)).clamped
                    return Reading(at: at, place: step.place)
                }))
    }

    /// Returns a route that stays in one place.
    public static func standing(at place: Place) -> LocationRoute { steps([(after: .zero, place: place)]) }

    /// A route without a fix.
    public static var noFix: LocationRoute { steps([]) }

    /// Returns a route with a constant velocity.
    ///
    /// The velocity is in degrees, because only degrees give the same numbers on every machine; 0.00001° of latitude
    /// are 1.1 m.
    ///
    /// - Parameters:
    ///   - place: The place at the start.
    ///   - north: The velocity to the north, in degrees of latitude per second. The phone stops at a pole.
    ///   - east: The velocity to the east, in degrees of longitude per second.
    ///   - interval: The time between two readings of the receiver, at least a millisecond.
    /// - Returns: A route without an end.
    public static func moving(
        from place: Place, north: Double, east: Double, every interval: Duration = .seconds(1)
    ) -> LocationRoute {
        LocationRoute(
            kind: .moving(from: place, north: north, east: east, every: max(.milliseconds(1), interval.clamped)))
    }

    // MARK: Reading

    /// Returns the reading of the receiver at an instant of the route.
    func reading(at elapsed: Duration) -> Reading {
        switch kind {
        case .steps(let readings):
            Reading(at: elapsed, place: readings.last { $0.at <= elapsed }?.place)
        case .moving(let start, let north, let east, _):
            Reading(at: elapsed, place: start.moved(by: elapsed, north: north, east: east))
        }
    }

    /// Returns the instant of the first reading after `elapsed`; `nil` if there is none.
    func nextReading(after elapsed: Duration) -> Duration? {
        switch kind {
        case .steps(let readings): readings.first { $0.at > elapsed }?.at
        case .moving(_, _, _, let interval): interval * (elapsed.steps(of: interval) + 1)
        }
    }

    /// Returns the readings after `former` up to and including `elapsed`, in order; at most the last `limit`.
    func readings(after former: Duration, upTo elapsed: Duration, limit: Int) -> [Reading] {
        switch kind {
        case .steps(let readings):
            return readings.filter { $0.at > former && $0.at <= elapsed }.suffix(limit)
        case .moving(_, _, _, let interval):
            let last = elapsed.steps(of: interval)
            let first = max(former.steps(of: interval) + 1, last - Int64(limit) + 1)
            guard first <= last else { return [] }
            return (first...last).map { reading(at: interval * $0) }
        }
    }

    /// Returns the instant of the phone's last move up to `elapsed`; zero if it did not move, `nil` if it moves all the
    /// time.
    func lastMove(upTo elapsed: Duration) -> Duration? {
        switch kind {
        case .steps(let readings):
            var last = (at: Duration.zero, place: Place?.none)
            for reading in readings where reading.at <= elapsed {
                if let place = reading.place, place.isElsewhere(than: last.place) { last = (reading.at, place) }
            }
            return last.at
        case .moving(_, let north, let east, _):
            return north == 0 && east == 0 ? .zero : nil
        }
    }
}

extension LocationRoute.Place {
    fileprivate func moved(by elapsed: Duration, north: Double, east: Double) -> LocationRoute.Place {
        let seconds = Double(elapsed.wholeNanoseconds) / 1e9
        // The longitude continues on the other side of the date line.
        let turned = (longitude + east * seconds).remainder(dividingBy: 360)
        return LocationRoute.Place(
            latitude: min(90, max(-90, latitude + north * seconds)), longitude: turned, accuracy: accuracy)
    }
}

extension Duration {
    /// Returns the number of whole intervals in the duration.
    fileprivate func steps(of interval: Duration) -> Int64 { wholeNanoseconds / interval.wholeNanoseconds }
}
