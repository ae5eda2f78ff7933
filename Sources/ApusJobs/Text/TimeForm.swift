import ApusCalendar
import ApusTimers

/// A parsed text that names an instant, before the present and the zone are known.
enum TimeForm: Hashable {
    /// The next such time of day: `17:30`, `noon`.
    case next(TimeOfDay)
    /// A day relative to today: `today 17:30`, `tomorrow 9:00`, `tomorrow`.
    case relative(days: Int, TimeOfDay)
    /// A weekday: `monday 09:00`, `monday`; `next monday` is never today.
    case weekday(Weekday, TimeOfDay, notToday: Bool)
    /// A duration from now: `in 5 minutes`.
    case after(Duration)
    /// Seconds since 1970 in UTC: `@1798135200`.
    case secondsSince1970(Int64)
    /// A local date-time in the zone of the user: `2026-12-24 18:00`.
    case local(CivilDateTime, nanosecond: Int)
    /// A date-time with an offset (RFC 3339), as seconds since 1970 in UTC.
    case absolute(Int64, nanosecond: Int)

    struct TimeOfDay: Hashable {
        var hour = 0
        var minute = 0
        var second = 0
        var nanosecond = 0

        /// Returns the date-time with this time of day, a number of days after a date.
        func on(_ date: CivilDate, days: Int = 0) -> CivilDateTime {
            let date = CivilDate(dayNumber: date.dayNumber + days)
            return CivilDateTime(
                localSeconds: Int64(date.dayNumber * 86_400 + hour * 3_600 + minute * 60 + second))
        }
    }

    /// Parses any of the forms.
    init(parsing text: String) throws(TextProblem) {
        var scanner = TextScanner(text.trimmingSpaces)
        guard let first = scanner.next else { throw TextProblem("it is empty") }
        if first.isASCIILetter {
            self = try Self.named(&scanner)
        } else if scanner.take("@") {
            self = .secondsSince1970(try Self.wholeNumber(&scanner))
        } else if let date = try Self.date(&scanner) {
            self = try Self.dated(date, &scanner)
        } else {
            self = .next(try Self.timeOfDay(&scanner))
        }
        guard scanner.isAtEnd else { throw TextProblem("“\(scanner.rest)” cannot be read") }
    }

    private static func named(_ scanner: inout TextScanner) throws(TextProblem) -> TimeForm {
        let start = scanner
        var name = scanner.letters()
        if let time = timesWithNames[name] { return .next(time) }
        if name == "in" { return .after(try duration(&scanner)) }
        let isNext = name == "next"
        if isNext {
            scanner.skipSpaces()
            name = scanner.letters()
        }
        let weekday = Weekday.allCases.first { $0.name == name || $0.name.prefix(3) == name }
        guard weekday != nil || !isNext else {
            throw TextProblem("“\(start.rest)” cannot be read; “next” is followed by a weekday, as in “next friday”")
        }
        guard weekday != nil || name == "today" || name == "tomorrow" else {
            throw TextProblem("“\(name)” is no weekday, and none of today, tomorrow, noon, midnight, next and in")
        }
        scanner.skipSpaces()
        guard !scanner.isAtEnd || name != "today" else {
            throw TextProblem("the time of day is missing, as in “today 17:30”")
        }
        // A day without a time of day is its midnight, as for a date.
        let time = scanner.isAtEnd ? TimeOfDay() : try timeOfDay(&scanner)
        if let weekday { return .weekday(weekday, time, notToday: isNext) }
        return .relative(days: name == "today" ? 0 : 1, time)
    }

    private static let timesWithNames = ["noon": TimeOfDay(hour: 12), "midnight": TimeOfDay()]

    /// Parses the duration after `in`.
    private static func duration(_ scanner: inout TextScanner) throws(TextProblem) -> Duration {
        scanner.skipSpaces()
        guard !scanner.isAtEnd else { throw TextProblem("the duration is missing, as in “in 5 minutes”") }
        let duration = try DurationText.parseWithoutContext(scanner.rest)
        scanner.skipRest()
        return duration
    }

