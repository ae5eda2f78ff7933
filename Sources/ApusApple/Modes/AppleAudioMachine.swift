import ApusBackground
import ApusTimers

/// What an audio player has to play, and whether it does: a pure state machine. The player itself gets its actions.
struct AppleAudioMachine: Sendable {
    /// What is left, the current item first.
    private var queue: [AudioItem] = []
    /// Since when it plays.
    private var playingSince: UptimeInstant?
    /// How far the current item had been played then, or when it stopped.
    private var played = Duration.zero
    /// Whether it played when an interruption began, and no command has come since.
    private var resumesAfterInterruption = false

    var state: AudioState {
        AudioState(current: queue.first, isPlaying: playingSince != nil, upcoming: Array(queue.dropFirst()))
    }

    func position(now: UptimeInstant) -> Duration {
        played + (playingSince.map { max(.zero, $0.duration(to: now)) } ?? .zero)
    }

    mutating func setQueue(_ items: [AudioItem]) {
        queue = items
        stop(at: .zero)
    }

    enum PlayAction: Equatable {
        case play
        /// There is no item, or it plays.
        case none
    }

    mutating func play(now: UptimeInstant) -> PlayAction {
        resumesAfterInterruption = false
        guard playingSince == nil, !queue.isEmpty else { return .none }
        playingSince = now
        return .play
    }

    /// The user or the app wants silence; the player says how far it has come.
    mutating func pause(at position: Duration) { stop(at: position) }

    enum NextAction: Equatable {
        case advance
        case none
    }

    mutating func next(now: UptimeInstant) -> NextAction {
        guard !queue.isEmpty else { return .none }
        dropFirst(now: now)
        return .advance
    }

    /// The current item was played to its end; the player continues by itself.
    mutating func itemEnded(now: UptimeInstant) {
        guard !queue.isEmpty else { return }
        dropFirst(now: now)
    }

    /// Something else has the sound; the player was stopped.
    mutating func interruptionBegan(at position: Duration) {
        let wasPlaying = playingSince != nil
        stop(at: position)
        resumesAfterInterruption = wasPlaying
    }

    /// Whether to play on: only when it had played, the system says so, and no other command has come meanwhile.
    mutating func interruptionEnded(shouldResume: Bool) -> Bool {
        defer { resumesAfterInterruption = false }
        return resumesAfterInterruption && shouldResume && !queue.isEmpty
    }

    private mutating func stop(at position: Duration) {
        playingSince = nil
        played = queue.isEmpty ? .zero : position
        resumesAfterInterruption = false
    }

    private mutating func dropFirst(now: UptimeInstant) {
        queue.removeFirst()
        played = .zero
        if playingSince != nil { playingSince = queue.isEmpty ? nil : now }
    }
}
