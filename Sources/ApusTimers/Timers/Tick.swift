/// One beat of a repeating timer.
public struct Tick: Sendable, Hashable {
    /// Which interval ended, from 1. With `.coalesce` and `.skip`, missed ticks use up numbers too.
    public let number: Int
    /// When it was due.
    public let due: ClockInstant
    /// When it was delivered: never before `due`.
    public let actual: ClockInstant
    /// How many ticks before this one were due and not delivered, since the last delivered one.
    public let missedCount: Int

    /// How long after its due instant it was delivered.
    public var lateness: Duration { due.duration(to: actual) }
}
