/// Something to play.
public struct AudioItem: Sendable, Hashable, Codable, Identifiable {
    /// Names the item within its queue.
    public var id: String
    /// What "now playing" shows.
    public var title: String
    /// Where the sound is: a file's path or a URL, as the player takes it.
    public var source: String

    /// An item.
    public init(id: String, title: String, source: String) {
        self.id = id
        self.title = title
        self.source = source
    }
}

/// What an audio player does at the moment.
public struct AudioState: Sendable, Hashable, Codable {
    /// The item that plays, or that would; `nil` at the end of the queue.
    public var current: AudioItem?
    /// Whether it plays.
    public var isPlaying: Bool
    /// The items after the current one.
    public var upcoming: [AudioItem]

    /// A state.
    public init(current: AudioItem? = nil, isPlaying: Bool = false, upcoming: [AudioItem] = []) {
        self.current = current
        self.isPlaying = isPlaying
        self.upcoming = upcoming
    }
}

/// A queue of sounds: the first of the two continuous background modes.
///
/// While it plays, the host does not suspend the app; when it stops, it does. All members may be used from any thread.
public protocol AudioPlayer: Sendable {
    /// What the player does.
    var state: AudioState { get }
    /// A new sequence of the states from now on.
    func stateChanges() -> Changes<AudioState>
    /// How far the current item has been played.
    var position: Duration { get }

    /// Replaces the queue; nothing plays until ``play()``.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` when nothing can play here.
    func setQueue(_ items: [AudioItem]) async throws
    /// Plays, or resumes playing. Without an item it does nothing.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` when nothing can play here.
    func play() async throws
    /// Stops for a while; the position is kept.
    func pause() async
    /// Moves to the next item, or to the end of the queue.
    func skipToNext() async
}
