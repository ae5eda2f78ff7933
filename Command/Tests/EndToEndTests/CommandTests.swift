import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

@Suite("The command", .timeLimit(.minutes(10)))
struct CommandTests {
    @Test(
        "the first use starts a daemon, reports it on stderr, and runs the command", arguments: StoreUnderTest.allCases)
    func firstUse(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let file = apus.home.path + "/done"
            let answer = try await apus("after", "50ms", "--name", "tea", "--", "touch", file)
            #expect(answer.code == 0)
            #expect(answer.err.contains("started a daemon in the background"), "\(answer.err)")
            #expect(answer.out.contains("(tea)"))
            try await until("the file") { FileManager.default.fileExists(atPath: file) }
            #expect(try await apus("status").code == 0)
            #expect(try await apus("list").err.contains("nothing is scheduled"))
        }
    }

    @Test(
        "a command gets the caller's folder and PATH, its variables, and its job's details",
        arguments: StoreUnderTest.allCases)
    func environment(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            let job: WireJob = try await apus.json(
                "after", "10ms", "--cwd", folder, "--env", "GREETING=good morning", "--shell", "--json", "--",
                "pwd; echo $GREETING; echo $PATH; echo $APUS_JOB $APUS_OCCURRENCE $APUS_ATTEMPT; echo to stderr >&2; exit 3"
            )
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let run = try #require(try await apus.client.job(job.id).lastRun)
            #expect(run.outcome == "failed" && run.exitCode == 3 && run.reason == "exit code 3")
            let path = apus.environment["PATH"] ?? ""
            let expected = "\(folder)\ngood morning\n\(path)\n\(job.id) 1 1\nto stderr\n"
            #expect(try await apus("logs", job.id).out == expected)
        }
    }

    @Test(
        "jobs are suspended, resumed, run by hand and cancelled by name, prefix and identifier",
        arguments: StoreUnderTest.allCases)
    func lifecycle(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json(
                "every", "1h", "--name", "hourly", "--label", "team=blue", "--json", "--", "echo", "hello")
            #expect(job.trigger.every == "PT1H")
            #expect(try await apus("suspend", "hourly").out.contains("suspended"))
            #expect(try await apus.client.job(job.id).state == "suspended")
            #expect(try await apus("resume", String(job.id.prefix(3))).code == 0)
            #expect(try await apus("run", job.id).code == 0)
            try await until("the run by hand") {
                try await apus.client.job(job.id).lastRun?.outcome == "succeeded"
            }
            #expect(try await apus("logs", "hourly").out == "hello\n")
            let page: WireJobPage = try await apus.json("list", "--label", "team=blue", "--json")
            #expect(page.jobs.map(\.id) == [job.id])
            #expect(try await apus("show", "hourly").out.contains("team=blue"))
            #expect(try await apus("cancel", "hourly").out == "\(job.id) cancelled\n")
            #expect(try await apus.client.job(job.id).state == "cancelled")
            let again = try await apus("cancel", "missing")
            #expect(again.code == 1 && again.err.contains("there is no job \"missing\""))
            _ = try await apus("after", "1h", "--", "true")
            _ = try await apus("after", "2", "hours", "--", "true")
            #expect(try await apus("cancel", "--all", "--yes").out == "2 jobs cancelled\n")
        }
    }

    @Test(
        "a countdown ends with 0 and its notification, a cancelled one with 1; without a name, the command attaches to the running one",
        arguments: StoreUnderTest.allCases)
    func countdown(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            // The countdown lasts long enough for the command to attach before its end, also under a sanitizer. Only
            // an attached command prints the text of the notification.
            let done = try await apus("countdown", "3s", "--name", "egg", "--notify", "the egg is done")
            #expect(done.code == 0 && done.out.contains("egg done"), "\(done)")
            #expect(done.err.contains("the egg is done"), "\(done)")
            let id = try await apus("countdown", "1h", "--detach").out.trimmingCharacters(in: .whitespacesAndNewlines)
            async let attached = apus("countdown")
            try await until("the attached client") { try await apus.client.job(id).state == "scheduled" }
            _ = try await apus.client.suspend(id)
            #expect(try await apus.client.job(id).remainingMs ?? 0 > 3_500_000)
            _ = try await apus.client.cancel(id)
            let cancelled = try await attached
            #expect(cancelled.code == 1 || cancelled.err.contains("no countdown is running"), "\(cancelled)")
        }
    }

    @Test(
        "a job over its time limit is ended and has failed, and a failed job is retried",
        arguments: StoreUnderTest.allCases)
    func limits(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let slow: WireJob = try await apus.json(
                "after", "10ms", "--timeout", "200ms", "--json", "--", "sleep", "60")
            let flaky: WireJob = try await apus.json(
                "after", "10ms", "--retry", "1", "--shell", "--json", "--", "test $APUS_ATTEMPT = 2")
            for id in [slow.id, flaky.id] {
                try await until("the end of \(id)") { try await apus.client.job(id).state == "finished" }
            }
            #expect(try await apus.client.job(slow.id).lastRun?.reason == "timedOut")
            #expect(try await apus.client.runs(job: flaky.id).runs.map(\.outcome) == ["succeeded", "failed"])
        }
    }

    @Test(
        "Ctrl-C detaches from a countdown with 130, and it continues", arguments: StoreUnderTest.allCases)
    func detach(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            // `exec` makes the shell's process the command, so that the signal reaches only the command.
            let line = "exec \(ApusUnderTest.program) countdown 1h --name long > \(apus.home.path)/out"
            async let attached = Subprocess.run(
                .name("sh"), arguments: ["-c", "echo $$ > \(apus.home.path)/pid; \(line)"],
                environment: apus.subprocessEnvironment, output: .string(limit: 65_536), error: .string(limit: 65_536))
            // The countdown is printed only after the signal's handler is installed.
            try await until("the countdown") {
                try String(contentsOfFile: apus.home.path + "/out", encoding: .utf8).contains("due")
            }
            let pid = try #require(
                Int32(
                    String(contentsOfFile: apus.home.path + "/pid", encoding: .utf8).trimmingCharacters(
                        in: .whitespacesAndNewlines)))
            kill(pid, SIGINT)
            let result = try await attached
            #expect(result.terminationStatus == .exited(130), "\(result)")
            #expect(result.standardError.contains("the countdown continues"))
            #expect(try await apus.client.job("long").state == "scheduled")
        }
    }

    @Test(
        "logs --follow prints a job's output from now on, and ends with the job", arguments: StoreUnderTest.allCases)
    func follow(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json(
                "every", "1s", "--count", "3", "--overlap", "queue", "--shell", "--json", "--",
                "echo tick $APUS_OCCURRENCE")
            let answer = try await apus("logs", job.id, "--follow")
            #expect(answer.code == 0 && answer.out.contains("tick 3\n"), "\(answer)")
            // The events must not repeat output that was printed before the command listened.
            let lines = answer.out.split(separator: "\n")
            #expect(Set(lines).count == lines.count, "\(answer)")
        }
    }

    @Test(
        "a list longer than a page continues after its token", arguments: StoreUnderTest.allCases)
    func pages(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            for number in 0..<5 {
                _ = try await apus.client.submit(
                    WireSubmission(name: "n\(number)", trigger: WireTrigger(after: "1h"), action: Action(notify: "x")))
            }
            let first: WireJobPage = try await apus.json("list", "--limit", "3", "--json")
            let second: WireJobPage = try await apus.json(
                "list", "--limit", "3", "--after", try #require(first.next), "--json")
            #expect((first.jobs + second.jobs).map(\.name) == ["n0", "n1", "n2", "n3", "n4"] && second.next == nil)
        }
    }

    @Test(
        "status without a daemon reports it, starts none, and exits with 3", arguments: StoreUnderTest.allCases)
    func status(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let answer = try await apus("status")
            #expect(answer.code == 3 && answer.out.hasPrefix("no daemon is running"))
            #expect(!FileManager.default.fileExists(atPath: apus.home.databasePath))
        }
    }

    @Test(
        "bad input is refused with exit code 64 and a message that says what is accepted",
        arguments: [
            (["after", "soon", "--", "true"], "1h30m"),
            (["after", "0s", "--", "true"], "zero"),
            (["after", "-5s", "--", "true"], "-5s"),
            (["after", "5", "minuts", "--", "true"], "duration “5 minuts”"),
            (["after", "5s", "true"], "(write the command after --)"),
            (["after", "99999999999999d", "--", "true"], "duration"),
            (["at", "yesterday", "--", "true"], "17:30"),
            (["at", "2001-01-01 00:00", "--", "true"], "past"),
            (["at", "17:30", "--tz", "Mars/Olympus", "--", "true"], "Mars/Olympus"),
            (["every", "5s", "--count", "0", "--", "true"], "--count"),
            (["after", "5s"], "nothing to do"),
            (["after", "5s", "--", "no-such-program-here"], "no-such-program-here"),
            (["after", "5s", "--missed", "sometimes", "--", "true"], "run-once"),
            (["after", "5s", "--overlap", "queue:0", "--", "true"], "overlap"),
            (["after", "5s", "--retry", "-1", "--", "true"], "retry"),
            (["after", "5s", "--retry", "x", "--", "true"], "a whole number from 0 to 1000"),
            (["countdown", "1h", "--tz", "Atlantis", "--detach"], "Atlantis"),
            (["countdown", "17:30", "--tz", "Atlantis", "--detach"], "Atlantis"),
            (["after", "5s", "--label", "novalue", "--", "true"], "KEY=VALUE"),
            (["after", "5s", "--cwd", "/no/such/folder", "--", "true"], "/no/such/folder"),
            (["after", "5s", "--webhook", "gopher://x"], "webhook"),
            (["cancel"], "name jobs"),
            (["retry", "tea", "first"], "manual-3"),
            (["why", "tea", "manual-x"], "manual-3"),
            (["logs", "tea", "--run", "1.5"], "manual-3"),
            (["cancel", "tea", "--occurrence", "manual-0"], "manual-3"),
            (["list", "--limit", "0"], "--limit"),
            (["serve", "--http", "0.0.0.0:80"], "loopback"),
            (["serve", "--log-size", "5"], "--log-size"),
        ])
    func badInput(arguments: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(arguments)
            #expect(answer.code == 64, "\(arguments): \(answer)")
            #expect(answer.err.contains(expected), "\(arguments): \(answer.err)")
        }
    }

    @Test("a home that cannot be created is named with the reason")
    func unwritableHome() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/apus-e2e-file-\(UUID().uuidString.prefix(8))"
        try Data().write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let apus = ApusUnderTest(home: Home(path: file + "/home"))
        let answer = try await apus("after", "1s", "--", "true")
        #expect(answer.code == 1)
        #expect(answer.err.contains(file + "/home") && answer.err.contains("APUS_HOME"), "\(answer.err)")
    }

    @Test("a damaged database is named and stays unchanged")
    func damagedDatabase() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let bytes = Data((0..<8_192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            try bytes.write(to: URL(filePath: apus.home.databasePath))
            let answer = try await apus("list")
            #expect(answer.code == 1)
            #expect(answer.err.contains(apus.home.databasePath), "\(answer.err)")
            #expect(try Data(contentsOf: URL(filePath: apus.home.databasePath)) == bytes)
        }
    }

    @Test("the systemd unit is printed")
    func unit() async throws {
        try await ApusUnderTest.with { apus in
            let unit = try await apus("install", "--print").out
            #expect(unit.contains("ExecStart=") && unit.contains("APUS_HOME=\(apus.home.path)"))
            let packaged = try await apus("install", "--print", "--program", "/usr/bin/apus").out
            let start = packaged.split(separator: "\n").first { $0.hasPrefix("ExecStart=") }
            #expect(start?.contains("/usr/bin/apus") == true)
        }
    }

    private struct InstallReport: Decodable {
        var path: String?
        var program: String
        var unit: String
        var written: Bool
    }

    @Test("apus install --json shows the written unit, and with --print the unit that it would write")
    func installAsJSON() async throws {
        try await ApusUnderTest.with { apus in
            let printed: InstallReport = try await apus.json(
                "install", "--print", "--program", "/usr/bin/apus", "--json")
            #expect(printed.path == nil && printed.program == "/usr/bin/apus" && !printed.written)
            #expect(printed.unit == (try await apus("install", "--print", "--program", "/usr/bin/apus").out))
            let folder = apus.home.path + "/config"
            let answer = try await apus(
                "install", "--program", "/usr/bin/apus", "--json",
                environment: ["APUS_HOME": "", "XDG_STATE_HOME": apus.home.path, "XDG_CONFIG_HOME": folder])
            #expect(answer.code == 0, "\(answer)")
            let written = try JSONDecoder().decode(InstallReport.self, from: Data(answer.out.utf8))
            #expect(written.path == folder + "/systemd/user/apus.service" && written.written)
            #expect(written.unit == (try String(contentsOfFile: try #require(written.path), encoding: .utf8)))
        }
    }
}
