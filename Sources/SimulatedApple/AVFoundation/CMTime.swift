/// The numerator of a time.
public typealias CMTimeValue = Int64
/// The denominator of a time: units per second.
public typealias CMTimeScale = Int32

/// A time as a fraction, with the operations that the simulated player needs.
public struct CMTime: Hashable, Comparable, Sendable {
    /// The numerator.
    public var value: CMTimeValue
    /// The denominator: units per second.
    public var timescale: CMTimeScale

    /// Creates a time of `value`/`timescale` seconds.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.value = value
        self.timescale = timescale
    }

    /// Creates a time from seconds, rounded to a multiple of 1/`preferredTimescale` s.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        self.init(value: Int64((seconds * Double(preferredTimescale)).rounded()), timescale: preferredTimescale)
    }

    /// The time 0.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// The time in seconds; NaN if the timescale is not positive.
    public var seconds: Double { timescale > 0 ? Double(value) / Double(timescale) : .nan }

    /// The time in nanoseconds; 0 for a negative time.
    var wholeNanoseconds: UInt64 { UInt64(max(0, (seconds * 1e9).rounded())) }

    /// Orders times by their seconds.
    public static func < (lhs: CMTime, rhs: CMTime) -> Bool { lhs.seconds < rhs.seconds }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the time in seconds.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a time of `value`/`timescale` seconds.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a time from seconds, rounded to a multiple of 1/`preferredTimescale` s.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
