/// Why the clock of the process cannot be moved.
public struct ProcessClockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case unavailable, alreadyVirtual, notVirtual, busy }
        private let kind: Kind

        /// Time cannot be virtual in this program.
        public static var unavailable: Code { Code(kind: .unavailable) }
        /// Time is virtual already.
        public static var alreadyVirtual: Code { Code(kind: .alreadyVirtual) }
        /// Time is real: ``ProcessClock/begin(_:uptime:wall:)`` was not called.
        public static var notVirtual: Code { Code(kind: .notVirtual) }
        /// A thread did not come to rest.
        public static var busy: Code { Code(kind: .busy) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// What happened.
    public let code: Code
    /// What is the matter, and what to do about it.
    public let message: String

    /// An error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static let unavailable = ProcessClockError(
        code: .unavailable,
        message: "time cannot be virtual in this program: that needs Linux with glibc, and a build without the thread, "
            + "address or memory sanitizer")
    static let alreadyVirtual = ProcessClockError(
        code: .alreadyVirtual,
        message: "time is virtual in this process already, and stays so; begin once, in a process for each test")
    static let notVirtual = ProcessClockError(
        code: .notVirtual, message: "time is real; call ProcessClock.begin first, or use the trait .virtualClock")
}
