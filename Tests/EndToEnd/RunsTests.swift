import ApusDaemon
import Foundation
import Testing

@Suite("Single runs at the terminal")
struct RunsTests {
    @Test(
        "what has failed is tried again, also of a finished job, and the outcome is the new attempt's",
        arguments: StoreUnderTest.allCases)
    func retry(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let file = apus.home.path + "/mended"
            let job: WireJob = try await apus.json(
                "after", "10ms", "--name", "flaky", "--json", "--", "test", "-e", file)
            #expect(try await apus("wait", "flaky").code == 1)
            try Data().write(to: URL(filePath: file))
            let answer = try await apus("retry", "flaky")
            #expect(answer.out.contains("\(job.id) occurrence 1 is tried again, as attempt 2"), "\(answer)")
            #expect(try await apus("wait", "flaky").code == 0)
            let shown = try await apus.client.job(job.id)
            #expect(shown.state == "finished" && shown.occurrences == 1 && shown.lastRun?.attempt == 2)
            #expect(try await apus.client.runs(job: job.id).runs.map(\.final) == [true, false])
            let again = try await apus("retry", "flaky", "1")
            #expect(again.code == 64 && again.err.contains("succeeded"), "\(again)")
            #expect(try await apus("retry", "missing").code == 1)
        }
    }

    @Test(
        "cancelling a run by hand leaves the job's other runs; a run that is not open cannot be cancelled",
        arguments: StoreUnderTest.allCases)
    func cancelRun(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name", "hourly", "--json", "--", "sleep", "600")
            _ = try await apus("run", "hourly")
            try await apus.until("its run") { try await apus.client.job(job.id).lastRun?.outcome == "running" }
            let run = try #require(try await apus.client.job(job.id).lastRun)
            let number = String(run.occurrence)
            let answer = try await apus("cancel", "hourly", "--occurrence", number)
            #expect(answer.out == "\(job.id) occurrence \(number) is being cancelled\n", "\(answer)")
            try await apus.until("its end") { try await apus.client.job(job.id).lastRun?.outcome == "cancelled" }
            #expect(try await apus.client.job(job.id).state == "scheduled")
            let again = try await apus("cancel", "hourly", "--occurrence", number)
            #expect(again.code == 1 && again.err.contains("neither waits nor runs"), "\(again)")
            let retried: WireRun = try await apus.json("retry", "hourly", "--json", "--", number)
            #expect(retried.occurrence == run.occurrence && retried.attempt == 2)
        }
    }

    @Test(
        "why prints the decisions about an occurrence with their instants, in words and as JSON",
        arguments: StoreUnderTest.allCases)
    func why(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json(
                "after", "10ms", "--retry", "1", "--shell", "--json", "--", "test $APUS_ATTEMPT = 2")
            #expect(try await apus("wait", job.id).code == 0)
            let explained: WireExplanation = try await apus.json("why", job.id, "--json")
            #expect(explained.job == job.id && explained.occurrence == 1)
            let codes = explained.decisions.map(\.code)
            #expect(codes.first == "due" && codes.contains("failed") && codes.contains("pause"), "\(codes)")
            #expect(codes.last == "succeeded" && explained.decisions.last?.at != nil)
            let text = try await apus("why", job.id, "1").out
            #expect(text.hasPrefix("\(job.id) occurrence 1\n"), "\(text)")
            #expect(text.split(separator: "\n").count == codes.count + 1)
            for decision in explained.decisions { #expect(text.contains("  \(decision.text)\n"), "\(text)") }
            let unknown = try await apus("why", job.id, "7")
            #expect(unknown.code == 1 && unknown.err.contains("occurrence 7"), "\(unknown)")
        }
    }

    @Test(
        "what cannot be meant is refused with exit code 64",
        arguments: [
            (["retry"], "id"), (["retry", "a", "first"], "first"), (["why"], "id"), (["why", "a", "b"], "b"),
            (["cancel", "--all", "--occurrence", "1"], "--occurrence"),
            (["cancel", "a", "b", "--occurrence", "1"], "--occurrence"), (["wait"], "id"),
            (["wait", "a", "--timeout", "soon"], "1h30m"), (["wait", "a", "--timeout", "0s"], "--timeout"),
        ])
    func refused(words: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(words)
            #expect(answer.code == 64 && answer.err.contains(expected), "\(words): \(answer)")
            #expect(try await apus("status").code == 3, "no daemon was started for it")
        }
    }
}
