/// Why a background job was not accepted.
public struct BackgroundJobError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, Codable, CustomStringConvertible {
        private enum Name: String, Codable {
            case unavailable, tooManyPending, notPermitted, cannotStartNow
            case notRegistered, alreadyRegistered, registeredTooLate, notPending, notRunning, invalidArgument
            case storeFailed
        }

        private let name: Name

        /// The host runs no such jobs now: the user has switched background refresh off, or the system is a simulator.
        public static let unavailable = Code(name: .unavailable)
        /// As many requests of this kind are pending as the host keeps.
        public static let tooManyPending = Code(name: .tooManyPending)
        /// The app did not declare the identifier, the mode or the resource, or the user does not allow it.
        public static let notPermitted = Code(name: .notPermitted)
        /// Continued work that does not queue cannot begin now.
        public static let cannotStartNow = Code(name: .cannotStartNow)
        /// There is no handler for the identifier.
        public static let notRegistered = Code(name: .notRegistered)
        /// There is a handler for the identifier already.
        public static let alreadyRegistered = Code(name: .alreadyRegistered)
        /// The app's launch is over; handlers of refresh and processing jobs have to be there before.
        public static let registeredTooLate = Code(name: .registeredTooLate)
        /// The launch of a job was simulated that was not submitted.
        public static let notPending = Code(name: .notPending)
        /// An expiration was to be simulated of a job that does not run.
        public static let notRunning = Code(name: .notRunning)
        /// An argument is outside what is accepted; the message names it and the accepted forms.
        public static let invalidArgument = Code(name: .invalidArgument)
        /// The requests cannot be stored, or those that were stored cannot be read.
        public static let storeFailed = Code(name: .storeFailed)

        /// The name of the code.
        public var description: String { name.rawValue }
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
    public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
