import ApusBackground
import ApusTimers

/// A phone's audio player and the app's audio session: a pure state machine.
struct AudioPlaybackMachine {
    private enum Playback {
        case paused(at: Duration)
        /// The position was `from` at the instant `since`.
        case playing(from: Duration, since: UptimeInstant)
    }

    private enum Interruption {
        case none
        /// Another app or a call uses the sound output.
        ///
        /// - wasNotified: Whether the app was notified, because its session was active when the interruption began.
        /// - resumes: Whether the player resumes by itself after the interruption, if the app should resume.
        case ongoing(wasNotified: Bool, resumes: Bool)
    }

    private var durations: [AudioItem.ID: Duration]
    private let defaultDuration: Duration
    private var isModeDeclared: Bool

    private var queue: [AudioItem] = []
    private var playback = Playback.paused(at: .zero)
    /// Whether the player resumes by itself after an interruption, as Apus's player does and the system's does not.
    private var resumesItself = false
    private var category = AudioCategory.soloAmbient
    private(set) var isSessionActive = false
    private var interruption = Interruption.none
    private var isSuspended = false
    /// The numbers of the app's voices that are speaking.
    private var voices: Set<Int> = []
    /// The events that the app receives when it runs again.
    private var owed: [AudioSessionEvent] = []

    init(durations: [AudioItem.ID: Duration], defaultDuration: Duration, isModeDeclared: Bool) {
        self.durations = durations
        self.defaultDuration = defaultDuration
        self.isModeDeclared = isModeDeclared
    }

    // MARK: State

    var state: AudioState {
        AudioState(current: queue.first, isPlaying: isPlaying, upcoming: Array(queue.dropFirst()))
    }

    var isPlaying: Bool { if case .playing = playback { true } else { false } }

    /// Whether the device must not suspend the app, because sound plays that may continue in the background.
    var keepsAwake: Bool {
        (isPlaying || !voices.isEmpty) && isSessionActive && isModeDeclared && category == .playback
    }

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

    private var currentDuration: Duration { queue.first.map(duration) ?? .zero }

    func duration(of item: AudioItem) -> Duration { max(.zero, durations[item.id] ?? defaultDuration) }

    // MARK: The queue

    mutating func setQueue(_ items: [AudioItem]) {
        queue = items
        playback = .paused(at: .zero)
        cancelResumption()
    }

    /// Replaces the items after the current one.
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

    /// Pauses, and returns whether the player was playing; an interrupted player no longer resumes by itself.
    mutating func pause(now: UptimeInstant) -> Bool {
        cancelResumption()
        guard isPlaying else { return false }
        playback = .paused(at: position(now: now))
        return true
    }

    /// Moves to a position of the current item, without pausing or resuming.
    mutating func seek(to position: Duration, now: UptimeInstant) {
        let position = min(max(.zero, position), currentDuration)
        playback = isPlaying ? .playing(from: position, since: now) : .paused(at: position)
    }

    /// Moves to the next item, which plays if the previous one was playing; returns false if the queue is empty.
    mutating func next(now: UptimeInstant) -> Bool {
        guard !queue.isEmpty else { return false }
        queue.removeFirst()
        playback = isPlaying && !queue.isEmpty ? .playing(from: .zero, since: now) : .paused(at: .zero)
        return true
    }

    /// Moves to the next item if the current one has ended; returns false if it has not.
    ///
    /// The next item begins at the instant at which the current one ended, even if that is in the past.
    mutating func advance(now: UptimeInstant) -> Bool {
        guard let itemEnd, itemEnd <= now else { return false }
        return next(now: itemEnd)
    }

    private mutating func cancelResumption() {
        if case .ongoing(let wasNotified, _) = interruption {
            interruption = .ongoing(wasNotified: wasNotified, resumes: false)
        }
    }

    mutating func setVoice(_ number: Int, speaks: Bool) {
        if speaks { voices.insert(number) } else { voices.remove(number) }
    }

