import Foundation
import Testing

@testable import ApusCalendar

@Suite("Cron expressions")
struct CronTests {
    @Test(
        "the next occurrences of an expression are the expected ones",
        arguments: [
            (
                "0 9 * * 1-5",
                ["2026-11-25 09:00:00", "2026-11-26 09:00:00", "2026-11-27 09:00:00", "2026-11-30 09:00:00"]
            ),
            (
                "*/60 8-9 * * *",
                ["2026-11-25 08:00:00", "2026-11-25 09:00:00", "2026-11-26 08:00:00", "2026-11-26 09:00:00"]
            ),
            (
                "*/20 8-9 * * *",
                ["2026-11-25 08:00:00", "2026-11-25 08:20:00", "2026-11-25 08:40:00", "2026-11-25 09:00:00"]
            ),
            (
                "0 0 L * *",
                ["2026-11-30 00:00:00", "2026-12-31 00:00:00", "2027-01-31 00:00:00", "2027-02-28 00:00:00"]
            ),
            (
                "0 0 L-2 * *",
                ["2026-11-28 00:00:00", "2026-12-29 00:00:00", "2027-01-29 00:00:00", "2027-02-26 00:00:00"]
            ),
            (
                "0 0 L-1W * *",
                ["2026-11-30 00:00:00", "2026-12-30 00:00:00", "2027-01-29 00:00:00", "2027-02-26 00:00:00"]
            ),
            (
                "0 0 15W * *",
                ["2026-12-15 00:00:00", "2027-01-15 00:00:00", "2027-02-15 00:00:00", "2027-03-15 00:00:00"]
            ),
            (
                "0 0 1W 5-8 *",
                ["2027-05-03 00:00:00", "2027-06-01 00:00:00", "2027-07-01 00:00:00", "2027-08-02 00:00:00"]
            ),
            (
                "0 0 * * FRI#2",
                ["2026-12-11 00:00:00", "2027-01-08 00:00:00", "2027-02-12 00:00:00", "2027-03-12 00:00:00"]
            ),
            (
                "0 0 * * 5L",
                ["2026-11-27 00:00:00", "2026-12-25 00:00:00", "2027-01-29 00:00:00", "2027-02-26 00:00:00"]
            ),
            (
                "0 0 13 * 5",
                ["2026-11-27 00:00:00", "2026-12-04 00:00:00", "2026-12-11 00:00:00", "2026-12-13 00:00:00"]
            ),
            (
                "0 0 13 * +5",
                ["2027-08-13 00:00:00", "2028-10-13 00:00:00", "2029-04-13 00:00:00", "2029-07-13 00:00:00"]
            ),
            (
                "0 0 29 2 *",
                ["2028-02-29 00:00:00", "2032-02-29 00:00:00", "2036-02-29 00:00:00", "2040-02-29 00:00:00"]
            ),
            (
                "0 22-1 * * 0",
                ["2026-11-29 00:00:00", "2026-11-29 01:00:00", "2026-11-29 22:00:00", "2026-11-29 23:00:00"]
            ),
            (
                "0 0 1 nov-jan *",
                ["2026-12-01 00:00:00", "2027-01-01 00:00:00", "2027-11-01 00:00:00", "2027-12-01 00:00:00"]
            ),
            (
                "0 0 * * sat-mon",
                ["2026-11-28 00:00:00", "2026-11-29 00:00:00", "2026-11-30 00:00:00", "2026-12-05 00:00:00"]
            ),
            (
                "30 0 12 1 1 * 2030/10",
                ["2030-01-01 12:00:30", "2040-01-01 12:00:30", "2050-01-01 12:00:30", "2060-01-01 12:00:30"]
            ),
            (
                "*/20 59 23 24 12 *",
                ["2026-12-24 23:59:00", "2026-12-24 23:59:20", "2026-12-24 23:59:40", "2027-12-24 23:59:00"]
            ),
            ("@monthly", ["2026-12-01 00:00:00", "2027-01-01 00:00:00", "2027-02-01 00:00:00", "2027-03-01 00:00:00"]),
        ]
    )
    func next(text: String, expected: [String]) throws {
        let schedule = try CalendarSchedule(cron: text)
        #expect(occurrences(schedule, after: utc("2026-11-24 12:00"), in: .utc, count: 4) == expected)
    }

