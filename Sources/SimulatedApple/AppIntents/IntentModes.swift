import ApusBackground
import SimulatedAppleCore

/// Where an intent's action can be performed.
///
/// Source: Apple, documentation/appintents/intentmodes.
public struct IntentModes: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// With the app in the background.
    public static let background = IntentModes(rawValue: 1)
    /// With the app in the foreground, to which it comes before the action.
    public static let foreground = foreground(.immediate)

    /// Returns the mode with the app in the foreground, to which it comes at this time.
    public static func foreground(_ mode: ForegroundMode) -> IntentModes { IntentModes(rawValue: mode.rawValue) }

    /// The time at which the app comes to the foreground.
    public enum ForegroundMode: Int, Hashable, Sendable {
        /// Before the action.
        case immediate = 2
        /// When the action asks for it.
        case dynamic = 4
        /// During the action, or when it has finished.
        case deferred = 8
    }

    /// Where an intent is performed at present.
    public struct Current: Hashable, Sendable {
        private let isInForeground: Bool
        /// Whether the intent can bring the app to the foreground.
        public let canContinueInForeground: Bool

        init(isInForeground: Bool, modes: IntentModes) {
            self.isInForeground = isInForeground
            let foreground: IntentModes = [.foreground, .foreground(.dynamic), .foreground(.deferred)]
            canContinueInForeground = !modes.isDisjoint(with: foreground)
        }

        private init(isInForeground: Bool) {
            (self.isInForeground, canContinueInForeground) = (isInForeground, isInForeground)
        }

        /// The app is in the background.
        public static let background = Current(isInForeground: false)
        /// The app is in the foreground.
        public static let foreground = Current(isInForeground: true)

        /// Returns whether both are in the foreground, or both in the background.
        public static func == (left: Current, right: Current) -> Bool { left.isInForeground == right.isInForeground }

        /// Hashes the place.
        public func hash(into hasher: inout Hasher) { hasher.combine(isInForeground) }
    }
}

/// The situation in which an intent is performed.
public struct IntentSystemContext: Sendable {
    let modes: IntentModes

    /// Whether the app is in the foreground.
    public var currentMode: IntentModes.Current {
        let phase = SimulatedPhone.process.host.phase
        return IntentModes.Current(isInForeground: phase == .active || phase == .inactive, modes: modes)
    }
}
