import ApusDaemon
import Foundation
import Subprocess
import Testing

@Suite("Following what a job prints")
struct FollowTests {
    /// `apus logs NAME --follow` that writes to files.
    private struct Follower {
        let apus: ApusUnderTest
        /// Output and errors, in the order in which they were written.
        var everything: String { text("everything") }
        var process: Int32 { Int32(text("pid").trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 }

        private func text(_ file: String) -> String {
            (try? String(contentsOfFile: "\(apus.home.path)/\(file)", encoding: .utf8)) ?? ""
        }

        func run(_ name: String) async throws -> Int {
            let home = apus.home.path
            // `exec` makes the shell's process the command, so that signals reach just that.
            let line =
                "echo $$ > \(home)/pid; exec \(ApusUnderTest.program) logs \(name) --follow >> \(home)/everything 2>&1"
            let result = try await Subprocess.run(
                .name("sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment, output: .discarded,
                error: .discarded)
            guard case .exited(let code) = result.terminationStatus else { return -1 }
            return Int(code)
        }

        func until(_ text: String) async throws {
            try await apus.until("\"\(text)\"") { everything.contains(text) }
        }
    }

    private func submit(_ apus: ApusUnderTest, _ line: String) async throws -> WireJob {
        try await apus.client.submit(
            WireSubmission(
                name: "job", trigger: WireTrigger(every: "PT1H"),
                action: Action(command: .init(argv: [line], shell: true, cwd: apus.home.path))))
    }

    @Test(
        "when the daemon is killed during a run, it continues with the next run, and says where output may be missing",
        arguments: StoreUnderTest.allCases)
    func killed(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "6s") { apus in
            let daemon = try await apus.startDaemon()
            _ = try await submit(
                apus, "echo start $APUS_ATTEMPT; until [ -e gate ]; do sleep 0.02; done; echo end $APUS_ATTEMPT")
            let follower = Follower(apus: apus)
            async let code = follower.run("job")
            try await apus.untilListening()
            _ = try await apus.client.run("job")
            try await follower.until("start 1\n")
            kill(daemon, SIGKILL)
            try await follower.until("apus: the connection to the daemon is lost; it is looked for again\n")
            #expect(try await apus("status").code == 3, "it starts no daemon")
            try await apus.startDaemon()
            try await follower.until("apus: connected again; output may be missing here\n")
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await follower.until("end 2\napus: #0, attempt 2, succeeded")
            _ = try await apus.client.cancel("job")
            #expect(try await code == 0)
            let lines = follower.everything.split(separator: "\n").map { $0.prefix { $0 != "," } }
            let expected: [Substring] = [
                "start 1", "apus: the connection to the daemon is lost; it is looked for again",
                "apus: connected again; output may be missing here", "apus: #0 lost", "end 2", "apus: #0",
            ]
            // The second attempt may have begun before the follower listened again.
            #expect(lines.filter { $0 != "start 2" } == expected, "\(follower.everything)")
        }
    }

    @Test(
        "when the stream breaks, a run that was printed in part is not printed again, and one that was not is, in full")
    func broken() async throws {
        func run(_ occurrence: Int) -> String {
            #"{"job":"a","occurrence":\#(occurrence),"through":\#(occurrence),"attempt":1,"standsFor":1,"#
                + #""due":"2026-01-01T01:00:00.000Z","finished":"2026-01-01T01:00:01.000Z","outcome":"succeeded","final":true}"#
        }
        func job(_ state: String) -> FakeDaemon.Behaviour {
            .answers(
                #"{"id":"a","kind":"action","state":"\#(state)","trigger":{"every":"PT1H"},"action":{},"policies":{},"#
                    + #""created":"2026-01-01T00:00:00.000Z","occurrences":0,"missed":0,"labels":{},"queue":"default","#
                    + #""priority":"normal"}"#)
        }
        let output = #"{"job":"a","occurrence":1,"attempt":1,"text":"beginning\n"}"#
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(
                job("scheduled"), .answers(#"{"runs":[]}"#),
                .breaksOff("event: output\ndata: \(output)\n\n"), job("scheduled"), .answers(#"{"runs":[]}"#),
                .streams(""), job("finished"), .answers(#"{"runs":[\#(run(2)),\#(run(1))]}"#), .answers("second\n"))
            let answer = try await daemon.serve(apus.home) { try await apus("logs", "a", "--follow") }
            #expect(answer.code == 0 && answer.out == "beginning\nsecond\n", "\(answer)")
            #expect(
                answer.err.split(separator: "\n") == [
                    "apus: the connection to the daemon is lost; it is looked for again",
                    "apus: connected again; output may be missing here", "apus: #1 succeeded", "apus: #2 succeeded",
                ], "\(answer)")
            #expect(daemon.bodies.count == 9)
        }
    }

    @Test(
        "runs that ended while it could not listen are printed once, from the history, and later ones as they come",
        arguments: StoreUnderTest.allCases)
    func gap(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let job = try await submit(apus, "echo >> runs; echo run $(wc -l < runs)")
            @Sendable func runOnce(_ count: Int) async throws {
                _ = try await apus.client.run("job")
                try await apus.until("run \(count)") {
                    try await apus.client.runs(job: job.id).runs.count { $0.outcome == "succeeded" } == count
                }
            }
            try await runOnce(1)
            try await runOnce(2)
            let follower = Follower(apus: apus)
            async let code = follower.run("job")
            try await apus.untilListening()
            try await runOnce(3)
            try await follower.until("run 3\napus: #")
            kill(follower.process, SIGSTOP)
            #expect(try await apus("stop").code == 0)
            try await apus.startDaemon()
            // The client may not have noticed yet that its connection to the first daemon is closed.
            try await apus.until("an answer of the second one") { try await apus.client.health().status == "ok" }
            try await runOnce(4)
            try await runOnce(5)
            kill(follower.process, SIGCONT)
            try await follower.until("run 5\napus: #")
            try await apus.untilListening()
            try await runOnce(6)
            try await follower.until("run 6\napus: #")
            _ = try await apus.client.cancel("job")
            #expect(try await code == 0)
            let lines = follower.everything.split(separator: "\n")
            #expect(
                lines.filter { !$0.hasPrefix("apus: #") } == [
                    "run 2", "run 3", "apus: the connection to the daemon is lost; it is looked for again",
                    "apus: connected again", "run 4", "run 5", "run 6",
                ], "\(follower.everything)")
            #expect(lines.count { $0.hasPrefix("apus: #") && $0.contains("succeeded") } == 5, "\(follower.everything)")
        }
    }
}
