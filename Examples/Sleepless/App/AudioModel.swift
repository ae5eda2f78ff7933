import ApusBackground
import ApusTimers

/// The screen "Audio": a queue that keeps playing in the background.
///
/// It demonstrates ``AudioPlayer``.
@MainActor
public final class AudioModel {
    private let host: any BackgroundHost
    private let audio: any AudioPlayer
    private let tracks: [Track]
    private let changed: ChangeSignal
    private var isInFront: Bool
    private var progress: RepeatingTimer?
    private var error: String?

    init?(_ services: Services, changed: ChangeSignal) {
        guard let audio = services.audio else { return nil }
        host = services.host
        self.audio = audio
        tracks = services.tracks
        self.changed = changed
        isInFront = host.phase == .active
        progress = host.ticker(every: .seconds(1)) { [changed] in changed() }
        let states = audio.stateChanges()
        host.start { [weak self, mainLoop = host.mainLoop] in
            for await _ in states { mainLoop.run { [weak self] in self?.update() } }
        }
    }

    /// Plays or resumes playing, beginning with the first track if the queue is empty.
    public func play() {
        let isAtEnd = audio.state.current == nil
        perform { audio, items in
            if isAtEnd { try await audio.setQueue(items) }
            try await audio.play()
        }
    }

    /// Pauses the player.
    public func pause() { perform { audio, _ in await audio.pause() } }

    /// Skips to the next track.
    public func next() { perform { audio, _ in await audio.skipToNext() } }

    /// Plays from the first track on.
    public func restart() {
        perform { audio, items in
            try await audio.setQueue(items)
            try await audio.play()
        }
    }

    /// Updates the display of the progress, which is needed only in the foreground; the sound continues in the
    /// background.
    func entered(_ phase: Phase) {
        isInFront = phase == .active || phase == .inactive
        update()
    }

    func snapshot() -> AudioSnapshot {
        let state = audio.state
        return AudioSnapshot(
            queue: tracks.map { AudioSnapshot.Item(id: $0.id, title: $0.title, seconds: $0.seconds) },
            current: state.current?.id, isPlaying: state.isPlaying, position: audio.position.seconds, error: error)
    }

    private func update() {
        if audio.state.isPlaying, isInFront { progress?.resume() } else { progress?.pause() }
        changed()
    }

    private func perform(_ action: @escaping @Sendable (any AudioPlayer, [AudioItem]) async throws -> Void) {
        let items = tracks.map { AudioItem(id: $0.id, title: $0.title, source: $0.source) }
        host.start { [weak self, audio, mainLoop = host.mainLoop] in
            let failure: String?
            do {
                try await action(audio, items)
                failure = nil
            } catch {
                failure = AppError.text(error)
            }
            mainLoop.run { [weak self] in
                self?.error = failure
                self?.update()
            }
        }
    }
}

/// The visible state of the screen "Audio".
public struct AudioSnapshot: Codable, Sendable, Hashable {
    /// A track.
    public struct Item: Codable, Sendable, Hashable {
        /// The identifier of the track.
        public var id: String
        /// The title of the track.
        public var title: String
        /// The duration in seconds.
        public var seconds: Double
    }

    /// All tracks.
    public var queue: [Item]
    /// The identifier of the current track.
    @Nullable public var current: String?
    /// Whether the player is playing.
    public var isPlaying: Bool
    /// The position in the current track, in seconds.
    public var position: Double
    /// The reason why the last tap had no effect.
    @Nullable public var error: String?
}
