import ApusCalendar
import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A job's definition is changed")
struct UpdateTests {
    /// Records each attempt of kind `keeps`, with the payload that the attempt found.
    private final class Seen: Sendable {
        private let state = Locked<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func note(_ context: RunContext) {
            let payload = String(decoding: context.job.request.payload, as: UTF8.self)
            state.withLock { $0.append("\(context.occurrence).\(context.attempt) \(payload)") }
        }
    }

    @Test("an update keeps the number, history, phase and labels it does not change, and survives a crash")
    func keeps() throws {
        let harness = try SchedulerHarness()
        let before = try harness.submit(.every(.seconds(10)))
        harness.advance(14)
        let changed = try harness.perform {
            try await $0.update("job") {
                $0.name = "tea"
                $0.labels["team"] = "blue"
            }
        }
        #expect(changed.key == before.key && changed.created == before.created)
        #expect(changed.nextDue == harness.at(20) && changed.nextOccurrence == 2)
        try harness.crash()
        #expect(try harness.job().request.name == "tea" && harness.job().request.labels == ["team": "blue"])
        harness.advance(10)
        #expect(harness.calls.seconds == [10, 20])
        try harness.check()
    }

    @Test("an attempt in progress ends as it began, and the next attempt obeys the new definition")
    func running() throws {
        let harness = try SchedulerHarness(start: false)
        let seen = Seen()
        let time = harness.time
        harness.scheduler.register("keeps") { context in
            seen.note(context)
            try? await TimerClock<UptimeInstant>(engine: time.engine).sleep(for: .seconds(5))
            seen.note(context)
            throw RunDecision.retry(reason: "no luck")
        }
        try harness.start()
        let request = JobRequest(
            id: "job", kind: "keeps", trigger: .after(.seconds(1)), payload: Array("old".utf8))
        _ = try harness.perform { try await $0.submit(request) }
        harness.advance(3)
        _ = try harness.perform {
            try await $0.update("job") {
                $0.payload = Array("new".utf8)
                $0.policies.retry.maximumAttempts = 2
            }
        }
        harness.advance(30)
        #expect(seen.all == ["1.1 old", "1.1 old", "1.2 new", "1.2 new"])
        #expect(try harness.history() == ["1 failed(no luck)", "1.2 failed(no luck)"])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("a new schedule counts from the change on; occurrences due before it follow the former one")
    func trigger() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10)), kind: "slow", .init(overlap: .queue()))
        harness.advance(25)
        let changed = try harness.perform { try await $0.update("job") { $0.trigger = .every(.seconds(7), count: 2) } }
        #expect(changed.nextOccurrence == 3 && changed.nextDue == harness.at(32))
        harness.advance(60)
        #expect(harness.calls.seconds == [10, 20, 32, 42])
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("an updated suspended job stays suspended with its whole new interval ahead")
    func suspended() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(10)))
        harness.advance(4)
        _ = try harness.perform { try await $0.suspend("job") }
        let named = try harness.perform { try await $0.update("job") { $0.name = "tea" } }
        #expect(named.state == .suspended && named.remainder == .seconds(6), "an equal trigger changes nothing")
        let later = try harness.perform { try await $0.update("job") { $0.trigger = .after(.seconds(3)) } }
        #expect(later.state == .suspended && later.remainder == .seconds(3))
        harness.advance(20)
        _ = try harness.perform { try await $0.resume("job") }
        harness.advance(5)
        #expect(harness.calls.seconds == [27])
        try harness.check()
    }

    @Test("two callers' concurrent updates of different properties both take effect")
    func together() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10)))
        let tries = Locked(0)
        for number in 1...2 {
            harness.time.start { [scheduler = harness.scheduler] in
                _ = try? await scheduler.update("job") { request in
                    tries.withLock { $0 += 1 }
                    request.labels["\(number)"] = "here"
                }
            }
        }
        harness.time.settle()
        #expect(try harness.job().request.labels == ["1": "here", "2": "here"])
        #expect(tries.withLock { $0 } == 3, "the second one has read what the first one changed")
        try harness.check()
    }

    @Test("a run that ends during a caller's update does not disturb it")
    func besideRuns() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(10)))
        let tries = Locked(0)
        harness.time.start { [scheduler = harness.scheduler] in
            _ = try? await scheduler.update("job") { request in
                tries.withLock { $0 += 1 }
                request.name = "tea"
            }
        }
        harness.advance(10)
        #expect(try harness.job().request.name == "tea" && tries.withLock { $0 } == 1)
        try harness.check()
    }

    @Test(
        "an update of an ended or unknown job, to another identifier or to an invalid value, is refused and changes nothing"
    )
    func refused() throws {
        let harness = try SchedulerHarness()
        func refusal(_ id: JobID = "job", _ body: @escaping @Sendable (inout JobRequest) -> Void) -> JobError.Code? {
            let error = #expect(throws: JobError.self) {
                try harness.perform { try await $0.update(id, body) }
            }
            return error?.code
        }
        let job = try harness.submit(.every(.seconds(10)))
        #expect(refusal { $0.id = "other" } == .invalid)
        #expect(refusal { $0.kind = "slow" } == .invalid)
        #expect(refusal { $0.trigger = .every(.zero) } == .invalid)
        #expect(refusal { $0.queue = "two words" } == .invalid)
        #expect(refusal("missing") { $0.name = "x" } == .notFound)
        #expect(try harness.job() == job)
        _ = try harness.perform { try await $0.cancel("job") }
        #expect(refusal { $0.name = "x" } == .invalid)
        try harness.check()
    }

    @Test("an update cannot make a job that is unique by its payload equal to another one")
    func unique() throws {
        let harness = try SchedulerHarness()
        for id in ["a", "b"] {
            let request = JobRequest(
                id: JobID(id), kind: "work", trigger: .every(.seconds(10)), payload: Array(id.utf8),
                uniqueness: .payload())
            _ = try harness.perform { try await $0.submit(request) }
        }
        let error = #expect(throws: JobError.self) {
            try harness.perform { try await $0.update("b") { $0.payload = Array("a".utf8) } }
        }
        #expect(error?.code == .alreadyExists)
        let changed = try harness.perform { try await $0.update("b") { $0.payload = Array("c".utf8) } }
        #expect(changed.request.payload == Array("c".utf8))
        try harness.check("b")
    }
}

