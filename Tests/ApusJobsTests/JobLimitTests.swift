import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

@Suite("The limits of a request")
struct JobLimitTests {
    private static let long = String(repeating: "x", count: 9_000)

    private static let refused: [(argument: String, change: @Sendable (inout JobRequest) -> Void)] = [
        ("id", { $0.id = JobID("") }), ("id", { $0.id = JobID(long) }), ("id", { $0.id = JobID("a\0") }),
        ("name", { $0.name = "" }), ("name", { $0.name = long }), ("name", { $0.name = "a\0b" }),
        ("kind", { $0.kind = long }), ("kind", { $0.kind = "\0" }),
        ("fairnessKey", { $0.fairnessKey = long + long + long + long }), ("fairnessKey", { $0.fairnessKey = "\0" }),
        ("idempotencyKey", { $0.idempotencyKey = long }), ("idempotencyKey", { $0.idempotencyKey = "\0" }),
        ("labels", { $0.labels = ["a": long] }), ("labels", { $0.labels = ["a": "\0"] }),
        ("labels", { $0.labels = ["\0": "a"] }),
        ("metadata", { $0.metadata = [long: ""] }), ("metadata", { $0.metadata = ["a": "\0"] }),
        ("payload", { $0.payload = Array(repeating: 0, count: 65_537) }),
        ("after", { $0.trigger = .after(.seconds(1e20)) }), ("after", { $0.trigger = .after(.seconds(-1e20)) }),
        ("every", { $0.trigger = .every(.seconds(1e20)) }),
        ("at", { $0.trigger = .at(WallInstant(nanoseconds: .max)) }),
        ("every", { $0.trigger = .every(.seconds(1), anchoredAt: WallInstant(nanoseconds: .max)) }),
        ("count", { $0.trigger = .every(.seconds(1), count: .max) }),
        ("count", { $0.trigger = .every(.seconds(1), count: 0) }),
        ("tolerance", { $0.policies.tolerance = .seconds(1e20) }),
        ("grace", { $0.policies.grace = .seconds(1e20) }), ("expiry", { $0.policies.expiry = .zero }),
        ("timeLimit", { $0.policies.timeLimit = .seconds(-1e20) }),
        ("retry.jitter", { $0.policies.retry.jitter = .nan }),
        ("missedRuns.runAll", { $0.policies.missedRuns = .runAll(limit: .max) }),
        ("overlap.queue", { $0.policies.overlap = .queue(limit: .min) }),
    ]

    @Test("values out of range are refused by their argument's name")
    func refusals() throws {
        let harness = try SchedulerHarness()
        for (argument, change) in Self.refused {
            var request = JobRequest(id: "job", kind: "work", trigger: .after(.seconds(60)))
            change(&request)
            let error = #expect(throws: JobError.self, "\(argument)") {
                try harness.perform { [request] in try await $0.submit(request) }
            }
            #expect(error?.code == .invalid)
            #expect(error?.message.hasPrefix("\(argument):") == true, "\(String(describing: error))")
        }
        // The refusals leave the scheduler unchanged.
        try harness.submit(.after(.seconds(1)))
        harness.advance(1)
        #expect(try harness.runs("job").count == 1)
    }

    @Test("the largest count works, also after a change of the schedule")
    func largestCount() throws {
        let harness = try SchedulerHarness()
        let zone = "Europe/Berlin"
        for schedule in ["* * * * * *", "*/2 * * * * *"] {
            let calendar = Trigger.calendar(
                try CalendarSchedule(cron: schedule), timeZone: zone, count: 9_007_199_254_740_991)
            try harness.submit(calendar, conflict: .update)
            harness.advance(10)
        }
        #expect(try harness.runs("job").count > 10)
        #expect(try harness.job().state == .scheduled)
    }

    @Test("a job with fractional nanoseconds in its durations is equal when submitted again")
    func fractions() throws {
        let harness = try SchedulerHarness()
        var request = JobRequest(id: "job", kind: "work", trigger: .every(.seconds(60) / 7), idempotencyKey: "key")
        request.policies.tolerance = .seconds(1) / 7
        request.policies.retry = .exponential(attempts: 2, from: .seconds(1) / 7, to: .seconds(10) / 7)
        // An app submits its job again at each launch, which is more often than the job is due.
        for _ in 0..<10 {
            _ = try harness.perform { [request] in try await $0.submit(request) }
            harness.advance(5)
        }
        #expect(try harness.runs("job").count == 5)
    }
}
