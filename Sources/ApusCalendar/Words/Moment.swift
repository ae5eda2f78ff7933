/// The contents of a text about one instant, before the present and the zone are known.
///
/// The text may be in words, or in a form of at(1) (`teatime tomorrow`, `now + 5 minutes`), of systemd.time(7) (`Fri
/// 2026-11-27 18:00 UTC`, `+3h30min`) or of ISO 8601.
package struct Moment: Hashable, Sendable {
    package enum Zone: Hashable, Sendable {
        /// A name of the IANA database.
        case named(String)
        /// Seconds east of UTC.
        case offset(Int)
    }

    enum Base: Hashable, Sendable {
        case now
        case secondsSince1970(Int64)
        /// A day and a time of day; without a day, the next such time is meant, and without a time, midnight.
        case local(PhraseDay?, DayTime?)
    }

    var base: Base
    /// The span that is added to the base, or subtracted if ``isBack`` is true.
    var span = CalendarSpan()
    var isBack = false
    /// Whether a span was typed; a typed span may be zero.
    var isSpan = false
    /// The zone that the text names.
    package var zone: Zone?

    /// The values that determine, together with the text, which instant is meant: the present, the rules of a zone, and
    /// whether a past instant is meant.
    package struct Present {
        package var seconds: Int64
        package var nanosecond: Int
        package var rules: TimeZoneRules
        package var isPast: Bool

        /// Creates the values for one reading of a text.
        ///
        /// - Parameters:
        ///   - seconds: The present, in seconds since 1970.
        ///   - nanosecond: The nanosecond within that second.
        ///   - rules: The rules of the zone in which the text is read; if the text names a zone, the rules of
        ///     ``Moment/zone``.
        ///   - isPast: Whether the last such instant is meant instead of the next one.
        package init(seconds: Int64, nanosecond: Int, rules: TimeZoneRules, isPast: Bool = false) {
            (self.seconds, self.nanosecond, self.rules, self.isPast) = (seconds, nanosecond, rules, isPast)
        }
    }
}

/// The reason why a moment has no instant.
package struct MomentProblem: Error {
    package var message: String
    /// Whether the text names an instant that has passed, and can mean no later one.
    package var hasPassed = false
}

extension Moment {
    /// The instant in nanoseconds since 1970: the next such instant after the present, or the last one if
    /// ``Present/isPast`` is true.
    ///
    /// If the clock skips the time, the instant is the first one after the gap. If the clock shows the time twice, the
    /// instant is the first of the two.
    ///
    /// - Parameter present: The present, and the rules of the zone that the text or the caller names.
    /// - Returns: Nanoseconds since 1970, not after 2200.
    /// - Throws: ``MomentProblem`` if there is no such instant.
    package func nanoseconds(at present: Present) throws(MomentProblem) -> Int128 {
        let now = Int128(present.seconds) * Self.second + Int128(present.nanosecond)
        if !present.isPast, base == .local(.relative(0), nil), span == CalendarSpan() {
            throw MomentProblem(message: "the time of day is missing, as in “today 17:30”", hasPassed: true)
        }
        let instant: Int128
        switch base {
        case .now where !present.isPast && isSpan && span == CalendarSpan():
            throw MomentProblem(message: "a duration must be longer than zero")
        case .now: instant = try moved(now, present)
        case .secondsSince1970(let seconds): instant = Int128(seconds) * Self.second
        case .local(let day, let time): instant = try local(day, time, now, present)
        }
        if present.isPast {
            guard instant <= now else { throw MomentProblem(message: "it lies in the future") }
        } else {
            guard instant > now else {
                throw MomentProblem(
                    message: day == .relative(0) ? "this time has passed today" : "it lies in the past", hasPassed: true
                )
            }
        }
        return instant
    }

    private static let second: Int128 = 1_000_000_000

    private var day: PhraseDay? { if case .local(let day, _) = base { day } else { nil } }

