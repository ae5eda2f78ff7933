import ApusClient
import ApusTimers
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Show in 12 seconds that jobs survive a killed daemon, with a real daemon and database in a temporary home."
    )

    func run() async throws {
        try await reporting {
            let folder = try Self.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await Demonstration(home: Home(path: folder)).run()
        }
    }

    /// Creates a folder that only this user can use.
    ///
    /// Its name is random, because a folder with a predictable name could already exist and belong to another user.
    private static func temporaryFolder() throws -> String {
        var template = Array((FileManager.default.temporaryDirectory.path + "/apus-demo-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DaemonError(
                .unavailable,
                "no folder can be created in \(FileManager.default.temporaryDirectory.path) (\(String(cString: strerror(errno)))); set TMPDIR to another folder"
            )
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The demonstration: the jobs that it schedules, the crash that it causes, and the claims that must hold in the end.
private struct Demonstration {
    let home: Home
    let client: DaemonClient
    let launcher: DaemonLauncher
    private let clock = TimerClock.continuous()

    init(home: Home) {
        self.home = home
        client = DaemonClient(home: home)
        var environment = ProcessEnvironment.current.variables
        environment["APUS_HOME"] = home.path
        environment[ConfigurationFile.variable] = nil
        for setting in SettingKey.allCases { environment[setting.variable] = nil }
        launcher = DaemonLauncher(executable: ProgramPath.of("apusd"), home: home, environment: environment)
    }

    private struct Scheduled {
        var oneShot: WireJob
        var repeating: WireJob
        var long: WireJob
        var cancelled: WireJob
        var countdown: WireJob
        var all: [WireJob] { [oneShot, repeating, long, cancelled, countdown] }
    }

    func run() async throws {
        let process = try await launcher.start()
        say("started a daemon with the home \(home.path) (process \(process))")
        let start = clock.now
        let jobs = try await schedule()
        let crash = Task { try await crashAndRestart(process, start: start) }
        var view = CountdownView(session: Session(home: home, client: client), job: jobs.countdown)
        // The demonstration starts the daemon again itself, later than the view would.
        view.restartsDaemon = false
        do {
            try await view.watch()
            try await crash.value
            try await settle(jobs)
            try await report(jobs)
            try await client.stop()
            try await client.untilStopped()
        } catch {
            crash.cancel()
            if let health = try? await client.health() { kill(health.pid, SIGKILL) }
            throw error
        }
    }

    private func schedule() async throws -> Scheduled {
        let retry = WirePolicies(overlap: "queue", retry: 1)
        let jobs = Scheduled(
            oneShot: try await submit("tea", .init(after: "PT3S"), "echo tea is ready"),
            repeating: try await submit("beat", .init(every: "PT2S", count: 5), "echo beat $APUS_OCCURRENCE", retry),
            long: try await submit("long", .init(after: "PT4S"), "sleep 2; echo attempt $APUS_ATTEMPT was whole"),
            cancelled: try await submit("never", .init(after: "PT6S"), "echo this must not run"),
            countdown: try await client.submit(
                WireSubmission(
                    name: "countdown", kind: "countdown", trigger: .init(after: "PT11S"),
                    action: Action(notify: "the countdown is over"))))
        _ = try await client.cancel(jobs.cancelled.id)
        say(
            "scheduled: tea once after 3 s; beat every 2 s, 5 times; long after 4 s, which takes 2 s; a countdown of 11 s"
        )
        say("scheduled and cancelled: never, after 6 s")
        return jobs
    }

    private func submit(
        _ name: String, _ trigger: WireTrigger, _ line: String, _ policies: WirePolicies? = nil
    ) async throws -> WireJob {
        try await client.submit(
            WireSubmission(
                name: name, trigger: trigger, action: Action(command: .init(argv: [line], shell: true, cwd: "/")),
                policies: policies))
    }

    /// Kills the daemon at 5 s, while the job "long" runs, and starts another daemon at 7 s.
    ///
    /// A run of the job "beat" is due in between.
    private func crashAndRestart(_ process: Int32, start: ContinuousInstant) async throws {
        try await clock.sleep(until: start.advanced(by: .seconds(5)), tolerance: nil)
        kill(process, SIGKILL)
        say("kill -9 \(process): the daemon is gone, while \"long\" was running")
        try await clock.sleep(until: start.advanced(by: .seconds(7)), tolerance: nil)
        let restarted = try await launcher.start()
        say("started the daemon again (process \(restarted)); a beat was due in the meantime")
    }

    /// Waits until all jobs have ended, for at most 10 s.
    ///
    /// The countdown and the last run of the job "beat" end at nearly the same time, so that run may still be in
    /// progress when the countdown has ended.
    private func settle(_ jobs: Scheduled) async throws {
        let deadline = clock.now.advanced(by: .seconds(10))
        while clock.now < deadline {
            let open = try await client.jobs(states: ["scheduled"]).jobs
            if open.isEmpty { return }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(50)), tolerance: nil)
        }
    }

    private func report(_ jobs: Scheduled) async throws {
        let runs = try await client.runs(limit: 1_000).runs.reversed().sorted {
            ($0.started ?? $0.due) < ($1.started ?? $1.due)
        }
        let names = Dictionary(uniqueKeysWithValues: jobs.all.map { ($0.id, $0.name ?? $0.id) })
        Terminal.out("")
        History.table(runs, names: names).print()
        Terminal.out("")
        func outcomes(_ job: WireJob) -> [WireRun] { runs.filter { $0.job == job.id && $0.final } }
        let beats = outcomes(jobs.repeating)
        let beatNumbers = beats.flatMap { Array($0.occurrence...$0.through) }.sorted()
        let long = runs.filter { $0.job == jobs.long.id }.map(\.outcome)
        let claims: [(String, Bool)] = [
            ("the one-shot ran once, and not early", isOnce(outcomes(jobs.oneShot), "succeeded")),
            (
                "each of the 5 beats has exactly one outcome, though one was due while no daemon was running",
                beatNumbers == [1, 2, 3, 4, 5]
            ),
            (
                "the interrupted command is recorded as lost, and ran to its end when it was tried again",
                long == ["lost", "succeeded"]
            ),
            ("the cancelled job never started", !runs.contains { $0.job == jobs.cancelled.id && $0.started != nil }),
            ("the countdown ended at its instant", isOnce(outcomes(jobs.countdown), "succeeded")),
            ("nothing ran early", runs.allSatisfy { ($0.latenessMs ?? 0) >= 0 }),
        ]
        for (claim, holds) in claims {
            Terminal.out("\(holds ? Colour.green("proven") : Colour.red("BROKEN"))  \(claim)")
        }
        guard claims.allSatisfy(\.1) else { throw ExitCode(1) }
    }

    private func isOnce(_ outcomes: [WireRun], _ outcome: String) -> Bool {
        outcomes.count == 1 && outcomes[0].outcome == outcome && (outcomes[0].latenessMs ?? -1) >= 0
    }

    private func say(_ text: String) {
        Terminal.out("\(Terminal.isInteractive ? Terminal.eraseLine : "")\(Colour.dim("apus demo")) \(text)")
    }
}
