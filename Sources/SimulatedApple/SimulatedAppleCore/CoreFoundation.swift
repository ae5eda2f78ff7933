import ApusTimers

// What Apple's Foundation exports of Core Foundation, as far as apps use it for time. The names are Apple's.

/// Seconds since the beginning of 2001.
public typealias CFAbsoluteTime = Double
/// Seconds.
public typealias CFTimeInterval = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The time of the wall clock, as `Date` has it.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Double(SystemTime().wall().nanoseconds) / 1e9 - 978_307_200
}
