public import Foundation

/// Formats durations as English text, such as "1:01:05", "1h 1m 5s" or "1 hour, 1 minute, 5 seconds".
///
/// Foundation on Linux declares the class, but does not implement it.
///
/// A duration in seconds is split into weeks and smaller units; months and years result only from two dates or from
/// components.
///
/// Rules: Apple, documentation/foundation/datecomponentsformatter.
open class DateComponentsFormatter: Formatter {
    /// The style of the units.
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

    /// The treatment of units that are zero.
    public struct ZeroFormattingBehavior: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a behavior with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Drops leading zeros in the positional style, and all zeros in the others.
        public static let `default` = ZeroFormattingBehavior(rawValue: 1)
        /// Drops zeros before the first other unit.
        public static let dropLeading = ZeroFormattingBehavior(rawValue: 2)
        /// Drops zeros between other units.
        public static let dropMiddle = ZeroFormattingBehavior(rawValue: 4)
        /// Drops zeros after the last other unit.
        public static let dropTrailing = ZeroFormattingBehavior(rawValue: 8)
        /// Drops all zeros.
        public static let dropAll: ZeroFormattingBehavior = [.dropLeading, .dropMiddle, .dropTrailing]
        /// Keeps all units; in the positional style, each has at least two digits.
        public static let pad = ZeroFormattingBehavior(rawValue: 65536)
    }

    /// The units that may be used; with an empty set, all but weeks.
    open var allowedUnits: NSCalendar.Unit = []
    /// The style of the units.
    open var unitsStyle = UnitsStyle.positional
    /// The treatment of units that are zero.
    open var zeroFormattingBehavior = ZeroFormattingBehavior.default
    /// The largest number of units in the text; 0 means no limit.
    open var maximumUnitCount = 0
    /// Whether a largest unit with the value 1 is expressed in the next smaller unit, such as "90 seconds" instead of
    /// "1 minute, 30 seconds".
    open var collapsesLargestUnit = false
    /// Whether the text begins with "About".
    open var includesApproximationPhrase = false
    /// Whether the text ends with "remaining".
    open var includesTimeRemainingPhrase = false
    /// The calendar in which the time between two dates is measured; `nil` for the user's.
    open var calendar: Calendar? = .current
    /// The date from which components are counted; `nil` for the beginning of 2001, in UTC.
    open var referenceDate: Date?

    /// Returns the text of a duration in seconds, rounded to whole seconds; `nil` if it is not finite.
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

    /// Returns the text of the time from one date to another, in units of the calendar.
    open func string(from startDate: Date, to endDate: Date) -> String? {
        let components = (calendar ?? .current).dateComponents(
            Set(units.map(\.component)), from: startDate, to: endDate)
        let parts = units.map { ($0, components.value(for: $0.component) ?? 0) }
        return text(parts.map { ($0, $1.magnitude) }.map { ($0, Int($1)) }, isNegative: parts.contains { $0.1 < 0 })
    }

    /// Returns the text of components, converted to the allowed units.
    open func string(from components: DateComponents) -> String? {
        let (calendar, start) = (calendar ?? .current, referenceDate ?? Date(timeIntervalSinceReferenceDate: 0))
        return calendar.date(byAdding: components, to: start).flatMap { string(from: start, to: $0) }
    }

    /// Returns the text of components in a style, with the default values of all other properties.
    open class func localizedString(from components: DateComponents, unitsStyle: UnitsStyle) -> String? {
        let formatter = DateComponentsFormatter()
        formatter.unitsStyle = unitsStyle
        return formatter.string(from: components)
    }

    /// Returns the text of a `DateComponents` or a number of seconds; `nil` for other objects.
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
        /// The length in seconds; `nil` if it varies.
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

    /// The units to use, from the largest to the smallest.
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

    /// Returns a unit's name, in the plural if the value needs it; "hr", "min" and "sec" have no plural.
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
