import Testing

@testable import ApusCalendar

@Suite("Civil dates")
struct CivilTests {
    @Test("each day from 1890 to 2210 has one number, one date, and the weekday after that of the day before")
    func days() {
        var expected = CivilDate(unchecked: 1890, 1, 1)
        var weekday = Weekday.wednesday
        for number in expected.dayNumber...CivilDate(unchecked: 2210, 12, 31).dayNumber {
            #expect(CivilDate(dayNumber: number) == expected)
            #expect(expected.dayNumber == number)
            #expect(expected.weekday == weekday)
            let isLast = expected.day == CivilDate.days(inMonth: expected.month, year: expected.year)
            expected =
                !isLast
                ? CivilDate(unchecked: expected.year, expected.month, expected.day + 1)
                : expected.month < 12
                    ? CivilDate(unchecked: expected.year, expected.month + 1, 1)
                    : CivilDate(unchecked: expected.year + 1, 1, 1)
            weekday = Weekday(rawValue: weekday.rawValue % 7 + 1) ?? .monday
        }
    }

    @Test(
        "weeks are those of ISO 8601",
        arguments: [
            ("2026-01-01 00:00", 2026, 1), ("2027-01-01 00:00", 2026, 53), ("2027-01-04 00:00", 2027, 1),
            ("2024-12-30 00:00", 2025, 1), ("2023-01-01 00:00", 2022, 52), ("2020-12-31 00:00", 2020, 53),
        ]
    )
    func weeks(date: String, year: Int, week: Int) {
        let found = local(date).date.isoWeek
        #expect(found.year == year && found.week == week)
    }

    @Test("a day that a month does not have is not a date")
    func validity() {
        #expect(CivilDate(year: 2028, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 2027, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2100, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2026, month: 4, day: 31) == nil)
        #expect(CivilTime(hour: 24, minute: 0) == nil)
        #expect(CivilTime(hour: 23, minute: 59, second: 60) == nil)
    }
}
