import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Single runs at the terminal", .timeLimit(.minutes(10)))
struct RunsTests {
    @Test(
        "a failed run can be retried, also of a finished job, and its outcome is the new attempt's",
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
        "cancelling one run leaves the job's other runs, and a run that is not open cannot be cancelled",
        arguments: StoreUnderTest.allCases)
    func cancelRun(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name", "hourly", "--json", "--", "sleep", "600")
            _ = try await apus("run", "hourly")
            try await until("its run") { try await apus.client.job(job.id).lastRun?.outcome == "running" }
            let run = try #require(try await apus.client.job(job.id).lastRun)
            let number = "manual-\(try #require(run.manual))"
            let answer = try await apus("cancel", "hourly", "--occurrence", number)
            #expect(answer.out == "\(job.id) run \(number) is being cancelled\n", "\(answer)")
            try await until("its end") { try await apus.client.job(job.id).lastRun?.outcome == "cancelled" }
            #expect(try await apus.client.job(job.id).state == "scheduled")
            let again = try await apus("cancel", "hourly", "--occurrence", number)
            #expect(again.code == 1 && again.err.contains("neither waits nor runs"), "\(again)")
            let retried: WireRun = try await apus.json("retry", "hourly", number, "--json")
            #expect(retried.occurrence == run.occurrence && retried.attempt == 2)
        }
    }

    @Test("manual runs have their own numbers from 1 on, which every subcommand shows and accepts")
    func byHand() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("every", "1h", "--name", "hourly", "--json", "--", "false")
            for number in 1...3 {
                let asked = try await apus("run", "hourly")
                #expect(asked.out.contains("\(job.id) run manual-"), "\(asked)")
                try await until("run \(number)") { try await apus.allRuns().count { $0.final } == number }
            }
            let runs = try await apus.allRuns()
            let numbers = runs.compactMap(\.manual)
            #expect(numbers.count == 3 && numbers == numbers.sorted() && numbers[0] == 1)
            #expect(runs.map(\.occurrence) == numbers.map { 1 - $0 })
            let texts = numbers.map { "manual-\($0)" }
            let table = try await apus("history", "hourly")
            let column = table.out.split(separator: "\n").dropFirst().map { $0.split(separator: " ")[1] }
            #expect(column.map(String.init) == texts.reversed(), "\(table)")
            #expect(try await apus("show", "hourly").out.contains("#\(texts[2]) failed"))
            for text in [texts[1], "\(runs[1].occurrence)"] {
                let dashes = text.hasPrefix("-") ? ["--"] : []
                let why = try await apus.call(["why", "hourly"] + dashes + [text])
                #expect(why.out.hasPrefix("\(job.id) run \(texts[1])\n"), "\(why)")
                #expect(try await apus("logs", "hourly", "--run", text).code == 0)
            }
            let retried = try await apus("retry", "hourly", texts[1])
            #expect(retried.out.contains("run \(texts[1]) is tried again"), "\(retried)")
            for text in ["manual-0", "manual--1", "manual", "manual-9999"] {
                #expect(try await apus("why", "hourly", text).code != 0, "\(text)")
            }
            let top = try await apus("top", "--once")
            #expect(top.out.contains("#manual-"), "\(top)")
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
        "a contradictory request for a run is refused with exit code 64",
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
