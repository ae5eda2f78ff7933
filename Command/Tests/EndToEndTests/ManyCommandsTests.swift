import ApusClient
import ApusJobs
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

@Suite("Many commands at once", .timeLimit(.minutes(10)), .serialized)
struct ManyCommandsTests {
    @Test("with too few descriptors for a daemon the error says how many it needs, and other subcommands work")
    func tooFew() async throws {
        try await ApusUnderTest.with { apus in
            func run(_ subcommand: String) async throws -> (status: TerminationStatus, error: String?) {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: ["-c", "ulimit -n 16; exec '\(ApusUnderTest.program)' \(subcommand)"],
                    environment: apus.subprocessEnvironment, output: .discarded, error: .string(limit: 65_536))
                return (result.terminationStatus, result.standardError)
            }
            let refused = try await run("serve")
            #expect(refused.status == .exited(1))
            let message = refused.error ?? ""
            #expect(message.contains("may open 16 files") && message.contains("ulimit -n 1024"), "\(message)")
            _ = try await apus.startDaemon()
            let listed = try await run("list")
            #expect(listed.status == .exited(0), "\(listed.error ?? "")")
        }
    }

    @Test(
        "simultaneous commands all succeed at their first attempt, however few descriptors there are",
        arguments: [(64, 30), (256, 2_000)])
    func few(descriptors: Int, commands: Int) async throws {
        try await ApusUnderTest.with { apus in
            try await apus.keepOverdueJobs(commands) { _ in Action(command: .init(argv: ["/bin/sh", "-c", "exit 0"])) }
            let daemon = try await apus.startDaemon(after: "ulimit -n \(descriptors)")
            try await apus.untilAllHaveEnded()
            let runs = try await apus.allRuns()
            #expect(runs.count == commands)
            #expect(runs.allSatisfy { $0.outcome == "succeeded" && $0.attempt == 1 })
            #expect(try await apus.client.health().pid == daemon, "it lived through all of them")
            try await until("the reaping of the last") { zombies(of: daemon).isEmpty }
        }
    }

    @Test("400 commands that SIGKILL interrupts all succeed after a restart, and none is recorded as failed")
    func interrupted() async throws {
        try await ApusUnderTest.with { apus in
            let gate = apus.home.path + "/gate"
            try await apus.keepOverdueJobs(400) { _ in
                Action(command: .init(argv: ["while [ ! -e \(gate) ]; do sleep 0.1; done"], shell: true))
            }
            let first = try await apus.startDaemon(after: "ulimit -n 1024")
            try await until("as many commands as there is place for") {
                try await apus.client.health().running >= 200
            }
            kill(first, SIGKILL)
            try await until("the daemon's end") { !isAlive(first) }
            try Data().write(to: URL(filePath: gate))
            let second = try await apus.startDaemon(after: "ulimit -n 1024")
            try await apus.untilAllHaveEnded()
            let runs = try await apus.allRuns()
            #expect(Set(runs.map(\.outcome)) == ["lost", "succeeded"])
            #expect(runs.count { $0.final && $0.outcome == "succeeded" } == 400)
            #expect(try await apus.client.health().pid == second)
        }
    }

    @Test(
        "a command without a free descriptor waits with the reason, uses up no attempt, and runs when one is free")
    func shortage() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon()
            let reported = Locked<[WireRun]>([])
            let isListening = Locked(false)
            let listening = Task { [client = apus.client] in
                try await client.listen { event in
                    isListening.withLock { $0 = true }
                    if let event, event.name == "run" {
                        let run = try event.decoded(as: WireRun.self)
                        reported.withLock { $0.append(run) }
                    }
                    return true
                }
            }
            defer { listening.cancel() }
            try await until("the listening") { isListening.withLock { $0 } }
            let job = try await apus.client.submit(
                WireSubmission(
                    trigger: WireTrigger(every: "PT0.2S"), action: Action(command: .init(argv: ["/bin/true"]))))
            try await until("the first success") {
                reported.withLock { $0.contains { $0.outcome == "succeeded" } }
            }
            try await Self.limitFiles(of: daemon, to: 3)
            try await until("the waiting") {
                reported.withLock {
                    $0.contains { $0.outcome == "waiting" && $0.reason?.contains("descriptor") == true }
                }
            }
            try await Self.limitFiles(of: daemon, to: 1_024)
            let waited = try #require(reported.withLock { $0.first { $0.outcome == "waiting" } })
            #expect(waited.attempt == 1 && waited.started == nil && waited.exitCode == nil)
            try await until("its success") {
                reported.withLock {
                    $0.contains { $0.occurrence == waited.occurrence && $0.attempt == 1 && $0.outcome == "succeeded" }
                }
            }
            _ = try await apus.client.cancel(job.id)
            try await until("the end of the last run") {
                try await apus.allRuns().allSatisfy { $0.outcome != "running" && $0.outcome != "waiting" }
            }
            let outcomes = try await Set(apus.allRuns().map(\.outcome))
            #expect(outcomes.isSubset(of: ["succeeded", "skipped", "cancelled"]), "\(outcomes)")
        }
    }

    @Test("the daemon raises its limit of open files, and commands get the limit that it was started with")
    func limits() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon(after: "ulimit -Sn 300; ulimit -Hn 700")
            let limits = try String(contentsOfFile: "/proc/\(daemon)/limits", encoding: .utf8)
            let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
            #expect(files?.split(separator: " ").prefix(5).suffix(2) == ["700", "700"])
            let job: WireJob = try await apus.json(
                "after", "10ms", "--shell", "--json", "--", "ulimit -Sn; ulimit -Hn; ls /proc/self/fd | wc -l")
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            // The command has the descriptors 0, 1 and 2, and one for the folder that `ls` reads.
            #expect(try await apus("logs", job.id).out == "300\n700\n4\n")
        }
    }

    @Test("--parallel limits the number of concurrent commands")
    func parallel() async throws {
        try await ApusUnderTest.with { apus in
            let folder = apus.home.path + "/running-now"
            let log = apus.home.path + "/most"
            try await apus.keepOverdueJobs(12) { number in
                Action(
                    command: .init(
                        argv: [
                            "mkdir -p \(folder); touch \(folder)/\(number); ls \(folder) | wc -l >> \(log); sleep 0.1; "
                                + "rm \(folder)/\(number)"
                        ], shell: true))
            }
            try await apus.startDaemon(after: ":", "--parallel 3")
            try await apus.untilAllHaveEnded()
            let counts = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
            #expect(counts.count == 12 && counts.allSatisfy { $0 <= 3 } && counts.contains(3), "\(counts)")
            #expect(try await apus("serve", "--parallel", "0").code == 64)
        }
    }

    @Test(
        "a command that cannot be started says why",
        arguments: [
            (Action.Command(argv: ["no-such-program-here"], env: ["PATH": "/nowhere:/bin"]), "/nowhere:/bin"),
            (
                Action.Command(argv: ["/no/such/program"]),
                "/no/such/program, or the interpreter that its first line names, was not found"
            ),
            (Action.Command(argv: ["/etc/passwd"]), "/etc/passwd cannot be executed (Permission denied)"),
            (Action.Command(argv: ["true"], cwd: "/no/such/folder"), "/no/such/folder does not exist"),
            (Action.Command(argv: ["true"], cwd: "/etc/passwd"), "/etc/passwd cannot be entered (Not a directory)"),
        ])
    func reasons(command: Action.Command, expected: String) async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            let job = try await apus.client.submit(
                WireSubmission(trigger: WireTrigger(after: "PT0.01S"), action: Action(command: command)))
            try await until("its end") { try await apus.client.job(job.id).state == "finished" }
            let run = try #require(try await apus.client.job(job.id).lastRun)
            #expect(run.outcome == "failed" && run.exitCode == 127)
            #expect(run.reason?.contains(expected) == true, "\(run.reason ?? "")")
        }
    }

    /// Sets the soft limit of open files of a process from outside, by prlimit(1).
    private static func limitFiles(of process: Int32, to soft: Int) async throws {
        let result = try await Subprocess.run(
            .name("prlimit"), arguments: ["--pid", "\(process)", "--nofile=\(soft):"], output: .discarded,
            error: .string(limit: 1_024))
        #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
    }
}
