import Testing

@testable import ApusCalendar

/// Compares Apus with the expectations of other programs' own tests.
@Suite("The tables of other programs")
struct PeerTests {
    /// The cases of cronsim 2.7 (`tests/test_cronsim.py`): the zone, the policy for a gap, the base in UTC, the
    /// expression, and the occurrences in UTC.
    ///
    /// If an expression has seconds, cronsim leaves out the times that the clock skips.
    private static let cronsim = """
        UTC | after | 2020-01-01 00:00 | 1 1 L * * | 2020-01-31 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 LW 5 * | 2020-05-29 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 * * 5L | 2020-01-31 01:01:00, 2020-02-28 01:01:00, 2020-03-27 01:01:00, 2020-04-24 01:01:00, 2020-05-29 01:01:00, 2020-06-26 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 * * 1#2 | 2020-01-13 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 1-7 * */7 | 2020-01-05 01:01:00, 2020-02-02 01:01:00, 2020-03-01 01:01:00, 2020-04-05 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 */100,1-7 * MON | 2020-01-06 01:01:00, 2020-02-03 01:01:00, 2020-03-02 01:01:00, 2020-04-06 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 * * */3 | 2020-01-01 01:01:00, 2020-01-04 01:01:00, 2020-01-05 01:01:00, 2020-01-08 01:01:00
        UTC | after | 2020-01-01 00:00 | */15 * * * * * | 2020-01-01 00:00:15, 2020-01-01 00:00:30, 2020-01-01 00:00:45, 2020-01-01 00:01:00, 2020-01-01 00:01:15
        Europe/Riga | after | 2021-03-27 23:30 | 0 * * * * | 2021-03-28 00:00:00, 2021-03-28 01:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 * * * * | 2021-10-30 23:00:00, 2021-10-31 00:00:00, 2021-10-31 01:00:00, 2021-10-31 02:00:00
        Europe/Riga | after | 2021-03-28 00:10 | */30 * * * * | 2021-03-28 00:30:00, 2021-03-28 01:00:00, 2021-03-28 01:30:00
        Europe/Riga | after | 2021-10-30 23:10 | */30 * * * * | 2021-10-30 23:30:00, 2021-10-31 00:00:00, 2021-10-31 00:30:00, 2021-10-31 01:00:00, 2021-10-31 01:30:00, 2021-10-31 02:00:00
        Europe/Riga | after | 2021-03-28 00:40 | */15 * * * * | 2021-03-28 00:45:00, 2021-03-28 01:00:00
        Europe/Riga | after | 2021-10-30 23:40 | */15 * * * * | 2021-10-30 23:45:00, 2021-10-31 00:00:00, 2021-10-31 00:15:00, 2021-10-31 00:30:00, 2021-10-31 00:45:00, 2021-10-31 01:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 0 */2 * * * | 2021-03-28 00:00:00, 2021-03-28 01:00:00, 2021-03-28 03:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 */2 * * * | 2021-10-30 23:00:00, 2021-10-31 02:00:00, 2021-10-31 04:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 30 */2 * * * | 2021-03-28 00:30:00, 2021-03-28 01:30:00
        Europe/Riga | after | 2021-10-30 22:30 | 30 */2 * * * | 2021-10-30 23:30:00, 2021-10-31 02:30:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 */3 * * * | 2021-10-31 00:00:00, 2021-10-31 01:00:00, 2021-10-31 04:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 0 1,2,3,4,5 * * * | 2021-03-28 00:00:00, 2021-03-28 01:00:00, 2021-03-28 02:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 1,2,3,4,5 * * * | 2021-10-30 23:00:00, 2021-10-31 00:00:00, 2021-10-31 02:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 30 1,2,3,4,5 * * * | 2021-03-28 00:30:00, 2021-03-28 01:00:00, 2021-03-28 01:30:00
        Europe/Riga | after | 2021-10-30 22:30 | 30 1,2,3,4,5 * * * | 2021-10-30 23:30:00, 2021-10-31 00:30:00, 2021-10-31 02:30:00
        Europe/Riga | after | 2021-03-27 23:30 | 0 2 * * * | 2021-03-28 00:00:00, 2021-03-28 23:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 2 * * * | 2021-10-30 23:00:00, 2021-11-01 00:00:00
        Europe/Riga | after | 2021-03-26 23:30 | 0 3 * * * | 2021-03-27 01:00:00, 2021-03-28 01:00:00, 2021-03-29 00:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 3 * * * | 2021-10-31 00:00:00, 2021-11-01 01:00:00
        Europe/Riga | after | 2021-03-26 23:30 | 0 4 * * * | 2021-03-27 02:00:00, 2021-03-28 01:00:00, 2021-03-29 01:00:00
        Europe/Riga | after | 2021-10-29 22:30 | 0 4 * * * | 2021-10-30 01:00:00, 2021-10-31 02:00:00, 2021-11-01 02:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 0 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * * | 2021-03-28 00:00:00, 2021-03-28 01:00:00, 2021-03-28 02:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * * | 2021-10-30 23:00:00, 2021-10-31 00:00:00, 2021-10-31 02:00:00
        Europe/Riga | after | 2021-03-27 22:30 | 0 1,3,5,7,9,11,13,15,17,19,21,23 * * * | 2021-03-27 23:00:00, 2021-03-28 01:00:00, 2021-03-28 02:00:00
        Europe/Riga | after | 2021-10-30 21:30 | 0 1,3,5,7,9,11,13,15,17,19,21,23 * * * | 2021-10-30 22:00:00, 2021-10-31 00:00:00, 2021-10-31 03:00:00
        Europe/Riga | after | 2021-03-27 23:30 | 0 1-5 * * * | 2021-03-28 00:00:00, 2021-03-28 01:00:00, 2021-03-28 02:00:00
        Europe/Riga | after | 2021-10-30 22:30 | 0 1-5 * * * | 2021-10-30 23:00:00, 2021-10-31 00:00:00, 2021-10-31 02:00:00
        Europe/Riga | after | 2021-03-26 22:00 | 15 3 * * * | 2021-03-27 01:15:00, 2021-03-28 01:00:00, 2021-03-29 00:15:00
        Europe/Riga | after | 2021-10-29 21:00 | 15 3 * * * | 2021-10-30 00:15:00, 2021-10-31 00:15:00, 2021-11-01 01:15:00
        Europe/Riga | after | 2021-03-28 00:58 | * * * * * | 2021-03-28 00:59:00, 2021-03-28 01:00:00
        Europe/Riga | after | 2021-10-31 00:58 | * * * * * | 2021-10-31 00:59:00, 2021-10-31 01:00:00, 2021-10-31 01:01:00
        Europe/Riga | after | 2021-03-28 00:58 | * 1-6 * * * | 2021-03-28 00:59:00, 2021-03-28 01:00:00
        Europe/Riga | after | 2021-10-31 00:58 | * 1-6 * * * | 2021-10-31 00:59:00, 2021-10-31 01:00:00, 2021-10-31 01:01:00
        Europe/Riga | skip | 2021-03-27 23:31 | 11,22 30 1,2,3,4 * * * | 2021-03-28 00:30:11, 2021-03-28 00:30:22, 2021-03-28 01:30:11, 2021-03-28 01:30:22
        Europe/Riga | skip | 2021-03-27 23:31 | 33 30 1-10 * * * | 2021-03-28 00:30:33, 2021-03-28 01:30:33, 2021-03-28 02:30:33
        Europe/Riga | skip | 2021-03-27 23:31 | 0 30 1-10 * * * | 2021-03-28 00:30:00, 2021-03-28 01:30:00, 2021-03-28 02:30:00
        UTC | after | 2020-01-01 00:00 | 1 1 * * 0L | 2020-01-26 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 * * 7L | 2020-01-26 01:01:00
        UTC | after | 2020-01-01 00:00 | 1 1 */100 * MON#4 | none
        """

