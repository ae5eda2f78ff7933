import ApusDevice

/// Degrees.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres.
public typealias CLLocationAccuracy = Double
/// Metres per second.
public typealias CLLocationSpeed = Double
/// Degrees clockwise from north.
public typealias CLLocationDirection = Double

/// A place on Earth.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of Greenwich.
    public var longitude: CLLocationDegrees

    /// The place at 0°, 0°.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// A place.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Where the phone was, and when. The simulated phone knows no altitude, speed and course.
open class CLLocation: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing of it changes.

    /// The place.
    public let coordinate: CLLocationCoordinate2D
    /// Metres above the sea.
    public let altitude: CLLocationDistance
    /// The radius in metres within which the phone probably was; negative when it is not known.
    public let horizontalAccuracy: CLLocationAccuracy
    /// How well the altitude is known; negative when it is not.
    public let verticalAccuracy: CLLocationAccuracy
    /// When the phone was there.
    public let timestamp: Date
    /// Negative: not known.
    open var speed: CLLocationSpeed { -1 }
    /// Negative: not known.
    open var course: CLLocationDirection { -1 }

    /// A place at sea level, there now.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: .machineNow)
    }

    /// A place.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.timestamp = timestamp
        super.init()
    }

    /// The distance along the Earth's surface, for a sphere with a radius of 6,371 km.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        coordinate.place.distance(to: location.coordinate.place)
    }
}

extension CLLocationCoordinate2D {
    fileprivate var place: LocationRoute.Place { LocationRoute.Place(latitude: latitude, longitude: longitude) }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// As exact as can be. The simulated phone is as exact as its route says, whatever is wished.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// See ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
// swift-format-ignore: AlwaysUseLowerCamelCase
/// See ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
// swift-format-ignore: AlwaysUseLowerCamelCase
/// See ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Every position is reported.
public let kCLDistanceFilterNone: CLLocationDistance = -1
