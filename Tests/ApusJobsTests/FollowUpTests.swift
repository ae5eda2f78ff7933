import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Work after an attempt's work")
struct FollowUpTests {
    /// Returns a scheduler whose handler of kind `hooked` works for `work`, fails if `fails` is set, and then has a
    /// follow-up of 10 s.
    private func harness(
        _ log: Log<String>, work: Duration, fails: Bool, limit: Duration = .seconds(60)
    ) throws -> SchedulerHarness {
        let harness = try SchedulerHarness(start: false)
        harness.scheduler.register("hooked") { [time = harness.time] context in
            let clock = TimerClock<UptimeInstant>(engine: time.engine)
            var failure: (any Error)?
            do { try await clock.sleep(for: work) } catch { failure = error }
            if fails, failure == nil { failure = RunDecision.retry(reason: "no luck") }
            context.setOutput(Array("work".utf8))
            let end = context.endWork()
            log.add("\(context.attempt) last=\(context.isLastAttempt) work=\(end.map { "\($0)" } ?? "-")")
            let cut = await context.followUp(timeLimit: limit) { following in
                following.setExitCode(9)
                following.setOutput(Array("hook".utf8))
                do { try await clock.sleep(for: .seconds(10)) } catch {
                    return log.add("cut: \(following.cancellationReason.map { "\($0)" } ?? "-")")
                }
                log.add("followed")
            }
            log.add("end=\(cut.map { "\($0)" } ?? "-")")
            if let failure { throw failure }
        }
        try harness.start()
        return harness
    }

    @Test("only an attempt without a following retry counts as the last one")
    func lastAttempt() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .zero, fails: true)
        try harness.submit(.after(.seconds(1)), kind: "hooked", .init(retry: .exponential(attempts: 3)))
        harness.advance(60)
        #expect(
            log.all.filter { $0.contains("last") } == [
                "1 last=false work=-", "2 last=false work=-", "3 last=true work=-",
            ])
        #expect(try harness.runs().map(\.isFinal) == [false, false, true])
        try harness.check()
    }

    @Test("after a time-out, the follow-up runs to its end in a task that is not cancelled")
    func timedOut() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .seconds(100), fails: false)
        try harness.submit(.after(.seconds(1)), kind: "hooked", .init(timeLimit: .seconds(5)))
        harness.advance(30)
        #expect(log.all == ["1 last=true work=timedOut", "followed", "end=-"])
        #expect(try harness.history() == ["1 failed(timedOut)"])
    }

    @Test("the time limit covers the work only: a follow-up neither fails the attempt nor changes its output")
    func limitEnds() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .seconds(1), fails: false)
        try harness.submit(.after(.seconds(1)), kind: "hooked", .init(timeLimit: .seconds(5)))
        harness.advance(30)
        #expect(log.all == ["1 last=true work=-", "followed", "end=-"])
        #expect(try harness.history() == ["1 succeeded"])
        let run = try #require(try harness.runs().first)
        #expect(run.exitCode == nil && run.output == Array("work".utf8))
        #expect(harness.time.leaks.isEmpty, "\(harness.time.leaks)")
    }

    @Test("a follow-up has its own time limit")
    func ownLimit() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .zero, fails: false, limit: .seconds(2))
        try harness.submit(.after(.seconds(1)), kind: "hooked")
        harness.advance(30)
        #expect(log.all == ["1 last=true work=-", "cut: timedOut", "end=timedOut"])
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("a stop ends the follow-up, and the attempt keeps the outcome of its work")
    func stopped() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .zero, fails: true)
        try harness.submit(.after(.seconds(1)), kind: "hooked")
        harness.advance(2)
        let stopping = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .seconds(1))
        }
        harness.advance(3)
        try harness.time.perform { try await stopping.value }
        #expect(log.all == ["1 last=true work=-", "cut: shutdown", "end=shutdown"])
        #expect(try harness.history() == ["1 failed(no luck)"])
        try harness.check()
    }

    @Test("a stop between the work and its follow-up keeps the follow-up from beginning")
    func stoppedBetween() throws {
        let harness = try SchedulerHarness()
        let log = Log<String>()
        let clock = TimerClock<UptimeInstant>(engine: harness.time.engine)
        harness.scheduler.register("hooked") { context in
            _ = context.endWork()
            // After `endWork()`, the stop does not cancel the handler's task, so this sleep is not cut short.
            try await clock.sleep(for: .seconds(5))
            let cut = await context.followUp(timeLimit: .seconds(60)) { _ in log.add("followed") }
            log.add("end=\(cut.map { "\($0)" } ?? "-")")
        }
        try harness.submit(.after(.seconds(1)), kind: "hooked")
        harness.advance(2)
        let stopping = harness.time.start { [scheduler = harness.scheduler] in await scheduler.stop(grace: .seconds(3))
        }
        harness.advance(10)
        try harness.time.perform { try await stopping.value }
        #expect(log.all == ["end=shutdown"])
    }

    @Test("cancelling a job during its follow-up cancels the job and the follow-up")
    func cancelled() throws {
        let log = Log<String>()
        let harness = try harness(log, work: .zero, fails: false)
        try harness.submit(.after(.seconds(1)), kind: "hooked")
        harness.advance(2)
        _ = try harness.perform { try await $0.cancel(JobID("job")) }
        harness.advance(1)
        #expect(log.all == ["1 last=true work=-", "cut: cancelled", "end=cancelled"])
        #expect(try harness.history() == ["1 cancelled(cancelled)"])
        try harness.check()
    }
}