    @Test("cronsim's occurrences")
    func occurrencesOfCronsim() throws {
        let rows = Self.cronsim.split(separator: "\n")
        #expect(rows.count >= 40)
        for row in rows {
            let cells = row.split(separator: "|").map { String($0).trimmingWhitespace }
            let expected =
                cells[4] == "none" ? [] : cells[4].split(separator: ",").map { String($0).trimmingWhitespace }
            let found = occurrences(
                try CalendarSchedule(cron: cells[3]), after: utc(cells[2]), in: try zone(cells[0]),
                policy: ClockPolicy(gap: cells[1] == "skip" ? .skip : .after), count: max(expected.count, 1))
            #expect(found == expected, "\(row)")
        }
    }

    @Test("what cronsim refuses is refused, except what is documented")
    func refusalsOfCronsim() {
        let places = [
            "%s * * * *", "* %s * * *", "* * %s * *", "* * * %s * ", "* * * * %s", "* * * * * %s", "* * * * * * %s",
            "1-%s * * * *", "%s-60 * * * *", "* * 1-%s * *", "* * 1,%s * *", "* * %s/1 * *", "* * * %s-DEC *",
            "* * * JAN-%s *", "* * * * %s-SUN", "* * * * MON-%s", "1-%s * * * * *", "%s-60 * * * * *",
        ]
        let values = ["-1", "61", "ABC", "2/", "/2", "2#", "#2", "1##1", "1//2", "¹", "LL", "LWX"]
        var texts = places.flatMap { place in values.map { place.replacing("%s", with: $0) } }
        texts += [
            "1-1_0 * * * *", "*/0 * * * *", "* * * * 1#0", "* * * * 1#6", "* * * * 5L-6", "* * * * 5L#1",
            "* * * * 5L/3",
        ]
        for text in texts { #expect((try? CalendarSchedule(cron: text)) == nil, "\(text)") }
        // These expressions have a range that wraps around, a day of the month that no month of the schedule has, or a
        // name before L.
        for text in ["* * 5-1 * *", "* * 30 2 *", "* * 31 4 *", "* * * * MONL"] {
            #expect((try? CalendarSchedule(cron: text)) != nil, "\(text)")
        }
    }

    /// Source: Quartz 2.5, `CronExpressionTest.java`.
    @Test(
        "Quartz' occurrences",
        arguments: [
            ("0 15 10 * * ? 2005", "2005-06-01 00:00", "2005-06-01 10:15:00"),
            ("0 15 10 L-2 * ? 2010", "2010-10-01 00:00", "2010-10-29 10:15:00"),
            ("0 15 10 L-5W * ? 2010", "2010-10-01 00:00", "2010-10-26 10:15:00"),
            ("0 15 10 L-1 * ? 2010", "2010-10-01 00:00", "2010-10-30 10:15:00"),
            ("0 15 10 L-1W * ? 2010", "2010-10-01 00:00", "2010-10-29 10:15:00"),
            ("19 15 10 4 Apr ? ", "2010-01-01 00:00", "2010-04-04 10:15:19"),
        ])
    func occurrencesOfQuartz(text: String, base: String, expected: String) throws {
        let schedule = try CalendarSchedule(cron: text, dialect: .quartz)
        #expect(occurrences(schedule, after: utc(base), in: .utc, count: 1) == [expected])
    }

    @Test(
        "what Quartz refuses is refused, except what is documented",
        arguments: [
            "* * * * Foo ? ", "* * * * Jan-Foo ? ", "0 0 * * * *", "0 0 * 4 * *", "0 0 * * * 4", "0/5 * * 32W 1 ?",
            "/120 0 8-18 ? * 2-6", "/ 0 8-18 ? * 2-6", "0/ 0 8-18 ? * 2-6", "0 /120 8-18 ? * 2-6", "0 / 8-18 ? * 2-6",
            "0 0/ 8-18 ? * 2-6", "0 0 /120 ? * 2-6", "0 0 / ? * 2-6", "0 0 0/ ? * 2-6", "0 0 0 /120 * 2-6",
        ])
    func refusalsOfQuartz(text: String) throws {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text, dialect: .quartz) }
    }

    /// The reasons why Apus differs from the other projects in some rows of ``PeerRows``.
    private static let differences = [
        "clock": "a time with minutes counts from midnight, where recurrent takes 3:15 for the afternoon",
        "clockStar": "a field that begins with a star follows the clock, so that times in a gap are omitted",
        "either": "a day that matches one of two restricted fields is due, where Cronos requires both",
        "excluded": "the standard excludes these parts together",
        "fraction": "fractions of a second are refused",
        "interval": "an interval is at most 10,000",
        "intervals": "only a star follows the clock, where Cronos takes ranges and steps for intervals too",
        "lastDay": "L-0 is refused",
        "list": "W may be in a list",
        "mark": "? is for days",
        "names": "names of days may be whole",
        "position": "positions need a unit of a day or longer",
        "star": "a day field that begins with a star does not restrict",
        "step": "a step beyond the field leaves the first value",
        "weekNumber": "a week by its number has its match on the start's day of the week",
        "weeks": "weeks are counted from that of the first such day, where recurrent counts from that of the start",
        "years": "a seventh field is the year",
    ]

    /// A row of ``PeerRows``.
    private struct Row {
        var notation: String
        var zone: String
        var policy: ClockPolicy
        var text: String
        var expectations: [Substring]
        var difference: String?

        init(_ line: Substring) {
            let halves = line.split(separator: " ≠ ")
            let cells = halves[0].split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
            (notation, zone, text) = (cells[0], cells[1], cells[3])
            expectations = halves[0].dropFirst(cells[0...3].joined(separator: " | ").count + 3).split(separator: " ; ")
            policy = ClockPolicy(
                gap: cells[2].contains("skip") ? .skip : .after, repeated: cells[2].contains("both") ? .both : .first)
            difference = halves.count > 1 ? String(halves[1]) : nil
        }

        func schedule(_ text: String) throws -> CalendarSchedule {
            switch notation {
            case "spring": try CalendarSchedule(cron: text, dialect: .spring)
            case "rrule": try CalendarSchedule(recurrence: text)
            default:
                try CalendarSchedule(
                    text: text, form: ScheduleForm(rawValue: notation), now: local("2010-01-01 00:00"))
            }
        }

        /// Returns what Apus finds instead of the expectations; nil if they are met.
        func disagreement() throws -> String? {
            guard let schedule = try? schedule(text) else {
                return expectations == ["refused"] || notation == "words" ? nil : "refused"
            }
            if expectations == ["refused"] { return "read" }
            let rules = try ApusCalendarTests.zone(schedule.timeZone ?? zone)
            func found(_ schedule: CalendarSchedule, _ base: Int64, _ count: Int) -> [String] {
                occurrences(schedule, after: base, in: rules, policy: policy, count: count)
            }
            if notation == "words" {
                let meant = try CalendarSchedule(recurrence: String(expectations.joined(separator: " ; ")))
                let base = utc("2009-12-31 23:59:59")
                let (here, there) = (found(schedule, base, 6), found(meant, base, 6))
                return here == there ? nil : "\(here)"
            }
            for expectation in expectations {
                if expectation.hasPrefix("= ") {
                    guard try self.schedule(String(expectation.dropFirst(2))) == schedule else {
                        return "another schedule"
                    }
                    continue
                }
                let ends = expectation.split(separator: " > ").map(String.init)
                let isExcluded = ends[1].hasPrefix("not ")
                let expected = (isExcluded ? String(ends[1].dropFirst(4)) : ends[1]).split(separator: " & ").map {
                    $0.contains(":") && !$0.contains("-") ? "\(ends[0].prefix(10)) \($0)" : String($0)
                }
                let here = found(schedule, utc(ends[0]), expected.count)
                let isMet = isExcluded ? here != expected : here == (expected == ["none"] ? [] : expected)
                if !isMet { return "\(expectation): \(here)" }
            }
            return nil
        }
    }

    @Test("the tables of other projects agree, except where the documents say so")
    func tables() throws {
        var source = ""
        var counts: [String: (rows: Int, expectations: Int, differences: Int)] = [:]
        for line in PeerRows.text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                source = String(line.dropFirst(2))
                continue
            }
            let row = Row(line)
            let disagreement = try row.disagreement()
            #expect((disagreement != nil) == (row.difference != nil), "\(line) ⇒ \(disagreement ?? "agrees")")
            #expect(row.difference.map { Self.differences[$0] != nil } ?? true, "\(line)")
            let count = counts[source] ?? (0, 0, 0)
            counts[source] = (
                count.rows + 1, count.expectations + row.expectations.count,
                count.differences + (row.difference == nil ? 0 : 1)
            )
        }
        for (source, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("\(source): \(count.rows) rows, \(count.expectations) expectations, \(count.differences) differences")
        }
        #expect(counts.count >= 6 && counts.values.reduce(0) { $0 + $1.expectations } > 1_700)
    }
}
