public import ApusBackground
import ApusTimers

/// The screen "Location": a trail of pins, including those from the background.
///
/// It demonstrates ``LocationSource``.
@MainActor
public final class LocationModel {
    private static let pinLimit = 300

    private let host: any BackgroundHost
    private let location: any LocationSource
    private let changed: ChangeSignal
    private var isUpdating = false
    private var inBackground = false
    private var hasFix = false
    private var pins: [LocationSnapshot.Pin] = []
    private var error: String?
    /// The number of the last start, which distinguishes the updates of that start from those of an earlier one.
    private var session = 0

    init?(_ services: Services, changed: ChangeSignal) {
        guard let location = services.location else { return nil }
        host = services.host
        self.location = location
        self.changed = changed
    }

    /// Asks the user for permission, `whenInUse` or `always`.
    public func authorize(_ wish: LocationAuthorization) throws(AppError) {
        guard wish == .whenInUse || wish == .always else {
            throw AppError(.invalid, "`wish` is \(wish.rawValue); pass whenInUse or always")
        }
        host.start { [location, changed, mainLoop = host.mainLoop] in
            _ = await location.requestAuthorization(wish)
            mainLoop.run { changed() }
        }
    }

    /// Starts updates, which continue in the background if requested.
    public func start(inBackground: Bool) throws(AppError) {
        let updates: AsyncStream<LocationUpdate>
        do throws(BackgroundError) {
            updates = try location.updates(inBackground: inBackground)
        } catch {
            self.error = error.message
            changed()
            throw AppError(error)
        }
        session += 1
        (isUpdating, self.inBackground, hasFix, error) = (true, inBackground, false, nil)
        changed()
        host.start { [weak self, session, mainLoop = host.mainLoop] in
            for await update in updates { mainLoop.run { [weak self] in self?.take(update, of: session) } }
            mainLoop.run { [weak self] in self?.ended(session) }
        }
    }

    /// Ends the updates.
    public func stop() { location.stop() }

    /// Removes the pins.
    public func clear() {
        pins = []
        changed()
    }

    func snapshot() -> LocationSnapshot {
        LocationSnapshot(
            authorization: location.authorization.rawValue, isUpdating: isUpdating, inBackground: inBackground,
            hasFix: hasFix, pins: pins, error: error)
    }

    private func take(_ update: LocationUpdate, of session: Int) {
        guard session == self.session else { return }
        switch update {
        case .position(let position):
            hasFix = true
            pins.append(
                LocationSnapshot.Pin(
                    latitude: position.latitude, longitude: position.longitude, accuracy: position.accuracy,
                    at: position.instant.iso8601,
                    inBackground: host.phase != .active && host.phase != .inactive))
            if pins.count > Self.pinLimit { pins.removeFirst(pins.count - Self.pinLimit) }
        case .noFix: hasFix = false
        case .authorization: break
        }
        changed()
    }

    private func ended(_ session: Int) {
        guard session == self.session else { return }
        (isUpdating, hasFix) = (false, false)
        changed()
    }
}

/// The visible state of the screen "Location".
public struct LocationSnapshot: Codable, Sendable, Hashable {
    /// A position of the device.
    public struct Pin: Codable, Sendable, Hashable {
        /// The latitude in degrees north.
        public var latitude: Double
        /// The longitude in degrees east.
        public var longitude: Double
        /// The radius of uncertainty in metres; `nil` if it is unknown.
        @Nullable public var accuracy: Double?
        /// The instant of the position.
        public var at: String
        /// Whether the app received the position in the background.
        public var inBackground: Bool
    }

    /// The user's permission.
    public var authorization: String
    /// Whether updates are in progress.
    public var isUpdating: Bool
    /// Whether the updates continue in the background.
    public var inBackground: Bool
    /// Whether the receiver has a position.
    public var hasFix: Bool
    /// The last positions, the earliest first.
    public var pins: [Pin]
    /// The reason why the last start was refused.
    @Nullable public var error: String?
}
