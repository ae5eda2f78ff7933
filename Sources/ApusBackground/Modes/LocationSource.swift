public import ApusTimers

/// Where the device was at an instant.
public struct Position: Sendable, Hashable, Codable {
    /// Degrees north of the equator, from -90 to 90.
    public var latitude: Double
    /// Degrees east of Greenwich, from -180 to 180.
    public var longitude: Double
    /// The radius in metres within which the device probably is; `nil` when it is not known.
    public var accuracy: Double?
    /// When it was there.
    public var instant: WallInstant

    /// A position.
    public init(latitude: Double, longitude: Double, accuracy: Double? = nil, instant: WallInstant) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.instant = instant
    }
}

/// What the user allows an app to know of the device's position.
public enum LocationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user was not asked yet.
    case notDetermined
    /// Nothing.
    case denied
    /// While the app is used; that includes the background, if the updates were started before.
    case whenInUse
    /// Always.
    case always
}

/// What comes out of a location source.
public enum LocationUpdate: Sendable, Hashable, Codable {
    /// The device is here.
    case position(Position)
    /// The receiver does not know where the device is.
    case noFix
    /// The user changed what is allowed.
    case authorization(LocationAuthorization)
}

/// A stream of positions: the second of the two continuous background modes.
///
/// While updates were started and are allowed in the background, the host does not suspend the app. All members may be
/// used from any thread.
public protocol LocationSource: Sendable {
    /// What the user allows.
    var authorization: LocationAuthorization { get }
    /// Asks the user, if the answer is not known; `always` asks for more than `whenInUse`.
    func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization
    /// Starts updates, and continues in the background if `inBackground` and the host allows it. The updates end when
    /// ``stop()`` is called or the sequence is dropped. Starting again ends the earlier sequence.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` when it is not authorized, or `inBackground` was
    ///   not declared by the app.
    func updates(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate>
    /// Ends the updates.
    func stop()
}
