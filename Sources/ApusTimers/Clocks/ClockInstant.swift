/// An instant on a clock that is chosen while the program runs.
///
/// Arithmetic saturates at the ends of the range.
public struct ClockInstant: Sendable, Hashable {
    /// The clock that the instant is on.
    public let clock: ClockKind
    /// Nanoseconds since that clock's origin.
    public let nanoseconds: UInt64

    /// The instant that many nanoseconds after the origin of `clock`.
    public init(clock: ClockKind, nanoseconds: UInt64) {
        self.clock = clock
        self.nanoseconds = nanoseconds
    }

    /// The same instant, whose type names its clock.
    public init<Instant: NanosecondInstant>(_ instant: Instant) {
        self.init(clock: Instant.clock, nanoseconds: instant.nanoseconds)
    }

    /// The same instant as a type that names the clock; `nil` if it is on another clock.
    public func instant<Instant: NanosecondInstant>(_: Instant.Type = Instant.self) -> Instant? {
        clock == Instant.clock ? Instant(nanoseconds: nanoseconds) : nil
    }

    /// The instant `duration` later on the same clock (earlier when negative).
    public func advanced(by duration: Duration) -> ClockInstant {
        ClockInstant(
            clock: clock, nanoseconds: ContinuousInstant(nanoseconds: nanoseconds).advanced(by: duration).nanoseconds)
    }

    /// The time from this instant to `other`: negative when `other` is earlier. Both must be on the same clock.
    public func duration(to other: ClockInstant) -> Duration {
        precondition(clock == other.clock, "instants on the clocks \(clock) and \(other.clock) have no distance")
        return ContinuousInstant(nanoseconds: nanoseconds).duration(
            to: ContinuousInstant(nanoseconds: other.nanoseconds))
    }
}