    private func local(
        _ day: PhraseDay?, _ time: DayTime?, _ now: Int128, _ present: Present
    ) throws(MomentProblem) -> Int128 {
        let local = clock(at: present.seconds, present)
        let today = local.date
        let direction = present.isPast ? -1 : 1
        func on(_ date: CivilDate) throws(MomentProblem) -> Int128 {
            let seconds = instant(
                of: CivilDateTime(date: date, time: CivilTime(unchecked: time?.second ?? 0)), present)
            return try moved(Int128(seconds) * Self.second + Int128(time?.nanosecond ?? 0), present)
        }
        func first(_ days: [Int]) throws(MomentProblem) -> Int128 {
            var last: Int128?
            for ahead in days {
                let found = try on(CivilDate(dayNumber: today.dayNumber + ahead * direction))
                if present.isPast ? found <= now : found > now { return found }
                last = found
            }
            return last ?? now
        }
        switch day {
        case nil:
            let found = try first([0, 1, 2])
            // If this hour is more than half a day away, the same hour in the other half of the day is nearer to the
            // present.
            if let time, time.isHourAlone, (present.isPast ? now - found + 1 : found - now) > 43_200 * Self.second {
                let (hour, later) = (time.second / 3_600, "\(time.second / 3_600 + 12):00")
                let isToday = try on(today) <= now
                throw MomentProblem(
                    message: "\(hour) alone can be \(hour):00 "
                        + (present.isPast
                            ? "or \(later) \(isToday ? "today" : "yesterday")" : "tomorrow or \(later) today"))
            }
            return found
        case .thisWeekday(let weekday):
            guard !present.isPast else { throw MomentProblem(message: "it lies in the future") }
            return try first([(weekday - today.weekday.rawValue + 7) % 7])
        case .weekday(let weekday, let isNext):
            guard !isNext || !present.isPast else { throw MomentProblem(message: "it lies in the future") }
            let ahead = ((weekday - today.weekday.rawValue) * direction + 14) % 7
            return try first(isNext && ahead == 0 ? [7, 14] : [ahead, ahead + 7])
        case .yearly(let month, let date):
            for year in 0...8 {
                guard let date = CivilDate(year: today.year + year * direction, month: month, day: date) else {
                    continue
                }
                let found = try on(date)
                if present.isPast ? found <= now : found > now { return found }
                if date == today, !present.isPast {
                    throw MomentProblem(message: "this time has passed today", hasPassed: true)
                }
            }
            throw MomentProblem(message: "there is no such day")
        case .following(let unit):
            var span = CalendarSpan()
            _ = span.add(PhraseReader.Amount(whole: 1), unit)
            let later = Moment(base: .now, span: span, isSpan: true, zone: zone)
            let instant = try later.moved(now, present)
            guard time != nil else { return try moved(instant, present) }
            return try on(clock(at: Int64(instant / Self.second), present).date)
        case .relative(let days): return try on(CivilDate(dayNumber: today.dayNumber + days))
        case .date(let date): return try on(date)
        }
    }

    /// Moves an instant by the span: first by months and days on the calendar, then by the rest as elapsed time.
    private func moved(_ instant: Int128, _ present: Present) throws(MomentProblem) -> Int128 {
        guard span != CalendarSpan() else { return instant }
        let sign = isBack ? -1 : 1
        var result = instant
        if span.months != 0 || span.days != 0 {
            let seconds = Int64(clamping: instant / Self.second)
            let fraction = instant - Int128(seconds) * Self.second
            let local = clock(at: seconds, present)
            let month = local.date.year * 12 + local.date.month - 1 + sign * span.months
            guard let first = CivilDate(year: floorDiv(month, 12), month: floorMod(month, 12) + 1, day: 1),
                let date = CivilDate(year: first.year, month: first.month, day: local.date.day)
            else { throw MomentProblem(message: "that month has no day \(local.date.day)") }
            let moved = CivilDate(dayNumber: date.dayNumber + sign * span.days)
            guard CivilDate.years.contains(moved.year) else { throw Self.outside }
            result =
                Int128(self.instant(of: CivilDateTime(date: moved, time: local.time), present)) * Self.second + fraction
        }
        return result + Int128(sign) * Int128(span.nanoseconds)
    }

    private static let outside = MomentProblem(message: "the instant is not within 1970–2200")

    private func clock(at seconds: Int64, _ present: Present) -> CivilDateTime {
        if case .offset(let offset)? = zone { return CivilDateTime(localSeconds: seconds + Int64(offset)) }
        return present.rules.local(at: seconds)
    }

    private func instant(of local: CivilDateTime, _ present: Present) -> Int64 {
        if case .offset(let offset)? = zone { return local.localSeconds - Int64(offset) }
        return switch present.rules.localToInstants(local) {
        case .one(let instant), .repeated(first: let instant, second: _), .gap(before: _, after: let instant): instant
        }
    }
}
