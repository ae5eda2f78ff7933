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
