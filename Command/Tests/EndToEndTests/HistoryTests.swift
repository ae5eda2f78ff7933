import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("What a job's history shows", .timeLimit(.minutes(10)))
struct HistoryTests {
    @Test(
        "a job with repeated skips during a run is shown as running, with its duration and last output",
        arguments: StoreUnderTest.allCases)
    func skipsWhileRunning(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            // The first run prints and ends; the second runs until it is released. The number of the first run's
            // occurrence depends on the daemon's lateness, so the command recognizes its first run by a directory that
            // this run makes.
            let (first, release) = (apus.home.path + "/first", apus.home.path + "/release")
            let job: WireJob = try await apus.json(
                "every", "20ms", "--name", "busy", "--shell", "--json", "--",
                "if mkdir \(first); then echo run 1; else until [ -e \(release) ]; do sleep 0.05; done; fi 2>/dev/null")
            try await until("150 skips") { try await apus.client.job(job.id).occurrences > 150 }
            let shown = try await apus.client.job(job.id)
            #expect(shown.lastRun?.outcome == "running" && shown.lastRun?.started != nil)
            #expect(shown.lastRun?.latenessMs != nil)
            let line = try await apus("list").out.split(separator: "\n").first { $0.contains("busy") }
            #expect(line?.contains("running for ") == true, "\(line ?? "")")
            #expect(try await apus("show", "busy").out.contains("running for "))
            #expect(
                try await apus("logs", "busy").out.isEmpty,
                "the logs are those of the current attempt, which prints nothing")
            let ended = try await apus.client.logs(job.id)
            #expect(String(decoding: ended, as: UTF8.self) == "run 1\n", "of the last attempt that has ended")
            try Data().write(to: URL(filePath: release))
        }
    }

    @Test(
        "the pause before a retry does not count as lateness, which belongs to the first attempt",
        arguments: StoreUnderTest.allCases)
    func lateness(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json(
                "after", "10ms", "--retry", "1", "--shell", "--json", "--", "test $APUS_ATTEMPT = 2")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let runs = try await apus.client.runs(job: job.id).runs
            #expect(runs.map(\.attempt) == [2, 1])
            #expect(runs[0].latenessMs == nil && runs[0].delayMs != nil)
            #expect(runs[1].latenessMs != nil && runs[1].delayMs == nil)
        }
    }

    @Test(
        "a submission repeated with its key means the same job, also on the home's next daemon",
        arguments: StoreUnderTest.allCases)
    func idempotency(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "6s") { apus in
            let first = try await apus.startDaemon()
            let submission = WireSubmission(
                name: "once", trigger: WireTrigger(after: "1h"),
                action: Action(command: .init(argv: ["true"], env: ["A": "1", "B": "2", "C": "3"])),
                labels: ["x": "1", "y": "2"], idempotencyKey: "4711")
            let job = try await apus.client.submit(submission)
            #expect(try await apus.client.submit(submission).id == job.id)
            kill(first, SIGKILL)
            try await until("the daemon's end") { !isAlive(first) }
            try await apus.startDaemon()
            #expect(try await apus.client.submit(submission).id == job.id)
            #expect(try await apus.client.jobs().jobs.count == 1)
            var other = submission
            other.name = "another"
            let error = await #expect(throws: DaemonError.self) { try await apus.client.submit(other) }
            #expect(error?.message.contains("idempotencyKey") == true && error?.message.contains(job.id) == true)
        }
    }
}
