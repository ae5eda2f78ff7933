import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

@Suite("How a daemon ends, and its log", .timeLimit(.minutes(10)))
struct DaemonEndTests {
    @Test("a daemon whose database another process has taken reports it and ends with 1")
    func lostStore() async throws {
        try await ApusUnderTest.with { apus in
            let served = try await apus.serve()
            let pid = try await apus.client.health().pid
            let script = """
                import sqlite3, sys
                with sqlite3.connect(sys.argv[1]) as database: database.execute("UPDATE apus_owner SET epoch = epoch + 1")
                """
            let taken = try await Subprocess.run(
                .name("python3"), arguments: ["-c", script, apus.home.databasePath], output: .discarded,
                error: .string(limit: 4_096))
            #expect(taken.terminationStatus == .exited(0), "\(taken)")
            // The first write detects the loss.
            _ = try? await apus.client.submit(
                WireSubmission(trigger: WireTrigger(after: "PT1H"), action: Action(notify: "x")))
            let answer = try await served.value
            #expect(answer.code == 1 && answer.err.contains("another owner"), "\(answer)")
            #expect(!isAlive(pid))
            #expect(try await apus("status").code == 3)
        }
    }

    @Test("a daemon killed 0 to 150 ms after its start leaves a home that the next one opens")
    func killedAtStart() async throws {
        let clock = TimerClock.continuous()
        for round in 0..<31 {
            try await ApusUnderTest.with { apus in
                let killed = Process()
                killed.executableURL = URL(filePath: ApusUnderTest.program)
                killed.arguments = ["serve", "--http", "127.0.0.1:\(FreePort.any())"]
                killed.environment = apus.environment
                killed.standardError = FileHandle.nullDevice
                try killed.run()
                // The kill must fall into the time in which the home is created, so the test sleeps in real time.
                try await clock.sleep(for: .milliseconds(5 * round))
                kill(killed.processIdentifier, SIGKILL)
                killed.waitUntilExit()
                let answer = try await apus("list")
                #expect(answer.code == 0, "killed after \(5 * round) ms: \(answer)")
            }
        }
    }

    @Test("SIGHUP ends a daemon like SIGTERM, with the grace for its command")
    func hangUp() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            let marker = apus.home.path + "/started"
            _ = try await apus.client.submit(
                WireSubmission(
                    trigger: WireTrigger(after: "PT0.01S"),
                    action: Action(command: .init(argv: ["touch \(marker); sleep 1"], shell: true, cwd: "/"))))
            try await until("its start") { FileManager.default.fileExists(atPath: marker) }
            kill(process, SIGHUP)
            try await until("the daemon's end") { !isAlive(process) }
            #expect(!FileManager.default.fileExists(atPath: apus.home.socketPath))
            try await apus.startDaemon()
            #expect(try await apus.allRuns().map(\.outcome) == ["succeeded"])
        }
    }

    @Test("a daemon that nohup has started does not end with its terminal")
    func nohup() async throws {
        try await ApusUnderTest.with { apus in
            async let served = Subprocess.run(
                .name("sh"), arguments: ["-c", "trap '' HUP; exec \(ApusUnderTest.program) serve"],
                environment: apus.subprocessEnvironment, output: .string(limit: 65_536), error: .string(limit: 65_536))
            try await until("the daemon") { try await apus.client.health().status == "ok" }
            let process = try await apus.client.health().pid
            kill(process, SIGHUP)
            // An ignored signal is discarded when it is sent (signal(7)), so it cannot arrive later.
            #expect(try await apus.client.health().pid == process)
            kill(process, SIGTERM)
            let result = try await served
            #expect(result.terminationStatus == .exited(0), "\(result)")
            #expect(!result.standardError.contains("SIGHUP"), "\(result)")
        }
    }

    @Test("a background daemon's log is bounded, and earlier files are kept")
    func log() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            let errors = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/2")
            #expect(errors.hasSuffix("/apus.log") && FileManager.default.fileExists(atPath: apus.home.logPath))
            _ = try await apus("stop")

            let path = apus.home.path + "/own.log"
            let served = try await apus.serve("--log-file", path, "--log-size", "1KiB", "--log-keep", "2")
            // Without a desktop and a terminal, notifications go to the log.
            for number in 0..<40 {
                _ = try await apus.client.submit(
                    WireSubmission(
                        trigger: WireTrigger(after: "PT0.01S"),
                        action: Action(notify: "number \(number) \(String(repeating: "x", count: 100))")))
            }
            try await until("their end") { try await apus.client.jobs(states: ["scheduled"]).jobs.isEmpty }
            _ = try await apus("stop")
            let answer = try await served.value
            #expect(answer.code == 0 && answer.err.isEmpty, "\(answer)")
            let names = try FileManager.default.contentsOfDirectory(atPath: apus.home.path)
            #expect(names.filter { $0.hasPrefix("own.log") }.sorted() == ["own.log", "own.log.1", "own.log.2"])
            for name in ["own.log.1", "own.log.2"] {
                let text = try String(contentsOfFile: "\(apus.home.path)/\(name)", encoding: .utf8)
                #expect((1_024..<2_048).contains(text.utf8.count) && text.contains("number"), "\(name): \(text)")
            }
        }
    }

    @Test("an invalid size or number of log files is refused", arguments: ["1", "-1MiB", "soon", "1TB"])
    func logSize(size: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus("serve", "--log-file", apus.home.path + "/x", "--log-size=\(size)")
            #expect(answer.code == 64 && answer.err.contains("--log-size") && answer.err.contains("1MiB"), "\(answer)")
        }
    }
}
