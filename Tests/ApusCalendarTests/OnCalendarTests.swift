import Testing

@testable import ApusCalendar

@Suite("Calendar events of systemd")
struct OnCalendarTests {
    /// Source: systemd 252 (`systemd-analyze calendar --base-time='2026-11-24 12:00:00 UTC' --iterations=3`).
    @Test(
        "the next occurrences are those of systemd",
        arguments: [
            ("Mon..Fri *-*-* 09:00:00", ["2026-11-25 09:00:00", "2026-11-26 09:00:00", "2026-11-27 09:00:00"]),
            ("*-*~01 12:00", ["2026-11-30 12:00:00", "2026-12-31 12:00:00", "2027-01-31 12:00:00"]),
            ("*:0/15", ["2026-11-24 12:15:00", "2026-11-24 12:30:00", "2026-11-24 12:45:00"]),
            ("Mon *-05~07/1 10:00", ["2027-05-31 10:00:00", "2028-05-29 10:00:00", "2029-05-28 10:00:00"]),
            ("2027-02-28", ["2027-02-28 00:00:00"]),
            ("quarterly", ["2027-01-01 00:00:00", "2027-04-01 00:00:00", "2027-07-01 00:00:00"]),
            ("hourly", ["2026-11-24 13:00:00", "2026-11-24 14:00:00", "2026-11-24 15:00:00"]),
            ("daily", ["2026-11-25 00:00:00", "2026-11-26 00:00:00", "2026-11-27 00:00:00"]),
            ("weekly", ["2026-11-30 00:00:00", "2026-12-07 00:00:00", "2026-12-14 00:00:00"]),
            ("monthly", ["2026-12-01 00:00:00", "2027-01-01 00:00:00", "2027-02-01 00:00:00"]),
            ("semiannually", ["2027-01-01 00:00:00", "2027-07-01 00:00:00", "2028-01-01 00:00:00"]),
            ("yearly", ["2027-01-01 00:00:00", "2028-01-01 00:00:00", "2029-01-01 00:00:00"]),
            ("minutely", ["2026-11-24 12:01:00", "2026-11-24 12:02:00", "2026-11-24 12:03:00"]),
            ("Sat,Sun 20:15", ["2026-11-28 20:15:00", "2026-11-29 20:15:00", "2026-12-05 20:15:00"]),
            ("*-*-1,15 06:30", ["2026-12-01 06:30:00", "2026-12-15 06:30:00", "2027-01-01 06:30:00"]),
            ("Mon..Wed,Fri 2027-*-* 8..10:00", ["2027-01-01 08:00:00", "2027-01-01 09:00:00", "2027-01-01 10:00:00"]),
            ("*-02-29 00:00", ["2028-02-29 00:00:00", "2032-02-29 00:00:00", "2036-02-29 00:00:00"]),
            ("Thu *-*-1..7 03:00:30", ["2026-12-03 03:00:30", "2027-01-07 03:00:30", "2027-02-04 03:00:30"]),
            ("*-1..3/2-5 00:00:10", ["2027-01-05 00:00:10", "2027-03-05 00:00:10", "2028-01-05 00:00:10"]),
            ("*:*:0/20", ["2026-11-24 12:00:20", "2026-11-24 12:00:40", "2026-11-24 12:01:00"]),
            ("2026-12-24 18:00:00", ["2026-12-24 18:00:00"]),
            ("12..14:00/20", ["2026-11-24 12:20:00", "2026-11-24 12:40:00", "2026-11-24 13:00:00"]),
            ("Sun *-03~1..7 02:30", ["2027-03-28 02:30:00", "2028-03-26 02:30:00", "2029-03-25 02:30:00"]),
        ]
    )
    func next(text: String, expected: [String]) throws {
        let schedule = try CalendarSchedule(onCalendar: text)
        #expect(occurrences(schedule, after: utc("2026-11-24 12:00"), in: .utc, count: 3) == expected)
    }

    @Test("the first occurrences of random events are those of systemd")
    func randomEvents() throws {
        let rows = onCalendarRows.split(separator: "\n")
        #expect(rows.count > 150)
        for row in rows {
            let halves = row.split(separator: " → ", omittingEmptySubsequences: false)
            let expected = halves.count > 1 ? halves[1].split(separator: ", ").map(String.init) : []
            let schedule = try CalendarSchedule(onCalendar: String(halves[0]))
            let found = occurrences(schedule, after: utc("2026-11-24 12:00"), in: .utc, count: 3)
            #expect(found.filter { $0 < "2199" } == expected, "\(halves[0])")
            let printed = try #require(schedule.onCalendar, "\(halves[0])")
            #expect(try CalendarSchedule(onCalendar: printed) == schedule, "\(halves[0]) → \(printed)")
        }
    }

