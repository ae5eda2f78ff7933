import ApusClient
import Foundation
import Testing

@Suite("Schedules at the terminal", .timeLimit(.minutes(10)))
struct CalendarTests {
    @Test(
        "a schedule's words need no quotes, and each form creates a job that shows its next due instant",
        arguments: [
            (["every", "weekday", "at", "18:30"], "every weekday at 18:30"),
            (["every", "15", "minutes", "between", "9:00", "and", "17:00"], "every 15 minutes between 9:00 and 17:00"),
            (["every", "--calendar", "Mon..Fri 09:00"], "every weekday at 9:00"),
            (["every", "month on the last friday 17:00", "--count", "3"], "every month on the last friday at 17:00"),
            (["cron", "0 9 * * 1-5", "--gap", "skip", "--repeated", "both"], "every weekday at 9:00"),
            (["every", "15", "minutes"], "every 15 minutes"), (["every", "1", "hour"], "every hour"),
            (["every", "daily", "at", "9:00"], "every day at 9:00"),
            (["every", "last", "friday", "at", "17:00"], "every month on the last friday at 17:00"),
            (["every", "jeden", "Werktag", "um", "9:00"], "every weekday at 9:00"),
            (["every", "tous", "les", "lundis", "à", "9h"], "every monday at 9:00"),
            (["cron", "0 17 * * * Europe/Berlin"], "every day at 17:00"),
            (["cron", "cron(0 9 ? * MON-FRI *)", "--dialect", "aws"], "every weekday at 9:00"),
            (
                [
                    "every", "--rrule",
                    "BEGIN:VEVENT\nDTSTART;TZID=Europe/Berlin:20371224T180000\nRRULE:FREQ=YEARLY\nEND:VEVENT",
                ], "DTSTART:20371224T180000 RRULE:FREQ=YEARLY"
            ),
        ])
    func forms(_ words: [String], _ schedule: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(words + ["--tz", "Europe/Berlin", "--json", "--", "echo", "x"])
            #expect(answer.code == 0, "\(answer.err)")
            let job = try JSONDecoder().decode(WireJob.self, from: Data(answer.out.utf8))
            #expect(job.trigger.calendar?.schedule == schedule)
            #expect(job.trigger.calendar?.zone == "Europe/Berlin")
            #expect(job.nextDue != nil)
            #expect(try await apus("list").out.contains(schedule))
        }
    }

    @Test(
        "`every` and `preview` agree on whether an argument is an interval or a schedule",
        arguments: [
            ("15 minutes", true), ("2 hours", true), ("hour", true), ("30 seconds", true), ("15m", false),
            ("7 minutes", false),
            ("1h30m", false), ("1 hour and 30 minutes", false), ("24 hours", false), ("2 days", false), ("90", false),
        ])
    func oneReading(_ text: String, _ isSchedule: Bool) async throws {
        try await ApusUnderTest.with { apus in
            let submitted = try await apus.call(["every", text, "--json", "--", "true"])
            let job = try JSONDecoder().decode(WireJob.self, from: Data(submitted.out.utf8))
            #expect((job.trigger.calendar != nil) == isSchedule && (job.trigger.every == nil) == isSchedule)
            let preview = try await apus.call(["preview", "every \(text)", "-n", "1"])
            #expect(preview.code == (isSchedule ? 0 : 64), "\(preview)")
            // The answer says which meaning was chosen, and how to get the other one.
            guard text.first?.isNumber == true, isSchedule else { return }
            for answer in [submitted, preview] {
                #expect(
                    answer.err.contains("follows the clock; for an interval that counts from now, use: apus every "),
                    "\(answer)")
            }
        }
    }

    @Test("an interval in the form of Go's cron is accepted")
    func everyOfCron() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("cron", "@every 5m", "--json", "--", "true")
            #expect(job.trigger.every == "PT5M")
        }
    }

    @Test(
        "an unreadable schedule is refused with its argument and the accepted forms, and nothing is scheduled",
        arguments: [
            (["every", "foo", "bar"], "schedule"), (["every", "5q"], "duration"), (["every"], "an interval"),
            (["every", "day", "at", "9:00", "--tz", "Mars"], "--tz"),
            (["every", "day", "at", "9:00", "--from", "2026-13-01"], "--from"),
            (["every", "day", "at", "9:00", "--except", "x"], "--except"),
            (["every", "day", "at", "9:00", "--spread", "1q"], "--spread"),
            (["every", "day", "at", "9:00", "--except-file", "/nowhere"], "--except-file"),
            (["cron", "0 0 12 ? * 2-6"], "dialect quartz"), (["cron", "0 9 * * *", "--dialect", "aws"], "dialect aws"),
            (["every", "--rrule", "/nowhere.ics"], "--rrule: /nowhere.ics cannot be read"),
            (["every", "1h", "--tz", "UTC"], "is an interval"), (["cron", "61 * * * *"], "a minute from 0 to 59"),
        ])
    func refused(_ words: [String], _ message: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(words + ["--", "echo", "x"])
            #expect(answer.code == 64 && answer.err.contains(message), "\(answer.err)")
            #expect(try await apus("list").err.contains("nothing is scheduled"))
        }
    }

    /// Debian's `/etc/crontab` and a file of `/etc/cron.d`, with entries that cannot be imported.
    private static let crontab = #"""
        # /etc/crontab
        SHELL=/bin/sh
        PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin
        MAILTO=root
        17 *	* * *	USER	cd / && run-parts --report /etc/cron.hourly
        25 6	* * *	USER	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
        47 6	* * 7	USER	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.weekly; }
        52 6	1 * *	USER	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.monthly; }
        CRON_TZ = "Asia/Tokyo"
        30 3 * * 0 USER test -e /run/systemd/system || SERVICE_MODE=1 /sbin/e2scrub_all -A -r
        @daily USER echo 50\% off
        @reboot USER echo up
        0 9 13 * 5 USER echo or
        * * * * * daemon echo other
        61 * * * * USER echo bad
        0 0 * * * USER mail me%text
        """#

    @Test("a crontab becomes jobs, the report has the line of each omitted entry, and a second import changes nothing")
    func crontab() async throws {
        try await ApusUnderTest.with { apus in
            let file = FileManager.default.temporaryDirectory.path + "/crontab-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: file) }
            let text = Self.crontab.replacingOccurrences(of: "\\t", with: "\t")
                .replacingOccurrences(of: "USER", with: NSUserName())
            try Data(text.utf8).write(to: URL(filePath: file))
            func report(_ options: String...) async throws -> ImportedJobs {
                let answer = try await apus.call(
                    ["import", "crontab", file, "--system", "--skip-invalid", "--json"] + options)
                #expect(answer.code == 0, "\(answer.err)")
                return try JSONDecoder().decode(ImportedJobs.self, from: Data(answer.out.utf8))
            }
            #expect(try await report("--dry-run").jobs.map(\.outcome) == Array(repeating: "valid", count: 7))
            #expect(try await apus("list").err.contains("nothing is scheduled"))

            let first = try await report("--tz", "America/New_York")
            #expect(
                first.jobs.map { "\($0.outcome) \($0.schedule)" } == [
                    "created every hour at :17 in America/New_York", "created every day at 6:25 in America/New_York",
                    "created every sunday at 6:47 in America/New_York",
                    "created every month on the 1st at 6:52 in America/New_York",
                    "created every sunday at 3:30 in Asia/Tokyo", "created every day at 0:00 in Asia/Tokyo",
                    "created 0 9 13 * 5 in Asia/Tokyo",
                ])
            #expect(first.refused.map(\.line) == [12, 14, 15, 16])
            #expect(first.remarks.map(\.line) == [4, 13])
            let hourly = try await apus.client.job(try #require(first.jobs[0].id))
            #expect(hourly.action.command?.argv == ["cd / && run-parts --report /etc/cron.hourly"])
            #expect(
                hourly.action.command?.env["PATH"] == "/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin")
            #expect(hourly.policies.missed == "skip")
            let off = try await apus.client.job(try #require(first.jobs[5].id))
            #expect(off.action.command?.argv == ["echo 50% off"])

            let second = try await report("--tz", "America/New_York")
            #expect(second.jobs.map(\.outcome) == Array(repeating: "unchanged", count: 7))
            #expect(second.jobs.map(\.id) == first.jobs.map(\.id))

            // One line changes and another is removed.
            let changed = text.replacingOccurrences(of: "17 *", with: "18 *")
                .replacingOccurrences(of: "@daily", with: "# @daily")
            try Data(changed.utf8).write(to: URL(filePath: file))
            let third = try await report("--tz", "America/New_York", "--prune")
            #expect(third.jobs.map(\.outcome) == ["changed"] + Array(repeating: "unchanged", count: 5) + ["cancelled"])
            #expect(third.jobs[0].id == first.jobs[0].id && third.jobs[6].id == first.jobs[5].id)
        }
    }

    @Test("an exported job is imported once, with its schedule, and stays suspended if it was")
    func export() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("every", "day at 9:00", "--tz", "Europe/Berlin", "--name", "nine", "--", "echo", "x")
            _ = try await apus("after", "25m", "--name", "tea", "--notify", "tea")
            _ = try await apus("suspend", "nine")
            let file = apus.home.path + "/jobs.json"
            try Data(try await apus("export").out.utf8).write(to: URL(filePath: file))
            #expect(try await apus("cancel", "--all", "--yes").code == 0)
            for outcome in ["created", "unchanged"] {
                let answer = try await apus.call(["import", file, "--json"])
                let report = try JSONDecoder().decode(ImportedJobs.self, from: Data(answer.out.utf8))
                #expect(report.jobs.map(\.outcome) == [outcome, outcome])
            }
            let jobs = try await apus.client.jobs(states: ["scheduled", "suspended"]).jobs
            #expect(jobs.map(\.state) == ["suspended", "scheduled"])
            #expect(jobs[0].trigger.calendar?.schedule == "every day at 9:00")
            let bad = try await apus("import", "/etc/hostname")
            #expect(bad.code == 64 && bad.err.contains("is not in the form that apus export writes"))
        }
    }
}

/// The output of `apus import --json`.
private struct ImportedJobs: Decodable {
    struct Job: Decodable {
        var outcome: String
        var id: String?
        var schedule: String
    }

    struct Line: Decodable {
        var line: Int
    }

    var jobs: [Job]
    var refused: [Line]
    var remarks: [Line]
}
