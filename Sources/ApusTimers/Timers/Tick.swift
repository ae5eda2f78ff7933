/// An instant on a clock that is chosen while the program runs.
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
}

/// One beat of a repeating timer.
public struct Tick: Sendable, Hashable {
    /// Which interval ended, from 1. With `.coalesce` and `.skip`, missed ticks use up numbers too.
    public let number: Int
    /// When it was due.
    public let due: ClockInstant
    /// When it was delivered: never before `due`.
    public let actual: ClockInstant
    /// How many ticks before this one were due and not delivered, since the last delivered one.
    public let missed: Int

    /// How long after its due instant it was delivered.
    public var lateness: Duration { .nanoseconds(Int64(clamping: actual.nanoseconds - due.nanoseconds)) }
}
