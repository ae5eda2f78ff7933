import ApusTimers

// The parts of Core Foundation that Apple's Foundation exports, as far as apps use them for time.

/// The number of seconds since the beginning of 2001, in UTC.
public typealias CFAbsoluteTime = Double
/// A duration in seconds.
public typealias CFTimeInterval = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the present time of the wall clock, as `Date()` does.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Double(SystemTime().wall().nanoseconds) / 1e9 - 978_307_200
}
