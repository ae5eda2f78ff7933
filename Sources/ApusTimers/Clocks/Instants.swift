import TimerWheel

/// An instant in nanoseconds on one of the engine's clocks.
///
/// The three conforming types are different types on purpose: a deadline on one clock says nothing about
/// another clock, so there is no conversion between them. Arithmetic saturates at the ends of the range.
public protocol NanosecondInstant: InstantProtocol, Sendable where Duration == Swift.Duration {
    /// Nanoseconds since the clock's origin. Never negative.
    var nanoseconds: UInt64 { get }

    /// The instant that many nanoseconds after the clock's origin.
    init(nanoseconds: UInt64)

    /// The clock that these instants are read from.
    static var clock: ClockKind { get }
}

/// The clocks that a deadline can be on. Where a call names none, it is ``continuous``.
public enum ClockKind: Int, CaseIterable, Sendable, Hashable {
    /// Monotonic; stops while the machine sleeps (`CLOCK_MONOTONIC` on Linux, `CLOCK_UPTIME_RAW` on Darwin).
    case uptime = 0
    /// Monotonic; counts while the machine sleeps (`CLOCK_BOOTTIME` on Linux, `CLOCK_MONOTONIC_RAW` on Darwin).
    case continuous = 1
    /// The time of day in UTC; people and network time set it, so it can jump in both directions.
    case wall = 2
}

extension ClockKind {
    /// Calls `body` with each clock. `allCases` makes an array each time.
    @inline(__always)
    static func visitAll(_ body: (ClockKind) -> Void) {
        body(.uptime)
        body(.continuous)
        body(.wall)
    }
}

extension NanosecondInstant {
    /// The instant `duration` later (earlier when negative), saturating at the ends of the range.
    public func advanced(by duration: Duration) -> Self {
        Self(nanoseconds: nanoseconds.advancedSaturating(by: duration))
    }

    /// The time from this instant to `other`: negative when `other` is earlier. Saturates at ±292 years.
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
    /// Nanoseconds of uptime since boot.
    public var nanoseconds: UInt64
    /// The instant at that many nanoseconds of uptime.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// `.uptime`
    public static var clock: ClockKind { .uptime }
}

/// An instant on the monotonic clock that counts while the machine sleeps.
public struct ContinuousInstant: NanosecondInstant, Hashable {
    /// Nanoseconds since boot, sleep included.
    public var nanoseconds: UInt64
    /// The instant at that many nanoseconds since boot.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// `.continuous`
    public static var clock: ClockKind { .continuous }
}

extension NanosecondInstant {
    /// The first one later than `now`, and than this one, of those that follow this one in steps of `interval`
    /// nanoseconds. `interval` must not be 0.
    package func next(every interval: UInt64, after now: Self) -> Self {
        let passed = now.nanoseconds > nanoseconds ? (now.nanoseconds - nanoseconds) / interval : 0
        let (ahead, overflow) = interval.multipliedReportingOverflow(by: passed + 1)
        return Self(nanoseconds: nanoseconds.addingSaturating(overflow ? .max : ahead))
    }
}

/// An instant of the wall clock: what is stored and shown.
///
/// The range is 1970-01-01 to 2554; earlier instants saturate to 1970.
public struct WallInstant: NanosecondInstant, Hashable {
    /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var nanoseconds: UInt64
    /// The instant at that many nanoseconds since 1970-01-01T00:00:00Z.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
    /// The instant at that many seconds since 1970-01-01T00:00:00Z.
    public init(secondsSince1970: Int64) {
        let (product, overflow) = UInt64(clamping: secondsSince1970).multipliedReportingOverflow(by: 1_000_000_000)
        nanoseconds = overflow ? .max : product
    }
    /// `.wall`
    public static var clock: ClockKind { .wall }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero and saturating at ±292 years.
    public var wholeNanoseconds: Int64 {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // A division of 128 bits is slow. 10⁹ is 2⁹ times an odd number of 21 bits, so what is left of 156 years
            // after nine bits were shifted out is divided in two steps of 64 bits, by hand: 52 bits, and then the
            // remainder before the other 32.
            let attoseconds = attoseconds
            if attoseconds >= 0, attoseconds < 1 << 92 {
                let shifted = attoseconds >> 9
                let (high, rest) = UInt64(truncatingIfNeeded: shifted >> 32).quotientAndRemainder(dividingBy: 1_953_125)
                let low = (rest << 32 | UInt64(UInt32(truncatingIfNeeded: shifted))) / 1_953_125
                return Int64(truncatingIfNeeded: high << 32 | low)
            }
        }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }
}

extension UInt64 {
    fileprivate func advancedSaturating(by duration: Duration) -> UInt64 {
        let nanoseconds = duration.wholeNanoseconds
        if nanoseconds >= 0 { return addingSaturating(nanoseconds.magnitude) }
        return self > nanoseconds.magnitude ? self - nanoseconds.magnitude : 0
    }
}
