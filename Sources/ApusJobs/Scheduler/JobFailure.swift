/// What a handler throws to choose its attempt's outcome. Any other error counts as a failure with the error's
/// description.
public struct JobFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why, in the handler's own words; kept in the run's history.
    public var reason: String
    /// An exit code to keep in the history.
    public var exitCode: Int?
    /// Whether trying again is pointless: the attempt is then the outcome, whatever the retry policy says.
    public var isFinal: Bool
    /// How long to wait before the next attempt, if the retry policy has one; `nil`: as the policy says.
    public var retryAfter: Duration?

    /// A failure; unless it is final, the job's ``RetryPolicy`` decides whether there is another attempt.
    public init(reason: String, exitCode: Int? = nil, isFinal: Bool = false, retryAfter: Duration? = nil) {
        self.reason = reason
        self.exitCode = exitCode
        self.isFinal = isFinal
        self.retryAfter = retryAfter
    }

    /// The reason.
    public var description: String { reason }
}
