import ApusClient
import ApusTestSupport
import Foundation
import Subprocess
import Testing

@Suite("Following what a job prints", .timeLimit(.minutes(10)))
struct FollowTests {
    /// A running `apus logs NAME --follow`, whose output goes to files.
    private struct Follower {
        let apus: ApusUnderTest
        /// The output and the errors in the order of writing.
        var everything: String { text("everything") }
        var process: Int32 { Int32(text("pid").trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 }

        private func text(_ file: String) -> String {
            (try? String(contentsOfFile: "\(apus.home.path)/\(file)", encoding: .utf8)) ?? ""
        }

        func run(_ name: String) async throws -> Int {
            let home = apus.home.path
            // `exec` makes the shell's process the command, so that signals reach only the command.
            let line =
                "echo $$ > \(home)/pid; exec \(ApusUnderTest.program) logs \(name) --follow >> \(home)/everything 2>&1"
            let result = try await Subprocess.run(
                .name("sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment, output: .discarded,
                error: .discarded)
            guard case .exited(let code) = result.terminationStatus else { return -1 }
            return Int(code)
        }

        /// The beginning of a command whose first run only prints a line.
        static let first = "[ -e first ] || { touch first; echo first; exit; }; "

        /// Runs the job once, and waits until that run is printed.
        ///
        /// A follower that reads the history only after the next run's end would print only the stored output of that
        /// run.
        func untilFollowing() async throws {
            try await apus.untilListening()
            _ = try await apus.client.run("job")
            try await until("the first run") { text("seen") == "first\n" }
        }

        func untilPrinted(_ text: String) async throws {
            try await until("\"\(text)\"") { everything.contains(text) }
        }
    }

    private func submit(_ apus: ApusUnderTest, _ line: String) async throws -> WireJob {
        try await apus.client.submit(
            WireSubmission(
                name: "job", trigger: WireTrigger(every: "PT1H"),
                action: Action(command: .init(argv: [line], shell: true, cwd: apus.home.path))))
    }

    @Test(
        "a follower whose daemon is killed during a run continues with the next run, and marks where output may be missing",
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
            try await follower.untilPrinted("start 1\n")
            kill(daemon, SIGKILL)
            try await follower.untilPrinted("apus: the connection to the daemon was lost; reconnecting\n")
            #expect(try await apus("status").code == 3, "it starts no daemon")
            try await apus.startDaemon()
            try await follower.untilPrinted("apus: connected again; output may be missing here\n")
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await follower.untilPrinted("end 2\napus: #manual-1, attempt 2, succeeded")
            _ = try await apus.client.cancel("job")
            #expect(try await code == 0)
            let lines = follower.everything.split(separator: "\n").map { $0.prefix { $0 != "," } }
            let expected: [Substring] = [
                "start 1", "apus: the connection to the daemon was lost; reconnecting",
                "apus: connected again; output may be missing here", "apus: #manual-1 lost", "end 2", "apus: #manual-1",
            ]
            // The second attempt may have begun before the follower listened again.
            #expect(lines.filter { $0 != "start 2" } == expected, "\(follower.everything)")
        }
    }

