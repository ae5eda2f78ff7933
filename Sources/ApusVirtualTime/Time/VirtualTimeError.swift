/// Why a test in virtual time cannot continue.
public struct VirtualTimeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case stuck, timedOut }
        private let kind: Kind

        /// The work waits, nothing is runnable, and no step that was allowed would change that.
        public static var stuck: Code { Code(kind: .stuck) }
        /// Foreign work did not come back in the real time that was allowed.
        public static var timedOut: Code { Code(kind: .timedOut) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// What happened.
    public let code: Code
    /// What is awaited, and what to do about it.
    public let message: String

    /// An error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
