import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Waiting for a run's outcome", .timeLimit(.minutes(10)))
struct WaitTests {
    @Test(
        "apus wait exits with the command's exit code, and prints the run like history, or as JSON",
        arguments: StoreUnderTest.allCases)
    func exitCode(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            _ = try await apus("after", "300ms", "--name", "good", "--", "true")
            let good = try await apus("wait", "good")
            #expect(good.code == 0 && good.out.contains(" #1 succeeded, "), "\(good)")
            _ = try await apus(
                "after", "300ms", "--name", "bad", "--retry", "1", "--shell", "--", "exit $((6 + APUS_ATTEMPT))")
            let bad = try await apus("wait", "bad", "--json")
            #expect(bad.code == 8, "\(bad)")
            let run = try JSONDecoder().decode(WireRun.self, from: Data(bad.out.utf8))
            #expect(run.attempt == 2 && run.final && run.exitCode == 8, "what is tried again has no outcome yet")
            #expect(try await apus("wait", "bad").code == 8, "of a job that has ended, the last run")
            _ = try await apus("every", "1h", "--name", "hourly", "--shell", "--", "exit 5")
            _ = try await apus("run", "hourly")
            try await until("the end of the run by hand") {
                try await apus.client.job("hourly").lastRun?.outcome == "failed"
            }
            #expect(try await apus("wait", "hourly", "--timeout", "200ms").code == 124, "the next one is an hour away")
        }
    }

    @Test(
        "apus wait ends with 125 for a cancelled job or run, and with 124 after --timeout",
        arguments: StoreUnderTest.allCases)
    func noOutcome(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            _ = try await apus("after", "1h", "--name", "late", "--", "true")
            let timeout = try await apus("wait", "late", "--timeout", "10ms")
            #expect(timeout.code == 124 && timeout.err.contains("has no outcome after 10ms"), "\(timeout)")
            async let ended = apus("wait", "late", "--json")
            try await apus.untilListening()
            _ = try await apus.client.cancel("late")
            let cancelled = try await ended
            #expect(cancelled.code == 125 && cancelled.out == "null\n", "\(cancelled)")
            let again = try await apus("wait", "late")
            #expect(again.code == 125 && again.err.contains("was cancelled before the run"), "\(again)")

            _ = try await apus("after", "10ms", "--name", "long", "--", "sleep", "600")
            try await until("its run") { try await apus.client.job("long").lastRun?.outcome == "running" }
            async let waiting = apus("wait", "long")
            let answer = try await apus("cancel", "long", "--occurrence", "1").out
            #expect(answer.contains("occurrence 1 is being cancelled"))
            let run = try await waiting
            #expect(run.code == 125 && run.out.contains("#1 cancelled"), "\(run)")
        }
    }

    @Test(
        "apus wait survives a killed and restarted daemon, and reports the following attempt's outcome",
        arguments: StoreUnderTest.allCases)
    func restart(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "6s") { apus in
            let daemon = try await apus.startDaemon()
            let job: WireJob = try await apus.json(
                "after", "10ms", "--shell", "--json", "--", "if [ $APUS_ATTEMPT = 1 ]; then sleep 600; fi; exit 4")
            try await until("its run") { try await apus.client.job(job.id).lastRun?.outcome == "running" }
            async let waiting = apus("wait", job.id)
            try await apus.untilListening()
            kill(daemon, SIGKILL)
            let answer = try await waiting
            #expect(answer.code == 4 && answer.out.contains("attempt 2"), "\(answer)")
            #expect(answer.err.contains("started a daemon in the background"), "\(answer)")
        }
    }

    @Test(
        "an orderly stop ends apus wait with its own exit code, without starting a daemon or creating a home",
        arguments: [["wait"], ["countdown", "--name"]], [false, true])
    func stopped(_ words: [String], homeIsRemoved: Bool) async throws {
        try await ApusUnderTest.with { apus in
            _ = try await apus("countdown", "1h", "--name", "egg", "--detach")
            let daemon = try await apus.client.health().pid
            async let waiting = apus.call(words + ["egg"])
            try await apus.untilListening()
            #expect(try await apus("stop").code == 0)
            if homeIsRemoved { try FileManager.default.removeItem(atPath: apus.home.path) }
            let answer = try await waiting
            #expect(answer.code == (words == ["wait"] ? 125 : 3), "\(answer)")
            #expect(answer.err.contains("the daemon was stopped"), "\(answer)")
            // The daemon's socket closes shortly before its process ends.
            try await until("the daemon's end") { !isAlive(daemon) }
            #expect(FileManager.default.fileExists(atPath: apus.home.path) != homeIsRemoved)
            let error = await #expect(throws: DaemonError.self) { try await apus.client.health() }
            #expect(error?.code == .notRunning)
        }
    }

    @Test("apus wait continues with a daemon that takes over after an orderly stop")
    func successor() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon()
            _ = try await apus("after", "1h", "--name", "late", "--", "true")
            async let waiting = apus("wait", "late")
            try await apus.untilListening()
            #expect(try await apus("stop").code == 0)
            try await apus.startDaemon()
            try await apus.untilListening()
            _ = try await apus("cancel", "late")
            let answer = try await waiting
            #expect(answer.code == 125 && answer.err.contains("was cancelled before the run"), "\(answer)")
            try await until("the daemon's end") { !isAlive(daemon) }
        }
    }

    @Test("apus wait reads the state again after lost events")
    func lostEvents() async throws {
        let job =
            #"{"id":"a","kind":"action","state":"scheduled","trigger":{"every":"PT1H"},"action":{},"policies":{},"#
            + #""created":"2026-01-01T00:00:00.000Z","occurrences":0,"missed":0,"labels":{},"queue":"default","priority":"normal"}"#
        let run =
            #"{"job":"a","occurrence":1,"through":1,"attempt":1,"standsFor":1,"due":"2026-01-01T01:00:00.000Z","outcome":"failed","final":true,"exitCode":9}"#
        let health =
            #"{"status":"ok","version":"1","pid":1,"home":"/","started":"2026-01-01T00:00:00.000Z","running":0}"#
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(
                .answers(job), .answers(health), .streams("event: lost\ndata: {\"events\":1,\"outputBytes\":0}\n\n"),
                .answers(job), .answers(#"{"job":"a","occurrence":1,"decisions":[]}"#), .answers(#"{"runs":[]}"#),
                .answers(job), .answers(#"{"runs":[\#(run)]}"#))
            let answer = try await daemon.serve(apus.home) { try await apus("wait", "a", "--timeout", "60s") }
            #expect(answer.code == 9, "\(answer)")
            #expect(daemon.bodies.count == 8, "once when it listens, and once more")
        }
    }
}