@Suite("A finished job runs once more")
struct RunAgainTests {
    @Test("a finished job can be run manually, keeps its history, and is finished again", arguments: [false, true])
    func finished(crashes: Bool) throws {
        let harness = try SchedulerHarness()
        let first = try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(20)
        #expect(try harness.job().state == .finished)
        let run = try harness.perform { try await $0.runNow("job") }
        #expect(run.occurrence < 1 && run.jobKey == first.key)
        harness.advance(1)
        #expect(try harness.job().state == .scheduled)
        if crashes { try harness.crash() }
        harness.advance(20)
        let job = try harness.job()
        #expect(job.state == .finished && job.occurrenceCount == 1 && job.key == first.key)
        let byHand = try harness.runs().filter { $0.occurrence < 1 && $0.isFinal }
        #expect(byHand.map(\.state) == [.succeeded])
        try harness.check()
    }

    @Test("a cancelled job does not run again, and one cancelled during its manual run stays cancelled")
    func cancelled() throws {
        let harness = try SchedulerHarness()
        func refusal() -> JobError.Code? {
            #expect(throws: JobError.self) { try harness.perform { try await $0.runNow("job") } }?.code
        }
        try harness.submit(.every(.seconds(10)))
        _ = try harness.perform { try await $0.cancel("job") }
        #expect(refusal() == .invalid)
        try harness.submit(.after(.seconds(1)), kind: "slow")
        harness.advance(20)
        _ = try harness.perform { try await $0.runNow("job") }
        harness.advance(1)
        _ = try harness.perform { try await $0.cancel("job") }
        harness.advance(20)
        #expect(try harness.job().state == .cancelled && harness.job().occurrenceCount == 1)
        #expect(refusal() == .invalid)
        try harness.check()
    }

    @Test("a finished job does not run again beside a newer job with the same payload, if payloads are unique")
    func unique() throws {
        let harness = try SchedulerHarness()
        func submit(_ id: JobID, _ trigger: Trigger) throws {
            let request = JobRequest(id: id, kind: "work", trigger: trigger, payload: [1], uniqueness: .payload())
            _ = try harness.perform { try await $0.submit(request) }
        }
        try submit("old", .after(.seconds(1)))
        harness.advance(5)
        try submit("new", .every(.seconds(10)))
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.runNow("old") } }
        #expect(error?.code == .conflict)
        harness.advance(10)
        #expect(try harness.job("old").state == .finished && harness.calls.seconds == [1, 15])
        try harness.check("new")
    }
}
