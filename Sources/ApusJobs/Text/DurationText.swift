import ApusCalendar
import ApusTimers

/// Conversions between durations and the texts that people type and read.
public enum DurationText {
    /// Examples of all forms that ``parse(_:argument:)`` accepts.
    public static let acceptedForms = [
        "3s", "250ms", "1h30m", "1.5h", "2d", "1w", "90 (seconds)", "5:00 (m:s)", "1:30:00 (h:m:s)", "PT1H30M",
    ]

    /// The longest duration that is accepted: 100 years of 365.25 days.
    public static let longest: Duration = .seconds(36_525 * 86_400)

    /// Parses a duration: a number with a unit (`3s`, `1.5h`), several of them in any order (`1h 30m`), words (`an hour
    /// and a half`), a bare number of seconds (`90`), `m:s`, `h:m:s`, or ISO 8601 (`PT1H30M`).
    ///
    /// The units are ns, us, ms, s, m, h, d and w, and their names (`min`, `seconds`, `hours`, …); a day has 24 hours.
    /// Letters may be in either case, except `M`, which some programs read as a month. Fractions of a nanosecond are
    /// dropped.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: A duration longer than zero.
    /// - Throws: ``TextError`` for zero, a negative duration, more than ``longest``, and a text that cannot be parsed.
    public static func parse(_ text: String, argument: String = "duration") throws(TextError) -> Duration {
        do throws(TextProblem) {
            return try parseWithoutContext(text)
        } catch {
            throw TextError(
                argument: argument, given: text, message: error.message, acceptedForms: acceptedForms,
                suggestions: error.suggestions.filter { (try? parseWithoutContext($0)) != nil })
        }
    }

    static func parseWithoutContext(_ text: String) throws(TextProblem) -> Duration {
        var scanner = TextScanner(text.trimmingWhitespace)
        guard !scanner.isAtEnd else { throw TextProblem("it is empty") }
        guard !scanner.take("-") else { throw TextProblem("a duration cannot be negative") }

        let nanoseconds: UInt128
        if scanner.take("p") {
            nanoseconds = try iso8601Parts(&scanner)
        } else if text.utf8.contains(UInt8(ascii: ":")) {
            nanoseconds = try clockParts(&scanner)
        } else {
            nanoseconds = try unitParts(&scanner)
        }
        guard nanoseconds > 0 else { throw TextProblem("a duration must be longer than zero") }
        guard nanoseconds <= UInt128(longest.wholeNanoseconds) else {
            throw TextProblem("it is longer than 100 years")
        }
        return .nanoseconds(Int64(nanoseconds))
    }
}

// MARK: - The three notations

extension DurationText {
    /// Parses a number of seconds, or numbers with units, such as `90`, `1h30m` or `an hour and a half`.
    private static func unitParts(_ scanner: inout TextScanner) throws(TextProblem) -> UInt128 {
        var number = scanner
        if let amount = try? decimal(&number), number.isAtEnd { return amount.nanoseconds(.second) }
        let span: CalendarSpan
        do { span = try CalendarSpan(scanner.rest) } catch {
            throw TextProblem(error.problem, suggestions: error.suggestions)
        }
        guard let nanoseconds = span.fixedNanoseconds else {
            throw TextProblem(
                "months and years differ in length; give weeks or days, or an instant: apus at now + \(scanner.rest)")
        }
        return nanoseconds
    }

    /// Parses `m:s` or `h:m:s`; the first number has no limit, the others have two digits and are below 60.
    private static func clockParts(_ scanner: inout TextScanner) throws(TextProblem) -> UInt128 {
        var fields: [Decimal] = [try decimal(&scanner)]
        while scanner.take(":") {
            let field = try decimal(&scanner)
            guard field.digits.count == 2, field.whole < 60 else {
                throw TextProblem("minutes and seconds after a colon must have two digits, 00 to 59")
            }
            fields.append(field)
        }
        guard scanner.isAtEnd else { throw TextProblem("“\(scanner.rest)” cannot be read") }
        guard fields.count <= 3 else { throw TextProblem("it has more than hours, minutes and seconds") }
        var sum = PartSum()
        for (field, unit) in zip(fields, [Unit.hour, .minute, .second].suffix(fields.count)) {
            try sum.add(field, unit)
        }
        return sum.nanoseconds
    }