    @Test("a zone at the end is kept")
    func zones() throws {
        #expect(try CalendarSchedule(onCalendar: "Mon *-*-* 09:00 Europe/Berlin").timeZone == "Europe/Berlin")
    }

    @Test(
        "an error has the column and what is accepted",
        arguments: [
            "", "Fro 09:00", "*-13-01", "25:00", "*-*-32", "09:61", "daily 09:00", "*-*-* 9:00 Europe/../x", "2026",
        ]
    )
    func errors(text: String) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(onCalendar: text) }
        #expect((1...text.count + 1).contains(error.column) && !error.expected.isEmpty, "\(error)")
    }

    /// Sources: systemd's test-calendarspec.c, and `systemd-analyze calendar` of systemd 252.
    @Test(
        "events that systemd refuses are refused, except those that the document names",
        arguments: [
            "test", " utc", "    ", "", "7", "121212:1:2", "2000-03-05.23 00:00:00", "2000-03-05 00:00.1:00",
            "00:00:00/0.00000001", "00:00:00.0..00.9", "2016~11-22", "*-*~5/5", "20/4:00", "Monday.. 12:00", "Monday..",
            "Monday-..Tuesday", "-00:+00/-5", "00:+00/-5", "2016-11-31 00..24:00", "Mon,, 12:00", "*:0/60", "*:44/22",
            "1/12-1 0:0", "*-*-1/31", "*-*~28/28", "*-*~7..1", "5/0:00", "00:00:0/60", "2026-12-24T18:00:00", ",Mon",
        ])
    func refusedBySystemd(text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(onCalendar: text) }
    }

    @Test(
        "spellings in systemd's own tests are accepted",
        arguments: [
            ("Sat,Thu,Mon-Wed,Sat-Sun", "Mon..Thu,Sat,Sun *-*-* 00:00:00"), ("Wed, 17:48", "Wed *-*-* 17:48:00"),
            ("Wednesday,", "Wed *-*-* 00:00:00"), ("Wed..Sat,Tue 12-10-15 1:2:3", "Tue..Sat 2012-10-15 01:02:03"),
            ("2015-10-25 01:00:00 uTc", "2015-10-25 01:00:00 UTC"), ("*-*~1 Utc", "*-*~01 00:00:00 UTC"),
            ("*-*~05,3 ", "*-*~03,05 00:00:00"), ("*-*~* 00:00:00", "*-*-* 00:00:00"),
            ("*:4,30:0/1,3,5", "*-*-* *:04,30:*"),
            ("93..00-*-*", "1993..2000-*-* 00:00:00"), ("0/23:00", "*-*-* 00,23:00:00"), ("*-*~28/27", "*-*~01,28"),
        ])
    func spellings(text: String, normal: String) throws {
        #expect(try CalendarSchedule(onCalendar: text) == CalendarSchedule(onCalendar: normal))
    }

    @Test("a printed schedule is read as the same schedule")
    func printing() throws {
        for text in Self.events {
            let schedule = try CalendarSchedule(onCalendar: text)
            let printed = try #require(schedule.onCalendar, "\(text)")
            #expect(try CalendarSchedule(onCalendar: printed) == schedule, "\(text) → \(printed)")
        }
    }

    /// Sources: systemd.time(7), and `chain_valid` and `fix_year` in systemd's calendarspec.c.
    @Test("years of two digits, and days from the end, are read as in systemd")
    func limitsOfSystemd() throws {
        #expect(try CalendarSchedule(onCalendar: "27-02-28") == CalendarSchedule(onCalendar: "2027-02-28"))
        #expect(try CalendarSchedule(onCalendar: "70..71-01-01") == CalendarSchedule(onCalendar: "1970,1971-01-01"))
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(onCalendar: "1969-01-01") }
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(onCalendar: "*-*~29") }
        #expect(try CalendarSchedule(onCalendar: "*-05~07/1 10:00").onCalendar == "*-05~01..07 10:00:00")
        #expect(try CalendarSchedule(cron: "0 9 L-28 * *").onCalendar == nil)
    }

    private static let events = [
        "Mon..Fri *-*-* 09:00:00",
        "*-*~01 12:00",
        "*:0/15",
        "Mon *-05~07/1 10:00",
        "2027-02-28",
        "quarterly",
        "hourly",
        "daily",
        "weekly",
        "monthly",
        "semiannually",
        "yearly",
        "minutely",
        "Sat,Sun 20:15",
        "*-*-1,15 06:30",
        "Mon..Wed,Fri 2027-*-* 8..10:00",
        "*-02-29 00:00",
        "Thu *-*-1..7 03:00:30",
        "*-1..3/2-5 00:00:10",
        "*:*:0/20",
        "2026-12-24 18:00:00",
        "12..14:00/20",
        "Sun *-03~1..7 02:30",
    ]
}
