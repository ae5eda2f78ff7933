/// A sound in the queue of an audio player.
public struct AudioItem: Sendable, Hashable, Codable, Identifiable {
    /// The identifier of the item within its queue.
    public var id: String
    /// The title that "now playing" shows.
    public var title: String
    /// The location of the sound: a path or a URL, depending on the player.
    public var source: String

    /// Creates an item.
    public init(id: String, title: String, source: String) {
        self.id = id
        self.title = title
        self.source = source
    }
}

/// The state of an audio player.
public struct AudioState: Sendable, Hashable, Codable {
    /// The current item, playing or not; `nil` at the end of the queue.
    public var current: AudioItem?
    /// Whether the player is playing.
    public var isPlaying: Bool
    /// The items after the current one.
    public var upcoming: [AudioItem]

    /// Creates a state.
    public init(current: AudioItem? = nil, isPlaying: Bool = false, upcoming: [AudioItem] = []) {
        self.current = current
        self.isPlaying = isPlaying
        self.upcoming = upcoming
    }
}

/// A queue of sounds that can be played in the background.
///
/// The host does not suspend the app while the player is playing, and may suspend it soon after the player has stopped.
/// All members may be used from any thread.
public protocol AudioPlayer: Sendable {
    /// The current state of the player.
    var state: AudioState { get }
    /// Returns a new sequence of the states from now on.
    func stateChanges() -> Changes<AudioState>
    /// The playback position in the current item.
    var position: Duration { get }

    /// Replaces the queue, without starting to play.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` if nothing can play.
    func setQueue(_ items: [AudioItem]) async throws
    /// Starts or resumes playing.
    ///
    /// It has no effect without an item.
    ///
    /// - Throws: ``BackgroundError`` with the code `modeUnavailable` if nothing can play.
    func play() async throws
    /// Pauses and keeps the position.
    func pause() async
    /// Moves to the next item, or to the end of the queue.
    func skipToNext() async
}
