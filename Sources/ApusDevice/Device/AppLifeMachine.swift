import ApusBackground

/// Where an app is between "not running" and "in front of the user": a pure state machine.
///
/// Each event gives the phases that the process has to enter, in order.
struct AppLifeMachine: Sendable {
    enum State: Sendable, Hashable {
        case notRunning
        /// Its process was started before it is needed, and stands still before the launch.
        case prewarmed
        /// Its process was started, and the app is not made yet.
        case launching(toForeground: Bool)
        case active
        case inactive
        /// On the way to the background: the app may be at work for that.
        case leaving
        case background
        case suspended
        /// It was notified of its end, and may be at work for that.
        case ending
    }

    private(set) var state = State.notRunning
    /// Whether the user sees the app in the switcher.
    private(set) var isInSwitcher = false
    /// Whether the user removed the app from the switcher and has not started it since.
    private(set) var wasForceQuit = false

    enum LaunchAction: Equatable {
        /// Start a process, which begins in that phase.
        case start(Phase)
        case alreadyRunning
        /// Only the user starts an app that the user has force-quit.
        case forbidden
    }

    /// False when there is a process.
    mutating func prewarm() -> Bool {
        guard state == .notRunning else { return false }
        state = .prewarmed
        return true
    }

    mutating func launch(toForeground: Bool, usesScenes: Bool, despiteForceQuit: Bool = false) -> LaunchAction {
        guard state == .notRunning || state == .prewarmed else { return .alreadyRunning }
        if toForeground {
            wasForceQuit = false
            isInSwitcher = true
        } else if wasForceQuit, !despiteForceQuit {
            return .forbidden
        }
        state = .launching(toForeground: toForeground)
        return .start(toForeground && !usesScenes ? .inactive : .background)
    }

    /// The app was made.
    mutating func finishLaunch(usesScenes: Bool) -> [Phase] {
        guard case .launching(let toForeground) = state else { return [] }
        if toForeground {
            state = .active
            return usesScenes ? [.inactive, .active] : [.active]
        }
        state = .leaving
        // Reported although it began there (Apple, documentation/uikit/about-the-background-execution-sequence).
        return [.background]
    }

    /// The app comes to the front.
    mutating func activate() -> [Phase] {
        switch state {
        case .inactive:
            state = .active
            return [.active]
        case .leaving, .background, .suspended:
            // It may have been launched without the user.
            isInSwitcher = true
            state = .active
            return [.inactive, .active]
        case .active, .launching, .notRunning, .prewarmed, .ending:
            return []
        }
    }

    /// Something covers the app: a call, the switcher.
    mutating func interrupt() -> [Phase] {
        guard state == .active else { return [] }
        state = .inactive
        return [.inactive]
    }

    /// The app goes from the front: home, another app, the lock.
    mutating func leaveForeground() -> [Phase] {
        switch state {
        case .active:
            state = .leaving
            return [.inactive, .background]
        case .inactive:
            state = .leaving
            return [.background]
        case .leaving, .background, .suspended, .launching, .notRunning, .prewarmed, .ending:
            return []
        }
    }

    /// The app has done its work on the way to the background.
    mutating func settle() {
        if state == .leaving { state = .background }
    }

    /// False when it is not at rest in the background.
    mutating func suspend() -> Bool {
        guard state == .background else { return false }
        state = .suspended
        return true
    }

    /// The system has something for a suspended app.
    mutating func resumeInBackground() -> [Phase] {
        guard state == .suspended else { return [] }
        state = .leaving
        return [.background]
    }

    enum RemoveAction: Equatable {
        /// It is not in the switcher.
        case nothing
        /// There is no process.
        case removed
        /// End the process without a word.
        case endSilently
        /// Notify the process, and then end it.
        case endWithNotice
    }

    /// The user removes the app from the switcher. It has to be out of the foreground.
    mutating func forceQuit() -> RemoveAction {
        guard isInSwitcher else { return .nothing }
        isInSwitcher = false
        wasForceQuit = true
        switch state {
        case .notRunning: return .removed
        case .suspended, .prewarmed: return .endSilently
        case .launching, .active, .inactive, .leaving, .background, .ending: return .endWithNotice
        }
    }

    /// The process is being notified of its end.
    mutating func beginEnding() { state = .ending }

    /// The process is gone.
    mutating func end() { state = .notRunning }
}

/// Why the system starts a process of the app, or lets a suspended one continue in the background.
package struct LaunchCause: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The cause, in words.
    package let description: String

    package init(stringLiteral description: String) { self.description = description }

    private init(_ description: String) { self.description = description }

    /// The user has opened the app.
    static let user: LaunchCause = "icon"
    /// The system expects that the user opens the app soon.
    static let prewarming: LaunchCause = "prewarming"
    /// The phone has moved far.
    package static let location: LaunchCause = "significant location change"
    /// A silent push came.
    package static let push: LaunchCause = "silent push"
    /// All tasks of a background session have ended.
    static func transfers(_ session: String) -> LaunchCause { LaunchCause("background session \(session)") }
    /// A background job's turn has come.
    static func job(_ identifier: String) -> LaunchCause { LaunchCause("background job \(identifier)") }
}