    private static func wholeNumber(_ scanner: inout TextScanner) throws(TextProblem) -> Int64 {
        let digits = scanner.digits()
        // 15 digits fit into an Int64, and exceed every valid instant.
        guard (1...15).contains(digits.count) else {
            throw TextProblem("“@” is followed by seconds since 1970, as in @1798135200")
        }
        return digits.reduce(0) { $0 * 10 + Int64($1) }
    }

    /// Parses a date such as `2026-12-24`; returns `nil` if the text does not begin like a date.
    private static func date(_ scanner: inout TextScanner) throws(TextProblem) -> CivilDate? {
        let start = scanner
        guard let year = scanner.number(digits: 4), scanner.take("-") else {
            scanner = start
            return nil
        }
        guard let month = scanner.number(digits: 2), scanner.take("-"), let day = scanner.number(digits: 2) else {
            throw TextProblem("a date is year-month-day, as in 2026-12-24")
        }
        guard (1...12).contains(month) else { throw TextProblem("there is no month \(month)") }
        guard (1...CivilDate.days(inMonth: month, year: year)).contains(day) else {
            throw TextProblem("month \(month) of \(year) has no day \(day)")
        }
        guard (1970...2200).contains(year), let date = CivilDate(year: year, month: month, day: day) else {
            throw TextProblem("the year is not within 1970–2200")
        }
        return date
    }

    /// Parses the rest after a date: nothing, a time of day, or a time of day with an offset.
    private static func dated(_ date: CivilDate, _ scanner: inout TextScanner) throws(TextProblem) -> TimeForm {
        if scanner.isAtEnd { return .local(TimeOfDay().on(date), nanosecond: 0) }
        if scanner.take("t") {
            // RFC 3339, as programs write it.
        } else {
            guard scanner.next == UInt8(ascii: " ") else { throw TextProblem("“\(scanner.rest)” cannot be read") }
            scanner.skipSpaces()
        }
        let time = try timeOfDay(&scanner)
        let local = time.on(date)
        guard let offset = try offset(&scanner) else { return .local(local, nanosecond: time.nanosecond) }
        return .absolute(local.localSeconds - offset, nanosecond: time.nanosecond)
    }

    /// Parses `Z` or `+01:00`; returns `nil` if there is no offset.
    private static func offset(_ scanner: inout TextScanner) throws(TextProblem) -> Int64? {
        if scanner.take("z") { return 0 }
        let sign: Int64
        if scanner.take("+") { sign = 1 } else if scanner.take("-") { sign = -1 } else { return nil }
        guard let hours = scanner.number(digits: 2), scanner.take(":"), let minutes = scanner.number(digits: 2),
            hours < 24, minutes < 60
        else { throw TextProblem("an offset from UTC is like +01:00") }
        return sign * Int64(hours * 3_600 + minutes * 60)
    }

    /// Parses `17:30`, `17:30:15`, `17:30:15.250`, `5:30pm`, `5pm`, `noon` or `midnight`.
    private static func timeOfDay(_ scanner: inout TextScanner) throws(TextProblem) -> TimeOfDay {
        var ahead = scanner
        if let time = timesWithNames[ahead.letters()] {
            scanner = ahead
            return time
        }
        guard let hour = scanner.number(upToDigits: 2) else {
            throw TextProblem("“\(scanner.rest)” is not a time of day")
        }
        var time = TimeOfDay(hour: hour)
        let hasMinutes = scanner.take(":")
        if hasMinutes {
            guard let minute = scanner.number(digits: 2) else { throw TextProblem("minutes have two digits") }
            time.minute = minute
            if scanner.take(":") {
                guard let second = scanner.number(digits: 2) else { throw TextProblem("seconds have two digits") }
                time.second = second
                if scanner.take(".") {
                    guard let fraction = scanner.nanosecondFraction() else {
                        throw TextProblem("a decimal point is followed by digits")
                    }
                    time.nanosecond = fraction
                }
            }
        }
        guard time.minute < 60, time.second < 60 else { throw TextProblem("minutes and seconds are 00 to 59") }
        if let half = takeHalf(&scanner) {
            guard (1...12).contains(hour) else { throw TextProblem("before am and pm the hour is 1 to 12") }
            time.hour = hour % 12 + (half == .pm ? 12 : 0)
        } else {
            guard hasMinutes else { throw TextProblem("the minutes are missing, as in \(hour):00") }
            guard hour < 24 else { throw TextProblem("the hour is 0 to 23") }
        }
        return time
    }

