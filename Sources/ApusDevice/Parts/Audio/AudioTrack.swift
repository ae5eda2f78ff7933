import ApusBackground
import ApusTimers

/// The queue of one player, with its position: a pure value.
struct AudioTrack {
    private enum Playback {
        case paused(at: Duration)
        /// The position was `from` at the instant `since`.
        case playing(from: Duration, since: UptimeInstant)
    }

    /// An item, with the time that it lasts.
    struct Entry {
        let item: AudioItem
        let duration: Duration
    }

    /// The number of the player.
    let player: Int
    private var queue: [Entry] = []
    private var playback = Playback.paused(at: .zero)
    /// Whether the player resumes by itself after an interruption, as Apus's player does and the system's does not.
    private(set) var resumesItself = false

    init(player: Int) { self.player = player }

    var state: AudioState {
        AudioState(current: queue.first?.item, isPlaying: isPlaying, upcoming: queue.dropFirst().map(\.item))
    }

    var isPlaying: Bool { if case .playing = playback { true } else { false } }

    func position(now: UptimeInstant) -> Duration {
        switch playback {
        case .paused(let position): position
        case .playing(let from, let since): min(currentDuration, from + since.duration(to: now))
        }
    }

    /// The instant at which the current item ends, if it plays until then; `nil` if it is paused.
    var itemEnd: UptimeInstant? {
        switch playback {
        case .paused: nil
        case .playing(let from, let since): since.advanced(by: currentDuration - from)
        }
    }

    private var currentDuration: Duration { queue.first?.duration ?? .zero }

    mutating func setQueue(_ entries: [Entry]) { (queue, playback) = (entries, .paused(at: .zero)) }

    /// Replaces the items after the current one.
    mutating func setUpcoming(_ entries: [Entry]) { queue = queue.prefix(1) + entries }

    /// Plays from the present position, if the session is active.
    mutating func play(
        resumingItself: Bool, isSessionActive: Bool, now: UptimeInstant
    )
        -> AudioPlaybackMachine.PlayAction
    {
        guard !queue.isEmpty else { return .nothingToPlay }
        guard case .paused(let position) = playback else { return .alreadyPlaying }
        guard isSessionActive else { return .sessionInactive }
        resumesItself = resumingItself
        playback = .playing(from: position, since: now)
        return .started
    }

    mutating func pause(now: UptimeInstant) { if isPlaying { playback = .paused(at: position(now: now)) } }

    /// Moves to a position of the current item, without pausing or resuming.
    mutating func seek(to position: Duration, now: UptimeInstant) {
        let position = min(max(.zero, position), currentDuration)
        playback = isPlaying ? .playing(from: position, since: now) : .paused(at: position)
    }

    /// Moves to the next item, which plays if the previous one was playing; does nothing if the queue is empty.
    mutating func next(now: UptimeInstant) {
        guard !queue.isEmpty else { return }
        queue.removeFirst()
        playback = isPlaying && !queue.isEmpty ? .playing(from: .zero, since: now) : .paused(at: .zero)
    }
}
