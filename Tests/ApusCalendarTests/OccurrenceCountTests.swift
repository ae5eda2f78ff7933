import Testing

@testable import ApusCalendar

@Suite("Counts of occurrences")
struct OccurrenceCountTests {
    private static let zones = [
        "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Asia/Gaza", "America/New_York",
        "UTC",
    ]

    /// Compares the counts of a search with a walk, at each occurrence and at the second before each occurrence.
    private func compare(
        _ search: PreparedSchedule, after instant: Int64, most: Int, _ what: @autoclosure () -> String
    ) -> Int {
        var (from, number) = (instant, 0)
        while number < most, let next = search.next(after: from) {
            number += 1
            let counts = [next.instant - 1, next.instant].map { search.count(after: instant, through: $0) }
            guard counts == [number - 1, number] else {
                Issue.record("\(counts) instead of \([number - 1, number]) at \(next.instant): \(what())")
                return number
            }
            from = next.instant
        }
        if number < most { #expect(search.count(after: instant, through: .max) == number, "\(what())") }
        return number
    }

    @Test("the counts of random schedules equal those of a walk, near changes of the clock and elsewhere")
    func random() throws {
        var generator = SeededGenerator(seed: 37)
        var found = 0
        for name in Self.zones {
            let rules = try zone(name)
            let changes = rules.transitions(in: utc("1970-01-01 00:00")..<utc("2200-01-01 00:00"))
            for _ in 0..<150 {
                let policy = ClockPolicy(
                    gap: generator.chance(2) ? .skip : .after, repeated: generator.chance(2) ? .both : .first)
                let schedule = generator.schedule()
                let search = PreparedSchedule(schedule, in: rules, policy: policy, identifier: "job")
                for _ in 0..<3 {
                    var instant = generator.dateTime(1970...2199).localSeconds
                    if generator.chance(2), let change = changes.randomElement(using: &generator) {
                        instant = change.at - Int64(generator.number(0...90_000))
                    }
                    found += compare(
                        search, after: instant, most: 40, "\(name) after \(instant): \(schedule) \(policy)")
                }
            }
        }
        #expect(found > 10_000)
    }

    @Test(
        "times that a gap moves together, and times in a repeated hour, are counted as they are due", arguments: zones)
    func changes(name: String) throws {
        let rules = try zone(name)
        let changes = rules.transitions(in: utc("1970-01-01 00:00")..<utc("2040-01-01 00:00"))
        let times = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay(stride(from: 0, to: 86_400, by: 607)))))
        let all = [times] + (try ["*/7 * * * *", "0 0,1,2,3 * * *"].map { try CalendarSchedule(cron: $0) })
        for (index, change) in changes.enumerated() where index % 9 == 0 {
            for (gap, repeated) in [(GapPolicy.after, RepeatedPolicy.first), (.skip, .both), (.after, .both)] {
                for schedule in all {
                    let search = PreparedSchedule(schedule, in: rules, policy: .init(gap: gap, repeated: repeated))
                    _ = compare(search, after: change.at - 7_000, most: 60, "\(name) \(change) \(gap) \(repeated)")
                }
            }
        }
    }

    @Test("the seconds of more than two centuries are counted")
    func centuries() throws {
        let (start, end) = (utc("1970-01-01 00:00"), utc("2199-12-31 00:00"))
        for text in ["* * * * * *", "*/1 * * * * *"] {
            let search = PreparedSchedule(try CalendarSchedule(cron: text), in: try zone("Europe/Berlin"))
            #expect(search.count(after: start, through: end) == Int(end - start))
        }
        let third = try CalendarSchedule(recurrence: "DTSTART:19700101T000000 RRULE:FREQ=SECONDLY;INTERVAL=3")
        let search = PreparedSchedule(third, in: .utc)
        #expect(search.count(after: start, through: end) == Int(end - start) / 3)
    }

    @Test("no schedule is due after the year 2200 in UTC, in any zone")
    func lastYear() throws {
        let end = utc("2200-12-31 23:59:59")
        for name in Self.zones {
            for spread in [0, 86_400] {
                var schedule = try CalendarSchedule(cron: "0 * * * *")
                schedule.spread = spread
                let search = PreparedSchedule(schedule, in: try zone(name), identifier: "job")
                var (instant, number) = (end - 200_000, 0)
                while number < 100, let next = search.next(after: instant) {
                    #expect(next.instant > instant && next.instant <= end, "\(name)")
                    (instant, number) = (next.instant, number + 1)
                }
                #expect(number < 100 && search.count(after: end - 200_000, through: .max) == number, "\(name)")
            }
        }
    }
}
