import ApusClient
import Foundation
import Testing

@Suite("The preview of schedules", .timeLimit(.minutes(10)))
struct PreviewTests {
    private struct Answer: Decodable {
        struct Due: Decodable { var instant: String, note: String? }
        var zone: String, forms: [String: String], warnings: [String], next: [Due]
    }

    private static func preview(_ apus: ApusUnderTest, _ arguments: [String]) async throws -> Answer {
        let answer = try await apus.call(["preview"] + arguments + ["--json"])
        #expect(answer.code == 0, "\(arguments): \(answer.err)")
        return try JSONDecoder().decode(Answer.self, from: Data(answer.out.utf8))
    }

    @Test("the preview notes clock changes beside their occurrences, and obeys both policies")
    func clockChanges() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            func next(_ schedule: String, after: String, _ options: String...) async throws -> [String] {
                let answer = try await Self.preview(
                    apus, [schedule, "-n", "3", "--after", after, "--tz", "Europe/Berlin"] + options)
                return answer.next.map { "\($0.instant)\($0.note == nil ? "" : " *")" }
            }
            let spring = "2027-03-27T12:00:00Z"
            let autumn = "2027-10-30T12:00:00Z"
            try await #expect(
                next("every day at 2:30", after: spring)
                    == ["2027-03-28T03:00:00+02:00 *", "2027-03-29T02:30:00+02:00", "2027-03-30T02:30:00+02:00"])
            try await #expect(
                next("30 2 * * *", after: spring, "--gap", "skip")
                    == ["2027-03-29T02:30:00+02:00 *", "2027-03-30T02:30:00+02:00", "2027-03-31T02:30:00+02:00"])
            try await #expect(
                next("02:30", after: autumn)
                    == ["2027-10-31T02:30:00+02:00 *", "2027-11-01T02:30:00+01:00", "2027-11-02T02:30:00+01:00"])
            try await #expect(
                next("*-*-* 02:30", after: autumn, "--repeated", "both")
                    == ["2027-10-31T02:30:00+02:00 *", "2027-10-31T02:30:00+01:00 *", "2027-11-01T02:30:00+01:00"])
            let files = try? FileManager.default.contentsOfDirectory(atPath: apus.home.path)
            #expect(files ?? [] == [], "it needs no daemon")
        }
    }

    @Test("the preview recognises each form of schedule, prints the others, and points out what may be misread")
    func forms() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            func answer(_ schedule: String...) async throws -> Answer {
                try await Self.preview(apus, schedule + ["--after", "2027-01-01T00:00:00Z"])
            }
            for form in ["every weekday at 9:00", "0 9 * * 1-5", "Mon..Fri 09:00"] {
                let forms = try await answer(form).forms
                #expect(forms["words"] == "every weekday at 9:00", "\(form)")
                #expect(forms["cron"] == "0 9 * * 1-5", "\(form)")
                #expect(forms["calendar"] == "Mon..Fri *-*-* 09:00:00", "\(form)")
            }
            #expect(try await answer("every", "day", "at", "9:00").next.count == 10, "without quotes, too")
            #expect(try await answer("@daily").forms["words"] == "every day at 0:00")
            #expect(
                try await answer("RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0;BYSECOND=0").next.first?.instant
                    .hasPrefix("2027-01-29T17:00:00") == true)
            let zoned = try await answer("Mon 09:00 Asia/Tokyo")
            #expect(zoned.zone == "Asia/Tokyo")
            #expect(zoned.next.first?.instant == "2027-01-04T09:00:00+09:00")
            #expect(try await answer("0 9 13 * 5").warnings.count == 1)
        }
    }

    @Test(
        "bad input is refused with exit code 64, the argument, the position and the accepted forms",
        arguments: [
            (["every blue moon"], ["apus: schedule", "column 7", "blue", "weekday"]),
            (["99 * * * *"], ["apus: schedule", "column 1", "99"]),
            (["every day at 9:00", "--tz", "Europe/Berlinn"], ["apus: --tz", "did you mean: Europe/Berlin"]),
            (["every day at 9:00", "-n", "0"], ["--number: 0 is not a whole number from 1 to 1000"]),
            (["every day at 9:00", "--gap", "before"], ["--gap", "before", "skip"]),
            (["every day at 9:00", "--after", "soon"], ["--after", "soon", "tomorrow 9:00"]),
        ])
    func refusals(_ arguments: [String], _ parts: [String]) async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            let answer = try await apus.call(["preview"] + arguments)
            #expect(answer.code == 64)
            for part in parts { #expect(answer.err.contains(part), "\(answer.err)") }
        }
    }

    @Test("a skipped time at which no occurrence is due is marked in the preview")
    func skipped() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            for (schedule, note) in [
                ("*/30 2 * * *", "the clock skipped 2027-03-28 02:00:00: nothing was due then"), ("0 9 * * *", nil),
            ] {
                let next = try await Self.preview(
                    apus, [schedule, "-n", "1", "--after", "2027-03-27T12:00:00Z", "--tz", "Europe/Berlin"]
                ).next
                #expect(next.first?.note == note)
            }
        }
    }

    @Test("another program's expression is read in its dialect, and refused without one, with its possible readings")
    func dialects() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            let text = "0 0 12 ? * 2-6"
            let quartz = try await Self.preview(apus, [text, "--dialect", "quartz"])
            #expect(quartz.forms["cron"] == "0 12 * * 1-5")
            #expect(try await Self.preview(apus, [text, "--dialect", "spring"]).forms["cron"] == "0 12 * * 2-6")
            let refused = try await apus.call(["preview", text])
            #expect(refused.code == 64 && refused.err.contains("dialect quartz"), "\(refused.err)")
            let words = try await apus.call(["preview", "every day at 9:00", "--dialect", "aws"])
            #expect(words.code == 64 && words.err.contains("in the dialect aws"), "\(words.err)")
        }
    }

    @Test("a calendar file's event is previewed, and its properties beside the schedule are named")
    func calendarFile() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            let file = FileManager.default.temporaryDirectory.appending(path: "event-\(UUID().uuidString).ics")
            defer { try? FileManager.default.removeItem(at: file) }
            let lines = [
                "BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Tea", "DTSTART:20261224T170000Z",
                "RRULE:FREQ=DAILY;COUNT=2",
                "BEGIN:VALARM", "END:VALARM", "END:VEVENT", "END:VCALENDAR",
            ]
            try Data(lines.map { $0 + "\r\n" }.joined().utf8).write(to: file)
            let options = [file.path, "--after", "2026-12-01T00:00:00Z", "--tz", "America/New_York"]
            let answer = try await Self.preview(apus, options)
            #expect(answer.zone == "UTC")
            #expect(answer.next.map(\.instant) == ["2026-12-24T17:00:00+00:00", "2026-12-25T17:00:00+00:00"])
            let shown = try await apus.call(["preview"] + options)
            #expect(shown.err.contains("these have no effect on the schedule: SUMMARY, VALARM"), "\(shown.err)")
            let missing = try await apus.call(["preview", "nowhere.ics"])
            #expect(missing.code == 64 && missing.err.contains("nowhere.ics cannot be read"), "\(missing.err)")
        }
    }

    @Test("a path that contains the name of a property is a path, and a pipe without a writer is refused")
    func paths() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            let folder = FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let event = "BEGIN:VEVENT\nDTSTART:20301224T170000Z\nRRULE:FREQ=DAILY;COUNT=2\nEND:VEVENT\n"
            for name in ["my dtstart begin:2026 freq=.ics", "DTSTART", "begin"] {
                let file = folder.appending(path: name)
                try Data(event.utf8).write(to: file)
                let answer = try await Self.preview(apus, ["--form", "rrule", file.path])
                #expect(answer.next.first?.instant == "2030-12-24T17:00:00+00:00", "\(name)")
            }
            let text = try await Self.preview(apus, ["--form", "rrule", event])
            #expect(text.next.count == 2)
            let pipe = folder.appending(path: "pipe.ics").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let answer = try await apus.call(["preview", pipe])
            #expect(answer.code == 64 && answer.err.contains("is a pipe to which no program writes"), "\(answer.err)")
        }
    }

    @Test("a beginning with two readings is refused with both, and a rule's parts are in any order")
    func beginning() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            // In this zone, it is between 14:00 and 15:59.
            var now = time_t(0)
            time(&now)
            let offset = 14 - now / 3_600 % 24
            let zone = "Etc/GMT\(offset > 0 ? "-" : "+")\(abs(offset))"
            let answer = try await apus.call(["preview", "every day at 9:00", "--tz", zone, "--after", "at 9"])
            #expect(
                answer.code == 64 && answer.err.contains("9 alone can be 9:00 tomorrow or 21:00 today"), "\(answer)")
            let rule = try await apus.call(
                ["preview", "--form", "rrule", "INTERVAL=2;FREQ=DAILY", "--tz", zone, "--after", "today", "-n", "1"])
            #expect(rule.code == 0, "\(rule)")
        }
    }

    @Test("the preview of a past day begins on that day")
    func past() async throws {
        try await ApusUnderTest.with(.sqlite) { apus in
            let next = try await Self.preview(
                apus, ["*/15 * 15 10 *", "--tz", "Asia/Beirut", "--after", "1991-10-15 23:40", "-n", "3"]
            ).next
            // The hour before midnight occurs twice.
            #expect(
                next.map(\.instant) == [
                    "1991-10-15T23:45:00+03:00", "1991-10-15T23:00:00+02:00", "1991-10-15T23:15:00+02:00",
                ])
        }
    }
}
