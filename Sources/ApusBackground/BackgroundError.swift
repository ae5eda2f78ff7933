/// What a host or a notifier could not do.
public struct BackgroundError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case tooLate, notifierUnavailable, notificationRefused, tooManyNotifications
            case invalidArgument, storeFailed, modeUnavailable
        }

        private let kind: Kind

        /// The app's time in the background is over or nearly over; nothing more is granted.
        public static let tooLate = Code(kind: .tooLate)
        /// There is nothing that could show a notification.
        public static let notifierUnavailable = Code(kind: .notifierUnavailable)
        /// The notification service answered with an error, or not in time.
        public static let notificationRefused = Code(kind: .notificationRefused)
        /// The notification center keeps no more pending requests.
        public static let tooManyNotifications = Code(kind: .tooManyNotifications)
        /// An argument is outside what is accepted; the message names it and the accepted forms.
        public static let invalidArgument = Code(kind: .invalidArgument)
        /// A countdown or stopwatch could not be stored, or what is stored cannot be read.
        public static let storeFailed = Code(kind: .storeFailed)
        /// Audio or location is not to be had here: not authorized, not declared, or a program is missing.
        public static let modeUnavailable = Code(kind: .modeUnavailable)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it.
    public var message: String
    /// The error underneath, if there is one.
    public var cause: (any Error)?

    /// An error with a message that says what to do.
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
