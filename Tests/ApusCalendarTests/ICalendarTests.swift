import Testing

@testable import ApusCalendar

@Suite("iCalendar files")
struct ICalendarTests {
    /// The file defines Berlin's zone with a different name, and has folded lines.
    private static let file = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Example//Calendar 1.0//EN
        BEGIN:VEVENT
        UID:1@example.org
        SUMMARY:Stand-up: all of us\\, DTSTART and
          RRULE:FREQ=YEARLY
        DTSTART;TZID="Office, Berlin":20261124T090000
        DTEND;TZID="Office, Berlin":20261124T091500
        RRULE:FREQ=WEEKLY;BYDAY=TU,
         TH;COUNT=5
        EXDATE;TZID="Office, Berlin":20261126T090000
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER:-PT10M
        END:VALARM
        END:VEVENT
        BEGIN:VEVENT
        UID:1@example.org
        RECURRENCE-ID;TZID="Office, Berlin":20261201T090000
        DTSTART;TZID="Office, Berlin":20261201T100000
        SUMMARY:Later
        END:VEVENT
        BEGIN:VEVENT
        UID:1@example.org
        RECURRENCE-ID;TZID="Office, Berlin":20261203T090000
        DTSTART;TZID="Office, Berlin":20261203T090000
        STATUS:CANCELLED
        END:VEVENT
        BEGIN:VTIMEZONE
        TZID:Office, Berlin
        X-LIC-LOCATION:Europe/Berlin
        BEGIN:DAYLIGHT
        DTSTART:19700329T020000
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
        END:DAYLIGHT
        END:VTIMEZONE
        END:VCALENDAR
        """

    private static func event(_ lines: String...) -> String {
        (["BEGIN:VEVENT"] + lines + ["END:VEVENT"]).joined(separator: "\n")
    }

    @Test("an event is read as its rule with moved and cancelled occurrences, and ignored parts are named")
    func wholeFile() throws {
        for text in [Self.file, "\u{FEFF}" + Self.file.replacing("\n", with: "\r\n") + "\r\n"] {
            #expect(ScheduleForm(of: text) == .rrule)
            let read = try RecurrenceText(text)
            #expect(read.schedule.timeZone == "Europe/Berlin")
            #expect(
                occurrences(read.schedule, after: utc("2026-11-01 00:00"), in: try zone("Europe/Berlin"), count: 9)
                    == ["2026-11-24 08:00:00", "2026-12-01 09:00:00", "2026-12-08 08:00:00"])
            #expect(read.ignored == ["SUMMARY", "DTEND", "VALARM"])
            let printed = try #require(read.schedule.recurrence)
            #expect(try CalendarSchedule(recurrence: printed) == read.schedule)
            #expect(try CalendarSchedule(text: text, now: local("2026-11-24 12:00")) == read.schedule)
        }
    }

    @Test("an event without a rule is due at its start")
    func single() throws {
        let schedule = try CalendarSchedule(
            recurrence: Self.event("DTSTART:20261224T170000Z", "RDATE:20261225T170000Z"))
        #expect(
            occurrences(schedule, after: 0, in: .utc, count: 9) == ["2026-12-24 17:00:00", "2026-12-25 17:00:00"])
    }

    @Test("two occurrences that swap places are both due")
    func exchanged() throws {
        let change = { (from: String, to: String) in
            "END:VEVENT\nBEGIN:VEVENT\nRECURRENCE-ID:202611\(from)T090000\nDTSTART:202611\(to)T090000"
        }
        let schedule = try CalendarSchedule(
            recurrence: Self.event(
                "DTSTART:20261124T090000", "RRULE:FREQ=DAILY;COUNT=2", change("24", "25"), change("25", "26")))
        #expect(
            occurrences(schedule, after: 0, in: .utc, count: 9) == ["2026-11-25 09:00:00", "2026-11-26 09:00:00"])
    }

    @Test("a zone of Windows is that of its place, also if the file defines it under this name")
    func windowsZones() throws {
        let outlook = """
            BEGIN:VCALENDAR
            BEGIN:VTIMEZONE
            TZID:W. Europe Standard Time
            BEGIN:STANDARD
            DTSTART:16010101T030000
            END:STANDARD
            END:VTIMEZONE
            BEGIN:VEVENT
            DTSTART;TZID=W. Europe Standard Time:20261124T090000
            RRULE:FREQ=DAILY;COUNT=2
            EXDATE;TZID="W. Europe Standard Time":20261124T090000
            END:VEVENT
            END:VCALENDAR
            """
        let schedule = try RecurrenceText(outlook).schedule
        #expect(schedule.timeZone == "Europe/Berlin")
        #expect(
            occurrences(schedule, after: 0, in: try zone("Europe/Berlin"), count: 9) == ["2026-11-25 08:00:00"])
        #expect(WindowsZones.names.count > 130)
        for name in WindowsZones.names.values { #expect((try? zone(name)) != nil, "\(name)") }
    }

    @Test("a zone that the file defines without saying where it is, is named in the error")
    func unnamedZone() throws {
        let text = """
            BEGIN:VCALENDAR
            BEGIN:VTIMEZONE
            TZID:Customized Time Zone
            END:VTIMEZONE
            BEGIN:VEVENT
            DTSTART;TZID=Customized Time Zone:20261124T090000
            END:VEVENT
            END:VCALENDAR
            """
        let error = try #require(throws: ScheduleTextError.self) { try RecurrenceText(text) }
        #expect(error.found == "Customized Time Zone" && error.column == 14, "\(error)")
        #expect(error.expected.contains("VTIMEZONE of this name") && error.expected.hasSuffix("(line 6)"), "\(error)")
    }

    @Test("an all-day event is due at midnight, and its exceptions are days")
    func allDay() throws {
        let schedule = try CalendarSchedule(
            recurrence: Self.event(
                "DTSTART;VALUE=DATE:20261124", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE;VALUE=DATE:20261125"))
        #expect(
            occurrences(schedule, after: 0, in: .utc, count: 9) == ["2026-11-24 00:00:00", "2026-11-26 00:00:00"])
    }

    @Test(
        "a file that is not a schedule is refused with the line",
        arguments: [
            (event("RRULE:FREQ=DAILY"), "DTSTART", 3),
            (event("DTSTART:20261124T090000", "RRULE:FREQ=OFTEN"), "FREQ", 3),
            (event("DTSTART:20261124T090000", "STATUS:CANCELLED"), "cancelled", 4),
            (event("DTSTART;TZID=Customized Time:20261124T090000"), "IANA", 2),
            (event("DTSTART:20261124T090000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261124T090000"), "TZID", 3),
            ("BEGIN:VEVENT\nDTSTART:20261124T090000", "END:VEVENT", 2), ("BEGIN:VTODO\nEND:VTODO", "VEVENT", 2),
            ("BEGIN:VCALENDAR\nEND:VEVENT", "END:VCALENDAR", 2),
            (
                event("SUMMARY:Tea", "DTSTART:20261124T090000") + "\n"
                    + event("SUMMARY:Cake", "DTSTART:20261124T100000"),
                "Tea, Cake", 8
            ),
        ])
    func refused(text: String, expected: String, line: Int) throws {
        let error = try #require(throws: ScheduleTextError.self) { try RecurrenceText(text) }
        #expect(error.expected.contains(expected) && error.expected.hasSuffix("(line \(line))"), "\(error)")
        #expect(error.column >= 1 && error.column <= text.count + 1)
    }
}
