/// A time as a fraction, as far as the simulated player uses it.
public struct CMTime: Hashable, Comparable, Sendable {
    /// The numerator.
    public var value: Int64
    /// The denominator: units per second.
    public var timescale: Int32

    /// `value`/`timescale` seconds.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }

    /// That many seconds, in units of 1/`preferredTimescale` s.
    public init(seconds: Double, preferredTimescale: Int32) {
        self.init(value: Int64((seconds * Double(preferredTimescale)).rounded()), timescale: preferredTimescale)
    }

    /// The beginning.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// The time in seconds; not a number when the timescale is not positive.
    public var seconds: Double { timescale > 0 ? Double(value) / Double(timescale) : .nan }

    /// Orders by time.
    public static func < (lhs: CMTime, rhs: CMTime) -> Bool { lhs.seconds < rhs.seconds }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The time in seconds.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
