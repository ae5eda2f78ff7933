/// What an app declares of itself: the part of `Info.plist` that the system's rules look at.
public struct AppManifest: Sendable, Hashable, Codable {
    /// What the app wants to do in the background (`UIBackgroundModes`).
    public enum BackgroundMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// To play or record sound.
        case audio
        /// To be told where the device is.
        case location
        /// To refresh its content for a short time (`fetch`): without it, requests of the kind `refresh` are not
        /// permitted.
        case fetch
        /// To do longer work while nobody uses the device (`processing`): without it, requests of the kind `processing`
        /// are not permitted.
        case processing
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

    /// A manifest; without arguments that of an app with scenes that declares nothing.
    public init(
        backgroundModes: Set<BackgroundMode> = [], permittedTaskIdentifiers: Set<String> = [], usesScenes: Bool = true
    ) {
        self.backgroundModes = backgroundModes
        self.permittedTaskIdentifiers = permittedTaskIdentifiers
        self.usesScenes = usesScenes
    }
}
