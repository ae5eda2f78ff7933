import ApusBackground

/// The state of an app's life cycle, from "not running" to "active": a pure state machine.
///
/// Each event returns the phases that the process enters, in order.
struct AppLifeMachine: Sendable {
    enum State: Sendable, Hashable {
        case notRunning
        /// The process was started in advance, and is stopped before its launch.
        case prewarmed
        /// The process was started; the app object does not exist yet.
        case launching(toForeground: Bool)
        case active
        case inactive
        /// The app is entering the background, and may still be doing its work for that phase.
        case leaving
        case background
        case suspended
        /// The process was notified of its end, and may still be doing its last work.
        case ending
    }

    private(set) var state = State.notRunning
    private(set) var isInSwitcher = false
    /// Whether the user removed the app from the switcher and has not started it since.
    private(set) var wasForceQuit = false

    enum LaunchAction: Equatable {
        /// Start a process, which begins in this phase.
        case start(Phase)
        case alreadyRunning
        /// Do not start the process, because the user has force-quit the app and `despiteForceQuit` is false.
        case forbidden
    }

    /// Starts a process before it is needed; returns false if there is one already.
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

    /// Ends the launch, because the app object exists now.
    mutating func finishLaunch(usesScenes: Bool) -> [Phase] {
        guard case .launching(let toForeground) = state else { return [] }
        if toForeground {
            state = .active
            return usesScenes ? [.inactive, .active] : [.active]
        }
        state = .leaving
        // UIKit reports this phase although the process began in it (Apple,
        // documentation/uikit/about-the-background-execution-sequence).
        return [.background]
    }

    /// Brings the app to the foreground.
    mutating func activate() -> [Phase] {
        switch state {
        case .inactive:
            state = .active
            return [.active]
        case .leaving, .background, .suspended:
            // An app that was launched in the background is not in the switcher yet.
            isInSwitcher = true
            state = .active
            return [.inactive, .active]
        case .active, .launching, .notRunning, .prewarmed, .ending:
            return []
        }
    }

    /// Makes the app inactive, because a call or the switcher covers it.
    mutating func interrupt() -> [Phase] {
        guard state == .active else { return [] }
        state = .inactive
        return [.inactive]
    }

    /// Moves the app to the background, because of the home button, another app or a locked screen.
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

    /// Moves the app to the background, because its work on the way there is done.
    mutating func settle() {
        if state == .leaving { state = .background }
    }

    /// Suspends the process; returns false if it is not at rest in the background.
    mutating func suspend() -> Bool {
        guard state == .background else { return false }
        state = .suspended
        return true
    }

    /// Resumes a suspended app in the background, because the system has an event for it.
    mutating func resumeInBackground() -> [Phase] {
        guard state == .suspended else { return [] }
        state = .leaving
        return [.background]
    }

    enum RemoveAction: Equatable {
        /// The app is not in the switcher.
        case nothing
        /// The app was removed from the switcher; it has no process that must be ended.
        case removed
        /// End the process without notifying it.
        case endSilently
        /// Notify the process, and then end it.
        case endWithNotice
    }

    /// Removes the app, which must have left the foreground, from the switcher.
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

    /// Notes that the process is being notified of its end.
    mutating func beginEnding() { state = .ending }

    mutating func end() { state = .notRunning }
}

/// The reason for which the system starts the app's process, or resumes a suspended one in the background.
package struct LaunchCause: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The cause in words.
    package let description: String

    package init(stringLiteral description: String) { self.description = description }

    init(_ description: String) { self.description = description }

    /// The user opened the app.
    static let user: LaunchCause = "icon"
    /// The system expects the user to open the app soon.
    static let prewarming: LaunchCause = "prewarming"
    package static let location: LaunchCause = "significant location change"
    package static let push: LaunchCause = "silent push"
    /// All transfers of a background session have ended.
    static func transfers(_ session: String) -> LaunchCause { LaunchCause("background session \(session)") }
    static func job(_ identifier: String) -> LaunchCause { LaunchCause("background job \(identifier)") }
}
