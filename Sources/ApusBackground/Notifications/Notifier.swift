public import ApusTimers

/// A message to the user outside the app's own windows.
public struct UserNotification: Sendable, Hashable, Codable {
    /// The event, in one line.
    public var title: String
    /// The details; may be empty.
    public var body: String

    /// Creates a notification from a title and an optional body.
    public init(title: String, body: String = "") {
        self.title = title
        self.body = body
    }
}

/// A notification with its trigger.
public struct NotificationRequest: Sendable, Hashable {
    /// The time at which a notification is shown.
    public enum Trigger: Sendable, Hashable {
        /// The instant at which the wall clock shows this time, even if the clock is set; a past instant means
        /// immediately.
        case at(WallInstant)
        /// An interval, which must be positive, and at least 60 seconds if it repeats.
        ///
        /// These are Apple's limits (`UNTimeIntervalNotificationTrigger`). They apply on all hosts, so that all hosts
        /// accept the same requests.
        case after(Duration, repeats: Bool = false)
    }

    /// The identifier; a new request replaces the pending one with the same identifier.
    public var identifier: String
    /// The notification to show.
    public var notification: UserNotification
    /// The time at which the notification is shown.
    public var trigger: Trigger

    /// Creates a request.
    public init(identifier: String, notification: UserNotification, trigger: Trigger) {
        self.identifier = identifier
        self.notification = notification
        self.trigger = trigger
    }

    /// Checks the interval of the trigger.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` if the interval is not accepted.
    public func validate() throws(BackgroundError) {
        guard case .after(let interval, let repeats) = trigger else { return }
        if interval <= .zero {
            throw BackgroundError(
                code: .invalidArgument,
                message: "the interval of notification “\(identifier)” is \(interval); it must be greater than zero")
        }
        if repeats, interval < .seconds(60) {
            throw BackgroundError(
                code: .invalidArgument,
                message:
                    "the interval of notification “\(identifier)” is \(interval); it must be at least 60 s if it repeats"
            )
        }
    }
}

/// Shows notifications in the user's notification center.
public protocol Notifier: Sendable {
    /// Shows `notification` now.
    ///
    /// - Throws: ``BackgroundError`` with the code `notifierUnavailable` if no service can show it, and
    ///   `notificationRefused` if the service refused it.
    func notify(_ notification: UserNotification) async throws
}

/// A notification center that keeps requests until they are due.
public protocol NotificationScheduler: Notifier {
    /// Keeps `request` until it is due, in place of the pending one with the same identifier.
    ///
    /// A delivered notification with this identifier is removed when the new one is shown.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` for an interval that is not accepted,
    ///   `tooManyNotifications` if the center accepts no more requests, or `notificationRefused` if the user does not
    ///   allow notifications.
    func schedule(_ request: NotificationRequest) async throws

    /// Removes pending requests and ignores unknown identifiers.
    func removePending(_ identifiers: [String]) async

    /// Returns the pending requests, the earliest first.
    func pending() async -> [NotificationRequest]

    /// Returns the identifiers of the notifications that were shown and not yet removed.
    func delivered() async -> [String]
}
