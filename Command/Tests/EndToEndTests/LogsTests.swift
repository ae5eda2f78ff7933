import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("The output of runs", .timeLimit(.minutes(10)))
struct LogsTests {
    /// Submits a job that prints a line, waits for a file, and prints another line.
    private func submit(_ apus: ApusUnderTest) async throws -> WireJob {
        try await apus.client.submit(
            WireSubmission(
                name: "job", trigger: WireTrigger(every: "PT1H"),
                action: Action(
                    command: .init(
                        argv: ["echo start; until [ -e gate ]; do sleep 0.02; done; echo end"], shell: true,
                        cwd: apus.home.path))))
    }

    @Test(
        "logs print the running run's output so far, the whole output later, and any run's with --run",
        arguments: StoreUnderTest.allCases)
    func inProgress(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let job = try await submit(apus)
            let first = try await apus.client.run("job")
            try await until("its first line") { try await apus("logs", "job").out == "start\n" }
            #expect(try await apus("logs", "job", "--run", String(first.occurrence)).out == "start\n")
            #expect(try await apus.client.logs(job.id).isEmpty, "the API has to be asked for it")
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await until("its end") { try await apus.client.job(job.id).lastRun?.outcome == "succeeded" }
            #expect(try await apus("logs", "job").out == "start\nend\n")
            let second = try await apus.client.run("job")
            try await until("the second run") {
                try await apus.client.runs(job: job.id).runs.count { $0.outcome == "succeeded" } == 2
            }
            for run in [first, second] {
                #expect(try await apus("logs", "job", "--run", String(run.occurrence)).out == "start\nend\n")
            }
            let unknown = try await apus("logs", "job", "--run", "77")
            #expect(unknown.code == 1 && unknown.err.contains("occurrence 77"), "\(unknown)")
        }
    }

    @Test("logs --follow begins with the running run's earlier output, and prints nothing twice")
    func followInProgress() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let job = try await submit(apus)
            _ = try await apus.client.run("job")
            try await until("its first line") {
                try await !apus.client.logs(job.id, running: true).isEmpty
            }
            async let followed = apus("logs", "job", "--follow")
            try await apus.untilListening()
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await until("its end") { try await apus.client.job(job.id).lastRun?.outcome == "succeeded" }
            _ = try await apus.client.cancel("job")
            let answer = try await followed
            #expect(answer.code == 0 && answer.out == "start\nend\n", "\(answer)")
        }
    }

    @Test(
        "a finished job runs once more, and keeps its history; a cancelled one does not",
        arguments: StoreUnderTest.allCases)
    func runAgain(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let once: WireJob = try await apus.json("after", "10ms", "--name", "once", "--json", "--", "echo", "x")
            #expect(try await apus("wait", "once").code == 0)
            #expect(try await apus("run", "once").code == 0)
            try await until("the second run") {
                try await apus.client.runs(job: once.id).runs.count { $0.outcome == "succeeded" } == 2
            }
            try await until("its end") { try await apus.client.job(once.id).state == "finished" }
            let hourly: WireJob = try await apus.json("every", "1h", "--json", "--", "true")
            _ = try await apus("cancel", hourly.id)
            let refused = try await apus("run", hourly.id)
            #expect(refused.code == 64 && refused.err.contains("cancelled"), "\(refused)")
        }
    }
}
