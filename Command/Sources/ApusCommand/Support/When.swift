import ApusCalendar
import ApusClient
import ApusJobs
package import ApusTimers
import ArgumentParser

/// Formats instants and durations for people.
package enum When {
    package static var now: WallInstant { SystemTime().wall() }

    static func instant(_ text: String) -> WallInstant? { try? TimeText.parseISO8601(text) }

    /// Returns the past instant that a user has typed.
    static func past(_ text: String, argument: String) throws -> WallInstant {
        try TimeText.parsePast(text, now: now, timeZone: SystemTimeZones.shared.local, argument: argument)
    }

    /// Returns the due instant, such as `due 17:30:05 (in 25m)`, or the reason why nothing is due.
    static func due(_ job: WireJob) -> String {
        if let next = job.nextDue.flatMap(instant) {
            if job.state == "suspended" { return "suspended" }
            return "due \(local(next)) (\(relative(next)))"
        }
        if job.state == "suspended", let left = job.remainingMs {
            return "suspended, \(DurationText.format(.milliseconds(left))) left"
        }
        return job.state
    }

    /// Returns an instant in the local zone, with the date unless it is today.
    package static func local(_ instant: WallInstant) -> String {
        let zone = SystemTimeZones.shared.local.rules
        let (there, today) = (zone.local(at: seconds(instant)), zone.local(at: seconds(now)).date)
        let text = "\(there)"
        return there.date == today ? String(text.suffix("17:30:05".count)) : text
    }

    private static func seconds(_ instant: WallInstant) -> Int64 { Int64(instant.nanoseconds / 1_000_000_000) }

    package static func local(_ text: String?) -> String { text.flatMap(instant).map(local) ?? "-" }

    /// Returns the distance from now, such as `in 25m`, `now` or `3s ago`.
    package static func relative(_ instant: WallInstant) -> String {
        let distance = now.duration(to: instant)
        if distance > .zero { return "in \(DurationText.format(rounded(distance)))" }
        let ago = rounded(.zero - distance)
        return ago < .seconds(1) ? "now" : "\(DurationText.format(ago)) ago"
    }

    /// Rounds a duration to milliseconds if it is below a second, to seconds if it is below an hour, or else to
    /// minutes.
    package static func rounded(_ duration: Duration) -> Duration {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        let step: Int64 = milliseconds < 1_000 ? 1 : milliseconds < 3_600_000 ? 1_000 : 60_000
        return .milliseconds((milliseconds + step / 2) / step * step)
    }

    /// Returns a duration of the API in the form for people.
    static func duration(_ text: String) -> String {
        (try? DurationText.parse(text)).map(DurationText.format) ?? text
    }

    static func trigger(_ trigger: WireTrigger) -> String {
        if let at = trigger.at { return "at \(local(at))" }
        if let after = trigger.after { return "after \(duration(after))" }
        if let calendar = trigger.calendar {
            let zone = calendar.zone == SystemTimeZones.shared.local.name ? nil : calendar.zone
            return calendar.schedule + (zone.map { " in \($0)" } ?? "")
                + (calendar.count.map { ", \($0) times" } ?? "")
        }
        guard let every = trigger.every else { return "-" }
        return "every \(duration(every))" + (trigger.count.map { ", \($0) times" } ?? "")
    }
}

extension OccurrenceText {
    /// Returns the stored number for an argument, in one of the forms that `apus history` shows.
    static func argument(_ text: String) throws -> Int {
        guard let number = parse(text) else {
            throw ValidationError(
                "an occurrence is a number, such as 12, or manual-3 for a run by hand; apus history shows them")
        }
        return number
    }
}