    @Test("the first occurrences of random expressions are those of croniter")
    func croniter() throws {
        let rows = cronRows.split(separator: "\n")
        #expect(rows.count > 200)
        for row in rows {
            let halves = row.split(separator: " → ")
            let expected = halves[1].split(separator: ", ").map(String.init)
            let schedule = try CalendarSchedule(cron: String(halves[0]))
            #expect(
                occurrences(schedule, after: utc("2026-11-24 12:00"), in: .utc, count: 4) == expected, "\(halves[0])")
            let printed = try #require(schedule.cron)
            #expect(try CalendarSchedule(cron: printed) == schedule, "\(halves[0]) → \(printed)")
        }
    }

    @Test("a hashed value is the same for the same identifier, and lies in its range")
    func hashed() throws {
        let schedule = try CalendarSchedule(cron: "H(10-20) H(0-3) * * *")
        var seen: Set<String> = []
        for identifier in (0..<60).map({ "job \($0)" }) {
            let found = occurrences(
                schedule, after: utc("2026-11-24 12:00"), in: .utc, identifier: identifier, count: 2)
            let times = found.map { String($0.suffix(8)) }
            #expect(times[0] == times[1])
            #expect(times[0] >= "00:10:00" && times[0] <= "03:20:00")
            seen.insert(times[0])
        }
        #expect(seen.count > 20, "they are spread")
    }

    @Test("after L-3, only one W is read", arguments: ["0 9 L-3WX * *", "0 9 L-3WED * *", "0 9 L-3WW * *"])
    func afterNearest(text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text) }
    }

    @Test(
        "a random value is hashed",
        arguments: [
            ("0~59 9 * * *", "H(0-59) 9 * * *"), ("~ ~ * * *", "H H * * *"), ("10~ ~5 * * *", "H(10-59) H(0-5) * * *"),
            ("~/15 * * * *", "H/15 * * * *"), ("0 9 ~ * *", "0 9 H(1-31) * *"),
            ("0 9 * 1~6 1~5", "0 9 * H(1-6) H(1-5)"),
            ("0~30 0 9 * * *", "H(0-30) 0 9 * * *"),
        ])
    func random(text: String, hashed: String) throws {
        #expect(ScheduleForm(of: text) == .cron)
        #expect(try CalendarSchedule(cron: text) == CalendarSchedule(cron: hashed))
    }

    @Test("a warning is given for a day of the month beside a day of the week, unless both must match")
    func warnings() throws {
        #expect(try CalendarSchedule(cron: "0 0 13 * 5").warnings.count == 1)
        #expect(try CalendarSchedule(cron: "0 0 13 * +5").warnings.isEmpty)
        #expect(try CalendarSchedule(cron: "0 0 */2 * 5").warnings.isEmpty)
    }

    @Test(
        "a zone before an expression is kept, with any fields after it",
        arguments: ["0 9 * * *", "@daily", "0 0 9 * * *", "0 0 9 1 1 * 2030-2040/2", "0 0 L * *"])
    func zones(fields: String) throws {
        for name in ["CRON_TZ", "TZ"] {
            let text = "\(name)=Europe/Berlin \(fields)"
            #expect(ScheduleForm(of: text) == .cron)
            let schedule = try CalendarSchedule(text: text, now: local("2026-11-24 12:00"))
            #expect(schedule.timeZone == "Europe/Berlin")
            #expect(try CalendarSchedule(schedule.rule) == CalendarSchedule(cron: fields))
        }
    }

    @Test("an error names the kind of value with the right article")
    func article() throws {
        let hour = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(cron: "* 25 * * *") }
        let minute = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(cron: "61 * * * *") }
        #expect(hour.expected.hasPrefix("an hour from 0 to 23"))
        #expect(minute.expected.hasPrefix("a minute from 0 to 59"))
    }

    @Test(
        "an error has the column, what was read, and what is accepted",
        arguments: [
            ("61 * * * *", 1, "61"), ("0 24 * * *", 3, "24"), ("0 0 * * 8", 9, "8"), ("0 0 32 * *", 5, "32"),
            ("0 0 1 foo *", 7, "foo"), ("*/0 * * * *", 3, "0"), ("* * * *", 8, ""), ("1 2 3 4 5 6 7 8", 15, "8"),
            ("@reboot", 1, "@reboot"), ("@often", 1, "@often"), ("0 0 1-2-3 * *", 9, "3"), ("0 0 * * MON#6", 13, "6"),
            ("CRON_TZ=../x 0 0 * * *", 1, "CRON_TZ=../x"), ("0 0 L-31 * *", 7, "31"), ("0 0 L-31W * *", 7, "31"),
            ("59~0 * * * *", 4, "0"), ("0~60 * * * *", 3, "60"), ("0~29,30~59 * * * *", 1, "0~29,30~59"),
            ("1~2~3 * * * *", 1, "1~2~3"), ("H/5/5 * * * *", 5, "5"), ("٣ * * * *", 1, "٣"),
        ]
    )
    func errors(text: String, column: Int, found: String) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text) }
        #expect(error.column == column && error.found == found, "\(error)")
        #expect(!error.expected.isEmpty)
    }

    @Test("a printed schedule is read as the same schedule, and printed the same again")
    func printing() throws {
        let texts = [
            "0 9 * * 1-5", "*/20 8-9 * * *", "0 0 L,15 * *", "0 0 L-2 * *", "0 0 15W * *", "0 0 LW * *",
            "0 0 LW,L-3W * *", "0 0 * * 5#2,1L",
            "0 0 13 * 5", "0 0 13 * +5", "0 22-1 * * 0", "15 30 9 1 1 * 2030-2040/2", "H H(0-3) * * *", "H/15 * * * *",
            "* * * * *", "* * * * * *", "0,30 2 * * *", "*/30 2 * * *", "5-59/10 * * * *",
            "CRON_TZ=Asia/Tokyo 0 0 1 1 *",
            "0 0 * * 6-2", "0 0 */2 * 5", "0 0 H * *", "7 0 0 * * *",
        ]
        for text in texts {
            let schedule = try CalendarSchedule(cron: text)
            let printed = try #require(schedule.cron, "\(text)")
            #expect(try CalendarSchedule(cron: printed) == schedule, "\(text) → \(printed)")
            #expect(try CalendarSchedule(cron: printed).cron == printed)
        }
    }

    /// Source: the examples and errors of OCPS 1.0 to 1.4.
    @Test(
        "an expression of OCPS is read as the fields in its specification",
        arguments: [
            ("5-59/15 * * * *", "5,20,35,50 * * * *"), ("  0,15,30,45\t* * *  * ", "0,15,30,45 * * * *"),
            ("0 12 1 * mon", "0 12 1 * 1"), ("0 0 * JAN-MAR SUN", "0 0 * 1-3 7"), ("@weekly", "0 0 * * 0"),
            ("@annually", "0 0 1 1 *"), ("0 15 10 * * * 2025", "0 15 10 * * * 2025-2025"), ("@daily", "0 0 0 * * *"),
            ("0 0 0 1 1 * 1971-2199/2", "0 0 0 1 1 * 1971/2"), ("0 0 * * 5L", "0 0 * * FRI#L"),
            ("0 0 * * MON#1", "0 0 * * 1#1"), ("0 12 1 * +MON", "0 12 1 * +1"), ("0 0 ? * 1", "0 0 * * 1"),
            // Apus accepts these expressions in addition to those of the specification.
            ("0/15 * * * 1", "0-59/15 * * * 1"), ("0 22-1 * * *", "0 0,1,22,23 * * *"), ("@DAILY", "@daily"),
            ("0 0 l * *", "0 0 L * *"), ("0 0 +13 * 5", "0 0 13 * +5"),
        ])
    func ocps(text: String, fields: String) throws {
        #expect(try CalendarSchedule(cron: text) == CalendarSchedule(cron: fields))
    }

    @Test(
        "expressions that OCPS calls invalid are refused",
        arguments: [
            "60 * * * *", "* * 32 * *", "*/0 * * * *", "/30 * * * *", "0 0 1-15W * *", "+5 * * * *", "0 0 1 +1 *",
            "0 0 1 * MON,+TUE", "? * * * *", "0 0 1 ? *", "0 0 0 1 1 * 1969", "0 0 0 1 1 * 2201", "@daily 1",
            "0 0 L-0 * *",
            "0 0 * * 1#0", "* * * *", "0 0 1 * 8",
        ])
    func ocpsErrors(text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text) }
    }

    @Test("expressions joined from fields are refused, or printed and read as the same schedule, also when stored")
    func recombined() throws {
        let fields = [
            ["", "", "", "CRON_TZ=Asia/Tokyo", "TZ=UTC"],
            ["", "", "0", "*/20", "~", "30~40", "H"],
            ["0", "*", "*/15", "0~59", "~", "~/15", "5-20/5", "H", "H(0-29)/10", "0,30"],
            ["9", "*", "*/2", "8-18", "22-2", "~", "8~17", "H"],
            ["*", "*", "1", "L", "L-3", "15W", "LW", "L-3W", "1W,15W", "*/2", "1,15", "?", "~", "1~28", "H", "+13"],
            ["*", "jan,jul", "1-6/2", "dec", "~", "H"],
            ["*", "*", "1-5", "5L", "FRI#2", "sat-mon", "0", "MON,FRI", "+5", "~", "H", "?"],
            ["", "", "", "2027-2030", "*"],
            ["", "", "", "Europe/Berlin", "UTC"],
        ]
        var random = SeededGenerator(seed: 42)
        let now = local("2026-11-24 12:00")
        var used = fields.map { _ in Set<String>() }
        for _ in 0..<4_000 {
            let parts = fields.map { $0[random.below($0.count)] }
            let text = parts.filter { !$0.isEmpty }.joined(separator: " ")
            guard let schedule = try? CalendarSchedule(text: text, form: .cron, now: now) else { continue }
            #expect(ScheduleForm(of: text) == .cron, "\(text)")
            let printed = try #require(schedule.cron, "\(text)")
            #expect(
                try CalendarSchedule(text: printed, form: .cron, now: now) == schedule,
                "“\(text)” is printed as “\(printed)”")
            let stored = try JSONEncoder().encode(schedule)
            #expect(try JSONDecoder().decode(CalendarSchedule.self, from: stored) == schedule, "\(text)")
            for index in parts.indices { used[index].insert(parts[index]) }
        }
        for (alternatives, used) in zip(fields, used) {
            let unused = Set(alternatives).subtracting(used)
            #expect(unused == [], "\(unused.sorted())")
        }
    }
}
