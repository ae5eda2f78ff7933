/// A length of time as it is typed: months, days, and an exact rest.
///
/// These are separate because days and months differ in length.
package struct CalendarSpan: Hashable, Sendable {
    /// The number of months; a year counts as twelve.
    package var months = 0
    /// The number of days; a week counts as seven.
    package var days = 0
    /// The rest: units shorter than a day, and fractions of days and weeks.
    package var nanoseconds: UInt128 = 0

    /// The length if each day has 24 hours; nil if there are months, whose lengths differ.
    package var fixedNanoseconds: UInt128? {
        months == 0 ? nanoseconds + UInt128(days) * 86_400_000_000_000 : nil
    }

    /// The largest value of ``nanoseconds`` that is accepted, so that no sum overflows.
    ///
    /// It exceeds 100 years.
    static let largest = UInt128(10_000_000_000_000_000_000)

    mutating func add(_ amount: PhraseReader.Amount, _ unit: SpanUnit) -> Bool {
        guard let length = unit.nanoseconds else {
            guard amount.isWhole, amount.whole <= 1_200 else { return false }
            months += Int(amount.whole) * (unit == .year ? 12 : 1)
            return true
        }
        if unit.rawValue >= SpanUnit.day.rawValue, amount.whole <= 100_000 {
            days += Int(amount.whole) * (unit == .week ? 7 : 1)
        } else {
            nanoseconds += amount.whole * UInt128(length)
        }
        // The product does not overflow: the numerator is below 10^18, and the unit is below 10^15 nanoseconds.
        nanoseconds += amount.numerator * UInt128(length) / amount.denominator
        return true
    }
}

extension PhraseReader {
    /// The duration in `rate(5 minutes)`, as EventBridge writes it.
    var rate: String? {
        guard index == 0, next.lower == "rate", isSymbol("(", ahead: 1), text.hasSuffix(")") else { return nil }
        return String(text.drop { $0 != "(" }.dropFirst().dropLast())
    }

    /// A decimal number, kept as a fraction because it can be rounded only when its unit is known.
    struct Amount {
        var whole: UInt128
        var numerator: UInt128 = 0
        var denominator: UInt128 = 1

        var isWhole: Bool { numerator == 0 }
    }

    /// Reads `1h30m`, `1 hour and 30 minutes`, `half an hour`, `an hour and a half`.
    ///
    /// Units are in any order, and each occurs at most once. `M` is refused, because some programs read it as minutes
    /// and others as months.
    mutating func span() throws(ScheduleTextError) -> CalendarSpan {
        var span = CalendarSpan()
        var units: Set<SpanUnit> = []
        repeat {
            let start = next
            let amount: Amount
            let unit: SpanUnit
            if let part = halfOfUnit() {
                (amount, unit) = part
            } else {
                var number = try self.amount()
                if has(.and), has(.number(1), ahead: 1), has(.half, ahead: 2), self.unit(ahead: 3) != nil {
                    skip(3)
                    number = Amount(whole: number.whole, numerator: 1, denominator: 2)
                }
                guard next.kind == .word else {
                    if isAtEnd || next.kind == .number, !isAtEnd || !units.isEmpty || start.kind == .word {
                        throw error("a unit after each number; its last number, \(start.text), has no unit", at: start)
                    }
                    throw error("a unit of time such as s, m, h, d, minutes or hours")
                }
                guard next.text != "M" else {
                    throw error(
                        "m for minutes, or months as in “now + \(start.text) months”; M can be either, and is a month in systemd",
                        readings: ["m", " months"])
                }
                guard let named = self.unit(ahead: 0) else {
                    throw error("“\(next.text)” is not a unit of time; s, m, h, d, w and their names are")
                }
                skip()
                unit = named
                // A half can follow the unit, as in `an hour and a half`.
                if has(.and), has(.number(1), ahead: 1), has(.half, ahead: 2), self.unit(ahead: 3) == nil {
                    skip(3)
                    number = Amount(whole: number.whole, numerator: 1, denominator: 2)
                }
                amount = number
            }
            guard units.insert(unit).inserted else {
                throw error("units, each of them once; “\(chunk(start))” repeats one", at: start)
            }
            if unit == .day, vocabulary.countsWeeks(inDays: Int(clamping: amount.whole)) {
                throw error("a number of weeks; \(amount.whole) days can be meant as weeks", at: start)
            }
            guard span.add(amount, unit) else {
                throw error("a whole number of months or years, up to 1200", at: start)
            }
            guard span.nanoseconds <= CalendarSpan.largest else {
                throw error("at most 100 years; it is longer than 100 years", at: start)
            }
            if continues(ahead: 0) { continue }
            guard isSymbol(",") || has(.and), continues(ahead: has(.and, ahead: 1) ? 2 : 1) else { break }
            _ = takeSeparator()
        } while true
        return span
    }

    /// Whether the token at this distance begins another part of a span.
    private func continues(ahead count: Int) -> Bool {
        let token = ahead(count)
        if token.kind == .number { return !isSymbol(":", ahead: count + 1) && !isSymbol("-", ahead: count + 1) }
        guard token.kind == .word else { return false }
        return has(.half, ahead: count) && unit(ahead: count + 2) != nil
            || value(ahead: count, { if case .number = $0.meaning { true } else { nil } }) == true
                && unit(ahead: count + 1) != nil
    }

    /// Reads `half an hour`, `a quarter of an hour`.
    mutating func halfOfUnit() -> (Amount, SpanUnit)? {
        var rest = self
        _ = rest.take(.number(1))
        let denominator: UInt128
        if rest.take(.half) { denominator = 2 } else if rest.take(.quarter) { denominator = 4 } else { return nil }
        _ = rest.take(.of)
        _ = rest.take(.number(1))
        guard let unit = rest.unit(ahead: 0), unit.nanoseconds != nil else { return nil }
        rest.skip()
        self = rest
        return (Amount(whole: 0, numerator: 1, denominator: denominator), unit)
    }

    private mutating func amount() throws(ScheduleTextError) -> Amount {
        guard next.kind == .number else {
            guard let number = count() else { throw error("a number; “\(chunk(next))” does not begin with a number") }
            return Amount(whole: UInt128(number))
        }
        let digits = next.text.drop { $0 == "0" }
        guard digits.utf8.count <= 15 else { throw error("at most 100 years; it is longer than 100 years") }
        var amount = Amount(whole: UInt128(digits) ?? 0)
        skip()
        guard isSymbol(".", glued: true) || isSymbol(",", glued: true) && ahead(1).isGlued else { return amount }
        skip()
        guard next.kind == .number, next.isGlued else { throw error("a decimal point is followed by digits") }
        let fraction = next.text.prefix(18)
        amount.numerator = UInt128(fraction) ?? 0
        amount.denominator = (0..<fraction.utf8.count).reduce(1) { power, _ in power * 10 }
        skip()
        return amount
    }
}

extension CalendarSpan {
    /// Reads a length of time in words or with units.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``ScheduleTextError`` with the column.
    package init(_ text: String) throws(ScheduleTextError) {
        do { self = try Self.read(text) } catch {
            throw error.suggesting(instead: text) { text throws(ScheduleTextError) in
                _ = try Self.read(text)
                return text
            }
        }
    }

    private static func read(_ text: String) throws(ScheduleTextError) -> CalendarSpan {
        var reader = PhraseReader(text)
        if let rate = reader.rate {
            throw reader.error("a number and its unit, as in “5 minutes”", candidates: [rate])
        }
        let span = try reader.span()
        guard reader.isAtEnd else { throw reader.error("the end; “\(reader.chunk(reader.next))” cannot be read") }
        return span
    }
}
