/// Names one timer of one wheel: where its record is, and which of the record's lives is meant.
///
/// A record is used again after its timer ended; the generation distinguishes the lives, so a stale handle finds
/// nothing.
package struct TimerHandle: Sendable, Hashable {
    package let index: UInt32
    package let generation: UInt32

    @inlinable
    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// The last generation of a record: 24 bits of its life count generations.
    package static var lastGeneration: UInt32 { 1 << 24 - 1 }

    /// A handle that no wheel ever gives out.
    @inlinable
    package static var none: TimerHandle { TimerHandle(index: .max, generation: 0) }
}

/// What the wheel keeps for a timer's owner: two words and a tag, which it never looks at.
///
/// Public, though no product has this module: what has package access is not inlined in other modules.
@frozen
public struct TimerPayload: Sendable, Hashable {
    /// The first word.
    public var first: UInt64
    /// The second word.
    public var second: UInt64
    /// What the words are, to the owner.
    public var tag: UInt8

    /// A payload of the owner's.
    @inlinable
    @inline(__always)
    public init(_ first: UInt64, _ second: UInt64 = 0, tag: UInt8 = 0) {
        self.first = first
        self.second = second
        self.tag = tag
    }
}

/// What a wheel gives back when a timer leaves it. Small enough to be returned in registers.
package struct RemovedTimer: Sendable, Equatable {
    package let payload: TimerPayload
    /// False when ``TimerWheel/takeDue(now:into:work:)`` had handed the timer out already.
    package let wasWaiting: Bool
    /// Deadline plus tolerance, saturated.
    package let hardDeadline: UInt64
}

/// A timer that was found due. Its payload belongs to the code that ends the timer: see ``TimerStarts``.
package struct DueTimer: Sendable {
    package let index: UInt32
    /// The life that was found due, with the count of its takings.
    let life: UInt32
    package let deadline: UInt64
    package let payload: TimerPayload

    package var handle: TimerHandle { TimerHandle(index: index, generation: life >> TimerRecord.takingBits) }
}
