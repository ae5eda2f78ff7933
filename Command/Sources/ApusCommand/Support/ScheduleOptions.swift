public import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
public import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of a schedule in addition to its text, which `every`, `cron`, `preview` and `edit` share.
struct ScheduleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The time zone of the schedule (default: the system's); one in the schedule takes precedence.",
            valueName: "zone"))
    var tz: String?

    @Option(
        help: ArgumentHelp(
            "What to do with a time of day that the clock skips: after (default) runs right after the gap, skip leaves it out.",
            valueName: "policy"))
    var gap: GapPolicy?

    @Option(
        help: ArgumentHelp(
            "When to run at a time of day that the clock shows twice: first (default) or both.", valueName: "policy"))
    var repeated: RepeatedPolicy?

    @Option(
        help: ArgumentHelp(
            "Leave out a date, a range of dates (2026-12-24/2026-12-26), or the dates of a schedule; can be given several times.",
            valueName: "dates"))
    var except: [String] = []

    @Option(
        name: .customLong("except-file"),
        help: ArgumentHelp(
            "Leave out the dates and schedules in this file, one on each line; # begins a comment.", valueName: "path"))
    var exceptFile: String?

    @Option(help: ArgumentHelp("Not before this local date or date-time.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("Not after this local date (its whole day) or date-time.", valueName: "date"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Delay each job by its own fixed time, which is shorter than this and never reaches the next occurrence.",
            valueName: "duration"))
    var spread: String?

    /// Whether no option is given.
    var isEmpty: Bool {
        tz == nil && gap == nil && repeated == nil && except.isEmpty && exceptFile == nil && from == nil && until == nil
            && spread == nil
    }

    /// Returns the schedule with these options.
    ///
    /// - Throws: `TextError` or `ValidationError` that names the option.
    func calendar(_ text: String, form: ScheduleForm? = nil, count: Int? = nil) throws -> WireCalendar {
        let calendar = WireCalendar(
            schedule: text, form: form, zone: tz ?? SystemTimeZones.shared.local.name, gap: gap, repeated: repeated,
            count: count, from: from, until: until, except: try exceptions(), spread: spread)
        _ = try parsed(calendar)
        return calendar
    }

    /// Returns the canonical form of a schedule in words, in which "every" may be missing.
    func words(_ text: String) -> Result<String, TextError> {
        let zone = (try? tz.map { try TimeText.zone(named: $0) }) ?? SystemTimeZones.shared.local
        let today = zone.rules.local(at: Int64(clamping: When.now.nanoseconds / 1_000_000_000)).date
        do throws(ScheduleTextError) {
            let schedule = try CalendarSchedule(words: text, today: today, impliesEvery: true)
            if let words = schedule.words { return .success(words) }
            let isWhole = (try? CalendarSchedule(words: text, today: today)) != nil
            return .success(isWhole ? text : "every \(text)")
        } catch {
            // The user may have typed an instant instead of a schedule. The error then suggests `at` with that instant.
            let instant = (try? TimeText.parse(text, now: When.now, timeZone: zone)) == nil ? [] : ["at \(text)"]
            let schedules = error.suggestions.filter { text in
                (try? CalendarSchedule(words: text, today: today)).map(SystemTimeZones.shared.hasZone) ?? false
            }
            return .failure(
                TextError(
                    argument: "schedule", given: text, message: error.problem,
                    acceptedForms: ["weekday at 18:30", "15 minutes", "15m", "2 weeks on friday at 17:00"],
                    suggestions: instant + schedules))
        }
    }

    /// Parses the schedule, so that a message names the option, and no daemon is started for an invalid schedule.
    func parsed(_ calendar: WireCalendar) throws -> CalendarTrigger {
        try calendar.parsed(at: When.now, in: SystemTimeZones.shared) { field in
            switch field {
            case "schedule": "schedule"
            case "zone": "--tz"
            default: "--\(field)"
            }
        }
    }

    private func exceptions() throws -> [String]? {
        var texts = except
        if let exceptFile {
            texts += try InputFile(exceptFile, argument: "--except-file").contents().textLines.map {
                String(decoding: $0.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            }
            .map(\.trimmed).filter { !$0.isEmpty }
        }
        return texts.isEmpty ? nil : texts
    }
}

extension GapPolicy: ExpressibleByArgument {}
extension RepeatedPolicy: ExpressibleByArgument {}
extension ScheduleForm: ExpressibleByArgument {}
