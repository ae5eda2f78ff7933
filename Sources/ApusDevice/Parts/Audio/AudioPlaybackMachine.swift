import ApusBackground
import ApusTimers

/// A phone's audio player and the app's audio session, as a pure state machine.
struct AudioPlaybackMachine {
    private enum Playback {
        case paused(at: Duration)
        /// Was at `from` at the instant `since`.
        case playing(from: Duration, since: UptimeInstant)
    }

    private enum Interruption {
        case none
        /// Another one has the sound.
        ///
        /// - wasNotified: The app knows, because its session was active then.
        /// - resumes: The player resumes by itself if it may.
        case ongoing(wasNotified: Bool, resumes: Bool)
    }

    private var durations: [AudioItem.ID: Duration]
    private let defaultDuration: Duration
    private var isModeDeclared: Bool

    private var queue: [AudioItem] = []
    private var playback = Playback.paused(at: .zero)
    /// Whether the player resumes by itself after an interruption: what Apus's players do, and the system's does not.
    private var resumesItself = false
    private var category = AudioCategory.soloAmbient
    private(set) var isSessionActive = false
    private var interruption = Interruption.none
    private var isSuspended = false
    /// The events that the app gets when it runs again.
    private var owed: [AudioSessionEvent] = []

    init(durations: [AudioItem.ID: Duration], defaultDuration: Duration, isModeDeclared: Bool) {
        self.durations = durations
        self.defaultDuration = defaultDuration
        self.isModeDeclared = isModeDeclared
    }

    // MARK: What it does

    var state: AudioState {
        AudioState(current: queue.first, isPlaying: isPlaying, upcoming: Array(queue.dropFirst()))
    }

    var isPlaying: Bool { if case .playing = playback { true } else { false } }

    /// Whether the device must not suspend the app: only while something plays that may continue in the background.
    var keepsAwake: Bool { isPlaying && isModeDeclared && category == .playback }

    func position(now: UptimeInstant) -> Duration {
        switch playback {
        case .paused(let position): position
        case .playing(let from, let since): min(currentDuration, from + since.duration(to: now))
        }
    }

    /// When the current item ends, if it plays on.
    var itemEnd: UptimeInstant? {
        switch playback {
        case .paused: nil
        case .playing(let from, let since): since.advanced(by: currentDuration - from)
        }
    }

    private var currentDuration: Duration { queue.first.map(duration) ?? .zero }

    func duration(of item: AudioItem) -> Duration { max(.zero, durations[item.id] ?? defaultDuration) }

    // MARK: The queue

    mutating func setQueue(_ items: [AudioItem]) {
        queue = items
        playback = .paused(at: .zero)
        cancelResumption()
    }

    /// Replaces what comes after the current item.
    mutating func setUpcoming(_ items: [AudioItem]) { queue = queue.prefix(1) + items }

    enum PlayAction: Equatable {
        case started
        case alreadyPlaying
        case nothingToPlay
        case sessionInactive
    }

    mutating func play(resumingItself: Bool, now: UptimeInstant) -> PlayAction {
        guard !queue.isEmpty else { return .nothingToPlay }
        guard case .paused(let position) = playback else { return .alreadyPlaying }
        guard isSessionActive else { return .sessionInactive }
        resumesItself = resumingItself
        playback = .playing(from: position, since: now)
        return .started
    }

    /// Pauses, and says whether it played. A player that was interrupted does not resume by itself then.
    mutating func pause(now: UptimeInstant) -> Bool {
        cancelResumption()
        guard isPlaying else { return false }
        playback = .paused(at: position(now: now))
        return true
    }

    /// Goes to a position of the current item, and plays on there if it did.
    mutating func seek(to position: Duration, now: UptimeInstant) {
        let position = min(max(.zero, position), currentDuration)
        playback = isPlaying ? .playing(from: position, since: now) : .paused(at: position)
    }

    /// Goes to the next item, which plays if this one did. False at the end of the queue.
    mutating func next(now: UptimeInstant) -> Bool {
        guard !queue.isEmpty else { return false }
        queue.removeFirst()
        playback = isPlaying && !queue.isEmpty ? .playing(from: .zero, since: now) : .paused(at: .zero)
        return true
    }

    /// Goes to the next item if the current one has ended, as of the instant of its end.
    mutating func advance(now: UptimeInstant) -> Bool {
        guard let itemEnd, itemEnd <= now else { return false }
        return next(now: itemEnd)
    }

    private mutating func cancelResumption() {
        if case .ongoing(let wasNotified, _) = interruption {
            interruption = .ongoing(wasNotified: wasNotified, resumes: false)
        }
    }

    // MARK: The session

    /// Makes the session active, with a category; false while another one has the sound.
    mutating func activateSession(_ category: AudioCategory) -> Bool {
        guard case .none = interruption else { return false }
        self.category = category
        isSessionActive = true
        return true
    }

