import Testing

@testable import ApusCalendar

/// Models Debian's cron 3.0pl1 at changes of the clock.
///
/// In cron.c, jobs without a star run in skipped minutes immediately after the change, and jobs with a star run again
/// in repeated minutes. In entry.c, the first character of a field sets MIN_STAR and HR_STAR. cron(8): “Only jobs that
/// run at a particular time (not specified as @hourly, nor with '*' in the hour or minute specifier) are affected. Jobs
/// which are specified with wildcards are run based on the new time immediately.”
private struct VixieCron {
    private let isWild: Bool
    private let clock: WalkedClock
    private var minutes: UInt64 = 0
    private var hours: UInt64 = 0

    init(_ text: String, _ clock: WalkedClock) throws {
        isWild = text == "@hourly" || text.split(separator: " ").prefix(2).contains { $0.hasPrefix("*") }
        self.clock = clock
        if case .fields(let fields) = try CalendarSchedule(cron: text).rule,
            case .grid(let hours, let minutes, _) = fields.times
        {
            (self.hours, self.minutes) = (hours, minutes)
        }
    }

    private func matches(_ local: Int64) -> Bool {
        let second = Int(local % 86_400)
        return minutes.has(second / 60 % 60) && hours.has(second / 3600)
    }

    /// Returns the minutes in which cron starts the job; several skipped minutes start it once.
    func runs(in range: ClosedRange<Int64>) -> [Int64] {
        var result: [Int64] = []
        var virtual = range.lowerBound - 60 + Int64(clock.offset(range.lowerBound - 60))
        for instant in stride(from: range.lowerBound, through: range.upperBound, by: 60) {
            let shown = instant + Int64(clock.offset(instant))
            let difference = shown - virtual
            var isDue = matches(shown) && (difference > 0 || isWild)
            if difference > 60 {
                let skipped = stride(from: virtual + 60, to: shown, by: 60).contains(where: matches)
                isDue = isDue || skipped && !isWild
            }
            if difference > 0 { virtual = shown }
            if isDue { result.append(instant) }
        }
        return result
    }
}

@Suite("Cron at changes of the clock")
struct CronClockTests {
    static let expressions = [
        "0 2 * * *", "30 2 * * *", "0,30 2 * * *", "*/30 2 * * *", "* 2 * * *", "0-59 2 * * *", "0-59/30 2 * * *",
        "5-59/10 1-3 * * *", "0 */2 * * *", "30 */2 * * *", "0 */3 * * *", "0 1-3 * * *", "0 0-23/2 * * *",
        "0 0/2 * * *",
        "5,7,20 */2 * * *", "*/7 */2 * * *", "*/60 2 * * *", "*/45 2 * * *", "*/45,20 2 * * *", "0 */24 * * *",
        "0 * * * *", "@hourly", "17 * * * *", "*/15 * * * *", "* * * * *", "15,45 0-23 * * *", "@daily", "0 0 * * *",
    ]

    @Test(
        "an expression is due when Debian's cron runs it, in the gap, in the repeated hour and around them",
        arguments: expressions)
    func vixie(text: String) throws {
        for (name, from) in [
            ("Europe/Berlin", "2026-01-01 00:00"), ("America/New_York", "2026-01-01 00:00"),
            ("Australia/Lord_Howe", "2026-01-01 00:00"), ("America/Santiago", "2026-01-01 00:00"),
        ] {
            let rules = try zone(name)
            let changes = rules.transitions(in: utc(from)..<utc("2027-12-31 00:00"))
            #expect(changes.count == 4)
            for (index, change) in changes.enumerated() {
                let clock = WalkedClock(changes[index...index])
                let range = change.at - 18 * 3600...change.at + 18 * 3600
                let search = PreparedSchedule(try CalendarSchedule(cron: text), in: rules)
                var found: [Int64] = []
                var instant = range.lowerBound - 1
                while let next = search.next(after: instant), next.instant <= range.upperBound {
                    found.append(next.instant)
                    instant = next.instant
                }
                #expect(found == (try VixieCron(text, clock)).runs(in: range), "\(text) in \(name), \(change)")
            }
        }
    }

    @Test("an expression is the same schedule after printing and storing", arguments: expressions)
    func printing(text: String) throws {
        let schedule = try CalendarSchedule(cron: text)
        let printed = try #require(schedule.cron)
        #expect(try CalendarSchedule(cron: printed) == schedule, "\(printed)")
        for form in ScheduleForm.allCases {
            guard let other = schedule.text(in: form) else { continue }
            #expect(
                try CalendarSchedule(text: other, form: form, now: local("2026-11-24 12:00")) == schedule, "\(other)")
        }
        let rule = try #require(schedule.ruleText)
        #expect(try CalendarSchedule(text: rule, now: local("2026-11-24 12:00")) == schedule, "\(rule)")
    }

    @Test(
        "skipped returns a time that the clock skips and that is not due later instead",
        arguments: [
            ("*/30 2 * * *", GapPolicy.after, "2027-03-28 02:00"), ("0,30 2 * * *", .after, nil),
            ("0,30 2 * * *", .skip, "2027-03-28 02:00"), ("0 */2 * * *", .after, "2027-03-28 02:00"),
            ("0 */3 * * *", .after, nil), ("30 */2 * * 1", .after, nil), ("*/15 * * * *", .skip, nil),
            ("0 9 * * *", .skip, nil), ("*/20 2 27 * *", .after, nil),
        ] as [(String, GapPolicy, String?)])
    func skipped(text: String, gap: GapPolicy, expected: String?) throws {
        let search = PreparedSchedule(
            try CalendarSchedule(cron: text), in: try zone("Europe/Berlin"), policy: ClockPolicy(gap: gap))
        let change = utc("2027-03-28 01:00")
        #expect(search.skipped(after: change - 86_400, through: change) == expected.map(local))
        #expect(search.skipped(after: change, through: change + 86_400) == nil)
        #expect(search.skipped(after: change - 86_400, through: change - 1) == nil)
    }
}
