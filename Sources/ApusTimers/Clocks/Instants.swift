import TimerWheel

/// An instant in nanoseconds on one of the engine's clocks.
///
/// The three clocks have different types, without conversions between them, because a deadline on one clock says
/// nothing about another. Arithmetic saturates at the ends of the range.
public protocol NanosecondInstant: InstantProtocol, Sendable where Duration == Swift.Duration {
    /// The nanoseconds since the clock's origin.
    var nanoseconds: UInt64 { get }

    /// Creates the instant `nanoseconds` after the clock's origin.
    init(nanoseconds: UInt64)

    /// The clock that these instants are read from.
    static var clock: ClockKind { get }
}

/// The clocks that deadlines can be on; calls without a clock use ``continuous``.
public enum ClockKind: Int, CaseIterable, Sendable, Hashable {
    /// A monotonic clock that stops while the machine sleeps (`CLOCK_MONOTONIC` on Linux, `CLOCK_UPTIME_RAW` on
    /// Darwin).
    case uptime = 0
    /// A monotonic clock that counts while the machine sleeps (`CLOCK_BOOTTIME` on Linux, `CLOCK_MONOTONIC_RAW` on
    /// Darwin).
    case continuous = 1
    /// The time of day in UTC, which users and network time set, so that it can jump in both directions.
    case wall = 2
}

extension ClockKind {
    static var count: Int { 3 }

    /// Calls `body` with each clock, without the array that `allCases` would allocate.
    @inline(__always)
    static func visitAll(_ body: (ClockKind) -> Void) {
        body(.uptime)
        body(.continuous)
        body(.wall)
    }
}

extension NanosecondInstant {
    /// Returns the instant `duration` later (earlier when negative), saturating at the ends of the range.
    public func advanced(by duration: Duration) -> Self {
        Self(nanoseconds: nanoseconds.advancedSaturating(by: duration))
    }

    /// Returns the time from this instant to `other`, negative when `other` is earlier; it saturates at ±292 years.
    public func duration(to other: Self) -> Duration {
        if other.nanoseconds >= nanoseconds {
            .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
        } else {
            .nanoseconds(-Int64(clamping: nanoseconds - other.nanoseconds))
        }
    }

    /// Orders instants by time.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

/// An instant on the clock that stops while the machine sleeps.
public struct UptimeInstant: NanosecondInstant, Hashable {
    /// The nanoseconds since boot, without machine sleep.
    public var nanoseconds: UInt64
    /// Creates the instant `nanoseconds` after boot, without machine sleep.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// The clock ``ClockKind/uptime``.
    public static var clock: ClockKind { .uptime }
}

/// An instant on the monotonic clock that counts while the machine sleeps.
public struct ContinuousInstant: NanosecondInstant, Hashable {
    /// The nanoseconds since boot, with machine sleep.
    public var nanoseconds: UInt64
    /// Creates the instant `nanoseconds` after boot, with machine sleep.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// The clock ``ClockKind/continuous``.
    public static var clock: ClockKind { .continuous }
}

extension NanosecondInstant {
    /// Returns the first instant later than `now` among those that follow this one in steps of `interval` nanoseconds.
    ///
    /// `interval` must not be 0.
    package func next(every interval: UInt64, after now: Self) -> Self {
        let passed = now.nanoseconds > nanoseconds ? (now.nanoseconds - nanoseconds) / interval : 0
        let (ahead, overflow) = interval.multipliedReportingOverflow(by: passed + 1)
        return Self(nanoseconds: nanoseconds.addingSaturating(overflow ? .max : ahead))
    }
}

/// An instant on the wall clock, for times that are stored or displayed.
///
/// The range is 1970-01-01 to 2554; earlier instants saturate to 1970.
public struct WallInstant: NanosecondInstant, Hashable {
    /// The nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var nanoseconds: UInt64
    /// Creates the instant `nanoseconds` after 1970-01-01T00:00:00Z.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// Creates the instant `secondsSince1970` after 1970-01-01T00:00:00Z, saturating at the ends of the range.
    public init(secondsSince1970: Int64) {
        let (product, overflow) = UInt64(clamping: secondsSince1970).multipliedReportingOverflow(by: 1_000_000_000)
        nanoseconds = overflow ? .max : product
    }
    /// The clock ``ClockKind/wall``.
    public static var clock: ClockKind { .wall }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero and saturating at ±292 years.
    public var wholeNanoseconds: Int64 {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // A division of 128 bits is slow. 10⁹ is 2⁹ × 5⁹, so the value is shifted by nine bits, and then divided by
            // 5⁹ = 1,953,125 in two steps of 64 bits: first the upper 51 bits, then their remainder with the lower 32
            // bits.
            let attoseconds = attoseconds
            if attoseconds >= 0, attoseconds < 1 << 92 {
                let shifted = attoseconds >> 9
                let (high, rest) = UInt64(truncatingIfNeeded: shifted >> 32).quotientAndRemainder(dividingBy: 1_953_125)
                let low = (rest << 32 | UInt64(UInt32(truncatingIfNeeded: shifted))) / 1_953_125
                return Int64(truncatingIfNeeded: high << 32 | low)
            }
        }
        // Reading the components of a duration of more than 292 billion years traps.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in whole nanoseconds within ±292 years, so that sums do not overflow.
    package var clamped: Duration { .nanoseconds(wholeNanoseconds) }

