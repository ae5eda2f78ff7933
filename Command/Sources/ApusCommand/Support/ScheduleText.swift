import ApusCalendar
import ApusClient
public import ArgumentParser

/// How the fields of a cron expression are meant: the same for `cron`, `preview` and `edit`.
struct DialectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program for which a cron expression was written: standard (default), quartz, aws (EventBridge), spring or croniter.",
            valueName: "program"))
    var dialect: CronDialect?

    /// A cron expression as the standard writes it.
    /// - Throws: `ValidationError` with what was read, and what is accepted.
    func standard(_ text: String) throws -> String {
        guard let dialect else { return text }
        do {
            if let standard = try CalendarSchedule(cron: text, dialect: dialect).cron { return standard }
        } catch { throw ValidationError("schedule “\(text)” in the dialect \(dialect.rawValue): \(error)") }
        throw ValidationError("schedule “\(text)”: the standard cannot write it")
    }
}

extension CronDialect: ExpressibleByArgument {}

/// A recurrence rule, or the file that has it: properties of RFC 5545, a `VEVENT`, or a whole calendar.
enum RuleText {
    /// The rule in one line. What the text has beside a schedule is noted.
    ///
    /// - Parameters:
    ///   - text: The rule or event, or the path of its file; `-` for standard input.
    ///   - argument: The name of the argument, for the error.
    /// - Returns: The text, unless it is that of a file or an event.
    /// - Throws: `ValidationError` with the file, the line, and what is accepted.
    static func line(_ text: String, argument: String) throws -> String {
        let isEvent = RecurrenceText.isEvent(text)
        guard isEvent || !RecurrenceText.isProperties(text) else {
            // Without DTSTART, it is read when it is submitted.
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
        Terminal.note("note: without effect on the schedule: \(read.ignored.joined(separator: ", "))")
    }
}
