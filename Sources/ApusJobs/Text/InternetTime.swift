import ApusCalendar

/// Parses instants as programs write them, in the form of RFC 3339: `2026-12-24T18:00:00.250+01:00`.
///
/// It is separate from the parser of the texts that people type, because stores and the API read many instants.
enum InternetTime {
    /// Returns the seconds since 1970, and the nanosecond within the second.
    static func parse(_ text: String) throws(TextProblem) -> (seconds: Int64, nanosecond: Int) {
        var scanner = TextScanner(text.trimmingWhitespace)
        let date = try date(&scanner)
        guard scanner.take("t") || scanner.take(" ") else { throw TextProblem("it has no time of day") }
        guard let hour = scanner.number(digits: 2), scanner.take(":"), let minute = scanner.number(digits: 2) else {
            throw TextProblem("a time of day must be like 18:00:00")
        }
        var (second, nanosecond) = (0, 0)
        if scanner.take(":") {
            guard let number = scanner.number(digits: 2) else { throw TextProblem("seconds must have two digits") }
            second = number
            if scanner.take(".") {
                guard let fraction = scanner.nanosecondFraction() else {
                    throw TextProblem("a decimal point must be followed by digits")
                }
                nanosecond = fraction
            }
        }
        guard let time = CivilTime(hour: hour, minute: minute, second: second) else {
            throw TextProblem("hours must be 00 to 23, minutes and seconds 00 to 59")
        }
        let offset = try offset(&scanner)
        guard scanner.isAtEnd else { throw TextProblem("“\(scanner.rest)” cannot be read") }
        return (CivilDateTime(date: date, time: time).localSeconds - offset, nanosecond)
    }

    private static func date(_ scanner: inout TextScanner) throws(TextProblem) -> CivilDate {
        guard let year = scanner.number(digits: 4), scanner.take("-"), let month = scanner.number(digits: 2),
            scanner.take("-"), let day = scanner.number(digits: 2)
        else { throw TextProblem("a date must be year-month-day, as in 2026-12-24") }
        guard (1970...2200).contains(year) else { throw TextProblem("the year is not within 1970–2200") }
        guard let date = CivilDate(year: year, month: month, day: day) else {
            throw TextProblem("month \(month) of \(year) has no day \(day)")
        }
        return date
    }

    private static func offset(_ scanner: inout TextScanner) throws(TextProblem) -> Int64 {
        if scanner.take("z") { return 0 }
        let sign: Int64
        if scanner.take("+") {
            sign = 1
        } else if scanner.take("-") {
            sign = -1
        } else {
            throw TextProblem("it has no offset from UTC, such as Z or +01:00")
        }
        guard let hours = scanner.number(digits: 2), scanner.take(":"), let minutes = scanner.number(digits: 2),
            hours < 24, minutes < 60
        else { throw TextProblem("an offset from UTC must be like +01:00") }
        return sign * Int64(hours * 3_600 + minutes * 60)
    }
}
