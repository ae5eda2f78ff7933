package import Foundation

/// The place from which the user runs an App Intent.
public enum IntentOrigin: String, Sendable, Hashable, Codable, CaseIterable {
    /// The Shortcuts app, or one of its automations.
    case shortcuts = "Shortcuts"
    case siri = "Siri"
    /// A button or toggle of a widget, which is inactive on a locked device.
    ///
    /// Apple, documentation/widgetkit/adding-interactivity-to-widgets-and-live-activities
    case widget = "a widget"
    /// A button or toggle of a Live Activity, which is inactive on a locked device.
    case liveActivity = "a Live Activity"
    case controlCenter = "Control Center"
    /// A button of an alarm that alerts.
    case alarm = "an alarm"

    /// Whether a locked device refuses the intent.
    var needsUnlockedDevice: Bool { self == .widget || self == .liveActivity }
}

/// One execution of an App Intent on a simulated phone.
public struct IntentRun: Sendable, Hashable, Codable, Identifiable {
    /// The state of an execution, as the user sees it.
    public enum State: Sendable, Hashable, Codable {
        /// The app is being started, resumed or opened for the intent.
        case waiting
        /// `perform()` was called, and has not returned.
        case running
        /// `perform()` has returned.
        case finished
        /// `perform()` has thrown this error.
        case failed(String)
        /// The system has cancelled the intent, because it took too long.
        case timedOut
        /// The user has cancelled the intent.
        case userCancelled
        /// The system did not run the intent, for this reason.
        case refused(String)
        /// The app's process ended before `perform()` had returned.
        case processEnded
    }

    /// The number of the execution on the device, from 1.
    public let id: Int
    /// The title of the intent.
    public let title: String
    /// The place from which the user has run the intent.
    public let origin: IntentOrigin
    /// The present state.
    public internal(set) var state = State.waiting
    /// The value that the intent has returned, as text.
    public internal(set) var value: String?
    /// The dialog that the intent has returned.
    public internal(set) var dialog: String?
    /// The part of the work that the intent has reported as done, from 0 to 1.
    public internal(set) var fractionCompleted: Double?
}

/// An App Intent as the user runs it.
package struct IntentRequest: Sendable, Hashable, Codable {
    /// When the intent's action needs the app in the foreground.
    package enum Opening: String, Sendable, Codable {
        case never
        /// The app comes to the foreground before the action.
        case before
        /// The app comes to the foreground before the action, unless the device is locked.
        case beforeIfUnlocked
        /// The app is in the foreground at the latest when the action ends.
        case after
    }

    package let title: String
    /// The position, in the program, of the function that connects the module AppIntents with the app's process.
    package let entry: UInt64
    /// The intent's type and parameters, which only the module AppIntents reads.
    package let code: Data
    /// The names of the parameters that must have a value and have none.
    package let missingParameters: [String]
    package let opening: Opening
    /// Whether the user must unlock the device first.
    package let needsUnlockedDevice: Bool
    /// Whether the intent asks for time to clean up when it is cancelled (`CancellableIntent`).
    package let isCancellable: Bool
    /// Whether the intent may begin a Live Activity in the background (`LiveActivityIntent`).
    package let mayBeginActivities: Bool

    package init(
        title: String, entry: UInt64, code: Data, missingParameters: [String] = [], opening: Opening = .never,
        needsUnlockedDevice: Bool = false, isCancellable: Bool = false, mayBeginActivities: Bool = false
    ) {
        (self.title, self.entry, self.code, self.opening) = (title, entry, code, opening)
        self.missingParameters = missingParameters
        (self.needsUnlockedDevice, self.isCancellable) = (needsUnlockedDevice, isCancellable)
        self.mayBeginActivities = mayBeginActivities
    }
}

/// The reason for which a running intent is cancelled.
///
/// Apple, documentation/appintents/intentcancellationreason
package enum IntentCancellation: String, Sendable, Hashable, Codable {
    case timeout, userCancelled
}

/// The end of an intent's `perform()`.
package enum IntentOutcome: Sendable, Hashable, Codable {
    /// It has returned; the intent in `next` is run afterwards.
    case finished(value: String?, dialog: String?, next: IntentRequest?)
    case failed(String)
}
