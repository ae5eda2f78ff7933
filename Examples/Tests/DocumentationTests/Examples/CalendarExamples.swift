import ApusCalendar
import ApusJobs

enum CalendarExamples {
    static func job(_ scheduler: JobScheduler) async throws {
        // Shown: calendar-trigger
        let trigger = Trigger.calendar(
            try CalendarSchedule(words: "every weekday at 18:30"), timeZone: "Europe/Berlin", gap: .skip)
        try await scheduler.submit(JobRequest(id: "report", trigger: trigger))
        // Shown: end
    }

    static func next() throws {
        // Shown: calendar-next
        let schedule = try CalendarSchedule(words: "every weekday at 18:30")
        let berlin = try ZoneDatabase().zone("Europe/Berlin")

        let next = schedule.next(after: 1_795_518_000, in: berlin.rules)  // seconds since 1970
        // next?.instant, next?.local, next?.offset; next?.note says what a change of the clock did
        // Shown: end
        _ = next
    }

    static func prepared() throws {
        let berlin = try ZoneDatabase().zone("Europe/Berlin")
        // Shown: calendar-prepared
        var schedule = try CalendarSchedule(cron: "0 9 * * 1-5")
        schedule.from = CivilDateTime("2027-01-01T00:00:00")
        schedule.count = 100
        if let first = CivilDate("2026-12-24"), let last = CivilDate("2027-01-06") {
            schedule.exclusions = [
                .dates(first...last), .schedule(try CalendarSchedule(words: "every month on the last friday at 9:00")),
            ]
        }
        schedule.spread = 600  // up to ten minutes later, the same for the same identifier

        let search = PreparedSchedule(
            schedule, in: berlin.rules, policy: ClockPolicy(gap: .skip, repeated: .both), identifier: "backup")
        var instant: Int64 = 1_795_518_000
        while let occurrence = search.next(after: instant), occurrence.local.date.year < 2028 {
            instant = occurrence.instant
        }
        // Shown: end
    }

    static func printed() throws {
        // Shown: calendar-printed
        let schedule = try CalendarSchedule(onCalendar: "Mon..Fri 09:00")
        let words = schedule.words  // every weekday at 9:00
        let cron = schedule.cron  // 0 9 * * 1-5
        // Shown: end
        _ = (words, cron)
    }

    static func migrated() throws {
        // Shown: calendar-migrated
        // was: calendar.nextDate(after: now, matching: DateComponents(hour: 9, minute: 0, weekday: 2), …)
        let mondays = try CalendarSchedule(words: "every monday at 9:00")
        let berlin = try ZoneDatabase().zone("Europe/Berlin")
        let search = PreparedSchedule(mondays, in: berlin.rules)
        let next = search.next(after: 1_795_518_000)
        // Shown: end
        _ = next
    }
}
