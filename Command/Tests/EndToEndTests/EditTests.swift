import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Editing a job", .timeLimit(.minutes(10)))
struct EditTests {
    private func submit(_ apus: ApusUnderTest) async throws -> WireJob {
        let submitted: WireJob = try await apus.json(
            "every", "1h", "--name", "backup", "--label", "team=blue", "--label", "draft=1", "--timeout", "5m",
            "--env", "LEVEL=1", "--notify", "done", "--json", "--", "echo", "old")
        return try await apus.client.job(submitted.id)
    }

    @Test(
        "options of `edit` change only what they name, and keep the identifier and the history",
        arguments: StoreUnderTest.allCases)
    func options(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let before = try await submit(apus)
            _ = try await apus("run", "backup")
            try await until("the run") { try await apus.client.job(before.id).lastRun?.outcome == "succeeded" }
            var expected = try await apus.client.job(before.id)
            let answer = try await apus(
                "edit", "backup", "--name", "nightly", "--label", "team=red", "--remove-label", "draft", "--timeout",
                "none", "--retry", "2", "--overlap", "queue:3", "--when", "power", "--queue", "disk", "--priority",
                "high", "--fairness-key", "acme", "--expiry", "30m", "--retention", "2d")
            #expect(answer.code == 0 && answer.out.hasPrefix("\(before.id) (nightly) changed"), "\(answer)")
            (expected.name, expected.labels) = ("nightly", ["team": "red"])
            (expected.policies.timeout, expected.policies.retry) = (nil, 2)
            (expected.policies.overlap, expected.policies.when) = ("queue:3", ["power"])
            (expected.policies.expiry, expected.policies.retention) = ("PT30M", "P2D")
            (expected.queue, expected.priority, expected.fairnessKey) = ("disk", "high", "acme")
            #expect(try await apus.client.job(before.id) == expected)

            let command: WireJob = try await apus.json(
                "edit", "nightly", "--env", "MORE=2", "--unset-env", "LEVEL", "--notify", "none", "--json", "--",
                "echo", "new")
            #expect(command.action.command?.argv == ["echo", "new"] && command.action.notify == nil)
            #expect(command.action.command?.cwd == before.action.command?.cwd)
            #expect(command.action.command?.env["MORE"] == "2" && command.action.command?.env["LEVEL"] == nil)
            #expect(command.action.command?.env["PATH"] == before.action.command?.env["PATH"])
            #expect(command.nextDue == expected.nextDue, "the schedule is as it was")

            let schedule: WireJob = try await apus.json(
                "edit", "nightly", "--every", "day at 9:00", "--tz", "Asia/Tokyo", "--no-name",
                "--no-fairness-key", "--json")
            #expect(schedule.name == nil && schedule.fairnessKey == nil)
            #expect(schedule.trigger.calendar?.zone == "Asia/Tokyo")
            #expect(schedule.id == before.id && schedule.created == before.created)
            #expect(try await apus.client.runs(job: before.id).runs.count == 1)
        }
    }

    @Test("a run in progress ends as it began, and the next run obeys the change", arguments: StoreUnderTest.allCases)
    func running(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let gate = apus.home.path + "/gate"
            let job: WireJob = try await apus.json(
                "every", "1h", "--name", "job", "--shell", "--json", "--",
                "until [ -e \(gate) ]; do sleep 0.02; done; echo old")
            let first = try await apus.client.run("job")
            try await until("its run") { try await apus.client.job(job.id).lastRun?.outcome == "running" }
            _ = try await apus("edit", "job", "--", "echo", "new")
            try Data().write(to: URL(filePath: gate))
            try await until("its end") { try await apus.client.job(job.id).lastRun?.outcome == "succeeded" }
            let second = try await apus.client.run("job")
            try await until("two ends") {
                try await apus.client.runs(job: job.id).runs.count { $0.outcome == "succeeded" } == 2
            }
            #expect(try await apus("logs", "job", "--run", String(first.occurrence)).out == "old\n")
            #expect(try await apus("logs", "job", "--run", String(second.occurrence)).out == "new\n")
        }
    }

    /// Returns the environment of an editor that edits with sed.
    private func editor(_ apus: ApusUnderTest, _ script: String) async throws -> [String: String] {
        let path = apus.home.path + "/editor"
        try await ApusUnderTest.writeProgram("#!/bin/sh\nsed -i '\(script)' \"$2\"\n", to: path)
        // The editor has its own argument, as `code --wait` does.
        return ["VISUAL": "\(path) --wait", "EDITOR": "false"]
    }

    @Test("a document changed in an editor is applied, and an unchanged one changes nothing")
    func inEditor() async throws {
        try await ApusUnderTest.with { apus in
            let before = try await submit(apus)
            let changed = try await apus(
                "edit", "backup", "--editor",
                environment: try await editor(
                    apus, "s/\"PT1H\"/\"2h\"/; s/\"draft\" : \"1\"/\"final\" : \"2\"/; s/PT5M/10m/"))
            #expect(changed.code == 0, "\(changed)")
            let job = try await apus.client.job(before.id)
            #expect(job.trigger.every == "PT2H" && job.labels == ["team": "blue", "final": "2"])
            #expect(job.policies.timeout == "PT10M" && job.action == before.action)
            let same = try await apus("edit", "backup", "--editor", environment: try await editor(apus, ""))
            #expect(same.code == 0 && same.out.contains("is unchanged"), "\(same)")
            #expect(try await apus.client.job(before.id) == job)
        }
    }

    @Test(
        "a refused document changes nothing, and stays in the file that the message names",
        arguments: [
            ("s/\"team\"/\"te=am\"/", "labels"), ("s/{/[/", "the text"), ("s/\"retry\"/\"retyr\"/", "retyr"),
            ("s/\"suspended\" : false/\"suspended\" : true/", "apus suspend"),
            ("s/\"kind\" : \"action\"/\"kind\" : \"countdown\"/", "kind"),
            ("s/\"every\" : \"PT1H\"/\"every\" : \"lately\"/", "every"),
        ])
    func refusedText(script: String, expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let before = try await submit(apus)
            let answer = try await apus("edit", "backup", "--editor", environment: try await editor(apus, script))
            #expect(answer.code == 64 && answer.err.contains(expected), "\(answer)")
            #expect(try await apus.client.job(before.id) == before)
            let path = try #require(answer.err.split(separator: " ").last?.trimmingCharacters(in: .newlines))
            let kept = answer.err.split(whereSeparator: \.isWhitespace).map(String.init).first {
                $0.hasSuffix("/job.json")
            }
            #expect(kept.map(FileManager.default.fileExists(atPath:)) == true, "\(path)")
            if let kept { try FileManager.default.removeItem(atPath: String(kept.dropLast("/job.json".count))) }
        }
    }

    @Test("an editor that fails changes nothing, and leaves no file")
    func failingEditor() async throws {
        try await ApusUnderTest.with { apus in
            let before = try await submit(apus)
            let answer = try await apus("edit", "backup", "--editor", environment: ["VISUAL": "", "EDITOR": "exit 3;"])
            #expect(answer.code == 1 && answer.err.contains("EDITOR"), "\(answer)")
            #expect(try await apus.client.job(before.id) == before)
        }
    }

    @Test(
        "a contradictory edit is refused with exit code 64 and the option's name",
        arguments: [
            (["edit"], "id"), (["edit", "backup"], "--editor"), (["edit", "backup", "--timeout", "soon"], "--timeout"),
            (["edit", "backup", "--expiry", "soon"], "--expiry"), (["edit", "backup", "--expiry", "0s"], "expiry"),
            (["edit", "backup", "--retention", "-1d"], "--retention"),
            (["edit", "backup", "--retry", "-1"], "--retry"),
            (["edit", "backup", "--retry", "x"], "--retry “x”: it is not a whole number"),
            (["edit", "backup", "--label", "x"], "KEY=VALUE"),
            (["edit", "backup", "--tz", "UTC"], "--tz"), (["edit", "backup", "--count", "3"], "--count"),
            (["edit", "backup", "--every", "1h", "--after", "1h"], "--after"),
            (["edit", "backup", "--shell"], "--shell"),
            (["edit", "backup", "--name", "a", "--no-name"], "--no-name"),
            (["edit", "backup", "--queue", "a b"], "queue"),
            (["edit", "backup", "--fairness-key", ""], "--fairness-key: must have"),
            (["edit", "backup", "--fairness-key", "a", "--no-fairness-key"], "--no-fairness-key"),
            (["edit", "backup", "--unset-env", "NOT_THERE"], "NOT_THERE"),
            (["edit", "backup", "--when", "rain"], "network"),
            (["edit", "backup", "--editor", "--retry", "1"], "--editor"),
            (["edit", "backup", "--cwd", "/none"], "--cwd"),
            (["edit", "backup", "--label", "a=1", "--remove-label", "a"], "--remove-label"),
            (["edit", "backup", "--", "no-such-program"], "no-such-program"),
            (["edit", "backup", "--webhook", "ftp://x"], "webhook"),
        ])
    func refused(words: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let before = try await submit(apus)
            let answer = try await apus.call(words)
            #expect(answer.code == 64 && answer.err.contains(expected), "\(words): \(answer)")
            #expect(try await apus.client.job(before.id) == before)
        }
    }

    @Test("an ended job cannot be edited")
    func ended() async throws {
        try await ApusUnderTest.with { apus in
            let job = try await submit(apus)
            _ = try await apus("cancel", job.id)
            for options in [["--retry", "1"], ["--editor"]] {
                let answer = try await apus.call(["edit", job.id] + options)
                #expect(answer.code == 64 && answer.err.contains("cancelled"), "\(answer)")
            }
            #expect(try await apus("edit", "missing", "--retry", "1").code == 1)
        }
    }
}
