import ApusDevice

/// An angle in degrees.
public typealias CLLocationDegrees = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// An accuracy in metres.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second.
public typealias CLLocationSpeed = Double
/// A direction in degrees clockwise from north.
public typealias CLLocationDirection = Double

/// A place on Earth.
public struct CLLocationCoordinate2D: Sendable {
    /// The latitude in degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// The longitude in degrees east of Greenwich.
    public var longitude: CLLocationDegrees

    /// Creates the place at 0°, 0°.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Creates a place.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A position of the phone with its date.
///
/// The simulated phone determines no altitude, no speed and no course.
open class CLLocation: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all stored properties are immutable.

    /// The place.
    public let coordinate: CLLocationCoordinate2D
    /// The altitude in metres above sea level.
    public let altitude: CLLocationDistance
    /// The radius of uncertainty in metres; negative when it is unknown.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The accuracy of the altitude in metres; negative when the altitude is unknown.
    public let verticalAccuracy: CLLocationAccuracy
    /// The date of the position.
    public let timestamp: Date
    /// The speed: negative, because it is unknown.
    open var speed: CLLocationSpeed { -1 }
    /// The course: negative, because it is unknown.
    open var course: CLLocationDirection { -1 }

    /// Creates a position at sea level with the present date.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: .machineNow)
    }

    /// Creates a position.
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

    /// Returns the distance along the Earth's surface in metres, for a sphere with a radius of 6,371 km.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        coordinate.place.distance(to: location.coordinate.place)
    }
}

extension CLLocationCoordinate2D {
    fileprivate var place: LocationRoute.Place { LocationRoute.Place(latitude: latitude, longitude: longitude) }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy.
///
/// The accuracy has no effect, because the route determines the accuracy of the simulated phone's positions.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of ten metres, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of a hundred metres, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of a kilometre, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of three kilometres, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy with the help of other sensors, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The accuracy for an app that is not allowed full accuracy, without effect; see ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 5_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The longest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The distance filter with which every position is reported.
public let kCLDistanceFilterNone: CLLocationDistance = -1
