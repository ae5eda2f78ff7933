/// Why a test in virtual time cannot continue.
public struct VirtualTimeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The work waits, nothing is runnable, and no step that was allowed would change that.
        case stuck
        /// Foreign work did not come back in the real time that was allowed.
        case timedOut
    }

    /// What happened.
    public let code: Code
    /// What is awaited, and what to do about it.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
