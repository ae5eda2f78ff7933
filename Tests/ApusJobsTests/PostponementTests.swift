import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Handlers that cannot begin")
struct PostponementTests {
    @Test("a postponed run is retried after its delay, uses up no attempt, and reports its whole lateness")
    func again() throws {
        let harness = try SchedulerHarness()
        harness.calls.postponeNext(3)
        try harness.submit(.after(.seconds(5)), kind: "scarce")
        harness.advance(6.5)
        #expect(harness.calls.seconds == [5, 6])
        #expect(try harness.history() == ["1 waiting(no descriptors)"])
        let waiting = try #require(try harness.runs().first)
        #expect(waiting.notBefore == harness.at(7) && waiting.output.isEmpty && waiting.started == nil)
        harness.advance(10)
        #expect(harness.calls.seconds == [5, 6, 7, 8])
        #expect(harness.calls.all.allSatisfy { $0.attempt == 1 })
        #expect(try harness.history() == ["1 succeeded"])
        #expect(try harness.runs().first?.lateness == .seconds(3))
        try harness.check()
    }

    @Test("listeners are notified of a postponed run, with its reason")
    func event() throws {
        let harness = try SchedulerHarness()
        let events = harness.scheduler.events()
        harness.calls.postponeNext(1)
        try harness.submit(.after(.seconds(1)), kind: "scarce")
        harness.advance(5)
        try harness.perform { await $0.stop(grace: .zero) }
        let reported = Locked<[String]>([])
        harness.time.start {
            for await event in events {
                switch event {
                case .runStarted(let run): reported.withLock { $0.append("started \(run.attempt)") }
                case .runPostponed(let run): reported.withLock { $0.append("\(run.state) \(run.reason ?? "")") }
                case .runEnded(let run): reported.withLock { $0.append("\(run.state)") }
                default: break
                }
            }
        }
        harness.time.settle()
        #expect(reported.withLock { $0 } == ["started 1", "waiting no descriptors", "started 1", "succeeded"])
    }

    @Test("a postponed run gives its place to a run that can begin")
    func place() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumConcurrentRuns: 1, bootID: "boot"))
        harness.calls.postponeNext(1)
        try harness.submit("scarce", .after(.seconds(1)), kind: "scarce")
        try harness.submit("work", .after(.seconds(1)))
        harness.advance(1.5)
        #expect(try harness.history("work") == ["1 succeeded"])
        #expect(try harness.history("scarce") == ["1 waiting(no descriptors)"])
        harness.advance(1)
        #expect(try harness.history("scarce") == ["1 succeeded"])
    }

    @Test("a crash between postponement and start loses no run and uses up no attempt")
    func crash() throws {
        let harness = try SchedulerHarness()
        harness.calls.postponeNext(1)
        try harness.submit(.after(.seconds(1)), kind: "scarce", .init(retry: .exponential(attempts: 1, maximumLost: 1)))
        harness.advance(1.5)
        try harness.crash()
        harness.advance(1)
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("a handler that could not begin while the scheduler stops is tried at the next start, and is not lost")
    func stopping() throws {
        let harness = try SchedulerHarness()
        harness.scheduler.register("late") { [time = harness.time] _ in
            try? await TimerClock<UptimeInstant>(engine: time.engine).sleep(for: .seconds(10))
            throw RunDecision.snooze(for: .zero, reason: "no processes")
        }
        try harness.submit(.after(.seconds(1)), kind: "late")
        harness.advance(2)
        try harness.time.perform(advancingTime: true) { [scheduler = harness.scheduler] in
            await scheduler.stop(grace: .zero)
        }
        try harness.crash()
        #expect(try harness.runs().first?.state != .lost)
        #expect(try harness.runs().count == 1)
    }
}
