public import ApusBackground

/// The services that the app needs from its system; a phone, a Linux desktop and a test each provide their own.
public struct Services: Sendable {
    /// The host, with its phases, time in the background, main loop and clocks.
    public var host: any BackgroundHost
    /// The records that survive the process.
    public var store: any RecordStore
    /// The scheduler of the countdown's notification.
    public var notifications: any NotificationScheduler
    /// The player of the tracks; `nil` where the host has no sound.
    public var audio: (any AudioPlayer)?
    /// The source of positions; `nil` where the host has none.
    public var location: (any LocationSource)?
    /// The scheduler of refresh and processing.
    public var jobs: any BackgroundJobDebugging
    /// The tracks of the app.
    public var tracks: [Track]
    /// Asks the user for permission to show notifications, where this is necessary.
    public var askToNotify: @Sendable () async -> Void
    /// Keeps the main thread busy for a duration.
    public var block: @MainActor @Sendable (Duration) -> Void

    /// Creates the services of a host.
    public init(
        host: any BackgroundHost, store: any RecordStore, notifications: any NotificationScheduler,
        audio: (any AudioPlayer)?, location: (any LocationSource)?, jobs: any BackgroundJobDebugging, tracks: [Track],
        askToNotify: @escaping @Sendable () async -> Void = {},
        block: @escaping @MainActor @Sendable (Duration) -> Void
    ) {
        self.host = host
        self.store = store
        self.notifications = notifications
        self.audio = audio
        self.location = location
        self.jobs = jobs
        self.tracks = tracks
        self.askToNotify = askToNotify
        self.block = block
    }
}

/// A track for the player.
public struct Track: Sendable, Hashable, Codable {
    /// The identifier of the track.
    public var id: String
    /// The title of the track.
    public var title: String
    /// The duration in seconds.
    public var seconds: Double
    /// The address of the sound, as the player accepts it.
    public var source: String

    /// Creates a track.
    public init(id: String, title: String, seconds: Double, source: String) {
        self.id = id
        self.title = title
        self.seconds = seconds
        self.source = source
    }
}
