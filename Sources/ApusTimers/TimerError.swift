/// An invalid argument of a timer, with a message that states what is accepted.
public struct TimerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Identifies which argument is invalid.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case invalidInterval, invalidTolerance, invalidFrameRate, invalidClock }
        private let kind: Kind

        /// The interval of a repeating timer is zero or negative.
        public static var invalidInterval: Code { Code(kind: .invalidInterval) }
        /// The tolerance of a repeating timer is negative, or not shorter than its interval.
        public static var invalidTolerance: Code { Code(kind: .invalidTolerance) }
        /// The maximum rate of a frame timer is not in the accepted range, or its preferred rate is negative.
        public static var invalidFrameRate: Code { Code(kind: .invalidFrameRate) }
        /// The clock of a frame timer is one that can be set.
        public static var invalidClock: Code { Code(kind: .invalidClock) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// Which argument is invalid.
    public let code: Code
    /// Names the argument and its value, and states what is accepted.
    public let message: String

    /// Creates an error; the message should name the argument and state what is accepted.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message, for logs.
    public var description: String { "\(code): \(message)" }

    /// Returns the interval and the tolerance in nanoseconds, or throws the error for the first invalid one.
    static func validated(
        every interval: Duration, tolerance: Duration
    ) throws(TimerError) -> (interval: UInt64, tolerance: UInt64) {
        let nanoseconds = interval.wholeNanoseconds
        guard nanoseconds > 0 else {
            throw TimerError(
                code: .invalidInterval,
                message: "`every` is \(interval); pass a duration of at least 1 ns, for example .seconds(5)"
            )
        }
        guard tolerance >= .zero, tolerance.wholeNanoseconds < nanoseconds else {
            throw TimerError(
                code: .invalidTolerance,
                message: "`tolerance` is \(tolerance); pass .zero or more, but less than `every` (\(interval)), "
                    + "for example \(interval / 10)"
            )
        }
        return (UInt64(nanoseconds), UInt64(tolerance.wholeNanoseconds))
    }

    /// Throws the error for the first invalid argument of a frame timer.
    static func validate(
        maximumFramesPerSecond maximum: Int, preferredFramesPerSecond preferred: Int?, clock: ClockKind
    ) throws(TimerError) {
        let accepted = FrameGrid.acceptedRates
        guard accepted.contains(maximum) else {
            throw TimerError(
                code: .invalidFrameRate,
                message:
                    "`maximumFramesPerSecond` is \(maximum); pass \(accepted.lowerBound) to \(accepted.upperBound), "
                    + "for example 60"
            )
        }
        if let preferred, preferred < 0 {
            throw TimerError(
                code: .invalidFrameRate,
                message: "`preferredFramesPerSecond` is \(preferred); pass a rate up to \(maximum), "
                    + "or nil for the maximum"
            )
        }
        guard clock != .wall else {
            throw TimerError(
                code: .invalidClock,
                message: "`clock` is .wall, which jumps when it is set; pass .uptime or .continuous"
            )
        }
    }
}
