import ApusBackground
import ApusTimers

/// The players of an app and its audio session: a pure state machine.
///
/// A player is a number. Each has a queue and a position of its own; those that play are mixed.
struct AudioPlaybackMachine {
    private enum Interruption {
        case none
        /// Another app or a call uses the sound output.
        ///
        /// - wasNotified: Whether the app was notified, because its session was active when the interruption began.
        /// - resuming: The players that resume by themselves after the interruption, if the app should resume.
        case ongoing(wasNotified: Bool, resuming: Set<Int>)
    }

    private var durations: [AudioItem.ID: Duration]
    private let defaultDuration: Duration
    private var isModeDeclared: Bool

    /// The players that were given a queue; the last one was asked last to play, or was given its queue last.
    private var tracks: [AudioTrack] = []
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

    /// The player that represents all of them: of those that play, or else of all, the one that was asked last.
    private var front: AudioTrack? { tracks.last(where: \.isPlaying) ?? tracks.last }

    /// The state of the player in front.
    var state: AudioState { front?.state ?? AudioState() }

    /// The states of all players that were given a queue, by their numbers.
    var states: [(player: Int, state: AudioState)] { tracks.map { ($0.player, $0.state) } }

    func state(of player: Int) -> AudioState { track(player).state }

    private var isPlaying: Bool { tracks.contains(where: \.isPlaying) }

    /// Whether the device must not suspend the app, because sound plays that may continue in the background.
    var keepsAwake: Bool {
        (isPlaying || !voices.isEmpty) && isSessionActive && isModeDeclared && category == .playback
    }

    /// The position of a player, or with `nil` of the one in front.
    func position(of player: Int?, now: UptimeInstant) -> Duration {
        (player.map(track) ?? front)?.position(now: now) ?? .zero
    }

    /// The instant at which the first item of all players ends; `nil` if nothing plays.
    var itemEnd: UptimeInstant? { tracks.compactMap(\.itemEnd).min() }

    func duration(of item: AudioItem) -> Duration { max(.zero, durations[item.id] ?? defaultDuration) }

    // MARK: The players

    private func track(_ player: Int) -> AudioTrack {
        tracks.first { $0.player == player } ?? AudioTrack(player: player)
    }

    /// Changes a player, unless it was never given a queue.
    private mutating func change(_ player: Int, _ body: (inout AudioTrack) -> Void) {
        if let index = tracks.firstIndex(where: { $0.player == player }) { body(&tracks[index]) }
    }

    private mutating func moveToFront(_ track: AudioTrack) {
        tracks.removeAll { $0.player == track.player }
        tracks.append(track)
    }

    private mutating func pauseAll(now: UptimeInstant) {
        for index in tracks.indices { tracks[index].pause(now: now) }
    }

    private func entries(_ items: [AudioItem]) -> [AudioTrack.Entry] {
        items.map { AudioTrack.Entry(item: $0, duration: duration(of: $0)) }
    }

    mutating func setQueue(_ items: [AudioItem], of player: Int) {
        var track = track(player)
        track.setQueue(entries(items))
        moveToFront(track)
        cancelResumption(of: player)
    }

    /// Replaces the items after the current one.
    mutating func setUpcoming(_ items: [AudioItem], of player: Int) {
        let entries = entries(items)
        change(player) { $0.setUpcoming(entries) }
    }

    enum PlayAction: Equatable {
        case started
        case alreadyPlaying
        case nothingToPlay
        case sessionInactive
    }

    mutating func play(_ player: Int, resumingItself: Bool, now: UptimeInstant) -> PlayAction {
        var track = track(player)
        let action = track.play(resumingItself: resumingItself, isSessionActive: isSessionActive, now: now)
        if action == .started { moveToFront(track) }
        return action
    }

    /// Pauses; an interrupted player no longer resumes by itself.
    mutating func pause(_ player: Int, now: UptimeInstant) {
        cancelResumption(of: player)
        change(player) { $0.pause(now: now) }
    }

    /// Moves to a position of the current item, without pausing or resuming.
    mutating func seek(to position: Duration, of player: Int, now: UptimeInstant) {
        change(player) { $0.seek(to: position, now: now) }
    }

    /// Moves to the next item, which plays if the previous one was playing.
    mutating func next(_ player: Int, now: UptimeInstant) { change(player) { $0.next(now: now) } }

    /// Removes the queue of a player that the app has released.
    mutating func release(_ player: Int) {
        cancelResumption(of: player)
        tracks.removeAll { $0.player == player }
    }

    /// Moves the player whose item ended first to its next item, and returns the ended item; `nil` if none has ended.
    ///
    /// The next item begins at the instant at which the current one ended, even if that is in the past.
    mutating func advance(now: UptimeInstant) -> (player: Int, item: AudioItem)? {
        guard let end = itemEnd, end <= now, let track = tracks.first(where: { $0.itemEnd == end }),
            let item = track.state.current
        else { return nil }
        next(track.player, now: end)
        return (track.player, item)
    }

    private mutating func cancelResumption(of player: Int? = nil) {
        guard case .ongoing(let wasNotified, let resuming) = interruption else { return }
        interruption = .ongoing(wasNotified: wasNotified, resuming: player.map { resuming.subtracting([$0]) } ?? [])
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

    /// Deactivates the session, and pauses the players.
    mutating func deactivateSession(now: UptimeInstant) {
        isSessionActive = false
        pauseAll(now: now)
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
        let resuming = tracks.filter { $0.isPlaying && $0.resumesItself }.map(\.player)
        interruption = .ongoing(wasNotified: wasActive, resuming: Set(resuming))
        deactivateSession(now: now)
        return wasActive ? notify(.interruptionBegan(appWasSuspended: false)) : []
    }

    /// Ends the interruption, and returns the events for the app.
    ///
    /// A player resumes by itself only if the app should resume and was not suspended meanwhile.
    mutating func endInterruption(shouldResume: Bool, now: UptimeInstant) -> [AudioSessionEvent] {
        guard case .ongoing(_, let resuming) = interruption else { return [] }
        let end = interruptionEnd(shouldResume: shouldResume)
        interruption = .none
        guard let end else { return [] }
        if !resuming.isEmpty, end == .interruptionEnded(shouldResume: true) {
            isSessionActive = true
            for player in tracks.map(\.player) where resuming.contains(player) {
                _ = play(player, resumingItself: true, now: now)
            }
        }
        return notify(end)
    }

    /// Pauses the players because the headphones are unplugged, and returns the events for the app.
    ///
    /// An app without an active session is not notified. This includes every suspended app, because a suspension makes
    /// the session inactive.
    mutating func loseOutput(now: UptimeInstant) -> [AudioSessionEvent] {
        guard isSessionActive else { return [] }
        pauseAll(now: now)
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

    /// Releases the queues and the session of the ended process; an interruption continues.
    mutating func processEnded() {
        let isInterrupted = if case .ongoing = interruption { true } else { false }
        self = AudioPlaybackMachine(
            durations: durations, defaultDuration: defaultDuration, isModeDeclared: isModeDeclared)
        if isInterrupted { interruption = .ongoing(wasNotified: false, resuming: []) }
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
