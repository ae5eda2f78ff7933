/// Where an app is on its way from the screen to the end.
public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// In front, and the user's events arrive. A server is active until it is asked to stop.
    case active
    /// In front without events: a call comes in, or the app is on its way to another phase.
    case inactive
    /// Not in front, but running, for as long as the host allows.
    case background
    /// In memory without running: not one line of the app's code is executed.
    case suspended
    /// Over. No other phase follows.
    case terminated
}
