public import ApusCalendar
public import ApusTimers

/// Conversions between instants and the texts that people type and read.
public enum TimeText {
    /// Examples of all forms that ``parse(_:now:timeZone:argument:)`` accepts.
    public static let acceptedForms = [
        "17:30 (the next one)", "5:30pm", "noon", "in 5 minutes", "now + 2 weeks", "today 17:30", "tomorrow 9:00",
        "friday at 16:00", "next friday (never today)", "Dec 24 18:00", "2026-12-24 18:00", "2026-12-24 (midnight)",
        "2026-12-24 18:00 Europe/London", "2026-12-24T18:00:00+01:00", "@1798135200 (seconds since 1970)",
    ]

    /// Parses a text that names an instant after `now`.
    ///
    /// A time of day alone is the next such time. A weekday is the next such day on which the time is still to come, so
    /// it can be today; with `next` it is never today. A day without a time of day means the midnight at which it
    /// begins. Times without an offset are in `timeZone`.
    ///
    /// If daylight saving skips a time, the first instant after the gap is meant. If the clock shows a time twice, the
    /// first instant is meant; once that has passed, `17:30` or a weekday means a later day, not the second instant.
    ///
    /// - Parameters:
    ///   - text: The text; letters may be in either case.
    ///   - now: The present, which determines what is next and what has passed.
    ///   - timeZone: The zone of times without an offset.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: An instant after `now`.
    /// - Throws: ``TextError`` for an instant that is not after `now` or not within 1970–2200, and for a text that
    ///   cannot be parsed.
    public static func parse(
        _ text: String, now: WallInstant, timeZone: ZoneDatabase.Zone, argument: String = "time"
    ) throws(TextError) -> WallInstant {
        try instant(
            text, now: now, timeZone: timeZone, isPast: false, argument: argument, acceptedForms: acceptedForms)
    }

    /// Parses a text that names an instant after `now`, or one that has passed if the text can mean no later one.
    ///
    /// A time of day alone is the next such time, as for ``parse(_:now:timeZone:argument:)``.
    package static func parseAny(
        _ text: String, now: WallInstant, timeZone: ZoneDatabase.Zone, argument: String
    ) throws(TextError) -> WallInstant {
        try instant(
            text, now: now, timeZone: timeZone, isPast: false, orPast: true, argument: argument,
            acceptedForms: acceptedForms)
    }

    private static func instant(
        _ text: String, now: WallInstant, timeZone: ZoneDatabase.Zone, isPast: Bool, orPast: Bool = false,
        argument: String, acceptedForms: [String]
    ) throws(TextError) -> WallInstant {
        func wrong(_ message: String, _ suggestions: [String] = []) -> TextError {
            TextError(
                argument: argument, given: text, message: message, acceptedForms: acceptedForms,
                suggestions: suggestions)
        }
        let moment: Moment
        do { moment = try Moment(text) } catch {
            // A suggestion can name an instant that this call refuses. `yesterday`, for example, is no instant for a
            // job.
            let works = error.suggestions.filter { suggestion in
                let instant = try? instant(
                    suggestion, now: now, timeZone: timeZone, isPast: isPast, orPast: orPast, argument: argument,
                    acceptedForms: acceptedForms)
                return instant != nil
            }
            throw wrong(error.problem, works)
        }
        var rules = timeZone.rules
        if case .named(let name)? = moment.zone { rules = try zone(named: name, argument: argument).rules }
        let (seconds, nanosecond) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        func found(isPast: Bool) throws(MomentProblem) -> Int128 {
            try moment.nanoseconds(
                at: .init(seconds: Int64(seconds), nanosecond: Int(nanosecond), rules: rules, isPast: isPast))
        }
        let nanoseconds: Int128
        do { nanoseconds = try found(isPast: isPast) } catch {
            guard orPast, error.hasPassed, let past = try? found(isPast: true) else {
                throw wrong(
                    error.message.hasPrefix("it lies") ? "\(error.message); now it is \(now.iso8601)" : error.message)
            }
            nanoseconds = past
        }
        guard let instant = UInt64(exactly: nanoseconds).map(WallInstant.init(nanoseconds:)), instant <= .lastDue else {
            throw wrong(outside.message)
        }
        return instant
    }

    private static let outside = TextProblem("the instant is not within 1970–2200")

    /// Returns the zone of this machine with a name of the IANA database, such as `Europe/Berlin`, or `UTC`.
    ///
    /// - Throws: ``TextError`` if this system has no such zone.
    public static func zone(named name: String, argument: String = "--tz") throws(TextError) -> ZoneDatabase.Zone {
        let name = name.trimmingWhitespace
        do { return try SystemTimeZones.shared.zone(name) } catch {
            throw TextError(
                argument: argument, given: name, message: error.description,
                acceptedForms: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
        }
    }
}

extension TimeText {
    /// Parses an instant with an offset in the form of RFC 3339, past or future.
    ///
    /// It reads the form of `WallInstant.iso8601`, and the same with another offset or another number of decimals.
    ///
    /// - Throws: ``TextError`` for a text without an offset, an instant outside 1970–2200, and a text that cannot be
    ///   parsed.
    public static func parseISO8601(_ text: String, argument: String = "instant") throws(TextError) -> WallInstant {
        do throws(TextProblem) {
            let (seconds, nanosecond) = try InternetTime.parse(text)
            guard seconds >= 0 else { throw outside }
            let instant = WallInstant(secondsSince1970: seconds).advanced(by: .nanoseconds(nanosecond))
            guard instant <= .lastDue else { throw outside }
            return instant
        } catch {
            throw TextError(
                argument: argument,
                given: text,
                message: error.message,
                acceptedForms: ["2026-12-24T18:00:00.000Z", "2026-12-24T18:00:00+01:00"]
            )
        }
    }
}

extension TimeText {
    /// Examples of all forms that ``parsePast(_:now:timeZone:argument:)`` accepts.
    public static let acceptedPastForms = [
        "1h30m (that long ago)", "2 hours ago", "9:00 (the last one)", "today", "yesterday", "yesterday 9:00", "monday",
        "2026-11-24",
        "2026-11-24 18:00", "2026-11-24T18:00:00Z", "@1795456800 (seconds since 1970)",
    ]

    /// Parses a text that names an instant that has passed, such as the argument of `--since`.
    ///
    /// A time of day alone is the last such time, and a weekday the last such day; a day without a time of day is its
    /// midnight. A duration counts back from `now`. Times without an offset are in `timeZone`.
    ///
    /// - Parameters:
    ///   - text: The text; letters may be in either case.
    ///   - now: The present.
    ///   - timeZone: The zone of times without an offset.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: An instant that is not after `now`; the beginning of 1970 for a duration that reaches further back.
    /// - Throws: ``TextError`` for an instant after `now` or before 1970, and for a text that cannot be parsed.
    public static func parsePast(
        _ text: String, now: WallInstant, timeZone: ZoneDatabase.Zone, argument: String = "--since"
    ) throws(TextError) -> WallInstant {
        // A text with a colon is a time of day here, not a duration of minutes and seconds.
        if !text.contains(":"), let duration = try? DurationText.parse(text) {
            let (instant, overflow) = now.nanoseconds.subtractingReportingOverflow(UInt64(duration.wholeNanoseconds))
            return WallInstant(nanoseconds: overflow ? 0 : instant)
        }
        return try instant(
            text, now: now, timeZone: timeZone, isPast: true, argument: argument, acceptedForms: acceptedPastForms)
    }
}
