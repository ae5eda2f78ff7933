public import ApusTimers

#if canImport(FoundationEssentials)
    public import FoundationEssentials
    // Without it, only UTC and fixed offsets are zones on Linux.
    import FoundationInternationalization
#else
    public import Foundation
#endif

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
    /// passed).
    ///
    /// - Parameters:
    ///   - text: What was typed; letters may be in either case.
    ///   - now: The present, which decides what is next and what is past.
    ///   - timeZone: The zone of times without an offset.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: An instant after `now`.
    /// - Throws: ``TextError`` for an instant that is not after `now`, lies outside 1970–2553 or cannot be read.
    public static func parse(
        _ text: String, now: WallInstant, timeZone: TimeZone, argument: String = "time"
    ) throws(TextError) -> WallInstant {
        do throws(TextProblem) {
            let form = try TimeForm(parsing: text)
            return try form.instant(after: now, in: ZoneRules(timeZone))
        } catch {
            throw TextError(argument: argument, given: text, message: error.message, acceptedForms: acceptedForms)
        }
    }

    /// The zone with a name of the IANA database, such as `Europe/Berlin`, or `UTC`.
    ///
    /// - Throws: ``TextError`` when this system knows no such zone.
    public static func zone(named name: String, argument: String = "--tz") throws(TextError) -> TimeZone {
        let name = name.trimmingSpaces
        // On Linux an identifier is looked up as a file; only what can be a name may become part of a path.
        let isName = name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_/-+".utf8.contains($0) }
        guard !name.isEmpty, isName, !name.hasPrefix("/"), let zone = TimeZone(identifier: name) else {
            throw TextError(
                argument: argument,
                given: name,
                message: "there is no time zone of this name",
                acceptedForms: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]
            )
        }
        return zone
    }
}

/// The offsets of a zone, as a function of the instant.
struct ZoneRules {
    private let zone: TimeZone

    init(_ zone: TimeZone) { self.zone = zone }

    /// Seconds to add to UTC at that many seconds since 1970.
    func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }

    /// The time that a clock on the wall shows.
    func civil(at seconds: Int64) -> CivilTime {
        CivilTime(secondsSince1970: seconds + offset(at: seconds))
    }

    /// The first instant at which a clock on the wall shows `civil`, or the end of the gap that skips it.
    func instant(of civil: CivilTime) -> Int64 {
        // Offsets are less than a day, so these two are the offsets before and after whatever happens on that day.
        let shown = civil.secondsSince1970
        let before = offset(at: shown - 86_400)
        let after = offset(at: shown + 86_400)
        let candidates = [shown - before, shown - after].sorted()
        if let first = candidates.first(where: { $0 + offset(at: $0) == shown }) { return first }

        // In a gap the smaller candidate lies before the change and the larger one after it.
        var (old, new) = (candidates[0], candidates[1])
        while new - old > 1 {
            let middle = old + (new - old) / 2
            if offset(at: middle) == before { old = middle } else { new = middle }
        }
        return new
    }
}
