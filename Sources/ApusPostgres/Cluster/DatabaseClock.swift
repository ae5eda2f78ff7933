package import ApusTimers

/// The clock of the database, as far as it is known here: it runs on with this machine's clock that cannot be set.
///
/// Each answer of the database says what its clock was at some moment between the question and the answer. The
/// narrowest bounds of the last answers are the best, unless the database's clock was set.
package struct DatabaseClock: Sendable {
    /// How many answers count. Longer ago, the two clocks may have drifted apart.
    package static let memory = 8

    /// The database's clock minus this machine's, in nanoseconds.
    private var offsets: [ClosedRange<Int64>] = []

    /// Nothing is known yet.
    package init() {}

    /// The database has said `wall` in the answer, which was here at `answered`, to what was asked at `asked`.
    package mutating func learn(_ wall: WallInstant, asked: ContinuousInstant, answered: ContinuousInstant) {
        let new = Self.offset(wall, answered)...Self.offset(wall, asked)
        // Of clocks that were not set, all bounds have something in common.
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

    /// Between what the clock is; `nil` before the first answer.
    package func wall(at instant: ContinuousInstant) -> ClosedRange<WallInstant>? {
        bounds.map { bounds in
            WallInstant(
                nanoseconds: instant.nanoseconds &+ UInt64(bitPattern: bounds.lowerBound))...WallInstant(
                    nanoseconds: instant.nanoseconds &+ UInt64(bitPattern: bounds.upperBound))
        }
    }
}
