public import ApusCalendar
public import ApusTimers

/// Conversions between instants and the texts that people type and read.
public enum TimeText {
    /// Examples of all forms that ``parse(_:now:timeZone:argument:)`` accepts.
    public static let acceptedForms = [
        "17:30 (the next one)", "17:30:15", "5:30pm", "noon", "midnight", "in 5 minutes", "today 17:30",
        "tomorrow 9:00",
        "monday 09:00", "next friday (never today)",
        "2026-12-24 18:00", "2026-12-24 (midnight)", "2026-12-24T18:00:00Z", "2026-12-24T18:00:00+01:00",
        "@1798135200 (seconds since 1970)",
    ]

    /// Parses a text that names an instant after `now`.
    ///
    /// A time of day alone is the next such time. A weekday is the next such day on which the time is still to come;
    /// after `next` it is never today. A day without a time of day is its midnight, at which it begins. Times without
    /// an offset are in `timeZone`. A time that daylight saving skips is the first instant after the gap; one that the
    /// clock shows twice is the first of the two (for `17:30` and weekdays never an instant that has passed).
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
        do throws(TextProblem) {
            let form = try TimeForm(parsing: text)
            return try form.instant(after: now, in: timeZone.rules)
        } catch {
            throw TextError(argument: argument, given: text, message: error.message, acceptedForms: acceptedForms)
        }
    }

    /// Returns the zone of this machine with a name of the IANA database, such as `Europe/Berlin`, or `UTC`.
    ///
    /// - Throws: ``TextError`` if this system has no such zone.
    public static func zone(named name: String, argument: String = "--tz") throws(TextError) -> ZoneDatabase.Zone {
        let name = name.trimmingSpaces
        do { return try SystemTimeZones.shared.zone(name) } catch {
            throw TextError(
                argument: argument, given: name, message: error.description,
                acceptedForms: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
        }
    }
}

extension TimeZoneRules {
    /// Returns the first instant, in seconds since 1970, at which a local clock shows a date-time, or the end of the
    /// gap that skips it.
    func instant(of local: CivilDateTime) -> Int64 {
        switch localToInstants(local) {
        case .one(let instant), .repeated(first: let instant, second: _), .gap(before: _, after: let instant): instant
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
            guard case .absolute(let seconds, let nanosecond) = try TimeForm(parsing: text) else {
                throw TextProblem("it has no offset from UTC")
            }
            return try TimeForm.wall(seconds, nanosecond)
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
        "1h30m (that long ago)", "9:00 (the last one)", "today", "yesterday", "yesterday 9:00", "monday", "2026-11-24",
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
        do throws(TextProblem) {
            return try pastInstant(text, now: now, in: timeZone.rules)
        } catch {
            throw TextError(argument: argument, given: text, message: error.message, acceptedForms: acceptedPastForms)
        }
    }

    private static func pastInstant(
        _ text: String, now: WallInstant, in zone: TimeZoneRules
    ) throws(TextProblem) -> WallInstant {
        let words = text.trimmingSpaces.lowercased()
        let form: TimeForm
        switch words {
        case "today": form = .relative(days: 0, .init())
        case "yesterday": form = .relative(days: -1, .init())
        case _ where words.hasPrefix("yesterday "):
            guard case .relative(0, let time) = try TimeForm(parsing: "today" + words.dropFirst("yesterday".count))
            else { throw TextProblem("“\(text)” cannot be read") }
            form = .relative(days: -1, time)
        default:
            // A text with a colon is a time of day here, not a duration of minutes and seconds.
            if !words.contains(":"), let duration = try? DurationText.parseWithoutContext(words) {
                let (instant, overflow) = now.nanoseconds.subtractingReportingOverflow(
                    UInt64(duration.wholeNanoseconds))
                return WallInstant(nanoseconds: overflow ? 0 : instant)
            }
            form = try TimeForm(parsing: text)
        }
        return try form.instant(notAfter: now, in: zone)
    }
}

extension TimeForm {
    /// Returns the instant that the text names, which is not after `now`.
    fileprivate func instant(notAfter now: WallInstant, in zone: TimeZoneRules) throws(TextProblem) -> WallInstant {
        let today = zone.local(at: Int64(now.nanoseconds / 1_000_000_000)).date
        func instant(_ days: Int, _ time: TimeOfDay) throws(TextProblem) -> WallInstant {
            try Self.wall(zone.instant(of: time.on(today, days: days)), time.nanosecond)
        }
        let found: WallInstant
        switch self {
        case .next(let time):
            let latest = try instant(0, time)
            found = latest > now ? try instant(-1, time) : latest
        case .weekday(let weekday, let time, false):
            let back = (today.weekday.rawValue - weekday.rawValue + 7) % 7
            let latest = try instant(-back, time)
            found = latest > now ? try instant(-back - 7, time) : latest
        case .relative(let days, let time): found = try instant(days, time)
        case .secondsSince1970(let seconds): found = try Self.wall(seconds, 0)
        case .local(let civil, let nanosecond): found = try Self.wall(zone.instant(of: civil), nanosecond)
        case .absolute(let seconds, let nanosecond): found = try Self.wall(seconds, nanosecond)
        case .after, .weekday: throw TextProblem("it lies in the future")
        }
        guard found <= now else { throw TextProblem("it lies in the future; now it is \(now.iso8601)") }
        return found
    }
}
