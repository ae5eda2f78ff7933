public import Foundation

/// Writes a duration as text, in English: "1:01:05", "1h 1m 5s", "1 hour, 1 minute, 5 seconds". Foundation on Linux has only
/// the name.
///
/// A duration in seconds is written in weeks and smaller units; months and years come from two dates or from components.
///
/// Rules: Apple, documentation/foundation/datecomponentsformatter.
open class DateComponentsFormatter: Formatter {
    /// How a unit is written.
    public enum UnitsStyle: Int, Sendable {
        /// "9:41:30"
        case positional = 0
        /// "9h 41m 30s"
        case abbreviated = 1
        /// "9 hr, 41 min, 30 sec"
        case short = 2
        /// "9 hours, 41 minutes, 30 seconds"
        case full = 3
        /// "nine hours, forty-one minutes, thirty seconds"
        case spellOut = 4
        /// "9hr 41min 30sec"
        case brief = 5
    }

    /// What is done with units that are zero.
    public struct ZeroFormattingBehavior: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// A behaviour with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Positional: leading zeros are dropped, and those in between written with two digits. Otherwise all are dropped.
        public static let `default` = ZeroFormattingBehavior(rawValue: 1)
        /// Those before the first other unit are dropped.
        public static let dropLeading = ZeroFormattingBehavior(rawValue: 2)
        /// Those between other units are dropped.
        public static let dropMiddle = ZeroFormattingBehavior(rawValue: 4)
        /// Those after the last other unit are dropped.
        public static let dropTrailing = ZeroFormattingBehavior(rawValue: 8)
        /// All are dropped.
        public static let dropAll: ZeroFormattingBehavior = [.dropLeading, .dropMiddle, .dropTrailing]
        /// None is dropped, and all are written with two digits.
        public static let pad = ZeroFormattingBehavior(rawValue: 65536)
    }

    /// The units that may be written; none of them stands for all.
    open var allowedUnits: NSCalendar.Unit = []
    /// How units are written.
    open var unitsStyle = UnitsStyle.positional
    /// What is done with units that are zero.
    open var zeroFormattingBehavior = ZeroFormattingBehavior.default
    /// How many units are written at most; 0 is all.
    open var maximumUnitCount = 0
    /// Whether a largest unit of one is written with the next smaller one: 90 seconds instead of 1 minute 30.
    open var collapsesLargestUnit = false
    /// Whether "About" stands before it.
    open var includesApproximationPhrase = false
    /// Whether "remaining" stands after it.
    open var includesTimeRemainingPhrase = false
    /// For the units between two dates.
    open var calendar: Calendar? = .current
    /// When components without dates begin.
    open var referenceDate: Date?

    /// The text of a duration in seconds. Fractions are rounded to the nearest second.
    open func string(from interval: TimeInterval) -> String? {
        guard interval.isFinite else { return nil }
        var rest = Int(min(interval.magnitude, 1e18).rounded())
        let parts = units.filter { $0.seconds != nil }.map { unit -> (Unit, Int) in
            let seconds = unit.seconds ?? 1
            defer { rest %= seconds }
            return (unit, rest / seconds)
        }
        return text(parts, isNegative: interval < 0)
    }

    /// The text of the time from one date to another, in units of the calendar.
    open func string(from startDate: Date, to endDate: Date) -> String? {
        let components = (calendar ?? .current).dateComponents(
            Set(units.map(\.component)), from: startDate, to: endDate)
        let parts = units.map { ($0, components.value(for: $0.component) ?? 0) }
        return text(parts.map { ($0, $1.magnitude) }.map { ($0, Int($1)) }, isNegative: parts.contains { $0.1 < 0 })
    }

    /// The text of components, which are brought to the allowed units.
    open func string(from components: DateComponents) -> String? {
        let (calendar, start) = (calendar ?? .current, referenceDate ?? Date(timeIntervalSinceReferenceDate: 0))
        return calendar.date(byAdding: components, to: start).flatMap { string(from: start, to: $0) }
    }

    /// The text of components, with everything else as it is at first.
    open class func localizedString(from components: DateComponents, unitsStyle: UnitsStyle) -> String? {
        let formatter = DateComponentsFormatter()
        formatter.unitsStyle = unitsStyle
        return formatter.string(from: components)
    }

    /// Of a `DateComponents` or a number of seconds.
    override open func string(for obj: Any?) -> String? {
        switch obj {
        case let components as DateComponents: string(from: components)
        case let interval as TimeInterval: string(from: interval)
        default: nil
        }
    }

    // MARK: The text

    private struct Unit {
        let unit: NSCalendar.Unit
        let component: Calendar.Component
        /// How long it is, if that is always the same.
        let seconds: Int?
        let abbreviated, brief, short, full: String

        static let all = [
            Unit(
                unit: .year, component: .year, seconds: nil, abbreviated: "y", brief: "yr", short: "yr", full: "year"),
            Unit(
                unit: .month, component: .month, seconds: nil, abbreviated: "mo", brief: "mth", short: "mth",
                full: "month"),
            Unit(
                unit: .weekOfMonth, component: .weekOfMonth, seconds: 604_800, abbreviated: "w", brief: "wk",
                short: "wk",
                full: "week"),
            Unit(
                unit: .day, component: .day, seconds: 86_400, abbreviated: "d", brief: "day", short: "day", full: "day"),
            Unit(
                unit: .hour, component: .hour, seconds: 3_600, abbreviated: "h", brief: "hr", short: "hr", full: "hour"),
            Unit(
                unit: .minute, component: .minute, seconds: 60, abbreviated: "m", brief: "min", short: "min",
                full: "minute"),
            Unit(
                unit: .second, component: .second, seconds: 1, abbreviated: "s", brief: "sec", short: "sec",
                full: "second"),
        ]
    }

    /// From the largest to the smallest.
    private var units: [Unit] {
        let allowed = Unit.all.filter { allowedUnits.contains($0.unit) }
        return allowed.isEmpty ? Unit.all.filter { $0.unit != .weekOfMonth } : allowed
    }

    private func text(_ parts: [(unit: Unit, value: Int)], isNegative: Bool) -> String? {
        guard var kept = collapsed(parts).nonEmpty else { return nil }
        let isPadded = zeroFormattingBehavior.contains(.pad)
        if !isPadded { kept = dropZeros(of: kept) }
        if maximumUnitCount > 0 { kept = Array(kept.prefix(maximumUnitCount)) }
        var text = join(kept, isPadded: isPadded)
        if isNegative, kept.contains(where: { $0.value != 0 }) { text = "-" + text }
        if includesApproximationPhrase { text = "About " + text }
        return includesTimeRemainingPhrase ? text + " remaining" : text
    }

    private func collapsed(_ parts: [(unit: Unit, value: Int)]) -> [(unit: Unit, value: Int)] {
        guard collapsesLargestUnit, let first = parts.firstIndex(where: { $0.value != 0 }), first + 1 < parts.count,
            parts[first].value == 1, let larger = parts[first].unit.seconds, let smaller = parts[first + 1].unit.seconds
        else { return parts }
        var parts = parts
        parts[first].value = 0
        parts[first + 1].value += larger / smaller
        return parts
    }

    private func dropZeros(of parts: [(unit: Unit, value: Int)]) -> [(unit: Unit, value: Int)] {
        let behavior: ZeroFormattingBehavior =
            if !zeroFormattingBehavior.contains(.default) {
                zeroFormattingBehavior
            } else {
                unitsStyle == .positional ? .dropLeading : .dropAll
            }
        guard let first = parts.firstIndex(where: { $0.value != 0 }),
            let last = parts.lastIndex(where: { $0.value != 0 })
        else { return behavior.isEmpty ? parts : Array(parts.suffix(1)) }
        return parts.enumerated().filter { index, part in
            if part.value != 0 { return true }
            let position: ZeroFormattingBehavior =
                index < first ? .dropLeading : index > last ? .dropTrailing : .dropMiddle
            return !behavior.contains(position)
        }.map(\.element)
    }

    private func join(_ parts: [(unit: Unit, value: Int)], isPadded: Bool) -> String {
        switch unitsStyle {
        case .positional:
            parts.enumerated().map { index, part in
                let digits = "\(part.value)"
                return digits.count < 2 && (index > 0 || isPadded) ? "0" + digits : digits
            }.joined(separator: ":")
        case .abbreviated: parts.map { "\($0.value)\($0.unit.abbreviated)" }.joined(separator: " ")
        case .brief: parts.map { "\($0.value)" + plural($0.unit.brief, $0) }.joined(separator: " ")
        case .short: parts.map { "\($0.value) " + plural($0.unit.short, $0) }.joined(separator: ", ")
        case .full: parts.map { "\($0.value) " + plural($0.unit.full, $0) }.joined(separator: ", ")
        case .spellOut: parts.map { spelledOut($0.value) + " " + plural($0.unit.full, $0) }.joined(separator: ", ")
        }
    }

    /// "hr", "min" and "sec" are the same for one and for several.
    private func plural(_ name: String, _ part: (unit: Unit, value: Int)) -> String {
        let isInvariable = ["hr", "min", "sec"].contains(name)
        return part.value == 1 || isInvariable ? name : name + "s"
    }

    private func spelledOut(_ value: Int) -> String {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "en_US")
        formatter.numberStyle = .spellOut
        return formatter.string(from: NSNumber(value: value)) ?? "\(value)"
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
