public import ApusBackground
import ApusVirtualTime

/// What a person sees of the device, for tests and for programs that show it.
extension SimulatedDevice {
    /// What the screen shows.
    public enum Showing: String, Sendable, Hashable, CaseIterable {
        /// The home screen.
        case home
        /// The app. A call may cover it: then the app is inactive.
        case app
        /// The app switcher.
        case switcher
        /// The lock screen.
        case lock
    }

    /// What the screen shows.
    public var showing: Showing {
        guard !isLocked else { return .lock }
        return switch screen {
        case .home: .home
        case .app: .app
        case .switcher: .switcher
        }
    }

    /// The phase of the app's process, suspension included; `nil` while none runs.
    public var appPhase: Phase? { runningHost?.phase }

    /// Whether the app's picture is in the switcher, with or without a process.
    public var isInSwitcher: Bool { life.isInSwitcher }

    /// Whether the user scrolls in the app.
    public var isScrolling: Bool { runningHost?.process.mainLoop.isTracking == true }
}
