import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Commands for single runs")
struct RunControlTests {
    @Test("a failed occurrence can be retried by hand, and its outcome is the new attempt's")
    func retry() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(1)
        try harness.submit(.after(.seconds(1)), kind: "failing")
        harness.advance(5)
        #expect(try harness.job().state == .finished)
        let run = try harness.perform { try await $0.retry("job") }
        #expect((run.occurrence, run.attempt, run.state) == (1, 2, .waiting))
        harness.advance(1)
        #expect(try harness.history() == ["1 failed(no luck)", "1.2 succeeded"])
        #expect(try harness.runs().map(\.isFinal) == [false, true])
        #expect(try harness.job().state == .finished)
        #expect(try harness.job().occurrenceCount == 1)
        try harness.check()
    }

    @Test("a retry survives a crash, and of a repeating job any failed occurrence can be chosen")
    func retryOfEarlier() throws {
        let harness = try SchedulerHarness()
        harness.calls.failNext(2)
        try harness.submit(.every(.seconds(10)), kind: "failing")
        harness.advance(35)
        #expect(try harness.history() == ["1 failed(no luck)", "2 failed(no luck)", "3 succeeded"])
        _ = try harness.perform { try await $0.retry("job", occurrence: 1) }
        _ = try harness.perform { try await $0.retry("job") }
        try harness.crash()
        harness.advance(1)
        #expect(
            try harness.history() == [
                "1 failed(no luck)", "2 failed(no luck)", "3 succeeded", "1.2 succeeded", "2.2 succeeded",
            ])
        try harness.check()
    }

    @Test("a run that succeeded, is open, was skipped or does not exist cannot be retried")
    func refusedRetry() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(4)), kind: "slow")
        harness.advance(30)
        #expect(try harness.history().contains { $0.contains("skipped(overlap)") })
        let codes: [(Int?, JobError.Code)] = [(1, .invalid), (2, .invalid), (99, .notFound), (nil, .notFound)]
        for (occurrence, code) in codes {
            let error = #expect(throws: JobError.self) {
                try harness.perform { try await $0.retry("job", occurrence: occurrence) }
            }
            #expect(error?.code == code, "\(occurrence as Any): \(error as Any)")
        }
        let unknown = #expect(throws: JobError.self) { try harness.perform { try await $0.retry("missing") } }
        #expect(unknown?.code == .notFound)
        harness.calls.failNext(1)
        try harness.submit("ended", .after(.seconds(1)), kind: "failing")
        harness.advance(2)
        try harness.submit("ended", .after(.seconds(100)))
        let taken = #expect(throws: JobError.self) {
            try harness.perform { try await $0.retry("ended", occurrence: 1) }
        }
        #expect(taken?.code == .notFound)
    }

    @Test("cancelling one run leaves the job active")
    func cancelRun() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(20)), kind: "slow")
        harness.advance(22)
        let run = try harness.perform { try await $0.cancelRun("job", occurrence: 1) }
        #expect((run.state, run.reason) == (.running, "cancelled"))
        harness.advance(1)
        #expect(harness.calls.reasons == [.cancelled])
        harness.advance(30)
        #expect(try harness.history() == ["1 cancelled(cancelled)", "2 succeeded"])
        let error = #expect(throws: JobError.self) {
            try harness.perform { try await $0.cancelRun("job", occurrence: 1) }
        }
        #expect(error?.code == .conflict)
        let early = #expect(throws: JobError.self) {
            try harness.perform { try await $0.cancelRun("job", occurrence: 9) }
        }
        #expect(early?.code == .notFound)
        try harness.check()
    }

    @Test("the first progress report, one each second, and the last one at the end are stored")
    func progress() throws {
        let harness = try SchedulerHarness()
        let clock = TimerClock<UptimeInstant>(engine: harness.time.engine)
        harness.scheduler.register("steps") { context in
            for step in 1...40 {
                context.report(
                    progress: Double(step) / 40,
                    message: step == 40 ? String(repeating: "é", count: 600) : "step \(step)")
                try await clock.sleep(for: .milliseconds(100))
            }
        }
        try harness.submit(.after(.seconds(1)), kind: "steps")
        let commits = harness.store.commits
        harness.advance(1.05)
        #expect(try harness.runs().map(\.progress) == [RunProgress(fraction: 0.025, message: "step 1")])
        harness.advance(2)
        #expect(try harness.runs().map(\.progress) == [RunProgress(fraction: 0.525, message: "step 21")])
        #expect(harness.store.commits - commits < 8)
        try harness.crash()
        #expect(try harness.runs().first?.progress?.fraction == 0.525)
        harness.scheduler.register("steps") { context in
            context.report(progress: 0.1)
            context.report(progress: 2, message: "a" + String(repeating: "é", count: 600))
        }
        harness.advance(1)
        let last = try #require(try harness.runs().last)
        #expect(last.progress?.fraction == 1 && last.progress?.message == "a" + String(repeating: "é", count: 499))
        try harness.check()
    }

    @Test("the last progress report before a snooze is stored")
    func progressBeforeSnooze() throws {
        let harness = try SchedulerHarness()
        harness.scheduler.register("snoozes") { context in
            context.report(progress: 0.1, message: "first")
            context.report(progress: 0.2, message: "second")
            throw RunDecision.snooze(for: .seconds(10))
        }
        try harness.submit(.after(.seconds(1)), kind: "snoozes")
        harness.advance(2)
        #expect(try harness.history() == ["1 waiting(snoozed)"])
        #expect(try harness.runs().map(\.progress) == [RunProgress(fraction: 0.2, message: "second")])
        try harness.check()
    }

    @Test("a result is kept if the attempt succeeds, and one that is too long is refused")
    func result() throws {
        let harness = try SchedulerHarness()
        harness.scheduler.register("result") { context in
            try context.setResult(Array(repeating: 0, count: 65_536))
            #expect(throws: JobError.self) { try context.setResult(Array(repeating: 0, count: 65_537)) }
            try context.setResult([UInt8(context.attempt)])
            if context.attempt == 1 { throw RunDecision.retry(after: .seconds(7), reason: "not yet") }
        }
        try harness.submit(.after(.seconds(1)), kind: "result", .init(retry: .exponential(attempts: 2)))
        harness.advance(20)
        #expect(try harness.history() == ["1 failed(not yet)", "1.2 succeeded"])
        let runs = try harness.runs()
        #expect(runs.map(\.result) == [nil, [2]])
        #expect(runs[1].started == harness.at(8))
    }

    @Test("the last 64 KiB of a handler's output and its failure's exit code are stored")
    func output() throws {
        let harness = try SchedulerHarness()
        harness.scheduler.register("loud") { context in
            context.setExitCode(1)
            context.setOutput(Array(repeating: 1, count: 10) + Array(repeating: 2, count: 65_536))
            throw RunDecision.retry(reason: "enough", exitCode: 7)
        }
        try harness.submit(.after(.seconds(1)), kind: "loud")
        harness.advance(2)
        let run = try #require(try harness.runs().first)
        #expect(run.output == Array(repeating: 2, count: 65_536))
        #expect(run.exitCode == 7 && run.reason == "enough")
    }

    @Test("a report after the handler has returned has no effect")
    func late() throws {
        let harness = try SchedulerHarness()
        let kept = Locked<RunContext?>(nil)
        harness.scheduler.register("quick") { context in kept.withLock { $0 = context } }
        try harness.submit(.after(.seconds(1)), kind: "quick")
        harness.advance(2)
        let context = try #require(kept.withLock { $0 })
        let events = harness.scheduler.events()
        context.emit(output: [1])
        context.report(progress: 0.5)
        context.setOutput([1])
        try context.setResult([1])
        harness.advance(2)
        let run = try #require(try harness.runs().first)
        #expect(run.output.isEmpty && run.result == nil && run.progress == nil)
        let reported = try harness.perform { scheduler in
            await scheduler.stop(grace: .zero)
            var reported: [String] = []
            for await event in events { reported.append("\(event)".prefix { $0 != "(" }.description) }
            return reported
        }
        #expect(reported == ["stopped"])
    }

    @Test("a handler snoozes without using up an attempt, and discards whatever the policy says")
    func snoozeAndDiscard() throws {
        let harness = try SchedulerHarness()
        let isFirst = Locked(true)
        harness.scheduler.register("picky") { context in
            if isFirst.withLock({
                let was = $0
                $0 = false
                return was
            }) {
                throw RunDecision.snooze(for: .seconds(30))
            }
            throw RunDecision.discard(reason: "no such address")
        }
        try harness.submit(.after(.seconds(1)), kind: "picky", .init(retry: .exponential(attempts: 5)))
        harness.advance(5)
        #expect(try harness.history() == ["1 waiting(snoozed)"])
        harness.advance(30)
        #expect(try harness.history() == ["1 failed(no such address)"])
        #expect(try harness.runs().map(\.attempt) == [1])
    }
}