    @Test(
        "after a broken stream, a follower does not repeat a partly printed run, and prints an unprinted one in full")
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
                    "apus: the connection to the daemon was lost; reconnecting",
                    "apus: connected again; output may be missing here", "apus: #1 succeeded", "apus: #2 succeeded",
                ], "\(answer)")
            #expect(daemon.bodies.count == 9)
        }
    }

    @Test("a follower prints the command's bytes, including split characters and invalid UTF-8")
    func bytes() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            _ = try await submit(
                apus, #"printf 'a\303'; until [ -e gate ]; do sleep 0.02; done; printf '\244\377\n'"#)
            let seen = apus.home.path + "/seen"
            let line = "exec \(ApusUnderTest.program) logs job --follow > \(seen)"
            async let result = Subprocess.run(
                .name("sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment, output: .discarded,
                error: .discarded)
            try await apus.untilListening()
            _ = try await apus.client.run("job")
            try await until("the first piece") {
                FileManager.default.contents(atPath: seen) == Data([0x61, 0xC3])
            }
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await until("all bytes") {
                FileManager.default.contents(atPath: seen) == Data([0x61, 0xC3, 0xA4, 0xFF, 0x0A])
            }
            _ = try await apus.client.cancel("job")
            _ = try await result
        }
    }

    @Test("a burst of 4 MB reaches a follower that writes to a file without a gap")
    func burst() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            _ = try await submit(apus, Follower.first + "head -c 4000000 /dev/zero | tr '\\0' x")
            let seen = apus.home.path + "/seen"
            let line = "exec \(ApusUnderTest.program) logs job --follow > \(seen)"
            async let result = Subprocess.run(
                .name("sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment, output: .discarded,
                error: .string(limit: 65_536))
            try await Follower(apus: apus).untilFollowing()
            _ = try await apus.client.run("job")
            try await until("its end") {
                try await apus.client.runs(job: "job").runs.count { $0.outcome == "succeeded" } == 2
            }
            _ = try await apus.client.cancel("job")
            let errors = try await result.standardError
            #expect(FileManager.default.contents(atPath: seen)?.count == "first\n".count + 4_000_000, "\(errors)")
        }
    }

    @Test("a stalled follower reports to the byte how much of a large burst was left out")
    func gapOfBurst() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            _ = try await submit(
                apus,
                Follower.first
                    + "until [ -e gate ]; do sleep 0.02; done; head -c 24000000 /dev/zero | tr '\\0' x; echo end")
            let (seen, notes) = (apus.home.path + "/seen", apus.home.path + "/notes")
            let line =
                "echo $$ > \(apus.home.path)/pid; exec \(ApusUnderTest.program) logs job --follow > \(seen) 2> \(notes)"
            async let result = Subprocess.run(
                .name("sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment, output: .discarded,
                error: .discarded)
            let follower = Follower(apus: apus)
            try await follower.untilFollowing()
            _ = try await apus.client.run("job")
            kill(follower.process, SIGSTOP)
            try Data().write(to: URL(filePath: apus.home.path + "/gate"))
            try await until("its end") {
                try await apus.client.runs(job: "job").runs.count { $0.outcome == "succeeded" } == 2
            }
            kill(follower.process, SIGCONT)
            _ = try await apus.client.cancel("job")
            _ = try await result
            let text = try String(contentsOfFile: notes, encoding: .utf8)
            let gaps = text.split(separator: "\n").filter { $0.hasSuffix(" bytes of output are missing here") }
                .compactMap { Int($0.dropFirst("apus: ".count).prefix { $0 != " " }) }
            let printed = try #require(FileManager.default.contents(atPath: seen))
            #expect(!gaps.isEmpty && printed.suffix(4) == Data("end\n".utf8), "\(text)")
            #expect(
                printed.count + gaps.reduce(0, +) == "first\n".count + 24_000_004, "\(printed.count) printed; \(text)")
        }
    }

    @Test("a follower whose connection breaks during a run gets the missed output, and nothing twice")
    func reconnected() async throws {
        func job(_ state: String) -> FakeDaemon.Behaviour {
            .answers(
                #"{"id":"a","kind":"action","state":"\#(state)","trigger":{"every":"PT1H"},"action":{},"policies":{},"#
                    + #""created":"2026-01-01T00:00:00.000Z","occurrences":0,"missed":0,"labels":{},"queue":"default","#
                    + #""priority":"normal"}"#)
        }
        func output(_ offset: Int, _ text: String, replayed: Bool = false) -> String {
            "event: output\ndata: "
                + #"{"job":"a","occurrence":1,"attempt":1,"offset":\#(offset),"text":"\#(text)","replayed":\#(replayed)}"#
                + "\n\n"
        }
        let ended =
            #"{"id":"a","kind":"action","state":"finished","trigger":{"every":"PT1H"},"action":{},"#
            + #""policies":{},"created":"2026-01-01T00:00:00.000Z","occurrences":1,"missed":0,"labels":{},"#
            + #""queue":"default","priority":"normal"}"#
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(
                job("scheduled"), .answers(#"{"runs":[]}"#),
                .breaksOff(output(0, "one ")), job("scheduled"), .answers(#"{"runs":[]}"#),
                .streams(
                    output(0, "one two ", replayed: true) + output(8, "three ") + output(20, "four")
                        + "event: job\ndata: \(ended)\n\n"),
                job("scheduled"), .answers(#"{"runs":[]}"#), job("finished"), .answers(#"{"runs":[]}"#))
            let answer = try await daemon.serve(apus.home) { try await apus("logs", "a", "--follow") }
            #expect(answer.code == 0 && answer.out == "one two three four", "\(answer)")
            #expect(answer.err.contains("apus: 6 bytes of output are missing here\n"), "\(answer)")
        }
    }

    @Test(
        "runs that ended while a follower could not listen are printed once from the history, and later ones live",
        arguments: StoreUnderTest.allCases)
    func gap(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let job = try await submit(apus, "echo >> runs; echo run $(wc -l < runs)")
            @Sendable func runOnce(_ count: Int) async throws {
                _ = try await apus.client.run("job")
                try await until("run \(count)") {
                    try await apus.client.runs(job: job.id).runs.count { $0.outcome == "succeeded" } == count
                }
            }
            try await runOnce(1)
            try await runOnce(2)
            let follower = Follower(apus: apus)
            async let code = follower.run("job")
            try await apus.untilListening()
            try await runOnce(3)
            try await follower.untilPrinted("run 3\napus: #")
            kill(follower.process, SIGSTOP)
            #expect(try await apus("stop").code == 0)
            try await apus.startDaemon()
            // The client may not have noticed yet that its connection to the first daemon is closed.
            try await until("an answer of the second one") { try await apus.client.health().status == "ok" }
            try await runOnce(4)
            try await runOnce(5)
            kill(follower.process, SIGCONT)
            try await follower.untilPrinted("run 5\napus: #")
            try await apus.untilListening()
            try await runOnce(6)
            try await follower.untilPrinted("run 6\napus: #")
            _ = try await apus.client.cancel("job")
            #expect(try await code == 0)
            let lines = follower.everything.split(separator: "\n")
            #expect(
                lines.filter { !$0.hasPrefix("apus: #") } == [
                    "run 2", "run 3", "apus: the connection to the daemon was lost; reconnecting",
                    "apus: connected again", "run 4", "run 5", "run 6",
                ], "\(follower.everything)")
            #expect(lines.count { $0.hasPrefix("apus: #") && $0.contains("succeeded") } == 5, "\(follower.everything)")
        }
    }
}
