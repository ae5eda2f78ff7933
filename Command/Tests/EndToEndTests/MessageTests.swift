import ApusClient
import Foundation
import Testing

@Suite("Messages about mistakes", .timeLimit(.minutes(10)))
struct MessageTests {
    private static let mistakes: [(arguments: [String], parts: [String])] = [
        (["help", "wibble"], ["there is no subcommand \"wibble\"; apus --help lists the subcommands"]),
        (["lsit"], ["there is no subcommand \"lsit\"; did you mean apus list?"]),
        (["list", "--limit", "0"], ["apus: --limit: 0 is not between 1 and 1000\nUsage: apus list"]),
        (["queue", "limti", "q", "1"], ["apus queue has no subcommand \"limti\"; did you mean apus queue limit?"]),
        (["help", "list", "x"], ["apus list has no subcommand \"x\""]),
        (["preview", "every", "5m"], ["5m is an interval", "apus every", "every weekday at 18:30", "RRULE"]),
        (["preview", "1h30m"], ["1h30m is an interval"]),
        (["preview", "every 7 minutes"], ["7 minutes is an interval"]),
        (
            ["every", "wekday", "at", "9:00", "--", "true"],
            ["column 1: ", "did you mean: apus every weekday at 9:00."]
        ),
        (
            ["every", "monday", "--", "true"],
            ["column 7: ", "did you mean: apus at monday, or apus every monday at 9:00."]
        ),
        (["every", "tomorrow", "at", "9", "--", "true"], ["did you mean: apus at tomorrow at 9."]),
        (["at", "every", "day", "at", "9:00", "--", "true"], ["did you mean: apus every day at 9:00."]),
        (["at", "12/24/2026", "--", "true"], ["the month first", "did you mean: apus at 2026-12-24."]),
        (
            ["at", "yesterdayish", "--", "true"],
            ["column 1: read \"yesterdayish\"", "2026-12-24 18:00. Accepted forms: "]
        ),
        (["every", "yesterday", "at", "9:00", "--", "true"], ["column 1: ", "weeks or months. Accepted forms: "]),
        (
            ["every", "dya", "at", "9:00", "in", "Europe/Berlinn", "--", "true"],
            ["column 1: ", "weeks or months. Accepted forms: weekday"]
        ),
        (["every", "rate(5 minutes)", "--", "true"], ["did you mean: apus every 5 minutes."]),
        (["every", "rate(7 minutes)", "--", "true"], ["did you mean: apus every 7 minutes."]),
        (["cron", "rate(7 minutes)", "--", "true"], ["did you mean: apus every 7 minutes."]),
        (["every", "7 minuts", "--", "true"], ["did you mean: apus every 7 minutes."]),
        (["every", "1 hour and 30 minuts", "--", "true"], ["did you mean: apus every 1 hour and 30 minutes."]),
        (
            ["preview", "every day at 9:00", "--tz", "W. Europe Standard Time"],
            ["apus: --tz", "is a name of Windows for Europe/Berlin; write Europe/Berlin"]
        ),
        (
            ["at", "tomorrow 9:00 W. Europe Standard Time", "--", "true"],
            ["did you mean: apus at tomorrow 9:00 Europe/Berlin."]
        ),
        (["every", "--rrule", "INTERVAL=2", "--", "true"], ["FREQ with one of"]),
        (["preview", "cron(0 18 * * 1-5 *)"], ["column 15: ", "dialect aws"]),
        (
            ["preview", "every day at 8 and 10pm"],
            ["every day at 8:00 and 22:00, or apus preview every day at 20:00 and 22:00"]
        ),
        (["at", "5", "--", "true"], ["5 alone can be either; did you mean: apus at 5:00, or apus at 17:00."]),
        (["after", "3M", "--", "true"], ["did you mean: apus after 3m. Accepted"]),
        (["cron", "*/5 * * * * /bin/true", "--", "true"], ["column 13: ", "did you mean: apus cron '*/5 * * * *'."]),
        (["cron", "0 9 * *", "--", "true"], ["a fifth field", "did you mean: apus cron '0 9 * * *'."]),
        (["preview", "9:00 dialy"], ["column 6: ", "did you mean: apus preview every day at 9:00."]),
        (["preview", "every day at 5"], ["apus preview every day at 5:00, or apus preview every day at 17:00."]),
        (["countdown", "0s"], ["a duration must be longer than zero", "Accepted forms: 3s", "tomorrow 9:00"]),
        (["countdown", "yesterday"], ["does not begin with a number", "it lies in the past"]),
        (["after", "1h", "--", ""], ["the program is an empty text; name a program after `--`"]),
        (["import", "/nonexistent"], ["file: /nonexistent cannot be read (No such file or directory)"]),
        (["import", "/"], ["file: / cannot be read (Is a directory)"]),
        (["import", "crontab", "/"], ["file: / cannot be read (Is a directory)"]),
        (
            ["every", "day", "at", "9:00", "--except-file", "/nonexistent", "--", "true"],
            ["--except-file: /nonexistent cannot be read (No such file or directory)"]
        ),
        (
            ["after", "1h", "--webhook", "http://localhost", "--webhook-secret-file", "/"],
            ["--webhook-secret-file: / cannot be read (Is a directory)"]
        ),
        (["list", "--label", ""], ["--label: \"\" is not KEY=VALUE, such as team=web"]),
        (["cancel", "--label", "x", "--yes"], ["--label: \"x\" is not KEY=VALUE, such as team=web"]),
        (["export", "--label", "=x"], ["--label: \"=x\" is not KEY=VALUE, such as team=web"]),
        (["after", "1h", "--env", "x", "--", "true"], ["--env: \"x\" is not KEY=VALUE"]),
        (["after", "1h", "--label", "a=1", "--label", "a=2", "--", "true"], ["--label: a is given twice"]),
        (["every", "1h", "--cwd", "", "--", "true"], ["--cwd: the path is empty"]),
        (["after", "1h", "--notify", ""], ["--notify: the text is empty"]),
        (["countdown", "1h", "--detach", "--notify", ""], ["--notify: the text is empty"]),
        (["after", "1h", "--inherit-env", "", "--", "true"], ["--inherit-env: \"\" is not set in this shell"]),
        (["import", ""], ["file: the path is empty"]),
        (["import", "crontab", "/dev/null", "--tz", "Nope"], ["apus: --tz “Nope”: there is no time zone"]),
        (["after", "1h", "--missed", "x", "--", "true"], ["apus: --missed: \"x\" is not one of run-once"]),
        (["cron", "0 9 * * *", "--priority", "x", "--", "true"], ["apus: --priority: \"x\" is not one of low"]),
        (
            ["after", "5 minutes", "true"],
            ["“true” cannot be read (write the command after --); did you mean: apus after 5 minutes."]
        ),
        (
            ["every", "day", "at", "9:00", "true"],
            ["(write the command after --); did you mean: apus every day at 9:00. Accepted forms: weekday"]
        ),
        (["at", "tomorrow", "true"], ["“true” is not a time of day (write the command after --)"]),
        (["cron", "x", "--", "true"], ["Accepted forms: 30 18 * * 1-5.\n"]),
        (["queue", "limit", "q", "100001"], ["limit: \"100001\" is not a whole number from 1 to 100000, or none"]),
        (["queue", "rate", "q", "0/1m"], ["rate: \"0/1m\" is not N/DURATION with N from 1 to 100000"]),
        (["serve", "--http", "x"], ["apus: --http: \"x\" is not an address and a port"]),
    ]

