public import ApusCalendar
public import ApusTimers

/// Instants as people type and read them.
public enum TimeText {
    /// Examples of every form that ``parse(_:now:timeZone:argument:)`` reads.
    public static let acceptedForms = [
        "17:30 (the next one)", "17:30:15", "5:30pm", "noon", "midnight", "in 5 minutes", "today 17:30",
        "tomorrow 9:00",
        "monday 09:00", "next friday (never today)",
        "2026-12-24 18:00", "2026-12-24 (midnight)", "2026-12-24T18:00:00Z", "2026-12-24T18:00:00+01:00",
        "@1798135200 (seconds since 1970)",
    ]

    /// Reads an instant after `now`.
    ///
    /// A time of day alone is the next such time; a weekday is the next such day on which that time is still to come, and
    /// with `next` before it never today. A day without a time of day means its midnight, with which it begins.
    /// Times without an offset are of `timeZone`. Where daylight saving skips the time, the first instant after the gap
    /// is meant; where it comes twice, the first of the two (for `17:30` and weekdays: never an instant that has
    /// passed). The rules of a zone are known until 2200; later times have its last offset.
    ///
    /// - Parameters:
    ///   - text: What was typed; letters may be in either case.
    ///   - now: The present, which decides what is next and what is past.
    ///   - timeZone: The zone of times without an offset.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: An instant after `now`.
    /// - Throws: ``TextError`` for an instant that is not after `now`, lies outside 1970–2553 or cannot be read.
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

    /// The zone of this machine with a name of the IANA database, such as `Europe/Berlin`, or `UTC`.
    ///
    /// - Throws: ``TextError`` when this system knows no such zone.
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
    /// The first instant, in seconds since 1970, at which a clock on the wall shows a date-time, or the end of the gap
    /// that skips it.
    func instant(of local: CivilDateTime) -> Int64 {
        switch localToInstants(local) {
        case .one(let instant), .repeated(first: let instant, second: _), .gap(before: _, after: let instant): instant
        }
    }
}

extension TimeText {
    /// Reads an instant with an offset in the form of RFC 3339, past or future: what `WallInstant.iso8601` gives,
    /// and the same with another offset or another number of digits after the point.
    ///
    /// - Throws: ``TextError`` without an offset, outside 1970–2200, and for what cannot be read.
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
    /// Examples of every form that ``parsePast(_:now:timeZone:argument:)`` reads.
    public static let acceptedPastForms = [
        "1h30m (that long ago)", "9:00 (the last one)", "today", "yesterday", "yesterday 9:00", "monday", "2026-11-24",
        "2026-11-24 18:00", "2026-11-24T18:00:00Z", "@1795456800 (seconds since 1970)",
    ]

    /// Reads an instant that has passed, as of `--since`.
    ///
    /// A time of day alone is the last such time, and a weekday the last such day; a day without a time of day means its
    /// midnight. A duration counts back from `now`. Times without an offset are of `timeZone`.
    ///
    /// - Parameters:
    ///   - text: What was typed; letters may be in either case.
    ///   - now: The present.
    ///   - timeZone: The zone of times without an offset.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: An instant that is not after `now`; 1970 for a duration that reaches further back.
    /// - Throws: ``TextError`` for an instant after `now`, before 1970, and for what cannot be read.
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
            // With a colon, it is a time of day (and no duration of minutes and seconds).
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
    /// The instant that is meant, which is not after `now`.
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