    // MARK: The session

    /// Activates the session with a category; returns false during an interruption.
    mutating func activateSession(_ category: AudioCategory) -> Bool {
        guard case .none = interruption else { return false }
        self.category = category
        isSessionActive = true
        return true
    }

    /// Deactivates the session, and pauses the player.
    mutating func deactivateSession(now: UptimeInstant) {
        isSessionActive = false
        if isPlaying { playback = .paused(at: position(now: now)) }
    }

    /// Whether an interruption would affect the app, because its session is active.
    var isInterruptible: Bool {
        if case .none = interruption { isSessionActive } else { false }
    }

    /// Returns the event that the app receives at the end of the interruption, now or when it runs again.
    ///
    /// It is `nil` if the app was not interrupted.
    func interruptionEnd(shouldResume: Bool) -> AudioSessionEvent? {
        guard case .ongoing(wasNotified: true, _) = interruption else { return nil }
        // A suspended app is notified only when it runs again. By then, the user may want something else, so the app
        // should not resume. Apple does not say what such an app receives.
        return .interruptionEnded(shouldResume: shouldResume && !isSuspended)
    }

    /// Begins an interruption by another app or a call, and returns the events for the app.
    mutating func beginInterruption(now: UptimeInstant) -> [AudioSessionEvent] {
        guard case .none = interruption else { return [] }
        let wasActive = isSessionActive
        interruption = .ongoing(wasNotified: wasActive, resumes: isPlaying && resumesItself)
        deactivateSession(now: now)
        return wasActive ? notify(.interruptionBegan(appWasSuspended: false)) : []
    }

    /// Ends the interruption, and returns the events for the app.
    ///
    /// The player resumes by itself only if the app should resume and was not suspended meanwhile.
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

    /// Pauses the player because the headphones are unplugged, and returns the events for the app.
    ///
    /// An app without an active session is not notified. This includes every suspended app, because a suspension makes
    /// the session inactive.
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

    /// Replaces the app's declarations, while no process runs.
    mutating func appInstalled(durations: [AudioItem.ID: Duration], isModeDeclared: Bool) {
        self.durations = durations
        self.isModeDeclared = isModeDeclared
    }

    /// Deactivates the session because the app is suspended; the app is notified of this when it runs again.
    mutating func appSuspended(now: UptimeInstant) {
        isSuspended = true
        cancelResumption()
        guard isSessionActive else { return }
        deactivateSession(now: now)
        owed.append(.interruptionBegan(appWasSuspended: true))
    }

    /// Notes that the app runs again, and returns the events that it has missed.
    mutating func appResumed() -> [AudioSessionEvent] {
        isSuspended = false
        return owed.take()
    }

    /// Releases the queue and the session of the ended process; an interruption continues.
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

/// The purpose of an app's sound, which decides whether the sound may continue in the background.
package enum AudioCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound that accompanies the app and does not continue in the background; the default.
    case soloAmbient
    /// Sound that is the purpose of the app, and may continue in the background.
    ///
    /// Apple, documentation/avfoundation/configuring-your-app-for-media-playback
    case playback
}

/// An event of an app's audio session, which is passed to the app on its main loop.
///
/// Apple, documentation/avfaudio/handling-audio-interruptions
package enum AudioSessionEvent: Sendable, Hashable, Codable {
    /// The session has become inactive, and the player is paused.
    ///
    /// The reason is a call or another app. If `appWasSuspended` is true, the reason is that the app was suspended, and
    /// the app receives the event when it runs again.
    case interruptionBegan(appWasSuspended: Bool)
    /// The interruption has ended; the app should resume only if `shouldResume`.
    case interruptionEnded(shouldResume: Bool)
    /// The headphones were unplugged, and the player is paused.
    ///
    /// Apple, documentation/avfaudio/responding-to-audio-route-changes
    case outputLost
}
