public import ApusJobs

/// What can go wrong between the command and the daemon: a code for programs and a message for people that says what
/// to do.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the JSON API.
        public var description: String
        /// An argument was not acceptable.
        public static let invalid = Code(description: "invalid")
        /// Files or the network cannot be used now.
        public static let unavailable = Code(description: "unavailable")
        /// No daemon listens.
        public static let notRunning = Code(description: "notRunning")
        /// A daemon listens, but the connection was lost or the answer took too long: a change may have happened.
        public static let noAnswer = Code(description: "noAnswer")
        /// The daemon keeps another home than the request is for.
        public static let otherHome = Code(description: "otherHome")
        /// The caller may not do this.
        public static let forbidden = Code(description: "forbidden")
        /// The daemon answered with an error of the scheduler or the store.
        public static func jobs(_ code: JobError.Code) -> Code { Code(description: code.description) }
        /// The code that an answer of the API named.
        public static func named(_ name: String) -> Code { Code(description: name) }
    }
    /// The kind of error.
    public var code: Code
    /// What happened, and what to do.
    public var message: String
    /// What caused it.
    public var cause: (any Error)?

    /// An error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
    /// The message, with the cause if there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
