import ApusCalendar
import ApusClient
public import ArgumentParser

/// The option for the dialect of a cron expression, which `cron`, `preview` and `edit` share.
struct DialectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program for which a cron expression was written: standard (default), quartz, aws (EventBridge), spring or croniter.",
            valueName: "program"))
    var dialect: CronDialect?

    /// Returns a cron expression translated from the given dialect into the standard form.
    ///
    /// - Throws: `ValidationError` with what was read, and what is accepted.
    func standard(_ text: String) throws -> String {
        guard let dialect else { return text }
        do {
            if let standard = try CalendarSchedule(cron: text, dialect: dialect).cron { return standard }
        } catch { throw ValidationError("schedule “\(text)” in the dialect \(dialect.rawValue): \(error)") }
        throw ValidationError("schedule “\(text)”: it cannot be written as a standard cron expression")
    }
}

extension CronDialect: ExpressibleByArgument {}

/// Reads a recurrence rule, which is given as text or in a file.
///
/// The text or the file contains properties of RFC 5545, a `VEVENT`, or a whole calendar.
enum RuleText {
    /// Returns the rule in one line, and prints a note about the parts of the text that have no effect on the schedule.
    ///
    /// - Parameters:
    ///   - text: The rule or event, or the path of its file; `-` for standard input.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: The text itself if it consists of properties, or else the rule that was read from the event or the
    ///   file.
    /// - Throws: `ValidationError` with the file, the line, and what is accepted.
    static func line(_ text: String, argument: String) throws -> String {
        let isEvent = RecurrenceText.isEvent(text)
        guard isEvent || !RecurrenceText.isProperties(text) else {
            // A rule without DTSTART cannot be read here. The daemon reads it when the job is submitted.
            if let read = try? RecurrenceText(text) { note(read) }
            return text
        }
        let contents =
            isEvent
            ? text
            : String(
                decoding: try InputFile(text, argument: argument).contents(upTo: 1 << 20, waitsForWriter: false),
                as: UTF8.self)
        let source = isEvent ? argument : "\(argument): \(text)"
        do {
            let read = try RecurrenceText(contents)
            note(read)
            if let lines = read.schedule.recurrence {
                return lines.unicodeScalars.split(separator: "\n").map(String.init).joined(separator: " ")
            }
        } catch { throw ValidationError("\(source): \(error)") }
        throw ValidationError("\(source): its schedule cannot be written as a rule")
    }

    private static func note(_ read: RecurrenceText) {
        guard !read.ignored.isEmpty else { return }
        Terminal.note("note: these have no effect on the schedule: \(read.ignored.joined(separator: ", "))")
    }
}
