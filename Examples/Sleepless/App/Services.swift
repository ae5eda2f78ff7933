public import ApusBackground

/// Everything that the app asks of the system it runs on. A phone, a Linux desktop and a test each give it their own.
public struct Services: Sendable {
    /// Phases, time in the background, the main loop, clocks.
    public var host: any BackgroundHost
    /// What survives the process.
    public var store: any RecordStore
    /// Where the countdown's notification waits.
    public var notifications: any NotificationScheduler
    /// What plays the tracks; `nil` where the host has no sound.
    public var audio: (any AudioPlayer)?
    /// Where the device is; `nil` where the host has no positions.
    public var location: (any LocationSource)?
    /// Refresh and processing.
    public var jobs: any BackgroundJobDebugging
    /// What there is to play.
    public var tracks: [Track]
    /// Asks the user whether notifications may be shown, where that has to be asked.
    public var askToNotify: @Sendable () async -> Void
    /// Keeps the main thread busy for that long.
    public var block: @MainActor @Sendable (Duration) -> Void

    /// The services of a host.
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

/// A piece of sound.
public struct Track: Sendable, Hashable, Codable {
    /// Names it.
    public var id: String
    /// What is shown.
    public var title: String
    /// Its length in seconds.
    public var seconds: Double
    /// Its address, as the player takes it.
    public var source: String

    /// A track.
    public init(id: String, title: String, seconds: Double, source: String) {
        self.id = id
        self.title = title
        self.seconds = seconds
        self.source = source
    }
}
