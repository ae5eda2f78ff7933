import Testing

@testable import ApusCalendar

@Suite("Recurrence rules of RFC 5545")
struct RecurrenceTests {
    private static let start = "DTSTART:20261124T090000 RRULE:"

    @Test("the first occurrences are those of dateutil, of examples and of random rules")
    func occurrencesOfRules() throws {
        let rows = recurrenceRows.split(separator: "\n")
        #expect(rows.count > 200)
        for row in rows {
            let halves = row.split(separator: " → ", omittingEmptySubsequences: false)
            let expected = halves.count > 1 ? halves[1].split(separator: ", ").map(String.init) : []
            let schedule = try CalendarSchedule(recurrence: Self.start + halves[0])
            let found = occurrences(schedule, after: utc("2026-11-24 08:59"), in: .utc, count: 4)
            // The table ends with the year 2199.
            #expect(found.filter { $0 < "2200" } == expected, "\(halves[0])")
        }
    }

    @Test("previous is the occurrence of which next finds the following one")
    func previous() throws {
        for row in recurrenceRows.split(separator: "\n") {
            let rule = row.split(separator: " → ", omittingEmptySubsequences: false)[0]
            let search = PreparedSchedule(try CalendarSchedule(recurrence: Self.start + rule), in: .utc)
            var instant = utc("2026-11-24 08:59")
            for _ in 0..<4 {
                guard let next = search.next(after: instant) else { break }
                #expect(search.previous(before: next.instant + 1) == next, "\(rule)")
                #expect(search.previous(before: next.instant).map { $0.instant <= instant } ?? true, "\(rule)")
                instant = next.instant
            }
        }
    }

    /// RFC 5545, 3.3.10: what is missing in the rule is that of DTSTART, a Tuesday here; a position is one of the whole
    /// set of the week. dateutil finds other ones.
    @Test("the day of a week by its number is that of the start, and positions are counted in whole weeks")
    func standard() throws {
        let week = try CalendarSchedule(recurrence: Self.start + "FREQ=YEARLY;BYWEEKNO=1")
        #expect(
            occurrences(week, after: utc("2026-11-24 08:59"), in: .utc, count: 2)
                == ["2027-01-05 09:00:00", "2028-01-04 09:00:00"])
        let position = try CalendarSchedule(recurrence: Self.start + "FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1")
        #expect(
            occurrences(position, after: utc("2026-11-24 08:59"), in: .utc, count: 2)
                == ["2026-11-30 09:00:00", "2026-12-07 09:00:00"])
    }

    @Test("exceptions are left out, and extra date-times come in between")
    func exceptions() throws {
        let schedule = try CalendarSchedule(
            recurrence: """
                DTSTART;TZID=Europe/Berlin:20261124T090000
                RRULE:FREQ=DAILY;COUNT=4
                EXDATE;TZID=Europe/Berlin:20261125T090000
                RDATE:20261126T120000
                """)
        #expect(schedule.timeZone == "Europe/Berlin")
        #expect(
            occurrences(schedule, after: utc("2026-11-01 00:00"), in: try zone("Europe/Berlin"), count: 9)
                == ["2026-11-24 08:00:00", "2026-11-26 08:00:00", "2026-11-26 11:00:00", "2026-11-27 08:00:00"])
    }

    @Test("an end in UTC is that instant, whatever the zone")
    func end() throws {
        let schedule = try CalendarSchedule(recurrence: Self.start + "FREQ=DAILY;UNTIL=20261126T000000Z")
        let tokyo = occurrences(schedule, after: utc("2026-11-01 00:00"), in: try zone("Asia/Tokyo"), count: 9)
        #expect(tokyo == ["2026-11-24 00:00:00", "2026-11-25 00:00:00", "2026-11-26 00:00:00"])
        let newYork = occurrences(schedule, after: utc("2026-11-01 00:00"), in: try zone("America/New_York"), count: 9)
        #expect(newYork == ["2026-11-24 14:00:00", "2026-11-25 14:00:00"])
    }

    @Test("what is printed means the same")
    func printing() throws {
        for row in recurrenceRows.split(separator: "\n") {
            let rule = row.split(separator: " → ", omittingEmptySubsequences: false)[0]
            let schedule = try CalendarSchedule(recurrence: Self.start + rule)
            let printed = try #require(schedule.recurrence)
            #expect(try CalendarSchedule(recurrence: printed) == schedule, "\(rule) → \(printed)")
        }
    }

    @Test(
        "an error has the column and what is accepted",
        arguments: [
            ("", 31), ("FREQ=OFTEN", 36), ("INTERVAL=2", 31), ("FREQ=DAILY;COUNT=0", 48),
            ("FREQ=DAILY;COUNT=2;UNTIL=20270101", 42),
            ("FREQ=DAILY;BYWEEKNO=1", 42), ("FREQ=WEEKLY;BYMONTHDAY=1", 43), ("FREQ=WEEKLY;BYDAY=1MO", 43),
            ("FREQ=MONTHLY;BYDAY=XX", 50), ("FREQ=MONTHLY;BYMONTHDAY=32", 55), ("FREQ=DAILY;BYSETPOS=1", 42),
            ("FREQ=DAILY;SKIP=OMIT", 42), ("FREQ=DAILY;FREQ=DAILY", 42), ("FREQ=DAILY;UNTIL=2027", 48),
            ("FREQ=HOURLY;BYMINUTE=1,2;BYSETPOS=1", 56),
        ]
    )
    func errors(rule: String, column: Int) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(recurrence: Self.start + rule) }
        #expect(error.column == column, "\(error)")
        #expect(!error.expected.isEmpty)
    }

    @Test("without a start, or with two, a rule is refused")
    func starts() throws {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(recurrence: "FREQ=DAILY") }
        #expect(throws: ScheduleTextError.self) {
            try CalendarSchedule(recurrence: "\(Self.start)FREQ=DAILY DTSTART:20270101")
        }
        #expect(throws: ScheduleTextError.self) {
            try CalendarSchedule(recurrence: "\(Self.start)FREQ=DAILY EXRULE:FREQ=DAILY")
        }
        #expect(try CalendarSchedule(recurrence: "FREQ=DAILY", start: local("2026-11-24 09:00")).recurrence != nil)
    }
}
