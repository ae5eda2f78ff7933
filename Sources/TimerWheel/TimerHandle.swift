/// Names one timer of one wheel: where its record is, and which of the record's lives is meant.
///
/// A record is used again after its timer ended; the generation tells the lives apart, so a stale handle finds nothing.
package struct TimerHandle: Sendable, Hashable {
    package let index: UInt32
    package let generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A handle that no wheel ever gives out.
    package static var none: TimerHandle { TimerHandle(index: .max, generation: 0) }
}

/// What a wheel gives back when a timer leaves it.
package struct RemovedTimer: Sendable, Equatable {
    package let payload: UInt64
    /// Deadline plus tolerance, saturated.
    package let hardDeadline: UInt64
    /// False when ``TimerWheel/takeDue(now:into:)`` had handed the timer out already.
    package let wasWaiting: Bool
}