    private enum Half { case am, pm }

    private static func takeHalf(_ scanner: inout TextScanner) -> Half? {
        var ahead = scanner
        ahead.skipSpaces()
        let half: Half
        if ahead.take("a") { half = .am } else if ahead.take("p") { half = .pm } else { return nil }
        guard ahead.take("m") else { return nil }
        scanner = ahead
        return half
    }
}

// MARK: - Resolving

extension TimeForm {
    /// Returns the instant that the text names, which is after `now`.
    func instant(after now: WallInstant, in zone: TimeZoneRules) throws(TextProblem) -> WallInstant {
        let nowSeconds = Int64(now.nanoseconds / 1_000_000_000)
        let today = zone.local(at: nowSeconds).date
        switch self {
        case .next(let time):
            return try Self.first(of: 0...2, from: today, time, after: now, in: zone)
        case .weekday(let weekday, let time, let notToday):
            let ahead = (weekday.rawValue - today.weekday.rawValue + 7) % 7
            let days = notToday && ahead == 0 ? [7, 14] : [ahead, ahead + 7]
            return try Self.first(of: days, from: today, time, after: now, in: zone)
        case .after(let duration):
            return try Self.checked(now.advanced(by: duration))
        case .secondsSince1970(let seconds):
            return try Self.future(Self.wall(seconds, 0), now)
        case .relative(let days, let time):
            let instant = try Self.wall(zone.instant(of: time.on(today, days: days)), time.nanosecond)
            guard instant > now else { throw TextProblem("this time has passed today") }
            return instant
        case .local(let civil, let nanosecond):
            return try Self.future(Self.wall(zone.instant(of: civil), nanosecond), now)
        case .absolute(let seconds, let nanosecond):
            return try Self.future(Self.wall(seconds, nanosecond), now)
        }
    }

    /// Returns the first instant after `now` with this time of day on one of the days.
    ///
    /// Several days are tried because a change of the zone's offset can move the time of one of them into the past.
    private static func first(
        of days: some Sequence<Int>, from today: CivilDate, _ time: TimeOfDay, after now: WallInstant,
        in zone: TimeZoneRules
    ) throws(TextProblem) -> WallInstant {
        for day in days {
            let instant = try wall(zone.instant(of: time.on(today, days: day)), time.nanosecond)
            if instant > now { return instant }
        }
        throw TextProblem("there is no such time in the days ahead")
    }

    private static func future(_ instant: WallInstant, _ now: WallInstant) throws(TextProblem) -> WallInstant {
        guard instant > now else {
            throw TextProblem("it lies in the past; now it is \(now.iso8601)")
        }
        return instant
    }

    /// Returns an instant of the wall clock, or throws if no job can be due then.
    static func wall(_ seconds: Int64, _ nanosecond: Int) throws(TextProblem) -> WallInstant {
        guard seconds >= 0 else { throw outside }
        return try checked(WallInstant(secondsSince1970: seconds).advanced(by: .nanoseconds(nanosecond)))
    }

    private static func checked(_ instant: WallInstant) throws(TextProblem) -> WallInstant {
        guard instant <= .lastDue else { throw outside }
        return instant
    }

    private static let outside = TextProblem("the instant is not within 1970–2200")
}
