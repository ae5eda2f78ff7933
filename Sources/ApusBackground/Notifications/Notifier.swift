public import ApusTimers

/// A message to the user outside the app's own windows.
public struct UserNotification: Sendable, Hashable, Codable {
    /// One line: what happened.
    public var title: String
    /// The rest; may be empty.
    public var body: String

    /// A notification with a title and, if there is more to say, a body.
    public init(title: String, body: String = "") {
        self.title = title
        self.body = body
    }
}

/// A notification and when it is to be shown.
public struct NotificationRequest: Sendable, Hashable {
    /// When a notification is shown.
    public enum Trigger: Sendable, Hashable {
        /// When the wall clock shows an instant; at once when it has passed. It follows the wall clock when that is
        /// set.
        case at(WallInstant)
        /// After an interval, which must be positive; repeatedly if it repeats, and then it must be at least
        /// 60 seconds. (Apple's limits, `UNTimeIntervalNotificationTrigger`; the same everywhere, so that what works
        /// on one system works on all.)
        case after(Duration, repeats: Bool = false)
    }

    /// Names the request; another one with the same identifier replaces it.
    public var identifier: String
    /// What is shown.
    public var notification: UserNotification
    /// When it is shown.
    public var trigger: Trigger

    /// A request.
    public init(identifier: String, notification: UserNotification, trigger: Trigger) {
        self.identifier = identifier
        self.notification = notification
        self.trigger = trigger
    }

    /// - Throws: ``BackgroundError`` with the code `invalidArgument` when the trigger's interval is not accepted.
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

/// The interface to the user's notification center.
public protocol Notifier: Sendable {
    /// Shows `notification` now.
    ///
    /// - Throws: ``BackgroundError`` with the code `notifierUnavailable` when there is nothing that could show it, and
    ///   `notificationRefused` when that did not take it.
    func notify(_ notification: UserNotification) async throws
}

/// A notification center that keeps requests until they are due.
public protocol NotificationScheduler: Notifier {
    /// Keeps `request` until it is due, in place of the pending one with the same identifier. A delivered one with that
    /// identifier is taken away when the new one is shown.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` for an interval that is not accepted,
    ///   `tooManyNotifications` when the center keeps no more, `notificationRefused` when the user does not allow any.
    func schedule(_ request: NotificationRequest) async throws

    /// Removes pending requests; unknown identifiers are no error.
    func removePending(_ identifiers: [String]) async

    /// The pending requests, the earliest first.
    func pending() async -> [NotificationRequest]

    /// The identifiers of the notifications that were shown and not yet removed.
    func delivered() async -> [String]
}
