import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("The end of commands", .timeLimit(.minutes(10)))
struct EndingTests {
    /// Returns a script that starts one child in the command's group and one in a separate session.
    ///
    /// Both children ignore SIGTERM, and the command does not. The script records the numbers of all three processes.
    /// The first child inherits the command's output.
    private static func family(_ folder: String) -> String {
        let stubborn = "trap \"\" TERM; echo $$ >> \(folder)/pids; while :; do sleep 0.1; done"
        return "sh -c '\(stubborn)' & setsid sh -c '\(stubborn)' >/dev/null 2>&1 & echo $$ >> \(folder)/pids; wait"
    }

    private static func family(of apus: ApusUnderTest) async throws -> [Int32] {
        let file = apus.home.path + "/pids"
        try await until("the three processes") {
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 3
        }
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { Int32($0) }
    }

    private static func records(of apus: ApusUnderTest) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: apus.home.runningPath)
    }

    @Test(
        "no process of a cancelled command survives, in its group or outside, even if it ignores SIGTERM",
        arguments: [["cancel", "family"], ["stop"]])
    func cancelled(how: [String]) async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon(after: ":", "--grace 1s")
            let job: WireJob = try await apus.json(
                "after", "10ms", "--name", "family", "--json", "--shell", "--", Self.family(apus.home.path))
            let family = try await Self.family(of: apus)
            #expect(family.allSatisfy(isAlive) && Set(processes(ofJob: job.id)).isSuperset(of: family))
            #expect(try Self.records(of: apus).count == 1)
            #expect(try await apus.call(how).code == 0)
            try await until("the end of the run") { try Self.records(of: apus).isEmpty }
            #expect(family.filter(isAlive) == [] && processes(ofJob: job.id) == [])
            #expect(zombies(of: daemon) == [])
        }
    }

    @Test("no process of a command survives its time limit, when the run ends")
    func timedOut() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon(after: ":", "--grace 1s")
            let job: WireJob = try await apus.json(
                "after", "10ms", "--timeout", "1s", "--json", "--shell", "--", Self.family(apus.home.path))
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let run = try #require(try await apus.client.job(job.id).lastRun)
            #expect(run.outcome == "failed" && run.reason == "timedOut")
            #expect(try processes(ofJob: job.id) == [] && Self.records(of: apus) == [])
            #expect(zombies(of: daemon) == [])
        }
    }

    @Test(
        "a run ends with its command's process, and background children keep running, with its output or without",
        arguments: ["", " >/dev/null 2>&1"])
    func background(redirection: String) async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let job: WireJob = try await apus.json(
                "after", "10ms", "--json", "--shell", "--", "sleep 600\(redirection) & echo $!")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            #expect(try await apus.client.job(job.id).lastRun?.outcome == "succeeded")
            let printed = try await apus("logs", job.id).out.trimmingCharacters(in: .whitespacesAndNewlines)
            let child = try #require(Int32(printed))
            #expect(try isAlive(child) && Self.records(of: apus) == [])
            kill(child, SIGKILL)
            try await until("its end") { !isAlive(child) }
        }
    }

    @Test(
        "output that a command prints before it ends is read, even if its children keep printing",
        arguments: [
            ("seq 1 200000", "200000"),
            // This child prints slowly, because faster output would displace `last` from the stored 64 KiB.
            ("(while echo noise; do sleep 0.01; done) 2>/dev/null & sleep 0.1; exec echo last", "last"),
            ("(while echo noise; do :; done) 2>/dev/null & sleep 0.1", "noise"),
        ])
    func lastWords(line: String, expected: String) async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let job: WireJob = try await apus.json("after", "10ms", "--json", "--shell", "--", line)
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let lines = try await apus("logs", job.id).out.split(separator: "\n")
            #expect(lines.contains { $0 == expected }, "\(lines.suffix(3))")
            // The children's output is closed, so they end by themselves.
            try await until("the end of the others") { processes(ofJob: job.id) == [] }
        }
    }

    @Test("a daemon started by a command is not part of the command")
    func nestedDaemon() async throws {
        try await ApusUnderTest.with { outer in
            try await ApusUnderTest.with { inner in
                try await outer.startDaemon(after: ":", "--grace 1s")
                let job: WireJob = try await outer.json(
                    "after", "10ms", "--json", "--shell", "--",
                    "APUS_HOME='\(inner.home.path)' '\(ApusUnderTest.program)' list; sleep 600")
                try await until("the daemon inside") { try await inner.client.health().status == "ok" }
                #expect(try await outer("cancel", job.id).code == 0)
                try await until("the end of the run") { try Self.records(of: outer).isEmpty }
                #expect(try await inner.client.health().status == "ok")
            }
        }
    }
}
