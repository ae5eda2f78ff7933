import ApusTimers

extension DurationText {
    /// The short form for people: `2d`, `1h 30m`, `1m 1.5s`, `250ms`. Whole nanoseconds; ``parse(_:argument:)`` reads
    /// it back without loss. Zero is `0s`, a negative duration begins with a minus sign.
    public static func format(_ duration: Duration) -> String {
        let parts = Parts(duration)
        let sign = parts.isNegative ? "-" : ""
        guard parts.nanoseconds > 0 else { return "0s" }
        if parts.nanoseconds < Parts.second {
            return sign + Parts.decimal(parts.nanoseconds, unit: 1_000_000) + "ms"
        }
        var texts: [String] = []
        if parts.days > 0 { texts.append("\(parts.days)d") }
        if parts.hours > 0 { texts.append("\(parts.hours)h") }
        if parts.minutes > 0 { texts.append("\(parts.minutes)m") }
        if parts.seconds > 0 { texts.append(Parts.decimal(parts.seconds, unit: Parts.second) + "s") }
        return sign + texts.joined(separator: " ")
    }

    /// The form of ISO 8601: `PT1H30M`, `PT0.25S`, `P1DT2H`. Zero is `PT0S`.
    public static func iso8601(_ duration: Duration) -> String {
        let parts = Parts(duration)
        guard parts.nanoseconds > 0 else { return "PT0S" }
        var date = ""
        var time = ""
        if parts.days > 0 { date += "\(parts.days)D" }
        if parts.hours > 0 { time += "\(parts.hours)H" }
        if parts.minutes > 0 { time += "\(parts.minutes)M" }
        if parts.seconds > 0 { time += Parts.decimal(parts.seconds, unit: Parts.second) + "S" }
        return (parts.isNegative ? "-P" : "P") + date + (time.isEmpty ? "" : "T" + time)
    }

    /// A duration taken apart. `seconds` is in nanoseconds, because it carries the fraction.
    private struct Parts {
        static let second: UInt64 = 1_000_000_000

        let isNegative: Bool
        let nanoseconds: UInt64

        init(_ duration: Duration) {
            isNegative = duration < .zero
            nanoseconds = duration.wholeNanoseconds.magnitude
        }

        var days: UInt64 { nanoseconds / (86_400 * Self.second) }
        var hours: UInt64 { nanoseconds / (3_600 * Self.second) % 24 }
        var minutes: UInt64 { nanoseconds / (60 * Self.second) % 60 }
        var seconds: UInt64 { nanoseconds % (60 * Self.second) }

        /// `value` in units of `unit` (a power of ten), without trailing zeros.
        static func decimal(_ value: UInt64, unit: UInt64) -> String {
            let whole = String(value / unit)
            var digits = String(value % unit + unit).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            return digits.isEmpty ? whole : whole + "." + digits
        }
    }
}