    /// Makes the session inactive; what plays is paused.
    mutating func deactivateSession(now: UptimeInstant) {
        isSessionActive = false
        if isPlaying { playback = .paused(at: position(now: now)) }
    }

    /// Whether the app would be interrupted now: only one with an active session is.
    var isInterruptible: Bool {
        if case .none = interruption { isSessionActive } else { false }
    }

    /// The event that the app gets at the end of the interruption, now or when it runs again; nil when it was not
    /// interrupted.
    func interruptionEnd(shouldResume: Bool) -> AudioSessionEvent? {
        guard case .ongoing(wasNotified: true, _) = interruption else { return nil }
        // Too late for an app that does not run: when it does, the user may want something else. Apple does not say what
        // such an app gets.
        return .interruptionEnded(shouldResume: shouldResume && !isSuspended)
    }

    /// Another one takes the sound. Returns the events for the app.
    mutating func beginInterruption(now: UptimeInstant) -> [AudioSessionEvent] {
        guard case .none = interruption else { return [] }
        let wasActive = isSessionActive
        interruption = .ongoing(wasNotified: wasActive, resumes: isPlaying && resumesItself)
        deactivateSession(now: now)
        return wasActive ? notify(.interruptionBegan(appWasSuspended: false)) : []
    }

    /// The sound is free again. The player resumes by itself only if it may, and if the app was not suspended
    /// meanwhile.
    mutating func endInterruption(shouldResume: Bool, now: UptimeInstant) -> [AudioSessionEvent] {
        guard case .ongoing(_, let resumes) = interruption else { return [] }
        let end = interruptionEnd(shouldResume: shouldResume)
        interruption = .none
        guard let end else { return [] }
        if resumes, end == .interruptionEnded(shouldResume: true) {
            isSessionActive = true
            _ = play(resumingItself: true, now: now)
        }
        return notify(end)
    }

    /// The headphones are unplugged: what plays is paused, so that the loudspeaker stays silent. An app without an
    /// active session is not notified, nor is a suspended app, which plays nothing.
    mutating func loseOutput(now: UptimeInstant) -> [AudioSessionEvent] {
        guard isSessionActive else { return [] }
        if isPlaying { playback = .paused(at: position(now: now)) }
        return [.outputLost]
    }

    private mutating func notify(_ event: AudioSessionEvent) -> [AudioSessionEvent] {
        guard isSuspended else { return [event] }
        owed.append(event)
        return []
    }

    // MARK: The app

    /// Another app is installed, and none runs.
    mutating func appInstalled(durations: [AudioItem.ID: Duration], isModeDeclared: Bool) {
        self.durations = durations
        self.isModeDeclared = isModeDeclared
    }

    /// The app is suspended: its session is made inactive, and it does not know.
    mutating func appSuspended(now: UptimeInstant) {
        isSuspended = true
        cancelResumption()
        guard isSessionActive else { return }
        deactivateSession(now: now)
        owed.append(.interruptionBegan(appWasSuspended: true))
    }

    /// The app runs again; returns its pending events.
    mutating func appResumed() -> [AudioSessionEvent] {
        isSuspended = false
        return owed.take()
    }

    /// The app's process is gone, and its queue and session with it. Another app's interruption continues.
    mutating func processEnded() {
        let isInterrupted = if case .ongoing = interruption { true } else { false }
        self = AudioPlaybackMachine(
            durations: durations, defaultDuration: defaultDuration, isModeDeclared: isModeDeclared)
        if isInterrupted { interruption = .ongoing(wasNotified: false, resumes: false) }
    }
}

extension [AudioSessionEvent] {
    fileprivate mutating func take() -> [AudioSessionEvent] {
        defer { self = [] }
        return self
    }
}

/// The purpose of an app's sound, which decides whether it may continue in the background.
package enum AudioCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound beside the rest of the app, the default: it does not continue in the background.
    case soloAmbient
    /// Sound that is what the app is for: it may continue in the background.
    ///
    /// Apple, documentation/avfoundation/configuring-your-app-for-media-playback
    case playback
}

/// The events of an app's audio session, on its main loop.
///
/// Apple, documentation/avfaudio/handling-audio-interruptions
package enum AudioSessionEvent: Sendable, Hashable, Codable {
    /// The session was made inactive and the player paused: by a call or another app, or, if `appWasSuspended`, because
    /// the app was suspended; that is reported only when the app runs again.
    case interruptionBegan(appWasSuspended: Bool)
    /// The interruption is over. Resume playing only if `shouldResume`.
    case interruptionEnded(shouldResume: Bool)
    /// The headphones were unplugged, and the player is paused.
    ///
    /// Apple, documentation/avfaudio/responding-to-audio-route-changes
    case outputLost
}
