import ApusBackground

/// What an app declares of itself: the part of `Info.plist` that the system's rules look at.
public struct AppManifest: Sendable, Hashable, Codable {
    /// What the app wants to do in the background (`UIBackgroundModes`).
    public enum BackgroundMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// To play or record sound.
        case audio
        /// To be notified of the device's position.
        case location
        /// To refresh its content for a short time (`fetch`): without it, requests of the kind `refresh` are not
        /// permitted.
        case fetch
        /// To do longer work while the device is not in use (`processing`): without it, requests of the kind
        /// `processing` are not permitted.
        case processing
        /// To be started for silent pushes.
        case remoteNotification = "remote-notification"
    }

    /// The declared modes.
    public var backgroundModes: Set<BackgroundMode>
    /// The identifiers of background jobs (`BGTaskSchedulerPermittedIdentifiers`); handlers and requests of others are
    /// not permitted. One that ends in `.*`, as "com.example.app.export.*", declares all identifiers that begin so, for
    /// continued work only.
    public var permittedTaskIdentifiers: Set<String>
    /// Whether the app has the life cycle of scenes: it then starts in the phase `background`, otherwise in `inactive`
    /// (Apple, developer.apple.com/documentation/uikit/uiapplication/applicationstate).
    public var usesScenes: Bool

    /// Why the app wants to know where the phone is while it is used (`NSLocationWhenInUseUsageDescription`), which the
    /// system shows to the user with its question. Without it, or with an empty text, a request for authorization does nothing.
    public var locationWhenInUseUsage: String?
    /// Why it wants to know that at any time (`NSLocationAlwaysAndWhenInUseUsageDescription`). Without this one and the
    /// other, a request for `always` does nothing.
    public var locationAlwaysUsage: String?

    /// A manifest; without arguments that of an app with scenes that declares nothing. It has the texts for the user that
    /// the system insists on; `nil` is an app without them.
    public init(
        backgroundModes: Set<BackgroundMode> = [], permittedTaskIdentifiers: Set<String> = [], usesScenes: Bool = true,
        locationWhenInUseUsage: String? = "to show where you are",
        locationAlwaysUsage: String? = "to continue in the background"
    ) {
        self.backgroundModes = backgroundModes
        self.permittedTaskIdentifiers = permittedTaskIdentifiers
        self.usesScenes = usesScenes
        self.locationWhenInUseUsage = locationWhenInUseUsage
        self.locationAlwaysUsage = locationAlwaysUsage
    }

    /// The keys without whose texts the user is not asked, by what an app asks for.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestwheninuseauthorization() and …/requestalwaysauthorization()
    var missingLocationKeys: [LocationAuthorization: [String]] {
        func missing(_ text: String?, _ key: String) -> [String] { text?.isEmpty ?? true ? [key] : [] }
        let whenInUse = missing(locationWhenInUseUsage, "NSLocationWhenInUseUsageDescription")
        let always = missing(locationAlwaysUsage, "NSLocationAlwaysAndWhenInUseUsageDescription")
        return [.whenInUse: whenInUse, .always: whenInUse + always]
    }
}
