import ApusCalendar
import ApusDaemon
import ApusJobs
import ApusTimers
import ArgumentParser
import Foundation

struct Preview: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show when a schedule is due, and what changes of the clock do to it. Nothing is scheduled.",
        discussion: """
            Schedules: 'every weekday at 18:30', 'every 2 weeks on friday 17:00', 'every month on the last friday 17:00'; \
            cron's '30 18 * * 1-5' and '@daily'; systemd's 'Mon..Fri 18:30'; 'RRULE:FREQ=MONTHLY;BYDAY=-1FR' of RFC 5545. \
            A zone in the schedule comes before --tz.
            """)

    @Argument(help: "The schedule; quote it if it has spaces.")
    var schedule: [String]

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many occurrences, 1 to 1000.", valueName: "n"))
    var number = 10

    @OptionGroup var options: ScheduleOptions

    @Option(help: ArgumentHelp("Begin after this time instead of now; as for apus at.", valueName: "time"))
    var after: String?

    @Option(
        help: ArgumentHelp(
            "How the schedule is written: words, cron, calendar or rrule (default: recognised).", valueName: "form"))
    var form: ScheduleForm?

    @Option(help: ArgumentHelp("The job's identifier, from which cron's H is hashed.", valueName: "id"))
    var id = ""

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            guard (1...1_000).contains(number) else {
                throw ValidationError("--number: \(number) is not a whole number from 1 to 1000")
            }
            let preview = try SchedulePreview(
                options, schedule.joined(separator: " "), form: form, after: after, identifier: id, limit: number)
            if json { return try Terminal.json(preview) }
            for warning in preview.warnings { Terminal.note("note: \(warning)") }
            var table = Table(["DUE", "DAY", "IN", "NOTE"])
            for due in preview.next {
                table.add([
                    (due.instant, .bold), (due.day, nil),
                    (When.instant(due.instant).map(When.relative) ?? "-", nil), (due.note ?? "", .yellow),
                ])
            }
            if !preview.next.isEmpty { table.print() }
            if preview.next.count < number { Terminal.note("nothing later is due until the end of the year 2200") }
            Terminal.note("\(preview.description)")
        }
    }
}

/// The next occurrences of a schedule, as the command prints them.
struct SchedulePreview: Encodable {
    struct Due: Encodable {
        /// In the zone's local time, with its offset.
        var instant: String
        var day: String
        /// What a change of the clock did.
        var note: String?
    }

    var zone: String
    /// The schedule in each form that can say it.
    var forms: [String: String]
    var warnings: [String]
    var next: [Due]

    init(
        _ options: ScheduleOptions, _ text: String, form: ScheduleForm?, after: String?, identifier: String, limit: Int
    ) throws {
        let trigger = try options.parsed(try options.calendar(text, form: form))
        zone = trigger.timeZone
        let begin = try after.map {
            try TimeText.parse(
                $0, now: When.now, timeZone: try TimeText.zone(named: trigger.timeZone), argument: "--after")
        }
        forms = [:]
        for form in ScheduleForm.allCases { forms[form.rawValue] = trigger.schedule.text(in: form) }
        warnings = trigger.schedule.warnings
        let search = PreparedSchedule(
            trigger.schedule, in: try ZoneDatabase.system.zone(zone).rules, policy: trigger.policy,
            identifier: identifier)
        next = []
        var last = Int64((begin ?? When.now).nanoseconds / 1_000_000_000)
        while next.count < limit, let due = search.next(after: last) {
            next.append(Due(due))
            last = due.instant
        }
    }

    /// `every weekday at 9:00 = 0 9 * * 1-5 = Mon..Fri *-*-* 09:00:00, in Europe/Berlin`
    var description: String {
        let said = ScheduleForm.allCases.compactMap { forms[$0.rawValue]?.replacing("\n", with: " ") }
        return said.joined(separator: " = ") + (said.isEmpty ? "in \(zone)" : ", in \(zone)")
    }
}

extension SchedulePreview.Due {
    fileprivate init(_ due: Occurrence) {
        let time = due.local.time
        let clock = [time.hour, time.minute, time.second].map(Self.two).joined(separator: ":")
        instant = "\(due.local.date)T\(clock)\(Self.offset(due.offset))"
        day = due.local.date.weekday.name
        note =
            switch due.note {
            case .movedAfterGap(let from): "the clock skips \(from.time), so at the first instant after that"
            case .firstOfRepeated: "the clock shows this time twice; the first"
            case .secondOfRepeated: "the clock shows this time twice; the second"
            case nil: nil
            }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// `+01:00`; with seconds where the zone has some.
    private static func offset(_ seconds: Int) -> String {
        let size = abs(seconds)
        let rest = size % 60 == 0 ? "" : ":\(two(size % 60))"
        return "\(seconds < 0 ? "-" : "+")\(two(size / 3_600)):\(two(size / 60 % 60))\(rest)"
    }
}
