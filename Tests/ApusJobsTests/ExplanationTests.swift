import ApusBackground
import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Why an occurrence is as it is")
struct ExplanationTests {
    /// Returns "code second" for each decision with an instant, and "code" for each decision about the present.
    private func why(_ harness: SchedulerHarness, _ occurrence: Int? = nil) throws -> [String] {
        try harness.perform { try await $0.explain("job", occurrence: occurrence) }.decisions.map { decision in
            #expect(!decision.text.isEmpty)
            guard let instant = decision.instant else { return decision.code.rawValue }
            let seconds = secondsSinceBeginning(instant)
            return "\(decision.code.rawValue) \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)")"
        }
    }

    @Test("a lost attempt and a failed attempt are explained with their consequences")
    func attempts() throws {
        let harness = try SchedulerHarness()
        let policies = JobPolicies(
            retry: .exponential(attempts: 2, from: .seconds(20), jitter: 0), timeLimit: .seconds(2))
        try harness.submit(.after(.seconds(1)), kind: "slow", policies)
        harness.advance(2)
        #expect(try why(harness) == ["due 1", "claimed 1", "started 1", "running"].filter { $0 != "started 1" })
        try harness.crash()
        harness.advance(5)
        #expect(
            try why(harness) == [
                "due 1", "claimed 1", "lost 2", "claimed 2", "started 2", "failed 4", "pause 24", "nextLook 24",
            ])
        harness.advance(60)
        #expect(
            try why(harness) == [
                "due 1", "claimed 1", "lost 2", "claimed 2", "started 2", "failed 4", "pause 24", "claimed 24",
                "started 24", "failed 26", "ended 26",
            ])
    }

    @Test("a skip is explained with its reason, and an upcoming occurrence with its instant")
    func skipped() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.every(.seconds(6)), kind: "slow")
        harness.advance(13)
        #expect(try why(harness, 2) == ["due 12", "skipped 12"])
        #expect(try why(harness, 3) == ["due 18", "nextLook 18"])
        let error = #expect(throws: JobError.self) { try why(harness, 4) }
        #expect(error?.code == .notFound)
    }

    @Test("each reason of a skip has its sentence")
    func reasonsOfSkips() throws {
        /// Explains the first skip among five occurrences, which are 4 s apart.
        func sentence(_ kind: String, _ policies: JobPolicies, isMissed: Bool) throws -> String? {
            let harness = try SchedulerHarness()
            try harness.submit(.every(.seconds(4), count: 5), kind: kind, policies)
            if isMissed { try harness.perform { await $0.stop(grace: nil) } }
            harness.advance(60)
            if isMissed { try harness.crash() }
            harness.advance(1)
            return try harness.perform { scheduler in
                for occurrence in 1...5 {
                    let decision = try await scheduler.explain("job", occurrence: occurrence).decisions.last
                    if decision?.code == .skipped { return decision?.text }
                }
                return nil
            }
        }
        #expect(
            try sentence("work", .init(missedRuns: .skip), isMissed: true)
                == "it was skipped: no scheduler examined it in time, and the missed-run policy leaves it out "
                + "(occurrences 1 to 5)")
        #expect(
            try sentence("work", .init(), isMissed: true)
                == "it was skipped: no scheduler examined it in time, and a later run stands for it "
                + "(occurrences 1 to 4)")
        #expect(
            try sentence("stubborn", .init(), isMissed: false)
                == "it was skipped: an earlier occurrence was still open, and the overlap policy leaves it out "
                + "(occurrences 2 to 3)")
        #expect(
            try sentence("stubborn", .init(overlap: .queue(limit: 1)), isMissed: false)
                == "it was skipped: no more occurrences could wait under the overlap policy")
    }

    @Test("each obstacle of a run is explained: conditions, a handler, the queue, an earlier occurrence, the places")
    func obstacles() throws {
        let host = TestHost(DeviceConditions(network: DeviceConditions.Network.none))
        let harness = try SchedulerHarness(
            configuration: .init(maximumConcurrentRuns: 1, bootID: "boot"), host: host)
        try harness.submit(.after(.seconds(1)), .init(conditions: .network))
        harness.advance(2)
        #expect(try why(harness) == ["due 1", "conditions"])
        harness.device(DeviceConditions(network: .available))
        harness.advance(0)
        #expect(try why(harness).last?.hasPrefix("succeeded") == true)

        try harness.submit(.after(.seconds(1)), kind: "unhandled")
        harness.advance(2)
        #expect(try why(harness) == ["due 3", "parked"])

        func submit(_ trigger: Trigger, kind: String = "slow", _ policies: JobPolicies = .init()) throws {
            let request = JobRequest(
                id: "job", kind: kind, trigger: trigger, policies: policies, queue: "mail", conflict: .replace)
            _ = try harness.perform { try await $0.submit(request) }
        }
        _ = try harness.perform { try await $0.configure(queue: "mail", .paused(true)) }
        try submit(.after(.seconds(1)))
        harness.advance(2)
        #expect(try why(harness) == ["due 5", "queuePaused"])
        _ = try harness.perform { try await $0.configure(queue: "mail", .paused(false)) }
        harness.advance(11)
        _ = try harness.perform {
            try await $0.configure(queue: "mail", .rate(QueueRate(runs: 1, per: .seconds(1_000))))
        }
        try submit(.every(.seconds(2)), kind: "work", .init(overlap: .queue()))
        harness.advance(5)
        #expect(try why(harness, 1).first == "due 19")
        #expect(try why(harness, 1).last?.hasPrefix("succeeded") == true)
        #expect(try why(harness, 2).contains("queueRate 1019"))
        harness.advance(2)
        #expect(try why(harness, 3).contains("overlap"))
        try harness.submit("other", .after(.seconds(1)), kind: "slow")
        harness.advance(2)
        _ = try harness.perform { try await $0.configure(queue: "mail", .rate(nil)) }
        harness.advance(0)
        #expect(try why(harness, 2).contains("noPlace"))
    }

    @Test("a job is parked while an occurrence is due and could begin, but for a handler of its kind")
    func parked() throws {
        let host = TestHost(DeviceConditions(network: .available))
        let harness = try SchedulerHarness(host: host)
        func isParked() -> Bool { harness.scheduler.isParked("job") }
        try harness.submit(.after(.seconds(1)), kind: "late", .init(conditions: .network))
        #expect(!isParked(), "it is not due")
        #expect(!harness.scheduler.isParked("missing"))
        harness.device(DeviceConditions(network: DeviceConditions.Network.none))
        harness.advance(2)
        #expect(!isParked(), "it waits for a network")
        harness.device(DeviceConditions(network: .available))
        harness.advance(0)
        #expect(isParked())
        _ = try harness.perform { try await $0.suspend("job") }
        #expect(!isParked(), "it is suspended")
        _ = try harness.perform { try await $0.resume("job") }
        #expect(isParked())
        try harness.perform { await $0.stop(grace: .zero) }
        #expect(!isParked(), "nothing runs here any more")
        try harness.crash()
        harness.advance(0)
        #expect(isParked())
        harness.scheduler.register("late") { _ in }
        harness.advance(0)
        #expect(!isParked())
        #expect(try harness.history() == ["1 succeeded"])
    }

    @Test("an ended job, a suspended job and an unknown job are explained")
    func ends() throws {
        let harness = try SchedulerHarness()
        try harness.submit(.after(.seconds(10)))
        harness.advance(4)
        _ = try harness.perform { try await $0.suspend("job") }
        #expect(try why(harness) == ["suspended"])
        _ = try harness.perform { try await $0.cancel("job") }
        #expect(try why(harness) == ["ended 4"])
        let error = #expect(throws: JobError.self) { try harness.perform { try await $0.explain("missing") } }
        #expect(error?.code == .notFound)
    }
}
