import Testing

@testable import ApusCalendar

@Suite("Recurrence rules of RFC 5545")
struct RecurrenceTests {
    private static let start = "DTSTART:20261124T090000 RRULE:"

    @Test("the first occurrences of examples and random rules are those of dateutil")
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

    @Test("previous returns the occurrence after which next finds the following one")
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

    /// Checks two rules of RFC 5545, 3.3.10, in which dateutil differs.
    ///
    /// A part that the rule lacks is taken from DTSTART, which is a Tuesday here. A position is counted in the whole
    /// week.
    @Test("a week by its number has its match on the start's day of the week, and positions are counted in whole weeks")
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

    @Test("exceptions are left out, and extra date-times are added in order")
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

    @Test(
        "the parts of a rule are in any order, also without RRULE and on lines of their own",
        arguments: [
            "INTERVAL=2;FREQ=DAILY", "interval=2;freq=daily", "RRULE:INTERVAL=2;FREQ=DAILY",
            "DTSTART:20261124T090000 INTERVAL=2;FREQ=DAILY", "DTSTART:20261124T090000\n INTERVAL=2;FREQ=DAILY",
            "RRULE:INTERVAL=2;\n FREQ=DAILY", "INTERVAL=2;\n FREQ=DAILY", "RRULE:FREQ=DAILY;INTE\n RVAL=2",
        ])
    func order(text: String) throws {
        #expect(RecurrenceText.isProperties(text) && ScheduleForm(of: text) == .rrule)
        let start = local("2026-11-24 09:00")
        #expect(
            try CalendarSchedule(recurrence: text, start: start)
                == (try CalendarSchedule(recurrence: "FREQ=DAILY;INTERVAL=2", start: start)))
    }

    @Test(
        "a zone of Windows is read in a rule, quoted or not, as in a file",
        arguments: [
            "DTSTART;TZID=W. Europe Standard Time:20261201T090000 RRULE:FREQ=DAILY",
            "DTSTART;TZID=\"W. Europe Standard Time\":20261201T090000 RRULE:FREQ=DAILY",
            "DTSTART;TZID=W. Europe\n  Standard Time:20261201T090000\nRRULE:FREQ=DAILY",
            "RRULE:FREQ=DAILY DTSTART;VALUE=DATE-TIME;TZID=W. Europe Standard Time:20261201T090000",
        ])
    func windowsZone(text: String) throws {
        let schedule = try CalendarSchedule(text: text, now: local("2026-11-24 12:00"))
        #expect(schedule.timeZone == "Europe/Berlin")
        #expect(schedule.recurrence == "DTSTART;TZID=Europe/Berlin:20261201T090000\nRRULE:FREQ=DAILY")
        let missing = "DTSTART;TZID=Europe/Berlin RRULE:FREQ=DAILY"
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(recurrence: missing) }
    }

    @Test("an end in UTC is that instant in any zone")
    func end() throws {
        let schedule = try CalendarSchedule(recurrence: Self.start + "FREQ=DAILY;UNTIL=20261126T000000Z")
        let tokyo = occurrences(schedule, after: utc("2026-11-01 00:00"), in: try zone("Asia/Tokyo"), count: 9)
        #expect(tokyo == ["2026-11-24 00:00:00", "2026-11-25 00:00:00", "2026-11-26 00:00:00"])
        let newYork = occurrences(schedule, after: utc("2026-11-01 00:00"), in: try zone("America/New_York"), count: 9)
        #expect(newYork == ["2026-11-24 14:00:00", "2026-11-25 14:00:00"])
    }

    @Test(
        "date-times in UTC are those instants in any zone",
        arguments: [
            (
                "DTSTART:20261224T170000Z RRULE:FREQ=DAILY;UNTIL=20261226T170000Z",
                ["2026-12-24 17:00:00", "2026-12-25 17:00:00", "2026-12-26 17:00:00"]
            ),
            // The rule follows the clock of UTC, not that of the zone, over the change of 14 March.
            ("DTSTART:20270313T070000Z RRULE:FREQ=DAILY;COUNT=2", ["2027-03-13 07:00:00", "2027-03-14 07:00:00"]),
            (
                "DTSTART:20261224T170000Z RRULE:FREQ=DAILY;COUNT=3 EXDATE:20261225T170000Z RDATE:20261224T180000Z",
                ["2026-12-24 17:00:00", "2026-12-24 18:00:00", "2026-12-26 17:00:00"]
            ),
            (
                """
                DTSTART;TZID=America/New_York:20270313T120000
                RRULE:FREQ=DAILY;COUNT=3
                EXDATE:20270314T160000Z
                RDATE:20270315T170000Z
                """,
                ["2027-03-13 17:00:00", "2027-03-15 16:00:00", "2027-03-15 17:00:00"]
            ),
            (
                "DTSTART:20270313T120000 RRULE:FREQ=DAILY;COUNT=2 EXDATE:20270314T160000Z",
                ["2027-03-13 17:00:00"]
            ),
        ])
    func inUTC(text: String, expected: [String]) throws {
        let schedule = try CalendarSchedule(recurrence: text)
        let rules = try zone(schedule.timeZone ?? "America/New_York")
        #expect(occurrences(schedule, after: utc("2026-11-01 00:00"), in: rules, count: 9) == expected)
        let printed = try #require(schedule.recurrence)
        #expect(try CalendarSchedule(recurrence: printed) == schedule, "\(printed)")
        var search = PreparedSchedule(schedule, in: rules)
        #expect(search.count(after: utc("2026-11-01 00:00"), through: utc("2028-01-01 00:00")) == expected.count)
        #expect(search.previous(before: utc("2028-01-01 00:00"))?.instant == expected.last.map(utc))
        search = PreparedSchedule(schedule, in: .utc)
        #expect(schedule.timeZone != "UTC" || search.next(after: utc("2026-11-01 00:00"))?.instant == utc(expected[0]))
    }

    @Test(
        "properties are read in the forms that other programs write",
        arguments: [
            "DTSTART;TZID=\"Europe/Berlin\":20261124T090000 RRULE:FREQ=DAILY",
            "DTSTART;VALUE=DATE-TIME;TZID=Europe/Berlin:20261124T090000 RRULE:FREQ=DAILY",
            "DTSTART;TZID=/example.org/20261124_1/Europe/Berlin:20261124T090000 RRULE:FREQ=DAILY",
            "DTSTART;TZID=Europe/Berlin;X-KEPT=TRUE:20261124T090000 RRULE:FREQ=DAILY;",
            "dtstart;tzid=Europe/Berlin:20261124T090000 rrule:freq=daily",
            "DTSTART;TZID=Europe/Ber\r\n lin:20261124T090000\r\nRRULE:FREQ=DAI\r\n LY\r\n",
            "DTSTART;TZID=Europe/Berlin:20261124T090000\n RRULE:FREQ=DAILY",
        ])
    func spellings(text: String) throws {
        #expect(
            try CalendarSchedule(recurrence: text)
                == CalendarSchedule(recurrence: "DTSTART;TZID=Europe/Berlin:20261124T090000 RRULE:FREQ=DAILY"))
    }

    @Test("a text without a rule is due at its start and its extra date-times")
    func extrasOnly() throws {
        let schedule = try CalendarSchedule(recurrence: "DTSTART:20261124T090000Z RDATE:20261125T100000Z")
        #expect(occurrences(schedule, after: 0, in: .utc, count: 9) == ["2026-11-24 09:00:00", "2026-11-25 10:00:00"])
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(recurrence: "DTSTART:20261124T090000Z") }
    }

    @Test("an end in the year 9999 counts as no end")
    func farEnd() throws {
        let schedule = try CalendarSchedule(recurrence: Self.start + "FREQ=YEARLY;UNTIL=99991231T235959Z")
        #expect(schedule.next(after: utc("2199-11-24 08:00"), in: .utc)?.instant == utc("2199-11-24 09:00"))
        #expect(try CalendarSchedule(recurrence: try #require(schedule.recurrence)) == schedule)
    }

    @Test("with a date as the start, times within the rule are ignored, and a warning says so")
    func dates() throws {
        for start in ["DTSTART;VALUE=DATE:20261124", "DTSTART:20261124"] {
            let text = try RecurrenceText("\(start) RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30;BYSECOND=5")
            #expect(text.ignored == ["BYHOUR", "BYMINUTE", "BYSECOND"])
            #expect(
                try text.schedule == CalendarSchedule(recurrence: "DTSTART:20261124T000000 RRULE:FREQ=DAILY"))
        }
        #expect(throws: ScheduleTextError.self) {
            try CalendarSchedule(recurrence: "DTSTART;VALUE=DATE:20261124T090000 RRULE:FREQ=DAILY")
        }
        #expect(throws: ScheduleTextError.self) {
            try CalendarSchedule(recurrence: "DTSTART;VALUE=DATE-TIME:20261124 RRULE:FREQ=DAILY")
        }
    }

    @Test("an exception that is a date leaves out the whole day")
    func exceptionDates() throws {
        let schedule = try CalendarSchedule(
            recurrence: Self.start + "FREQ=DAILY;COUNT=3;BYHOUR=9,17 EXDATE;VALUE=DATE:20261124,20261124")
        #expect(occurrences(schedule, after: utc("2026-11-01 00:00"), in: .utc, count: 9) == ["2026-11-25 09:00:00"])
        #expect(try CalendarSchedule(recurrence: try #require(schedule.recurrence)) == schedule)
    }

    @Test(
        "an ambiguous text is refused",
        arguments: [
            "DTSTART;TZID=Europe/Berlin:20261124T090000Z RRULE:FREQ=DAILY",
            "DTSTART:20261124T090000Z RRULE:FREQ=DAILY EXDATE;TZID=Europe/Berlin:20261125T090000",
            "DTSTART:20261124T090000 RRULE:FREQ=DAILY RDATE:20261125",
            "DTSTART;TZID=Eastern:20261124T090000 RRULE:FREQ=DAILY EXDATE;TZID=Central:20261124T090000",
        ])
    func ambiguous(text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(recurrence: text) }
    }

    @Test(
        "a rule that is typed without a start begins at the reader's time, with parts finer than the rule's set to zero",
        arguments: [
            ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-11-25 09:00:00"), ("FREQ=DAILY;BYHOUR=9", "2026-11-25 09:00:00"),
            ("FREQ=DAILY", "2026-11-25 12:34:00"), ("FREQ=DAILY;BYMINUTE=5", "2026-11-25 12:05:00"),
            ("FREQ=HOURLY", "2026-11-24 13:34:00"), ("FREQ=MINUTELY;INTERVAL=7", "2026-11-24 12:41:00"),
            ("FREQ=SECONDLY;INTERVAL=7", "2026-11-24 12:34:16"), ("FREQ=MINUTELY;BYSECOND=30", "2026-11-24 12:34:30"),
        ])
    func typed(rule: String, expected: String) throws {
        let now = local("2026-11-24 12:34:09")
        let schedule = try CalendarSchedule(text: rule, form: .rrule, now: now)
        #expect(occurrences(schedule, after: now.localSeconds, in: .utc, count: 1) == [expected])
        guard case .recurrence(let exact) = try CalendarSchedule(recurrence: rule, start: now).rule else { return }
        #expect(exact.start == now, "a start that a program gives is kept")
    }

    @Test("a printed schedule is read as the same schedule")
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

    @Test("a rule without a start, with two starts or with EXRULE is refused")
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
