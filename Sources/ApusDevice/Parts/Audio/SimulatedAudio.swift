public import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The audio of a simulated phone, which plays in virtual time and without sound.
///
/// An app has one player of Apus's, and any number of the simulated AVFoundation's. Those that play are mixed: each has
/// its own queue and position. ``state`` and ``position`` are those of the player that was asked last, of those that
/// play if any does.
///
/// The durations of items are set when the app is installed, and are counted on the uptime clock. When an item ends,
/// the next one plays. While an item plays, the device does not suspend the app, if the app declares the mode `audio`
/// and the session's category is `playback`. When the player stops, the device suspends the app. A suspension makes the
/// session inactive; the app is notified of this only when it runs again.
///
/// The app uses it as an `AudioPlayer`, as on every system: ``play()`` activates the session, and after an interruption
/// that ends with "should resume" the player resumes by itself. With the simulated AVFoundation, the app must activate
/// the session and resume the player itself.
///
/// The player belongs to the app's process: when the process ends, the queue is emptied, and the sequences of states
/// end. All members may be used from any thread.
///
/// Rules: Apple, App Programming Guide for iOS, "Background Execution";
/// documentation/avfaudio/handling-audio-interruptions; …/appwassuspended.
public final class SimulatedAudio: AudioPlayer {
    /// A closure that is called with the events of the session.
    package typealias SessionHandler = @MainActor @Sendable (AudioSessionEvent) -> Void

    private struct State {
        var machine: AudioPlaybackMachine
        var timer: ScheduledTimer?
        var keepsAwake = false
        /// Whether ``beginInterruption()`` was called, and ``endInterruption(shouldResume:)`` was not called after
        /// that.
        var isInterruptedByOther = false
        /// Sends each state to the sequences of the app's current process.
        var changes = Broadcast(AudioState())
        /// Sends the states of all players, by their numbers.
        var playerChanges = Broadcast<[Int: AudioState]>([:])
        var onSessionEvent: SessionHandler?
        var onItemEnd: (@MainActor @Sendable (_ player: Int, AudioItem) -> Void)?
    }

    /// The number of Apus's player.
    package static let ownPlayer = 0

    private let locked: Locked<State>
    private let surroundings: PartSurroundings

    /// Creates the audio of a device, without a queue.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - durations: The durations of items; an item with a duration of zero or less ends at once.
    ///   - defaultDuration: The duration of all other items.
    ///   - isModeDeclared: Whether the app declares the background mode `audio`.
    init(
        _ surroundings: PartSurroundings, durations: [AudioItem.ID: Duration] = [:],
        defaultDuration: Duration = .seconds(180), isModeDeclared: Bool
    ) {
        self.surroundings = surroundings
        locked = Locked(
            State(
                machine: AudioPlaybackMachine(
                    durations: durations, defaultDuration: defaultDuration, isModeDeclared: isModeDeclared)))
    }

    package convenience init(_ surroundings: PartSurroundings) { self.init(surroundings, isModeDeclared: false) }

    // MARK: Interface of Apus

    /// The state of the player that was asked last to play, of those that play if any does.
    public var state: AudioState { locked.withLock { $0.machine.state } }

    /// Returns a new sequence of the states from now on, until the app's process ends.
    public func stateChanges() -> Changes<AudioState> { locked.withLock { $0.changes.changes() } }

    /// The position within the current item, which advances with the uptime clock while the item plays.
    public var position: Duration {
        let now = surroundings.time.uptime()
        return locked.withLock { $0.machine.position(of: nil, now: now) }
    }

    /// Replaces the queue and stops playing, until ``play()``.
    public func setQueue(_ items: [AudioItem]) async { replaceQueue(items) }

    /// Activates the session for playback, and plays or resumes; does nothing without an item.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `modeUnavailable` during an interruption.
    public func play() async throws {
        let action = change(.app) { machine, now in
            let action = machine.play(Self.ownPlayer, resumingItself: true, now: now)
            guard action == .sessionInactive, machine.activateSession(.playback) else { return action }
            return machine.play(Self.ownPlayer, resumingItself: true, now: now)
        }
        switch action {
        case .started, .alreadyPlaying, .nothingToPlay: break
        case .sessionInactive:
            throw BackgroundError(
                code: .modeUnavailable,
                message: "a call or another app has the sound; play again when the interruption has ended")
        }
    }

    /// Pauses at the current position; an interrupted player stays paused after the interruption.
    public func pause() async { pausePlaying() }

    /// Moves to the next item, or to the end of the queue.
    public func skipToNext() async { advance() }

    // MARK: Interface of the real frameworks

    /// Called on the main loop with the events of the audio session; released when the app's process ends.
    package var onSessionEvent: SessionHandler? {
        get { locked.withLock { $0.onSessionEvent } }
        set { locked.exchange(\.onSessionEvent, with: newValue) }
    }

