import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Jobs are imported all or none", .timeLimit(.minutes(10)))
struct ImportTests {
    /// Writes a file into the home.
    private func file(_ name: String, _ bytes: [UInt8], in apus: ApusUnderTest) throws -> String {
        let path = apus.home.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func file(_ name: String, _ text: String, in apus: ApusUnderTest) throws -> String {
        try file(name, Array(text.utf8), in: apus)
    }

    private func imported(
        _ apus: ApusUnderTest, _ arguments: String..., code: Int = 0
    ) async throws -> ImportedJobs {
        let answer = try await apus.call(["import"] + arguments + ["--json"])
        #expect(answer.code == code, "\(answer)")
        return try JSONDecoder().decode(ImportedJobs.self, from: Data(answer.out.utf8))
    }

    private func commands(_ apus: ApusUnderTest) async throws -> [String] {
        try await apus.client.jobs(states: ["scheduled"], limit: 1_000).jobs.map { $0.action.command?.argv.last ?? "" }
    }

    // MARK: Crontabs

    @Test("a crontab with Windows line ends, a byte order mark and combining characters is read line by line")
    func lineEnds() async throws {
        try await ApusUnderTest.with { apus in
            let text =
                "\u{FEFF}PATH=/bin\r\n0 9 * * * echo one\r\n\r\n# no\r\n0 10 * * * echo two \u{301}x\r\n0 11 * * * echo three"
            let report = try await imported(apus, "crontab", try file("windows", text, in: apus))
            #expect(report.jobs.map(\.outcome) == ["created", "created", "created"])
            #expect(try await commands(apus) == ["echo one", "echo two \u{301}x", "echo three"])
            #expect(try await apus.client.jobs(limit: 1).jobs[0].action.command?.env["PATH"] == "/bin")
        }
    }

    @Test("all lines that cron refuses are named with the file, and neither an import nor a dry run imports any")
    func invalidLines() async throws {
        try await ApusUnderTest.with { apus in
            let path = try file(
                "cron",
                Array("0 9 * * * echo fine\n0 0 31 2 * echo never\n61 * * * * echo odd\n0 9 * * * ls ".utf8)
                    + [0xE9, 0x0A] + Array("0 9 * * *\n".utf8), in: apus)
            for options in [["--dry-run"], []] {
                let answer = try await apus.call(["import", "crontab", path] + options)
                #expect(answer.code == 64, "\(answer)")
                for line in 2...5 { #expect(answer.err.contains("\(path):\(line): "), "\(line): \(answer.err)") }
                #expect(answer.err.contains("not UTF-8") && answer.err.contains("nothing was imported"))
                #expect(try await apus("status").code == 3, "no daemon was started")
            }
            let report = try await imported(apus, "crontab", path, "--skip-invalid")
            #expect(report.jobs.map(\.outcome) == ["created"] && report.refused.map(\.line) == [2, 3, 4, 5])
        }
    }

    @Test("equal files with the same name have separate jobs, which a second import leaves unchanged")
    func sameBaseName() async throws {
        try await ApusUnderTest.with { apus in
            let paths = try ["a/jobs", "b/jobs"].map { try file($0, "0 9 * * * echo x\n", in: apus) }
            var ids: Set<String?> = []
            for path in paths { ids.formUnion(try await imported(apus, "crontab", path).jobs.map(\.id)) }
            #expect(ids.count == 2)
            for path in paths {
                #expect(try await imported(apus, "crontab", path, "--prune").jobs.map(\.outcome) == ["unchanged"])
            }
        }
    }

    @Test(
        "crontab lines keep their jobs when other lines change; a line with another command is a new job"
    )
    func edited() async throws {
        try await ApusUnderTest.with { apus in
            let path = try file("cron", "0 9 * * * echo x\n0 10 * * * echo x\n0 11 * * * echo y\n", in: apus)
            let first = try await imported(apus, "crontab", path)
            _ = try await apus("edit", try #require(first.jobs[1].id), "--name", "mine", "--label", "a=b")
            _ = try file("cron", "0 11 * * * echo z\n0 10 * * * echo x\n5 11 * * * echo y\n", in: apus)
            let second = try await imported(apus, "crontab", path, "--prune")
            #expect(second.jobs.map(\.outcome) == ["created", "unchanged", "changed", "cancelled"])
            #expect(second.jobs[1...].map(\.id) == [first.jobs[1].id, first.jobs[2].id, first.jobs[0].id])
            // If only one job with the command is left, a line with another schedule changes that job.
            _ = try file("cron", "30 10 * * * echo x\n", in: apus)
            let third = try await imported(apus, "crontab", path, "--prune")
            #expect(third.jobs.map(\.outcome) == ["changed", "cancelled", "cancelled"])
            let job = try await apus.client.job("mine")
            #expect(job.id == third.jobs[0].id && job.labels == ["crontab": path, "a": "b"])
            #expect(job.trigger.calendar?.schedule == "every day at 10:30")
        }
    }

    @Test("a job imported by an older version still belongs to its line")
    func olderCrontab() async throws {
        try await ApusUnderTest.with { apus in
            let path = try file("cron", "0 9 * * * echo x\n", in: apus)
            try await apus.startDaemon()
            let old = try await apus.client.submit(
                WireSubmission(
                    name: "cron: echo x",
                    trigger: WireTrigger(calendar: WireCalendar(schedule: "every day at 8:00", zone: "Europe/Berlin")),
                    action: Action(command: .init(argv: ["echo x"], shell: true, cwd: "/", env: ["PATH": "/bin"])),
                    policies: WirePolicies(missed: "skip", overlap: "allow"), labels: ["crontab": path],
                    conflict: "update"))
            let report = try await imported(apus, "crontab", path)
            #expect(report.jobs.map(\.outcome) == ["changed"] && report.jobs[0].id == old.id)
        }
    }

    @Test("a schedule of six fields and a user's name get remarks")
    func sixFields() async throws {
        try await ApusUnderTest.with { apus in
            let path = try file("cron", "0 0 9 * * 1 echo x\n0 9 * * * root echo y\n0 9 * * * echo 1\n", in: apus)
            let report = try await imported(apus, "crontab", path, "--dry-run")
            #expect(report.remarks.map(\.line) == [1, 2])
            #expect(report.remarks[0].text.contains("six fields") && report.remarks[1].text.contains("--system"))
            #expect(report.jobs.map(\.outcome) == ["valid", "valid", "valid"])
        }
    }

    @Test("a crontab is imported from a pipe", arguments: ["-", "/dev/stdin", "FIFO"])
    func pipes(source: String) async throws {
        try await ApusUnderTest.with { apus in
            let cron = try file("cron", "0 9 * * * echo x\n", in: apus)
            let path = source == "FIFO" ? apus.home.path + "/fifo" : source
            let line =
                source == "FIFO"
                ? #"mkfifo "$1" && { cat "$2" > "$1" & } && "$0" import crontab "$1""#
                : #"cat "$2" | "$0" import crontab "$1""#
            let result = try await Subprocess.run(
                .name("sh"), arguments: ["-c", line, ApusUnderTest.program, path, cron],
                environment: apus.subprocessEnvironment, output: .string(limit: 65_536), error: .string(limit: 65_536))
            #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
            #expect(try await commands(apus) == ["echo x"])
        }
    }

    // MARK: Exported jobs

    @Test("an export with an unknown field, an invalid job or another version is refused with every mistake")
    func refusedExports() async throws {
        try await ApusUnderTest.with { apus in
            let good = #"{"suspended":false,"submission":{"trigger":{"after":"1h"},"action":{"notify":"x"}}}"#
            for (jobs, words) in [
                (
                    #"{"version":2,"jobs":[\#(good),{"suspended":false,"submission":{"trigger":{"after":"1h"},"action":{"notify":"x"},"policies":{"retyr":1}}}]}"#,
                    ["retyr"]
                ),
                (
                    #"{"version":2,"jobs":[\#(good.replacing("1h", with: "soon")),\#(good),\#(good.replacing("notify\":\"x", with: "notify\":\"\\u0007"))]}"#,
                    ["job 1: ", "soon", "job 3: ", "notify"]
                ),
                (#"{"version":2,"jobs":[\#(good.replacing("}}}", with: "},\"conflict\":\"keep\"}}"))]}"#, ["conflict"]),
                (#"{"version":3,"jobs":[]}"#, ["version 3"]),
            ] {
                let answer = try await apus("import", try file("jobs.json", jobs, in: apus))
                #expect(answer.code == 64, "\(answer)")
                for word in words { #expect(answer.err.contains(word), "\(word): \(answer.err)") }
            }
            #expect(try await apus("status").code == 3, "no daemon was started")
            let report = try await imported(
                apus, try file("jobs.json", #"{"version":2,"jobs":[\#(good)]}"#, in: apus), "--dry-run")
            #expect(report.jobs.map(\.outcome) == ["valid"])
            #expect(try await apus("status").code == 3, "no daemon was started")
        }
    }

    @Test(
        "an export of version 1 and later exports of its jobs are imported once, and passed jobs have ended",
        arguments: StoreUnderTest.allCases)
    func version1(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            func job(_ id: String, _ trigger: String, suspended: Bool) -> String {
                #"{"submission":{"trigger":\#(trigger),"action":{"notify":"\#(id)"},"idempotencyKey":"export \#(id) 2026-01-01T00:00:00.000Z"},"suspended":\#(suspended)}"#
            }
            let jobs = [
                job("aaaaaa", #"{"at":"2026-01-01T00:00:00.000Z"}"#, suspended: false),
                job("bbbbbb", #"{"every":"PT1H"}"#, suspended: true),
                job("cccccc", #"{"after":"PT1H"}"#, suspended: false),
            ]
            let path = try file("jobs.json", #"{"version":1,"jobs":[\#(jobs.joined(separator: ","))]}"#, in: apus)
            let first = try await imported(apus, path)
            #expect(first.jobs.map(\.outcome) == ["ended", "created", "created"])
            #expect(try await imported(apus, path).jobs.map(\.outcome) == ["unchanged", "unchanged", "unchanged"])
            #expect(try await apus.client.job(try #require(first.jobs[1].id)).state == "suspended")
            // The jobs' original home exports them with records.
            let record = #""record":{"id":"bbbbbb","created":"2026-01-01T00:00:00.000Z","occurrences":0,"missed":0}"#
            let later =
                #"{"version":2,"jobs":[{"submission":{"trigger":{"every":"PT1H"},"action":{"notify":"bbbbbb"},"idempotencyKey":"random"},"suspended":true,\#(record)}]}"#
            let second = try await imported(apus, try file("later.json", later, in: apus))
            #expect(second.jobs.map(\.outcome) == ["unchanged"] && second.jobs[0].id == first.jobs[1].id)
        }
    }

    @Test("an exported job with another job's key is refused, and a changed one counts as already present")
    func uniqueKeys() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("every", "1h", "--name", "a", "--unique-key", "17", "--", "true")
            let job = try await apus.client.job("a")
            let export = try await apus("export").out
            let path = try file("jobs.json", export, in: apus)
            #expect(try await apus("edit", "a", "--", "false").code == 0)
            #expect(try await imported(apus, path).jobs.map(\.outcome) == ["unchanged"])
            _ = try await apus("cancel", "a")
            _ = try await apus("every", "1h", "--name", "b", "--unique-key", "17", "--", "false")
            let refused = try await apus("import", path)
            #expect(refused.code == 64 && refused.err.contains("jobs[0]: unique.key: the open job "), "\(refused)")
            #expect(try await apus.client.job(job.id).state == "cancelled")
        }
    }

    @Test("a cancelled job is imported again with its identifier, or once with another if that is taken")
    func identifiers() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("every", "1h", "--name", "a", "--", "true")
            let job = try await apus.client.job("a")
            let export = try await apus("export").out
            let path = try file("jobs.json", export, in: apus)
            _ = try await apus("cancel", "a")
            for outcome in ["created", "unchanged"] {
                let report = try await imported(apus, path)
                #expect(report.jobs.map(\.outcome) == [outcome] && report.jobs[0].id == job.id)
            }
            #expect(try await apus.client.job(job.id).created == job.created)
            // Another job, submitted at another instant, has the same identifier.
            let other = export.replacing(job.created, with: "2026-02-03T04:05:06.789Z")
                .replacing(try #require(job.idempotencyKey), with: "another")
            let otherPath = try file("other.json", other, in: apus)
            let made = try await imported(apus, otherPath)
            #expect(made.jobs.map(\.outcome) == ["created"] && made.jobs[0].id != job.id)
            let again = try await imported(apus, otherPath)
            #expect(again.jobs.map(\.outcome) == ["unchanged"] && again.jobs[0].id == made.jobs[0].id)
        }
    }

    @Test("a browser cannot import")
    func browser() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let browser = try await dashboard.signIn()
                for (headers, status) in [
                    (browser, 403), ([dashboard.bearer, ("origin", dashboard.record.url)], 403),
                    ([dashboard.bearer], 200),
                ] {
                    #expect(
                        try await dashboard.ask(.POST, "/v1/import", headers, body: #"{"jobs":[]}"#).status == status)
                }
            }
        }
    }

    @Test(
        "random jobs stay equal when exported and imported twice into a new home and into their own",
        arguments: StoreUnderTest.allCases)
    func property(_ store: StoreUnderTest) async throws {
        let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap(UInt64.init) ?? SystemRandom().next()
        print("seed \(seed); run it again with APUS_SEED=\(seed)")
        let random = RandomJobs(random: SeededRandom(seed: seed))
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            for number in 1...40 { try await random.submit(number, to: apus) }
            var export = try await apus("export").out
            #expect(try JSONDecoder().decode(Exported.self, from: Data(export.utf8)).jobs.count >= 40)
            for _ in 1...2 {
                let path = try file("jobs.json", export, in: apus)
                #expect(Set(try await imported(apus, path).jobs.map(\.outcome)) == ["unchanged"])
                #expect(try await apus("export").out == export)
                export = try await ApusUnderTest.with(store) { other in
                    #expect(Set(try await imported(other, path, "--dry-run").jobs.map(\.outcome)) == ["valid"])
                    #expect(Set(try await imported(other, path).jobs.map(\.outcome)) == ["created"])
                    let again = try await other("export").out
                    #expect(again == export)
                    #expect(Set(try await imported(other, path).jobs.map(\.outcome)) == ["unchanged"])
                    #expect(try await other("export").out == export)
                    #expect(try await other("store", "check").code == 0)
                    return again
                }
            }
        }
    }

    private struct Exported: Decodable {
        struct Job: Decodable {}
        var jobs: [Job]
    }
}

/// Submits jobs of all kinds, none of which is due while a test runs.
private struct RandomJobs {
    let random: SeededRandom

    private func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    private func one<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }

    private func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { number(0...1) == 0 ? nil : value() }

    private func trigger() -> WireTrigger {
        switch number(0...3) {
        case 0:
            WireTrigger(
                at:
                    "2\(number(100...199))-0\(number(1...9))-1\(number(0...9))T1\(number(0...9)):00:00.\(number(100...999))Z"
            )
        case 1: WireTrigger(after: "PT\(number(2...9_000))H")
        case 2:
            WireTrigger(
                every: "PT\(number(2...900))H\(number(1...59))M",
                anchor: maybe("2\(number(100...199))-01-01T00:00:00.\(number(100...999))Z"),
                count: maybe(number(1...1_000)))
        default:
            WireTrigger(
                calendar: WireCalendar(
                    schedule: one(of: [
                        "0 3 * * 1-5", "every year on december 24 at 18:00", "Mon..Fri 2100-*-* 09:00",
                        "RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
                    ]), zone: maybe(one(of: ["Asia/Tokyo", "America/New_York", "UTC"])), count: maybe(number(1...50)),
                    from: "2100-01-01", except: maybe(["2101-12-24/2101-12-26"]),
                    spread: maybe("\(number(1...900))s")))
        }
    }

    private func action() -> Action {
        var action = Action(
            webhook: maybe("https://example.org/\(number(1...99))"), notify: "tea ü \"\(number(1...99))\"\n")
        if action.webhook != nil { action.webhookHeaders = maybe(["X-A": "b"]) }
        action.command = maybe(
            .init(
                argv: ["echo", one(of: ["a b", "ü", "$(x)", "\u{301}", "\r\n"])], shell: number(0...1) == 0, cwd: "/",
                env: ["A": "b=c"]))
        action.onFailure = maybe([.init(notify: "it failed")])
        return action
    }

    /// Submits a job, and advances it in a random way.
    func submit(_ number: Int, to apus: ApusUnderTest) async throws {
        let client = apus.client
        let unique = number % 7 == 0
        var action = action()
        if unique { action.notify = "unique \(number)" }
        let job = try await client.submit(
            WireSubmission(
                name: maybe(one(of: ["backup", "büro: x", "a 'b' \"c\""])), kind: maybe("action"), trigger: trigger(),
                action: action,
                policies: maybe(
                    WirePolicies(
                        tolerance: maybe("PT\(self.number(1...9))S"), missed: maybe(one(of: ["skip", "run-all:7"])),
                        overlap: maybe(one(of: ["queue:3", "allow:2", "replace"])), retry: maybe(self.number(1...9)),
                        timeout: maybe("PT5M"), expiry: maybe("PT1H"), when: maybe(["power", "network"]),
                        retention: maybe("PT100H"))),
                labels: maybe(["team": "blue", "ü": "x"]), queue: maybe("mail"),
                priority: maybe(one(of: ["low", "high", "urgent"])), fairnessKey: maybe(one(of: ["acme", "b \"c\""])),
                unique: unique ? WireUniqueness(within: maybe("PT1H")) : nil, idempotencyKey: maybe("key \(number)")))
        if self.number(0...3) == 0 { _ = try await client.suspend(job.id) }
        guard self.number(0...3) == 0 else { return }
        // This job has had occurrences when it is exported, and ends after a number of them.
        let fast = try await client.submit(
            WireSubmission(
                trigger: WireTrigger(every: "PT0.02S", count: self.number(5_000...9_000)),
                action: Action(notify: "\(number)"),
                policies: WirePolicies(missed: maybe("skip"))))
        try await until("an occurrence") { try await client.job(fast.id).occurrences > 0 }
        if self.number(0...1) == 0 {
            _ = try await client.change(
                fast.id, WireJobChange(trigger: WireTrigger(every: "PT3H", count: self.number(2...9))))
        } else {
            _ = try await client.suspend(fast.id)
        }
        // A suspended job's due run waits until it is resumed, and open runs are not exported.
        try await until("that nothing is open") {
            let open = try await client.runs(job: fast.id, outcomes: ["running", "waiting"]).runs
            for run in open { _ = try await client.cancelRun(fast.id, occurrence: run.occurrence) }
            return open.isEmpty
        }
    }
}

/// The output of `apus import --json`.
private struct ImportedJobs: Decodable {
    struct Job: Decodable {
        var outcome: String
        var id: String?
    }

    struct Line: Decodable {
        var line: Int?
        var text: String
    }

    var jobs: [Job]
    var refused: [Line]
    var remarks: [Line]
}
