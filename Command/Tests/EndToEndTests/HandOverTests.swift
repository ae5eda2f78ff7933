import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("Handing over to the next daemon", .timeLimit(.minutes(10)))
struct HandOverTests {
    @Test(
        "a daemon started by systemd asks the background daemon to stop, waits for its commands, and takes over",
        arguments: StoreUnderTest.allCases)
    func takesOver(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "6s") { apus in
            let first = try await apus.startDaemon()
            let marker = apus.home.path + "/ended"
            let job = try await apus.client.submit(
                WireSubmission(
                    trigger: WireTrigger(after: "PT0.01S"),
                    action: Action(
                        command: .init(
                            argv: ["touch \(marker).begun; sleep 1; touch \(marker)"], shell: true, cwd: "/"))))
            let waiting = try await apus.client.submit(
                WireSubmission(trigger: WireTrigger(after: "PT1H"), action: Action(notify: "x")))
            try await until("the command's start") {
                FileManager.default.fileExists(atPath: marker + ".begun")
            }
            async let served = apus.call(["serve", "--take-over"])
            try await until("the second daemon") { try await apus.client.health().pid != first }
            #expect(FileManager.default.fileExists(atPath: marker), "the first one's command had its grace")
            #expect(try await apus.client.job(job.id).lastRun?.outcome == "succeeded")
            #expect(try await apus.client.job(waiting.id).state == "scheduled")
            try await until("the first daemon's end") { !isAlive(first) }
            _ = try await apus("stop")
            let answer = try await served
            #expect(answer.code == 0 && answer.err.contains("taking over"), "\(answer)")
        }
    }

    @Test("taking over where no daemon runs is an ordinary start")
    func takesOverNothing() async throws {
        try await ApusUnderTest.with { apus in
            let served = try await apus.serve("--take-over")
            _ = try await apus("stop")
            #expect(try await served.value.code == 0)
        }
    }

    /// A systemctl that records its calls and answers as the test prescribes.
    private struct FakeSystemctl {
        let apus: ApusUnderTest
        let folder: String
        var log: String { (try? String(contentsOfFile: folder + "/asked", encoding: .utf8)) ?? "" }
        /// The environment for the default home, with the fake systemctl.
        let environment: [String: String]

        init(_ outer: ApusUnderTest, isEnabled: Bool, starts: Bool) async throws {
            folder = outer.home.path
            try outer.home.prepare()
            apus = ApusUnderTest(home: Home(path: folder + "/apus"))
            // The script waits for the daemon, as systemd does for Type=notify.
            let script = """
                #!/bin/sh
                echo "$*" >> \(folder)/asked
                case "$*" in
                    *is-enabled*) exit \(isEnabled ? 0 : 1) ;;
                    *start*) \(starts ? "" : "exit 1")
                        \(ApusUnderTest.program) serve --take-over < /dev/null > \(folder)/unit 2>&1 &
                        until \(ApusUnderTest.program) status > /dev/null; do :; done ;;
                esac
                """
            try await ApusUnderTest.writeProgram(script, to: folder + "/systemctl")
            environment = [
                "APUS_HOME": "", "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": "",
                "PATH": folder + ":" + (outer.environment["PATH"] ?? ""),
            ]
        }

        func with(_ body: () async throws -> Void) async throws {
            do { try await body() } catch {
                await end()
                throw error
            }
            await end()
        }

        private func end() async {
            if let health = try? await apus.client.health() { kill(health.pid, SIGKILL) }
        }
    }

    @Test("an enabled unit is started instead of a daemon in the background")
    func enabledUnit() async throws {
        try await ApusUnderTest.with { outer in
            let systemctl = try await FakeSystemctl(outer, isEnabled: true, starts: true)
            try await systemctl.with {
                let answer = try await systemctl.apus.call(["list"], environment: systemctl.environment)
                #expect(answer.code == 0 && answer.err.contains("started the daemon with systemd"), "\(answer)")
                #expect(
                    systemctl.log == "--user is-enabled --quiet apus.service\n--user start apus.service\n")
                #expect(!FileManager.default.fileExists(atPath: systemctl.apus.home.logPath))
            }
        }
    }

    @Test(
        "without an enabled unit, or with one that does not start, a daemon is started in the background",
        arguments: [(false, true), (true, false)])
    func background(isEnabled: Bool, starts: Bool) async throws {
        try await ApusUnderTest.with { outer in
            let systemctl = try await FakeSystemctl(outer, isEnabled: isEnabled, starts: starts)
            try await systemctl.with {
                let answer = try await systemctl.apus.call(["list"], environment: systemctl.environment)
                #expect(answer.code == 0 && answer.err.contains("started a daemon in the background"), "\(answer)")
                #expect(systemctl.log.contains("start") == isEnabled)
            }
        }
    }

    @Test("with APUS_HOME, systemd is not asked")
    func ownHome() async throws {
        try await ApusUnderTest.with { outer in
            let systemctl = try await FakeSystemctl(outer, isEnabled: true, starts: true)
            let answer = try await outer.call(["list"], environment: ["PATH": systemctl.environment["PATH"]!])
            #expect(answer.code == 0 && answer.err.contains("started a daemon in the background"), "\(answer)")
            #expect(systemctl.log.isEmpty)
        }
    }
}
