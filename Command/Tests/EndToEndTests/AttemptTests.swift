import ApusClient
import ApusTestSupport
import Foundation
import Testing

/// Tests what docs/command.md and docs/jobs.md say about the parts of an attempt and about its failures.
@Suite("Attempts of commands", .timeLimit(.minutes(10)))
struct AttemptTests {
    @Test("a webhook's failure fails the attempt, and a retry repeats the command too; the notification comes once")
    func webhook() async throws {
        try await ApusUnderTest.with { apus in
            let file = apus.home.path + "-calls"
            defer { try? FileManager.default.removeItem(atPath: file) }
            // The port of the discard protocol has no listener.
            let job: WireJob = try await apus.json(
                "after", "10ms", "--retry", "1", "--webhook", "http://127.0.0.1:9/x", "--on-failure",
                "command:echo notified >> \(file)", "--json", "--shell", "--", "echo ran >> \(file)")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "ran\nran\nnotified\n")
            let runs = try await apus.allRuns().filter { $0.job == job.id }
            #expect(runs.map(\.outcome) == ["failed", "failed"] && runs.map(\.exitCode) == [0, 0])
            #expect(runs.allSatisfy { $0.reason?.hasPrefix("webhook: ") == true })
        }
    }

    @Test("after a failure of the command, the webhook is not posted, and the command's failure is the reason")
    func command() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json(
                "after", "10ms", "--webhook", "http://127.0.0.1:9/x", "--json", "--shell", "--", "exit 3")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            #expect(try await apus.client.job(job.id).lastRun?.reason == "exit code 3")
        }
    }

    @Test("an attempt over its time limit has failed although its command then exits with 0, and is retried")
    func timeLimit() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json(
                "after", "10ms", "--timeout", "300ms", "--retry", "1", "--json", "--shell", "--",
                "trap 'exit 0' TERM; sleep 600 & wait")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let runs = try await apus.allRuns().filter { $0.job == job.id }
            #expect(runs.map(\.outcome) == ["failed", "failed"] && runs.map(\.reason) == ["timedOut", "timedOut"])
        }
    }

    @Test("Linux does not report whether the machine is idle, so the condition idle delays nothing")
    func idle() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("after", "10ms", "--when", "idle", "--json", "--", "true")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            #expect(try await apus.client.job(job.id).lastRun?.outcome == "succeeded")
        }
    }
}
