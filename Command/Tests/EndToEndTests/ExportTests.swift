import ApusClient
import ApusJobs
import ApusSQLite
import ApusTimers
import Foundation
import LoopbackWebTestSupport
import NIOHTTP1
import Subprocess
import Testing

@Suite("Complete and broken-off exports", .timeLimit(.minutes(10)))
struct ExportTests {
    private func submission(_ name: String, labels: [String: String] = [:], filler: Int = 0) -> WireSubmission {
        WireSubmission(
            name: name, trigger: WireTrigger(every: "PT1H"),
            action: Action(
                command: .init(argv: ["true"], cwd: "/", env: ["FILLER": String(repeating: "x", count: filler)])),
            labels: labels)
    }

    @Test("jobs with a label are exported, and those of other programs' kinds are counted on standard error")
    func leftOut() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let app = JobScheduler(store: SQLiteStore(path: apus.home.databasePath))
            try await app.start()
            try await app.submit(
                ["x", "y", "z"].map { JobRequest(id: $0, kind: "app.report", trigger: .every(.seconds(3_600))) })
            await app.stop(grace: nil)
            try await apus.startDaemon()
            _ = try await apus.client.submit(submission("one", labels: ["team": "blue"]))
            _ = try await apus.client.submit(submission("two"))
            let all = try await apus("export")
            #expect(
                all.code == 0
                    && all.err
                        == "2 jobs exported\n3 jobs left out, because another program handles them or they cannot be read\n"
            )
            let path = apus.home.path + "/jobs.json"
            try Data(all.out.utf8).write(to: URL(filePath: path))
            let again = try await apus("import", path)
            #expect(again.code == 0 && again.err.contains("2 unchanged"), "\(again)")
            let blue = try await apus("export", "--label", "team=blue")
            #expect(blue.code == 0 && blue.err == "1 job exported\n" && blue.out.contains(#""name":"one""#), "\(blue)")
            let none = try await apus("export", "--label", "team=red")
            #expect(none.code == 0 && none.err == "0 jobs exported\n" && none.out == "{\"version\":2,\"jobs\":[\n]}\n")
            #expect(try await apus("export", "--label", "red").code == 64)
        }
    }

    @Test("an export that breaks off or cannot be written is reported and ends with exit code 1")
    func broken() async throws {
        try await ApusUnderTest.with { apus in
            let beginning = "{\"version\":2,\"jobs\":[\n{\"submission\":"
            let answer = try await FakeDaemon(.breaksOff(beginning)).serve(apus.home) { try await apus("export") }
            #expect(answer.code == 1 && answer.out == beginning, "\(answer)")
            #expect(answer.err.contains("; the export is incomplete"), "\(answer)")
        }
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let full = try await Subprocess.run(
                .name("sh"), arguments: ["-c", "exec \(ApusUnderTest.program) export > /dev/full"],
                environment: apus.subprocessEnvironment, output: .discarded, error: .string(limit: 65_536))
            #expect(full.terminationStatus == .exited(1) && full.standardError.contains("No space left on device"))
        }
    }

    @Test("a daemon's stop breaks an export off, and stalled readers do not block others' answers")
    func stopped() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let jobs = (0..<1_500).map { WireExportedJob(submission("job\($0)", filler: 4_000)) }
            _ = try await apus.client.imported(WireImport(jobs: jobs))
            var unread: [TestAnswer] = []
            // The requests exceed the concurrency limit.
            for _ in 0..<6 {
                unread.append(try await TestRequest("/v1/export", to: .socket(apus.home.socketPath)).open())
            }
            #expect(unread.allSatisfy { $0.status == 200 })
            #expect(try await apus.client.jobs(limit: 1).jobs.count == 1)
            #expect(try await apus("stop").code == 0)
            for response in unread {
                let body = try? await response.body()
                #expect(body == nil, "it ended as if it were whole")
            }
        }
    }
}
