public import ApusTimers

/// A position of the device at an instant.
public struct Position: Sendable, Hashable, Codable {
    /// The latitude in degrees, from -90 to 90; positive in the north.
    public var latitude: Double
    /// The longitude in degrees, from -180 to 180; positive in the east.
    public var longitude: Double
    /// The radius, in metres, of the circle in which the device probably is; `nil` if it is not known.
    public var accuracy: Double?
    /// The instant of the position.
    public var instant: WallInstant

    /// Creates a position.
    public init(latitude: Double, longitude: Double, accuracy: Double? = nil, instant: WallInstant) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.instant = instant
    }
}

/// The user's permission for an app to use the device's position.
public enum LocationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user has not been asked yet.
    case notDetermined
    /// The app gets no positions.
    case denied
    /// The app gets positions while it is in use; in the background, it gets them only if it started the updates in the
    /// foreground.
    case whenInUse
    /// The app always gets positions.
    case always
}

/// An element of the stream of a location source.
public enum LocationUpdate: Sendable, Hashable, Codable {
    /// A new position of the device.
    case position(Position)
    /// The receiver cannot determine the position.
    case noFix
    /// The user has changed the permission.
    case authorization(LocationAuthorization)
}

/// A stream of positions that can continue in the background.
///
/// While updates are active and allowed in the background, the host does not suspend the app. All members may be used
/// from any thread.
public protocol LocationSource: Sendable {
    /// The user's permission.
    var authorization: LocationAuthorization { get }
    /// Asks the user for the permission `whenInUse` or for the wider permission `always`, unless the answer is known.
    ///
    /// - Returns: The permission after the user's answer.
    func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization
    /// Starts updates, which continue in the background if `inBackground` is true and the host allows it.
    ///
    /// The updates end when ``stop()`` is called or the sequence is released. Starting again ends the previous
    /// sequence.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` if the app is not authorized, or `inBackground` is
    ///   true and the app did not declare the mode.
    func updates(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate>
    /// Ends the updates.
    func stop()
}
