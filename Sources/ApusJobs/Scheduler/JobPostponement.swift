/// What a handler throws to be called again later: something that it needs is not there for now (descriptors, processes,
/// memory, a service). ``RunContext/snooze(for:reason:)`` throws it.
///
/// The run waits again under the same attempt number. No retry is used up, and lateness is still counted from the due
/// instant. The attempt counts as not begun: what a handler set on its ``RunContext`` is discarded, but for its
/// last report of progress.
public struct JobPostponement: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why; kept as the reason of the waiting run until it starts.
    public var reason: String
    /// How much later the run may start, counted as elapsed time; a negative one counts as zero.
    public var delay: Duration

    /// A postponement by `delay`.
    public init(reason: String, delay: Duration) {
        self.reason = reason
        self.delay = delay
    }

    /// The reason.
    public var description: String { reason }
}
