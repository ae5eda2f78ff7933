/// What a handler throws when its attempt could not begin: something that it needs is used up for now (descriptors,
/// processes, memory), and is there again later.
///
/// The run waits again under the same attempt number. No retry is used up, and lateness goes on counting from the due
/// instant. Throw it only while nothing of the attempt has been done: what a handler set on its ``RunContext`` is
/// discarded.
public struct JobPostponement: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why; kept as the reason of the waiting run until it starts.
    public var reason: String
    /// How much later the run may start, on the wall clock; a negative one counts as zero.
    public var delay: Duration

    /// A postponement by `delay`.
    public init(reason: String, delay: Duration) {
        self.reason = reason
        self.delay = delay
    }

    /// The reason.
    public var description: String { reason }
}
