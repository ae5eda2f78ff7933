import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("Jobs outlive the daemon", .timeLimit(.minutes(10)), .serialized)
struct CrashTests {
    /// The test checks promises 1 to 5 of durable scheduling with a real daemon and a real file.
    @Test(
        "over 10 seconds, 500 jobs and five SIGKILLs, each occurrence has one outcome, and none is early or missing",
        arguments: StoreUnderTest.allCases)
    func fiveKills(_ store: StoreUnderTest) async throws {
        let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap(UInt64.init) ?? SystemRandom().next()
        print("seed \(seed); run it again with APUS_SEED=\(seed)")
        let random = SeededRandom(seed: seed)
        func number(_ range: Range<Int>) -> Int { range.lowerBound + Int(random.next() % UInt64(range.count)) }

        try await ApusUnderTest.with(store, patience: "6s") { apus in
            var process = try await apus.startDaemon()
            let clock = TimerClock.continuous()
            let start = clock.now
            var submitted: Set<String> = []
            for _ in 0..<500 {
                // One job in ten takes long enough to be interrupted.
                let line = number(0..<10) == 0 ? "sleep 0.4" : "true"
                let due = Duration.milliseconds(number(2_000..<12_000)) - start.duration(to: clock.now)
                let job = try await apus.client.submit(
                    WireSubmission(
                        trigger: WireTrigger(after: "PT\(max(0.001, due / .seconds(1)))S"),
                        action: Action(command: .init(argv: [line], shell: true, cwd: "/"))))
                submitted.insert(job.id)
            }
            let kills = (0..<5).map { _ in number(2_500..<11_500) }.sorted()
            for kill in kills {
                // The kills must fall into the seconds in which jobs run, so the test sleeps in real time.
                try await clock.sleep(until: start.advanced(by: .milliseconds(kill)), tolerance: nil)
                Foundation.kill(process, SIGKILL)
                process = try await apus.startDaemon()
            }
            try await until("every job's end") {
                try await apus.client.jobs(states: ["scheduled"], limit: 1).jobs.isEmpty
            }

            let runs = try await apus.allRuns()
            let byJob = Dictionary(grouping: runs, by: \.job)
            #expect(Set(byJob.keys) == submitted, "seed \(seed)")
            for (job, runs) in byJob {
                let outcomes = runs.filter(\.final)
                #expect(
                    outcomes.count == 1 && outcomes.first?.outcome == "succeeded", "seed \(seed), job \(job): \(runs)")
                for run in runs {
                    #expect(
                        (run.latenessMs ?? 0) >= 0 && run.started.map { $0 >= run.due } != false,
                        "seed \(seed): early: \(run)")
                }
                for lost in runs where lost.outcome == "lost" {
                    #expect(runs.contains { $0.attempt == lost.attempt + 1 }, "seed \(seed): not tried again: \(runs)")
                }
            }
            let lost = runs.count { $0.outcome == "lost" }
            print("kills at \(kills) ms; \(runs.count) attempts, \(lost) of them lost and tried again")
        }
    }

    @Test(
        "processes that an interrupted command left running are ended before the attempt is retried",
        arguments: StoreUnderTest.allCases)
    func leftovers(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "6s") { apus in
            let process = try await apus.startDaemon()
            let marker = apus.home.path + "/pid"
            let job = try await apus.client.submit(
                WireSubmission(
                    trigger: WireTrigger(after: "PT0.01S"),
                    action: Action(
                        command: .init(
                            argv: [Self.recordingFirstAttempt(in: marker) + "sleep 600"], shell: true, cwd: "/"))))
            try await until("the command's start") { FileManager.default.fileExists(atPath: marker) }
            let first = try Self.process(in: marker)
            kill(process, SIGKILL)
            try await apus.startDaemon()
            try await until("the second attempt") { try await apus.client.job(job.id).state == "finished" }
            try await until("the first attempt's end") { !isAlive(first) }
            #expect(try await apus.allRuns().map(\.outcome) == ["lost", "succeeded"])
        }
    }

    @Test(
        "a daemon that is asked to stop waits for its commands", arguments: StoreUnderTest.allCases)
    func gracefulStop(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            try await apus.startDaemon()
            let short = try await apus.client.submit(Self.shell("sleep 1"))
            try await until("its start") { try await apus.client.job(short.id).lastRun?.outcome == "running" }
            let stopped = try await apus("stop")
            #expect(stopped.code == 0 && stopped.out.hasPrefix("stopped"), "\(stopped)")
            try await apus.startDaemon()
            #expect(try await apus.client.job(short.id).lastRun?.outcome == "succeeded")
        }
    }

    @Test("a command that exits with 0 because the daemon ended it has not succeeded and is retried")
    func obedient() async throws {
        try await ApusUnderTest.with { apus in
            let marker = apus.home.path + "/pid"
            let served = try await apus.serve("--grace", "2s")
            let long = try await apus.client.submit(
                Self.shell("trap 'exit 0' TERM; " + Self.recordingFirstAttempt(in: marker) + "sleep 600 & wait"))
            try await until("its start") { FileManager.default.fileExists(atPath: marker) }
            #expect(try await apus("stop").code == 0)
            #expect(try await served.value.code == 75)
            try await apus.startDaemon()
            try await until("the second attempt") { try await apus.client.job(long.id).state == "finished" }
            #expect(try await apus.allRuns().map(\.outcome) == ["lost", "succeeded"])
        }
    }

    @Test(
        "a command that outlasts the grace is cut off, the daemon exits with 75, and the command is retried",
        arguments: StoreUnderTest.allCases)
    func cutOff(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let marker = apus.home.path + "/pid"
            let served = try await apus.serve("--grace", "1s")
            let long = try await apus.client.submit(
                Self.shell("trap '' TERM; " + Self.recordingFirstAttempt(in: marker) + "sleep 600"))
            try await until("its start") { FileManager.default.fileExists(atPath: marker) }
            let first = try Self.process(in: marker)
            kill(try await apus.client.health().pid, SIGTERM)
            let answer = try await served.value
            #expect(answer.code == 75, "\(answer)")
            #expect(!isAlive(first), "a command that ignores SIGTERM is killed within the grace period")
            try await apus.startDaemon()
            try await until("the second attempt") { try await apus.client.job(long.id).state == "finished" }
            #expect(try await apus.allRuns().map(\.outcome) == ["lost", "succeeded"])
        }
    }

    /// Returns a script whose first attempt writes its process number atomically into the file; later attempts end.
    private static func recordingFirstAttempt(in file: String) -> String {
        "[ $APUS_ATTEMPT = 1 ] || exit 0; echo $$ > \(file).new && mv \(file).new \(file); "
    }

    private static func process(in file: String) throws -> Int32 {
        try #require(Int32(String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)))
    }

    private static func shell(_ line: String) -> WireSubmission {
        WireSubmission(
            trigger: WireTrigger(after: "PT0.01S"), action: Action(command: .init(argv: [line], shell: true, cwd: "/")))
    }

    @Test(
        "a second daemon on one home refuses to start and names the first", arguments: StoreUnderTest.allCases)
    func secondDaemon(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let first = try await apus.startDaemon()
            let second = try await apus("serve")
            #expect(second.code == 1)
            #expect(second.err.contains("\(first)"), "\(second.err)")
            #expect(try await apus.client.health().pid == first)
        }
    }
}
