import ApusClient
import ApusJobs
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@testable import ApusCommand

@Suite("apus top", .timeLimit(.minutes(10)))
struct TopTests {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private func submit(_ apus: ApusUnderTest, _ name: String, _ line: String = "true") async throws {
        _ = try await apus.client.submit(
            WireSubmission(
                name: name, trigger: WireTrigger(every: "PT1H"),
                action: Action(command: .init(argv: [line], shell: true, cwd: apus.home.path))))
    }

    @Test(
        "apus top without a terminal prints one frame as wide as COLUMNS, or one snapshot as JSON",
        arguments: StoreUnderTest.allCases)
    func once(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            try await submit(apus, "bad", "exit 7")
            try await submit(apus, "good")
            _ = try await apus.client.suspend("good")
            _ = try await apus.client.run("bad")
            try await until("its failure") { try await apus.allRuns().contains { $0.outcome == "failed" } }
            let frame = try await apus("top")
            let lines = frame.out.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(frame.code == 0 && !frame.out.contains("\u{1B}"), "\(frame)")
            #expect(lines[1] == "0 running   0 waiting   1 failing   1 suspended   2 jobs", "\(frame)")
            #expect(lines.contains { $0.hasPrefix("bad  in ") }, "\(frame)")
            #expect(
                lines.contains { $0.hasPrefix("bad  #manual-1  failed") && $0.hasSuffix("exit code 7") }, "\(frame)")
            let narrow = try await apus("top", "--once", environment: ["COLUMNS": "30", "LINES": "8"]).out
            let rows = narrow.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(rows.count <= 8 && rows.allSatisfy { $0.count <= 30 } && rows[0].hasSuffix("…"), "\(narrow)")
            let snapshot: TopSnapshot = try await apus.json("top", "--json")
            #expect(snapshot.counts.failing == 1 && snapshot.counts.suspended == 1 && snapshot.counts.jobs == 2)
            #expect(snapshot.jobs.map(\.name) == ["bad", "good"] && snapshot.next.map(\.name) == ["bad"])
            #expect(snapshot.ended.map(\.outcome) == ["failed"] && snapshot.running.isEmpty)
        }
    }

    @Test(
        "apus top draws the daemon's report, and `q` restores the terminal", arguments: StoreUnderTest.allCases)
    func live(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let answer = try await apus.atTerminal(["top"]) { terminal in
                await terminal.wait(for: "nothing is scheduled")
                #expect(!terminal.isInLineMode)
                try await submit(apus, "first", "until [ -e gate ]; do sleep 0.02; done")
                await terminal.wait(for: "first")
                _ = try await apus.client.run("first")
                await terminal.wait(for: "1 running")
                try Data().write(to: URL(filePath: apus.home.path + "/gate"))
                await terminal.wait(for: "succeeded")
                terminal.type("q")
            }
            #expect(answer.code == 0)
            #expect(answer.shown.hasPrefix(Self.enter) && answer.shown.hasSuffix(Self.leave), "\(answer.shown)")
            #expect(answer.shown.contains("\u{1B}[1mfirst\u{1B}[0m"))
        }
    }

    @Test(
        "Ctrl-C and signals end apus top and restore the terminal",
        arguments: [("C", 130), ("TERM", 143), ("INT", 130)])
    func ended(by signal: String, code: Int) async throws {
        try await ApusUnderTest.with(variables: ["NO_COLOR": "1"]) { apus in
            try await apus.startDaemon()
            let line = "echo $$ > \(apus.home.path)/pid; exec \(ApusUnderTest.program) top"
            let answer = try await apus.atTerminal(["-c", line], program: "/bin/sh") { terminal in
                await terminal.wait(for: "nothing is scheduled")
                let text = try String(contentsOfFile: apus.home.path + "/pid", encoding: .utf8)
                let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                // A change of the terminal's size is drawn at once.
                try terminal.resize(rows: 10, columns: 12)
                kill(process, SIGWINCH)
                await terminal.wait(for: "…")
                if signal == "C" { terminal.type("\u{3}") } else { kill(process, signal == "TERM" ? SIGTERM : SIGINT) }
            }
            #expect(answer.code == code && answer.shown.hasSuffix(Self.leave), "\(answer)")
            #expect(!answer.shown.contains("\u{1B}[2m"), "there are no colours")
        }
    }

    @Test("apus top reports that the daemon was killed, and continues with the next one")
    func killed() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon()
            let answer = try await apus.atTerminal(["top"]) { terminal in
                await terminal.wait(for: "nothing is scheduled")
                try await submit(apus, "before")
                await terminal.wait(for: "before")
                kill(daemon, SIGKILL)
                await terminal.wait(for: "no daemon is running; reconnecting")
                #expect(try await apus("status").code == 3, "it starts no daemon")
                let next = try await apus.startDaemon()
                await terminal.wait(for: "process \(next)")
                try await submit(apus, "after")
                await terminal.wait(for: "after")
                terminal.type("q")
            }
            #expect(answer.code == 0 && answer.shown.hasSuffix(Self.leave), "\(answer)")
        }
    }

    @Test("with more jobs than are read, apus top lists the earliest submitted ones and counts all")
    func manyJobs() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            for number in 1...7 { try await submit(apus, "job\(number)") }
            let snapshot = try await TopSnapshot.read(apus.client, pageSize: 1)
            #expect(snapshot.jobs.map(\.name) == (1...5).map { "job\($0)" } && snapshot.counts.jobs == 7)
            let whole = try await TopSnapshot.read(apus.client)
            #expect(whole.jobs.count == 7 && whole.counts.jobs == 7)
        }
    }

    @Test("while nothing changes, apus top sends no request, and elapsed times advance")
    func idle() async throws {
        let start = When.now.iso8601
        let run =
            #"{"job":"a","occurrence":1,"through":1,"attempt":1,"standsFor":1,"due":"\#(start)","started":"\#(start)","#
            + #""finished":null,"outcome":"running","final":false}"#
        let lists: [FakeDaemon.Behaviour] = [
            .answers(TopFrameTests.health), .answers(#"{"jobs":[],"next":null}"#),
            .answers(#"{"runs":[\#(run)],"names":{},"next":null}"#),
            .answers(#"{"runs":[],"names":{},"next":null}"#), .answers(#"{"count":0}"#), .answers(#"{"count":0}"#),
            .answers(#"{"jobs":[],"next":null}"#),
        ]
        let requests = 2 * lists.count + 1
        let daemon = FakeDaemon(lists + [.streams("")] + lists + [.isSilent])
        try await ApusUnderTest.with { apus in
            try await daemon.serve(apus.home) {
                let answer = try await apus.atTerminal(["top"]) { terminal in
                    try await until("both snapshots") { daemon.bodies.count >= requests }
                    let frames = terminal.shown.components(separatedBy: "\u{1B}[H").count - 1
                    await terminal.wait(for: "\u{1B}[H", times: frames + 3)
                    terminal.type("q")
                }
                #expect(answer.code == 0, "\(answer)")
            }
        }
        #expect(daemon.bodies.count == requests, "two snapshots and one request for events")
    }
}