    /// Whether the app's audio session is active.
    public var isSessionActive: Bool { locked.withLock { $0.machine.isSessionActive } }

    /// Activates the app's audio session with a category.
    ///
    /// - Returns: False, without a change, during an interruption.
    package func activateSession(_ category: AudioCategory) -> Bool {
        change(.app) { machine, _ in machine.activateSession(category) }
    }

    /// Deactivates the app's audio session, and pauses the players.
    package func deactivateSession() { change(.app) { machine, now in machine.deactivateSession(now: now) } }

    /// Plays if the session is active, and logs a warning otherwise.
    ///
    /// The player does not resume by itself after an interruption, so the app must resume it.
    package func startPlaying(_ player: Int = ownPlayer) {
        let action = change(.app) { machine, now in machine.play(player, resumingItself: false, now: now) }
        guard action == .sessionInactive else { return }
        surroundings.log(.system, .warning("nothing plays while the audio session is inactive; activate it first"))
    }

    // MARK: For the simulated frameworks

    package func state(of player: Int) -> AudioState { locked.withLock { $0.machine.state(of: player) } }

    /// Returns a new sequence of the states of all players, by their numbers, until the app's process ends.
    package func playerStates() -> Changes<[Int: AudioState]> { locked.withLock { $0.playerChanges.changes() } }

    package func position(of player: Int) -> Duration {
        let now = surroundings.time.uptime()
        return locked.withLock { $0.machine.position(of: player, now: now) }
    }

    /// Replaces the queue and stops playing.
    package func replaceQueue(_ items: [AudioItem], of player: Int = ownPlayer) {
        change(.app) { machine, _ in machine.setQueue(items, of: player) }
    }

    /// Replaces the items after the current one.
    package func replaceUpcoming(_ items: [AudioItem], of player: Int) {
        change(.app) { machine, _ in machine.setUpcoming(items, of: player) }
    }

    /// Pauses at the current position.
    package func pausePlaying(_ player: Int = ownPlayer) {
        change(.app) { machine, now in machine.pause(player, now: now) }
    }

    /// Stops playing, and removes the queue.
    package func release(_ player: Int) { change(.app) { machine, _ in machine.release(player) } }

    /// Notes whether a voice of the app speaks.
    package func setVoice(_ number: Int, speaks: Bool) {
        change(.app) { machine, _ in machine.setVoice(number, speaks: speaks) }
    }

    package func duration(of item: AudioItem) -> Duration { locked.withLock { $0.machine.duration(of: item) } }

    /// Moves to a position of the current item, without pausing or resuming.
    package func seek(to position: Duration, of player: Int = ownPlayer) {
        change(.app) { machine, now in machine.seek(to: position, of: player, now: now) }
    }

    /// Moves to the next item, or to the end of the queue.
    package func advance(_ player: Int = ownPlayer) {
        change(.app) { machine, now in machine.next(player, now: now) }
    }

    /// Called on the main loop when an item was played to its end; released when the app's process ends.
    package var onItemEnd: (@MainActor @Sendable (_ player: Int, AudioItem) -> Void)? {
        get { locked.withLock { $0.onItemEnd } }
        set { locked.exchange(\.onItemEnd, with: newValue) }
    }

    // MARK: Controls of the user and of other apps

    /// A call comes in, or another app takes the sound: an active session becomes inactive and the players pause.
    ///
    /// An app whose session is inactive is not interrupted, but cannot activate the session until the interruption has
    /// ended.
    ///
    /// Apple, documentation/avfaudio/handling-audio-interruptions
    public func beginInterruption() {
        locked.withLock { $0.isInterruptedByOther = true }
        interrupt()
    }

    private func interrupt() {
        if locked.withLock({ $0.machine.isInterruptible }) {
            surroundings.log(.system, .audio("interruption began"))
        }
        notify(change(.system) { machine, now in machine.beginInterruption(now: now) })
    }

    /// The interruption ends.
    ///
    /// With `shouldResume`, a player that was started by Apus's ``play()`` resumes. A suspended app is notified when it
    /// runs again; the notification then says that the app should not resume, whatever `shouldResume` is.
    public func endInterruption(shouldResume: Bool) {
        locked.withLock { $0.isInterruptedByOther = false }
        release(shouldResume: shouldResume)
    }

    private func release(shouldResume: Bool) {
        if let end = locked.withLock({ $0.machine.interruptionEnd(shouldResume: shouldResume) }) {
            let resumption =
                switch end {
                case .interruptionEnded(shouldResume: true): ", should resume"
                case .interruptionEnded, .interruptionBegan, .outputLost:
                    shouldResume ? " while the app is suspended; it should not resume" : ""
                }
            surroundings.log(.system, .audio("interruption ended\(resumption)"))
        }
        notify(change(.system) { machine, now in machine.endInterruption(shouldResume: shouldResume, now: now) })
    }

