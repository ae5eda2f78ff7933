/// Something to tell the user outside the app's own windows.
public struct UserNotification: Sendable, Hashable {
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

/// The door to the user's notification center.
public protocol Notifier: Sendable {
    /// Shows `notification` now.
    ///
    /// - Throws: ``BackgroundError`` with the code `notifierUnavailable` when there is nothing that could show it, and
    ///   `notificationRefused` when that did not take it.
    func notify(_ notification: UserNotification) async throws
}
