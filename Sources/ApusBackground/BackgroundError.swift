/// An error of a host, a notifier, a record store, or a mode such as audio or location.
public struct BackgroundError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case tooLate, notifierUnavailable, notificationRefused, tooManyNotifications
            case invalidArgument, storeFailed, modeUnavailable
        }

        private let kind: Kind

        /// The app's time in the background is over or nearly over, and the host grants no more.
        public static let tooLate = Code(kind: .tooLate)
        /// No service is available that could show a notification.
        public static let notifierUnavailable = Code(kind: .notifierUnavailable)
        /// The notification service refused the notification, or did not answer in time.
        public static let notificationRefused = Code(kind: .notificationRefused)
        /// The notification center accepts no more pending requests.
        public static let tooManyNotifications = Code(kind: .tooManyNotifications)
        /// An argument is not accepted; the message names it and the accepted forms.
        public static let invalidArgument = Code(kind: .invalidArgument)
        /// A record could not be stored, or a stored record cannot be read.
        public static let storeFailed = Code(kind: .storeFailed)
        /// Audio or location is not available, because it is not authorized or not declared, or because a program is
        /// missing.
        public static let modeUnavailable = Code(kind: .modeUnavailable)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause in one line.
    public var description: String {
        "\(code): \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}