    /// The user unplugs the headphones: the players pause, and an app with an active session is notified.
    ///
    /// Apple, documentation/avfaudio/responding-to-audio-route-changes
    public func unplugHeadphones() {
        surroundings.log(.user, .control("unplug the headphones"))
        notify(change(.system) { machine, now in machine.loseOutput(now: now) })
    }

    // MARK: Notifications by the device

    /// Deactivates the session, because none of the app's code runs from now on.
    package func appSuspended() { change(.system) { machine, now in machine.appSuspended(now: now) } }

    /// Sends the resumed app the events that it missed while it was suspended.
    package func appResumed() { notify(change(.system) { machine, _ in machine.appResumed() }) }

    /// Releases the queues, the session and the handlers of the ended process.
    package func processEnded() {
        change(.system) { machine, _ in machine.processEnded() }
        onSessionEvent = nil
        onItemEnd = nil
        let (changes, playerChanges) = locked.withLock { state in
            defer { (state.changes, state.playerChanges) = (Broadcast(AudioState()), Broadcast([:])) }
            return (state.changes, state.playerChanges)
        }
        changes.finish(AudioState())
        playerChanges.finish([:])
    }

    // MARK: Changing

    /// Changes the machine, and notifies the device and the observers of changes.
    private func change<Result: Sendable>(
        _ actor: DeviceEvent.Actor, _ body: (inout AudioPlaybackMachine, UptimeInstant) -> Result
    ) -> Result {
        let now = surroundings.time.uptime()
        let (result, lines, keepAwake) = locked.withLock { state -> (Result, [String], Bool?) in
            let former = state.machine.states
            let result = body(&state.machine, now)
            let present = Self.byPlayer(state.machine.states)
            // The timer is replaced and the change is announced under the lock, so that all observers see the same
            // order of changes. Neither step calls other code while the lock is held.
            waitForItemEnd(&state)
            state.changes.set(state.machine.state)
            state.playerChanges.set(present)
            let lines = Self.lines(from: former, to: state.machine.states)
            let keepsAwake = state.machine.keepsAwake
            defer { state.keepsAwake = keepsAwake }
            return (result, lines, keepsAwake == state.keepsAwake ? nil : keepsAwake)
        }
        for line in lines { surroundings.log(actor, .audio(line)) }
        if let keepAwake { surroundings.keepAwake(.audio, keepAwake) }
        return result
    }

    private static func byPlayer(_ states: [(player: Int, state: AudioState)]) -> [Int: AudioState] {
        Dictionary(uniqueKeysWithValues: states.map { ($0.player, $0.state) })
    }

    /// Returns a line for each player whose state has changed, also if its queue was removed.
    private static func lines(
        from former: [(player: Int, state: AudioState)], to present: [(player: Int, state: AudioState)]
    ) -> [String] {
        let (formerStates, presentStates) = (byPlayer(former), byPlayer(present))
        let players = present.map(\.player) + former.map(\.player).filter { presentStates[$0] == nil }
        return players.compactMap { player in
            line(from: formerStates[player] ?? AudioState(), to: presentStates[player] ?? AudioState())
        }
    }

    private static func line(from former: AudioState, to present: AudioState) -> String? {
        guard former != present else { return nil }
        guard let current = present.current else { return "end of the queue" }
        if present.isPlaying { return "playing \(current.id)" }
        return former.isPlaying ? "paused \(current.id)" : "ready \(current.id)"
    }

    private func waitForItemEnd(_ state: inout State) {
        surroundings.arm(&state.timer, at: state.machine.itemEnd) { [weak self] in self?.endItem() }
    }

    private func endItem() {
        guard let ended = change(.system, { machine, now in machine.advance(now: now) }) else { return }
        surroundings.mainLoop()?.run { [weak self] in self?.onItemEnd?(ended.player, ended.item) }
    }

    private func notify(_ events: [AudioSessionEvent]) {
        for event in events {
            surroundings.mainLoop()?.run { [weak self] in self?.onSessionEvent?(event) }
        }
    }
}

extension SimulatedAudio: DevicePart {
    /// Replaces the app's declarations; an interruption by a call continues.
    package func appInstalled(_ app: InstalledApp) {
        let isDeclared = app.manifest.backgroundModes.contains(.audio)
        change(.system) { machine, _ in
            machine.appInstalled(durations: app.trackDurations, isModeDeclared: isDeclared)
        }
    }

    package func callChanged(isActive: Bool) { if isActive { interrupt() } else { release(shouldResume: true) } }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        if locked.withLock({ $0.isInterruptedByOther }) {
            return [StepChoice(8) { .endAudioInterruption(shouldResume: $0.isHeads()) }]
        }
        return isSessionActive ? [StepChoice(2, .beginAudioInterruption)] : []
    }
}