    @Test("a mistake is refused with what is wrong and what is accepted, before a daemon is started")
    func mistakes() async throws {
        try await ApusUnderTest.with { apus in
            for (arguments, parts) in Self.mistakes {
                let answer = try await apus.call(arguments)
                #expect(answer.code == 64 && answer.out.isEmpty, "\(arguments): \(answer)")
                for part in parts { #expect(answer.err.contains(part), "\(arguments): \(answer.err)") }
            }
            #expect(try await apus("status").code == 3)
        }
    }

    @Test("a value that the daemon refuses is named by its option")
    func options() async throws {
        try await ApusUnderTest.with { apus in
            for (arguments, start) in [
                (["--name", ""], "--name: must have"), (["--webhook", "x"], "--webhook: \"x\" is not an http"),
                (["--idempotency-key", ""], "--idempotency-key: must have"), (["--queue", "a b"], "--queue: must be"),
                (["--fairness-key", ""], "--fairness-key: must have"),
                (["--label", "a=\u{1}"], "--label: the value of \"a\": contains"),
                (["--on-failure", "webhook:x"], "--on-failure: \"x\" is not an http"),
            ] {
                let answer = try await apus.call(["after", "1h"] + arguments + ["--", "true"])
                let line = answer.err.split(separator: "\n").last ?? ""
                #expect(answer.code == 64 && line.hasPrefix("apus: " + start), "\(answer)")
            }
        }
    }

    @Test("a change without effect is reported as none")
    func unchanged() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("after", "1h", "--name", "a", "--", "true")
            for (arguments, word) in [
                (["--remove-label", "x"], " is unchanged "), (["--webhook", "none"], " is unchanged "),
                (["--label", "x=y"], " changed "), (["--label", "x=y"], " is unchanged "),
            ] {
                let answer = try await apus.call(["edit", "a"] + arguments)
                #expect(answer.code == 0 && answer.out.contains(word), "\(arguments): \(answer)")
            }
        }
    }

    @Test("a job that had already ended is not reported as cancelled, and no job is mistaken for a countdown")
    func otherJobs() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus(
                "after", "10ms", "--name", "done", "--timeout", "90s", "--expiry", "1h", "--retention", "12h", "--",
                "true")
            #expect(try await apus("wait", "done").code == 0)
            let cancelled = try await apus("cancel", "done")
            #expect(cancelled.code == 0 && cancelled.out.hasSuffix(" had already finished\n"), "\(cancelled)")
            #expect(try await apus.json("cancel", "done", "--json", as: WireCancelled.self).cancelled.isEmpty)
            let shown = try await apus("show", "done").out.split(separator: "\n")
            #expect(shown.contains("next         -") && shown.contains("timeout      1m 30s"), "\(shown)")
            #expect(shown.contains("expiry       1h") && shown.contains("retention    12h"), "\(shown)")
            #expect(shown.contains { $0.hasPrefix("kept until ") }, "\(shown)")
            let countdown = try await apus("countdown", "--name", "done")
            #expect(countdown.code == 64 && countdown.err.contains("done is a job, not a countdown"), "\(countdown)")
        }
    }

    /// Writes a file into the home.
    private func file(_ text: String, in apus: ApusUnderTest) throws -> String {
        try apus.home.prepare()
        let path = apus.home.path + "/file"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test("a document that apus import cannot read is refused with the field's path and expected form")
    func imports() async throws {
        try await ApusUnderTest.with { apus in
            for (text, problem) in [
                ("{}", "version: is missing"), ("[]", "the document must be a JSON object, not an array"),
                (#"{"version":"1","jobs":[]}"#, "version: must be a whole number, not a string"),
                (#"{"version":1,"jobs":[{"submission":{}}]}"#, "jobs[0].submission.trigger: is missing"),
                (#"{"version":1,"jobs":[null]}"#, "jobs[0]: must be a JSON object, not null"),
                ("{\n", "line 2, column 1: the JSON is incomplete"),
                ("0 9 * * * true", "apus import crontab \(apus.home.path)/file"),
            ] {
                let answer = try await apus("import", try file(text, in: apus))
                #expect(answer.code == 64 && answer.err.contains(problem), "\(text): \(answer)")
            }
        }
    }

    @Test("an export that is imported as a crontab is refused in one line, which names the other subcommand")
    func exportAsCrontab() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("after", "1h", "--", "true")
            let path = try file(try await apus("export").out, in: apus)
            for options in [[], ["--skip-invalid"]] {
                let answer = try await apus.call(["import", "crontab", path] + options)
                #expect(answer.code == 64 && answer.err.hasSuffix(": apus import \(path)\n"), "\(answer)")
                #expect(answer.err.count { $0 == "\n" } == 1, "\(answer)")
            }
        }
    }

    @Test("messages about a crontab's lines follow the order of the lines")
    func order() async throws {
        try await ApusUnderTest.with { apus in
            let lines = [
                "MAILTO=a@b", "@reboot true", "61 * * * * true", "0 9 * * * mon true", "0 9 * * *", "0 9 * * * a%b",
            ]
            let answer = try await apus("import", "crontab", try file(lines.joined(separator: "\n"), in: apus))
            let numbers = answer.err.split(separator: "\n").compactMap { line in
                line.split(separator: ":").dropFirst().first.flatMap { Int($0) }
            }
            #expect(answer.code == 64 && numbers == [1, 2, 3, 4, 5, 6], "\(answer)")
        }
    }

    @Test("a job whose crontab line is gone stays, and the message says how to cancel it")
    func gone() async throws {
        try await ApusUnderTest.with { apus in
            let path = try file("0 9 * * * true\n0 10 * * * false\n", in: apus)
            #expect(try await !apus("import", "crontab", path).err.contains("--prune"))
            _ = try file("0 9 * * * true\n", in: apus)
            let answer = try await apus("import", "crontab", path)
            #expect(answer.out.contains("gone") && answer.err.contains("--prune cancels them"), "\(answer)")
            #expect(try await apus.client.jobCount(states: ["scheduled"]) == 2)
            #expect(try await !apus("import", "crontab", path, "--prune").err.contains("--prune"))
            #expect(try await apus.client.jobCount(states: ["scheduled"]) == 1)
        }
    }
}
