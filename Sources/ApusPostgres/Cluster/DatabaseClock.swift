package import ApusTimers

/// An estimate of the database's clock; between answers, this machine's monotonic clock continues it.
///
/// Each answer of the database contains a reading of its clock from some moment between the query and the answer. The
/// intersection of the last answers' bounds is the best estimate, unless the database's clock was set.
package struct DatabaseClock: Sendable {
    /// The number of answers that are used; older ones are dropped, because the two clocks drift apart.
    package static let memory = 8

    /// For each answer, the bounds of the database's clock minus this machine's clock, in nanoseconds.
    private var offsets: [ClosedRange<Int64>] = []

    /// Creates a clock whose bounds are unknown until the first answer.
    package init() {}

    /// Adds an answer: the database read `wall` from its clock between `asked` and `answered`.
    package mutating func learn(_ wall: WallInstant, asked: ContinuousInstant, answered: ContinuousInstant) {
        let new = Self.offset(wall, answered)...Self.offset(wall, asked)
        // The bounds of all answers overlap, unless a clock was set.
        if let known = bounds, !known.overlaps(new) { offsets = [] }
        offsets.append(new)
        if offsets.count > Self.memory { offsets.removeFirst() }
        if bounds == nil { offsets = [new] }
    }

    private static func offset(_ wall: WallInstant, _ instant: ContinuousInstant) -> Int64 {
        Int64(truncatingIfNeeded: wall.nanoseconds &- instant.nanoseconds)
    }

    private var bounds: ClosedRange<Int64>? {
        guard let low = offsets.map(\.lowerBound).max(), let high = offsets.map(\.upperBound).min(), low <= high
        else { return nil }
        return low...high
    }

    /// Returns the bounds of the database's clock at an instant; `nil` before the first answer.
    package func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? {
        bounds.map { bounds in
            WallInstant(
                nanoseconds: instant.nanoseconds &+ UInt64(bitPattern: bounds.lowerBound))...WallInstant(
                    nanoseconds: instant.nanoseconds &+ UInt64(bitPattern: bounds.upperBound))
        }
    }
}