    /// Parses a duration of ISO 8601, such as `P1DT2H30M0.5S` or `P2W`, after its `P`.
    private static func iso8601Parts(_ scanner: inout TextScanner) throws(TextProblem) -> UInt128 {
        var sum = PartSum()
        var isTime = false
        while !scanner.isAtEnd {
            if scanner.take("t") {
                guard !isTime, !scanner.isAtEnd else {
                    throw TextProblem("“T” is followed by hours, minutes or seconds")
                }
                isTime = true
                continue
            }
            let amount = try decimal(&scanner)
            switch (scanner.letter(), isTime) {
            case ("w", false): try sum.add(amount, .week)
            case ("d", false): try sum.add(amount, .day)
            case ("h", true): try sum.add(amount, .hour)
            case ("m", true): try sum.add(amount, .minute)
            case ("s", true): try sum.add(amount, .second)
            case ("y", false), ("m", false):
                throw TextProblem("years and months differ in length; give weeks or days")
            default:
                throw TextProblem("it is not a duration of ISO 8601")
            }
        }
        guard !sum.isEmpty else { throw TextProblem("it is not a duration of ISO 8601") }
        return sum.nanoseconds
    }
}

// MARK: - Numbers and units

extension DurationText {
    private enum Unit: UInt64 {
        case second = 1_000_000_000
        case minute = 60_000_000_000
        case hour = 3_600_000_000_000
        case day = 86_400_000_000_000
        case week = 604_800_000_000_000
    }

    /// A decimal number as it was written, so that rounding happens only once the unit is known.
    private struct Decimal {
        var digits: [UInt8]
        var fraction: [UInt8]

        /// The integer part, which cannot overflow, because `decimal(_:)` refuses more than 20 significant digits.
        var whole: UInt128 { digits.reduce(0) { $0 * 10 + UInt128($1) } }

        func nanoseconds(_ unit: Unit) -> UInt128 {
            var result = whole * UInt128(unit.rawValue)
            let places = fraction.prefix(20)
            let numerator = places.reduce(UInt128(0)) { $0 * 10 + UInt128($1) }
            let denominator = places.reduce(UInt128(1)) { power, _ in power * 10 }
            // A numerator below 10^20 times a unit below 10^15 is below 2^128.
            result += numerator * UInt128(unit.rawValue) / denominator
            return result
        }
    }

    private static func decimal(_ scanner: inout TextScanner) throws(TextProblem) -> Decimal {
        let rest = scanner.rest
        let digits = scanner.digits()
        guard !digits.isEmpty else { throw TextProblem("“\(rest)” does not begin with a number") }
        let significant = Array(digits.drop { $0 == 0 })
        guard significant.count <= 20 else { throw TextProblem("it is longer than 100 years") }
        guard scanner.take(".") || scanner.take(",") else { return Decimal(digits: digits.last20, fraction: []) }
        let fraction = scanner.digits()
        guard !fraction.isEmpty else { throw TextProblem("a decimal point must be followed by digits") }
        return Decimal(digits: digits.last20, fraction: fraction)
    }

    /// The sum of the parts of a duration in ISO 8601: larger units come first, and only the last part may have a
    /// fraction.
    private struct PartSum {
        private(set) var nanoseconds: UInt128 = 0
        private var last: Unit?
        private var hasFraction = false

        var isEmpty: Bool { last == nil }

        mutating func add(_ amount: Decimal, _ unit: Unit) throws(TextProblem) {
            if let last, last.rawValue <= unit.rawValue {
                throw TextProblem("larger units must come first, and each of them once")
            }
            guard !hasFraction else { throw TextProblem("only the last number may have a fraction") }
            nanoseconds += amount.nanoseconds(unit)
            hasFraction = !amount.fraction.isEmpty
            last = unit
        }
    }
}

extension [UInt8] {
    fileprivate var last20: [UInt8] { Array(suffix(20)) }
}

extension TextScanner {
    /// Reads one ASCII letter, and returns it in lower case.
    fileprivate mutating func letter() -> String? {
        guard let byte = next, byte.isASCIILetter else { return nil }
        let letter = Unicode.Scalar(byte.asciiLowercased)
        _ = take(letter)
        return String(letter)
    }
}

extension DurationText {
    /// Returns the short form for people: `2d`, `1h 30m`, `1m 1.5s`, `250ms`.
    ///
    /// It has whole nanoseconds, and ``parse(_:argument:)`` reads a positive duration up to ``longest`` back without
    /// loss. Zero is `0s`; a negative duration begins with a minus sign.
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

    /// Returns the form of ISO 8601: `PT1H30M`, `PT0.25S`, `P1DT2H`; zero is `PT0S`.
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

    /// The components of a duration; `seconds` is in nanoseconds, because it includes the fraction.
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

        /// Returns `value` in multiples of `unit`, a power of ten, without trailing zeros.
        static func decimal(_ value: UInt64, unit: UInt64) -> String {
            let whole = String(value / unit)
            var digits = String(value % unit + unit).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            return digits.isEmpty ? whole : whole + "." + digits
        }
    }
}
