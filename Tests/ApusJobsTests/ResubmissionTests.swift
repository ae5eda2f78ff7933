import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// Each test covers a row of the table in docs/jobs.md, "Submitting a job again".
@Suite("A job is submitted again")
struct ResubmissionTests {
    /// Returns a request of a job whose runs take 10 s.
    private func request(
        _ id: JobID = "job", _ trigger: Trigger = .after(.zero), kind: String = "slow",
        conflict: ConflictPolicy = .update, overlap: OverlapPolicy = .skip,
        edit: (inout JobRequest) -> Void = { _ in }
    ) -> JobRequest {
        var request = JobRequest(
            id: id, kind: kind, trigger: trigger, policies: JobPolicies(overlap: overlap), conflict: conflict)
        edit(&request)
        return request
    }

    private func submit(_ request: JobRequest, to harness: SchedulerHarness) throws -> SubmissionResult {
        try harness.perform { try await $0.submit(request) }
    }

    @Test("a job resubmitted during its last occurrence runs once more after it, however often it is submitted")
    func whileItRuns() throws {
        let harness = try SchedulerHarness()
        let first = try submit(request(), to: harness)
        #expect(first.outcome == .inserted)
        harness.advance(3)
        let again = try submit(request(), to: harness)
        #expect(again.outcome == .rescheduled && again.key == first.key && again.state == .scheduled)
        for _ in 0..<3 {
            harness.advance(1)
            #expect(try submit(request(), to: harness).outcome == .updated)
        }
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 10] && harness.calls.mostRunning == 1)
        #expect(try harness.history() == ["1 succeeded", "2 succeeded"])
        #expect(try harness.job().state == .finished)
        try harness.check()
        #expect(try submit(request(), to: harness).outcome == .inserted)
    }

    @Test("a resubmission through the store is not dropped either")
    func inTransaction() throws {
        let harness = try SchedulerHarness()
        _ = try submit(request(), to: harness)
        harness.advance(3)
        for _ in 0..<2 { try harness.base.submit(request(), at: harness.time.wall()) }
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 10])
        try harness.check()
    }

    @Test("after a crash, the interrupted run comes first, and then the run that was asked for")
    func crash() throws {
        let harness = try SchedulerHarness()
        _ = try submit(request(), to: harness)
        harness.advance(3)
        _ = try submit(request(), to: harness)
        harness.advance(2)
        try harness.crash()
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 5, 15])
        #expect(try harness.history() == ["1 lost(interrupted)", "2 succeeded", "1.2 succeeded"])
        try harness.check()
    }

    @Test(
        "a new definition's first occurrence is not skipped; other overlap policies run it alongside or cancel the old run",
        arguments: [
            (.skip, [0, 10]), (.queue(limit: 1), [0, 10]), (.allow(limit: 1), [0, 10]), (.allow(limit: 2), [0, 3]),
            (.replace, [0, 3]),
        ] as [(OverlapPolicy, [Double])])
    func overlap(_ policy: OverlapPolicy, _ seconds: [Double]) throws {
        let harness = try SchedulerHarness()
        _ = try submit(request(overlap: policy), to: harness)
        harness.advance(3)
        #expect(try submit(request(overlap: policy), to: harness).outcome == .rescheduled)
        harness.advance(60)
        #expect(harness.calls.seconds == seconds)
        try harness.check()
    }

    @Test(
        "however many definitions a running job gets, only as many of their first occurrences wait as its policy allows",
        arguments: [
            (.skip, 1), (.queue(limit: 1), 2), (.queue(limit: 3), 4), (.allow(limit: 1), 1), (.allow(limit: 2), 2),
        ] as [(OverlapPolicy, Int)])
    func manyTriggers(_ policy: OverlapPolicy, _ waiting: Int) throws {
        let harness = try SchedulerHarness()
        _ = try submit(request("job", .after(.zero), overlap: policy), to: harness)
        harness.advance(0.5)
        for number in 1...20 {
            let trigger = Trigger.at(harness.time.wall().advanced(by: .milliseconds(100)))
            _ = try submit(request("job", trigger, overlap: policy), to: harness)
            harness.advance(0.2)
            let open = try harness.perform { try await $0.openRuns(of: "job") }
            #expect(open.count { $0.state == .waiting } <= waiting, "\(number)")
        }
        harness.advance(100)
        // At least the run of the first submission and one later run have begun.
        #expect(harness.calls.all.count >= 2)
        #expect(try harness.job().state == .finished)
        try harness.check()
    }

    @Test("a late first occurrence runs, although the run in progress uses up the whole catch-up limit")
    func lateFirst() throws {
        let harness = try SchedulerHarness()
        var first = request()
        first.policies.missedRuns = .runAll(limit: 1)
        first.policies.grace = .zero
        _ = try submit(first, to: harness)
        harness.advance(3)
        var second = first
        second.trigger = .at(harness.at(5))
        #expect(try submit(second, to: harness).outcome == .rescheduled)
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 10])
        try harness.check()
    }

    @Test("another trigger counts from the submission on, and its first occurrence waits for the run in progress")
    func otherTrigger() throws {
        for (trigger, outcome) in [
            (Trigger.after(.zero), SubmissionOutcome.rescheduled), (.every(.seconds(1_000)), .updated),
        ] {
            let harness = try SchedulerHarness()
            _ = try submit(request("job", trigger), to: harness)
            let start = trigger.interval == nil ? 0.0 : 1_000
            harness.advance(start + 3)
            let again = try submit(request("job", .every(.seconds(4), count: 2)), to: harness)
            #expect(again.outcome == outcome && again.nextDue == harness.at(start + 7))
            harness.advance(60)
            // The second occurrence is due while the first one runs.
            #expect(harness.calls.seconds == [start, start + 10])
            #expect(try harness.history() == ["1 succeeded", "2 succeeded", "3 skipped(overlap)"])
            try harness.check()
        }
    }

    @Test("a job that waits or has further occurrences takes the new definition without an extra run")
    func waiting() throws {
        let harness = try SchedulerHarness()
        _ = try submit(request("job", .after(.seconds(10))), to: harness)
        let named = try submit(request("job", .after(.seconds(10))) { $0.name = "tea" }, to: harness)
        #expect(named.outcome == .updated && named.request.name == "tea" && named.nextDue == harness.at(10))
        _ = try submit(request("other", .every(.seconds(30), count: 2)), to: harness)
        harness.advance(35)
        let running = try submit(request("other", .every(.seconds(30), count: 2)), to: harness)
        #expect(running.outcome == .updated && running.nextDue == harness.at(60))
        harness.advance(60)
        #expect(harness.calls.seconds == [10, 30, 60])
        try harness.check()
    }

    @Test("the instant of a run in progress is not scheduled again")
    func sameInstant() throws {
        let harness = try SchedulerHarness()
        let request = request("job", .at(harness.at(2)))
        _ = try submit(request, to: harness)
        harness.advance(5)
        let again = try submit(self.request("job", .at(harness.at(2))) { $0.name = "tea" }, to: harness)
        #expect(again.outcome == .updated && again.request.name == "tea")
        #expect(try submit(self.request("job", .at(harness.at(8))), to: harness).outcome == .rescheduled)
        harness.advance(60)
        #expect(harness.calls.seconds == [2, 12])
        try harness.check()
    }

    @Test("a job between two attempts obeys the definition at the next one")
    func betweenAttempts() throws {
        let harness = try SchedulerHarness()
        let failing = request(kind: "failing") { $0.policies.retry = .constant(attempts: 2, delay: .seconds(10)) }
        harness.calls.failNext(1)
        _ = try submit(failing, to: harness)
        harness.advance(3)
        #expect(try submit(failing, to: harness).outcome == .updated)
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 10])
        try harness.check()
    }

    @Test("`keep` leaves an active job as it is, `replace` begins another one, `refuse` throws")
    func otherPolicies() throws {
        let harness = try SchedulerHarness()
        let first = try submit(request(), to: harness)
        harness.advance(3)
        let kept = try submit(request("job", .after(.seconds(1)), conflict: .keep), to: harness)
        #expect(kept.outcome == .kept && kept.job.request.trigger == .after(.zero))
        let error = #expect(throws: JobError.self) { try submit(request(conflict: .refuse), to: harness) }
        #expect(error?.code == .alreadyExists)
        let replaced = try submit(request("job", .after(.seconds(20)), conflict: .replace), to: harness)
        #expect(replaced.outcome == .replaced && replaced.key > first.key)
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 23])
        try harness.check()
    }

    @Test("a resubmitted suspended job with only a run in progress left runs once more when it is resumed")
    func suspended() throws {
        let harness = try SchedulerHarness()
        _ = try submit(request(), to: harness)
        harness.advance(3)
        _ = try harness.perform { try await $0.suspend("job") }
        let again = try submit(request(), to: harness)
        #expect(again.outcome == .rescheduled && again.state == .suspended)
        harness.advance(20)
        #expect(harness.calls.seconds == [0])
        _ = try harness.perform { try await $0.resume("job") }
        harness.advance(20)
        #expect(harness.calls.seconds == [0, 23])
        try harness.check()
    }

    @Test("a job unique by its payload counts until its run begins, or longer within a period")
    func unique() throws {
        func unique(_ id: JobID, within period: Duration? = nil, _ conflict: ConflictPolicy = .update) -> JobRequest {
            request(id, conflict: conflict) {
                ($0.payload, $0.uniqueness) = ([7], .payload(within: period))
            }
        }
        let harness = try SchedulerHarness()
        #expect(try submit(unique("a"), to: harness).outcome == .inserted)
        harness.advance(3)
        for (request, outcome, id) in [
            (unique("b", within: .seconds(60)), SubmissionOutcome.joined, "a"),
            (unique("c", .keep), .kept, "a"),
            (unique("d"), .rescheduled, "a"),
            (unique("e"), .updated, "a"),
        ] {
            let answer = try submit(request, to: harness)
            #expect(answer.outcome == outcome && answer.id.rawValue == id, "\(request.id)")
        }
        harness.advance(60)
        #expect(harness.calls.seconds == [0, 10])
        let ended = try submit(unique("f", within: .seconds(3_600)), to: harness)
        #expect(ended.outcome == .joined && ended.id == "a" && ended.state == .finished)
        #expect(try submit(unique("g"), to: harness).outcome == .inserted)
        try harness.check("a")
    }

    @Test("a uniqueness and an idempotency key outlive the retention of ended jobs")
    func retention() throws {
        let harness = try SchedulerHarness(configuration: .init(finishedJobsKept: .seconds(3_600), bootID: "boot"))
        let (day, hour) = (Duration.seconds(86_400), 3_600.0)
        let unique = request("unique", kind: "work") { $0.uniqueness = .payload(within: day) }
        let keyed = request("keyed", kind: "work") { $0.idempotencyKey = "key" }
        for request in [unique, keyed, request("plain", kind: "work")] {
            #expect(try submit(request, to: harness).outcome == .inserted)
        }
        // Ended jobs are pruned once an hour, when something is written.
        func turn() throws {
            _ = try harness.perform { try await $0.configure(queue: "q", .concurrency(2)) }
            harness.advance(1)
        }
        harness.advance(3 * hour)
        try turn()
        let plain = try harness.perform { try await $0.job("plain") }
        #expect(plain == nil)
        for request in [unique, keyed] {
            var again = request
            again.id = "again"
            #expect(try submit(again, to: harness).outcome == .joined)
        }
        harness.advance(23 * hour)
        try turn()
        for request in [unique, keyed] { #expect(try submit(request, to: harness).outcome == .inserted) }
    }
}
