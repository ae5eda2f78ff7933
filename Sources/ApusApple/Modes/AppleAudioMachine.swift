import ApusBackground
import ApusTimers

/// The queue and the state of an audio player, as a pure state machine whose actions the system's player performs.
struct AppleAudioMachine: Sendable {
    /// The items that are left, the current one first.
    private var queue: [AudioItem] = []
    /// The instant since which the player has been playing; `nil` while it is stopped.
    private var playingSince: UptimeInstant?
    /// The position in the current item at `playingSince`, or where the player stopped.
    private var played = Duration.zero
    /// Whether the player was playing when an interruption began, and has received no command since.
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
        /// Do nothing, because there is no item or the player is playing.
        case none
    }

    mutating func play(now: UptimeInstant) -> PlayAction {
        resumesAfterInterruption = false
        guard playingSince == nil, !queue.isEmpty else { return .none }
        playingSince = now
        return .play
    }

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

    /// Handles the end of the current item, after which the player continues with the next one by itself.
    mutating func itemEnded(now: UptimeInstant) {
        guard !queue.isEmpty else { return }
        dropFirst(now: now)
    }

    /// Handles the beginning of an interruption; the system has already stopped the player.
    mutating func interruptionBegan(at position: Duration) {
        let wasPlaying = playingSince != nil
        stop(at: position)
        resumesAfterInterruption = wasPlaying
    }

    /// Handles the end of an interruption.
    ///
    /// - Returns: Whether to resume: true if the player was playing before, the system suggests it, and no command came
    ///   meanwhile.
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
