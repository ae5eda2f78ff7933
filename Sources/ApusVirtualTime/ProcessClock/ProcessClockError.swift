/// Why the clock of the process cannot be moved.
public struct ProcessClockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// Time cannot be virtual in this program.
        case unavailable
        /// Time is virtual already.
        case alreadyVirtual
        /// Time is real: ``ProcessClock/begin(_:uptime:wall:)`` was not called.
        case notVirtual
        /// A thread did not come to rest.
        case busy
    }

    /// What happened.
    public let code: Code
    /// What is the matter, and what to do about it.
    public let message: String

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