    /// The same as ``clamped``, but rounded up, so that a delay is never shortened by a fraction of a nanosecond.
    package var clampedUp: Duration {
        let whole = clamped
        return whole < self ? whole + .nanoseconds(1) : whole
    }
}

extension UInt64 {
    fileprivate func advancedSaturating(by duration: Duration) -> UInt64 {
        let nanoseconds = duration.wholeNanoseconds
        if nanoseconds >= 0 { return addingSaturating(nanoseconds.magnitude) }
        return self > nanoseconds.magnitude ? self - nanoseconds.magnitude : 0
    }
}

/// An instant on a clock that is chosen at run time.
public struct ClockInstant: Sendable, Hashable {
    /// The instant's clock.
    public let clock: ClockKind
    /// The nanoseconds since the clock's origin.
    public let nanoseconds: UInt64

    /// Creates the instant `nanoseconds` after the origin of `clock`.
    public init(clock: ClockKind, nanoseconds: UInt64) {
        self.clock = clock
        self.nanoseconds = nanoseconds
    }

    /// Creates the same instant as `instant`, with its clock in a property instead of the type.
    public init<Instant: NanosecondInstant>(_ instant: Instant) {
        self.init(clock: Instant.clock, nanoseconds: instant.nanoseconds)
    }

    /// Returns the instant as an `Instant`; `nil` if that type is for another clock.
    public func instant<Instant: NanosecondInstant>(_: Instant.Type = Instant.self) -> Instant? {
        clock == Instant.clock ? Instant(nanoseconds: nanoseconds) : nil
    }

    /// Returns the instant `duration` later on the same clock (earlier when negative).
    public func advanced(by duration: Duration) -> ClockInstant {
        ClockInstant(
            clock: clock, nanoseconds: ContinuousInstant(nanoseconds: nanoseconds).advanced(by: duration).nanoseconds)
    }

    /// Returns the time from this instant to `other`, negative when `other` is earlier; both must be on the same clock.
    public func duration(to other: ClockInstant) -> Duration {
        precondition(clock == other.clock, "instants on the clocks \(clock) and \(other.clock) have no distance")
        return ContinuousInstant(nanoseconds: nanoseconds).duration(
            to: ContinuousInstant(nanoseconds: other.nanoseconds))
    }
}

extension UptimeInstant: Codable {}
extension ContinuousInstant: Codable {}
extension WallInstant: Codable {}

extension NanosecondInstant {
    /// Decodes an instant from an integer: its ``nanoseconds``.
    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(UInt64.self))
    }

    /// Encodes ``nanoseconds`` as an integer.
    ///
    /// Instants on the wall clock after 2262 do not fit in an `Int64`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension WallInstant: CustomStringConvertible {
    /// The instant in UTC with milliseconds, as in `2026-12-24T18:00:00.000Z` (ISO 8601, RFC 3339).
    ///
    /// Fractions of a millisecond are dropped, so that no instant is shown before it has come.
    public var iso8601: String {
        let (days, time) = nanoseconds.quotientAndRemainder(dividingBy: 86_400_000_000_000)
        let milliseconds = time / 1_000_000
        // `gmtime_r` is not used, because its `time_t` ends in 2038 on watches with 32 bits. In this algorithm, eras of
        // 400 years and their years start on 1 March, so that a leap day is the last day of its year.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func append(_ number: UInt64, digits: Int, then separator: Unicode.Scalar) {
                var rest = number
                for place in (end..<end + digits).reversed() {
                    text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[end + digits] = UInt8(ascii: separator)
                end += digits + 1
            }
            append(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), digits: 4, then: "-")
            append(month, digits: 2, then: "-")
            append(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, digits: 2, then: "T")
            append(milliseconds / 3_600_000, digits: 2, then: ":")
            append(milliseconds / 60_000 % 60, digits: 2, then: ":")
            append(milliseconds / 1_000 % 60, digits: 2, then: ".")
            append(milliseconds % 1_000, digits: 3, then: "Z")
            return end
        }
    }

    /// The same as ``iso8601``.
    public var description: String { iso8601 }
}
