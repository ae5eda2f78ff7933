import PlatformC

/// A signal that asks a process to stop.
public enum TerminationSignal: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// SIGTERM: a service manager or `kill`.
    case terminate
    /// SIGINT: Ctrl-C.
    case interrupt
    /// SIGHUP: the terminal has gone. Not caught in a process that was started with it ignored, as nohup(1) does.
    case hangUp

    /// The signal's number.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }

    /// The signal's name.
    public var description: String {
        switch self {
        case .terminate: "SIGTERM"
        case .interrupt: "SIGINT"
        case .hangUp: "SIGHUP"
        }
    }
}

/// Signals could not be caught.
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case alreadyCaught, unavailable }
        private let kind: Kind

        /// Something in this process catches the signals already.
        public static var alreadyCaught: Code { Code(kind: .alreadyCaught) }
        /// The system does not let this process wait for signals.
        public static var unavailable: Code { Code(kind: .unavailable) }

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
}

extension SignalError {
    /// The error for the number of one of the system.
    init(errno: Int32) {
        self =
            errno == EBUSY
            ? SignalError(
                code: .alreadyCaught,
                message: "signals are caught already: only one LinuxHost of a process can run() at a time")
            : SignalError(
                code: .unavailable, message: "signals cannot be caught: \(String(cString: strerror(errno)))")
    }
}
