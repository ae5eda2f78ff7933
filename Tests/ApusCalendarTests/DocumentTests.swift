import Foundation
import Testing

@testable import ApusCalendar

/// Checks `docs/calendar.md`.
@Suite("docs/calendar.md")
struct DocumentTests {
    private struct Row {
        var cells: [String]

        /// Returns the text between the first backticks of a cell.
        func code(_ cell: Int) -> String? {
            let parts = cells[cell].components(separatedBy: "`")
            return parts.count > 2 ? parts[1] : nil
        }
    }

    private static func document() throws -> String {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        return try String(
            contentsOf: root.appending(path: "../../docs/calendar.md").standardizedFileURL, encoding: .utf8)
    }

    /// Returns the rows of the table whose header row begins with this cell.
    private static func rows(of table: String) throws -> [Row] {
        let lines = try document().components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(table) |") }, "\(table)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            Row(
                cells: line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map {
                    $0.trimmingCharacters(in: .whitespaces)
                })
        }
    }

    private static let now = local("2026-11-24 12:00")

    @Test(
        "each schedule in the tables is accepted, and is due when the table says",
        arguments: [("words", ScheduleForm.words), ("cron", .cron), ("OnCalendar", .calendar), ("RRULE", .rrule)])
    func tables(table: String, form: ScheduleForm) throws {
        let rows = try Self.rows(of: table)
        #expect(rows.count >= 9)
        let after = utc("2026-11-24 11:00")
        for row in rows {
            let text = try #require(row.code(0))
            #expect(ScheduleForm(of: text) == form, "\(text)")
            let schedule = try CalendarSchedule(text: text, now: Self.now)
            let rules = try zone(schedule.timeZone ?? "Europe/Berlin")
            let next = try #require(schedule.next(after: after, in: rules, identifier: "backup"), "\(text)")
            #expect("\(next.local)".dropLast(3) == row.cells[2], "\(text)")
            #expect(schedule.text(in: form) != nil, "\(text)")
        }
    }

    @Test("at the two changes of the clock, cron expressions are due when the table says")
    func clockChanges() throws {
        let rows = try Self.rows(of: "expression")
        #expect(rows.count >= 8)
        let berlin = try zone("Europe/Berlin")
        for row in rows {
            let search = PreparedSchedule(try CalendarSchedule(cron: try #require(row.code(0))), in: berlin)
            for (cell, day) in [(1, "2027-03-28"), (2, "2027-10-31")] {
                var times: [String] = []
                // The day begins in the zone one or two hours earlier than in UTC.
                var instant = utc("\(day) 00:00") - 7201
                while let next = search.next(after: instant), next.local < local("\(day) 05:00") {
                    if next.local >= local("\(day) 00:00") {
                        times.append(String("\(next.local)".dropFirst(11).prefix(5)))
                    }
                    instant = next.instant
                }
                #expect((times.isEmpty ? "none" : times.joined(separator: ", ")) == row.cells[cell], "\(row.cells[0])")
            }
        }
    }

    @Test("the list of words is the table that the parser uses")
    func words() throws {
        let tables = Vocabulary.all.map(\.table)
        let expected = tables[0].map { group, words in
            let others = tables.dropFirst().map { table in
                table.first { $0.group == group }?.words.joined(separator: " ") ?? ""
            }
            return [group, words.joined(separator: " ")] + others
        }
        let rows = try Self.rows(of: "words of").map { $0.cells.map { $0.replacingOccurrences(of: "`", with: "") } }
        #expect(
            rows == expected, "\(expected.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n"))")
    }

    @Test("each instant in the table is read as the table says")
    func instants() throws {
        let rows = try Self.rows(of: "instant")
        #expect(rows.count >= 14)
        let berlin = try zone("Europe/Berlin")
        for row in rows {
            let moment = try Moment(try #require(row.code(0)))
            var rules = berlin
            if case .named(let name)? = moment.zone { rules = try zone(name) }
            let instant = try moment.nanoseconds(
                at: .init(seconds: utc("2026-11-24 11:00"), nanosecond: 0, rules: rules))
            #expect(
                "\(berlin.local(at: Int64(instant / 1_000_000_000)))".dropLast(3) == row.cells[2], "\(row.cells[0])")
        }
    }

    @Test("each schedule that the document calls refused is refused with a column")
    func refused() throws {
        let rows = try Self.rows(of: "form")
        #expect(rows.count >= 15)
        for row in rows {
            let form = try #require(ScheduleForm(rawValue: row.cells[0]))
            let text = try #require(row.code(1))
            let error = try #require(throws: ScheduleTextError.self, "\(text)") {
                try CalendarSchedule(text: text, form: form, now: Self.now)
            }
            #expect(error.column >= 1 && !error.expected.isEmpty)
        }
    }

    @Test("the stored form in the document is decoded, and encoded as the same text")
    func stored() throws {
        let document = try Self.document()
        let json = try #require(document.components(separatedBy: "```json\n").dropFirst().first)
        let data = Data(try #require(json.components(separatedBy: "```").first).utf8)
        let schedule = try JSONDecoder().decode(CalendarSchedule.self, from: data)
        #expect(schedule.count == 200 && schedule.exclusions.count == 3 && schedule.spread == 600)
        let again = try JSONEncoder().encode(schedule)
        let shown = try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
        #expect(try JSONSerialization.jsonObject(with: again) as? NSDictionary == shown)
    }

    @Test("the comments beside printed schedules equal the printed text")
    func printed() throws {
        let schedule = try CalendarSchedule(onCalendar: "Mon..Fri 09:00")
        let document = try Self.document()
        #expect(document.contains("schedule.words  // \(try #require(schedule.words))\n"))
        #expect(document.contains("schedule.cron  // \(try #require(schedule.cron))\n"))
    }
}
