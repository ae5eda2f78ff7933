import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

private struct SendInvoice: JobPayload, Equatable {
    static let kind = "invoice.send"
    static let defaults = JobDefaults(
        policies: .init(retry: .exponential(attempts: 3)), uniqueness: .payload(within: .seconds(3_600)))
    var number: Int
}

private struct MailServerIsDown: Error {}

@Suite("Jobs in a test")
struct JobTesterTests {
    private func tester(
        _ handler: @escaping @Sendable (SendInvoice, RunContext) async throws -> Void
    ) throws -> JobTester {
        try JobTester { $0.register(SendInvoice.self, handler: handler) }
    }

    @Test("performing a payload runs one attempt and returns its outcome")
    func performs() throws {
        let jobs = try JobTester { scheduler in
            scheduler.register(SendInvoice.self, returning: String.self) { invoice, run in
                run.setExitCode(3)
                return "invoice \(invoice.number), attempt \(run.attempt)"
            }
        }
        let run = try jobs.perform(SendInvoice(number: 17))
        #expect(run.state == .succeeded)
        #expect(try run.result(as: String.self) == "invoice 17, attempt 1")
        #expect(run.exitCode == 3)
        // The payload is unique for an hour, and yet the tester makes another job.
        let again = try jobs.perform(SendInvoice(number: 17))
        #expect(again.jobID != run.jobID)
        #expect(try jobs.stop() == [])
    }

    @Test("a failed attempt is returned before its retry, and the outcome is the last attempt's")
    func retries() throws {
        let calls = Locked<[Int]>([])
        let jobs = try JobTester { scheduler in
            scheduler.register(SendInvoice.self) { _, run in calls.withLock { $0.append(run.attempt) } }
        }
        jobs.fail(SendInvoice.self, attempts: 1...2, with: MailServerIsDown())
        let first = try jobs.perform(SendInvoice(number: 1))
        #expect(first.state == .failed)
        #expect(first.reason == "MailServerIsDown()")
        #expect(!first.isFinal)
        let began = jobs.time.wall()
        let last = try jobs.outcome(of: first)
        #expect(last.state == .succeeded)
        #expect(last.attempt == 3)
        // The two delays are 1 s and 2 s, without jitter.
        #expect(began.duration(to: jobs.time.wall()) == .seconds(3))
        let called = calls.withLock { $0 }
        #expect(called == [3])
        try jobs.stop()
    }

    @Test("a run decision can be injected like an error, and a snoozed attempt waits")
    func decides() throws {
        let jobs = try tester { _, _ in }
        jobs.fail(SendInvoice.self, attempts: 1...1, with: RunDecision.discard(reason: "no such customer"))
        let run = try jobs.perform(SendInvoice(number: 1))
        #expect(run.isFinal)
        #expect(run.reason == "no such customer")
        jobs.fail(SendInvoice.self, attempts: 1...1, with: RunDecision.snooze(for: .seconds(60), reason: "closed"))
        let snoozed = try jobs.perform(SendInvoice(number: 2))
        #expect(snoozed.state == .waiting)
        #expect(snoozed.reason == "closed")
        try jobs.stop()
    }

    @Test("time passes while a handler waits, and jobs that become due within the duration run")
    func timePasses() throws {
        let time = VirtualTime()
        let jobs = try JobTester(time: time) { scheduler in
            scheduler.register(SendInvoice.self) { _, _ in try await time.engine.sleep(for: .seconds(5)) }
            scheduler.register("quick") { _ in }
        }
        let began = time.wall()
        let slept = try jobs.perform(SendInvoice(number: 1))
        #expect(slept.state == .succeeded)
        #expect(began.duration(to: time.wall()) == .seconds(5))
        #expect(jobs.runAllDue() == [slept])
        _ = try jobs.submitted(SendInvoice.self) { scheduler in
            try await scheduler.submit(JobRequest(id: "now", kind: "quick", trigger: .after(.zero)))
            try await scheduler.submit(JobRequest(id: "soon", kind: "quick", trigger: .after(.seconds(1))))
            try await scheduler.submit(SendInvoice(number: 2))
        }
        #expect(jobs.runAllDue().map(\.jobID) == ["now"])
        #expect(jobs.runAllDue(within: .milliseconds(999)) == [])
        #expect(jobs.runAllDue(within: .milliseconds(1)).map(\.jobID) == ["soon"])
        // The invoice's handler has begun and waits for 5 s.
        #expect(jobs.runAllDue(within: .seconds(4)).count == 1)
        #expect(try jobs.stop() == [])
    }

    @Test("jobs submitted by the body are returned; earlier jobs and joined ones are not")
    func submissions() throws {
        let jobs = try tester { _, _ in }
        let own = try jobs.submitted(SendInvoice.self) { scheduler in
            try await scheduler.submit(SendInvoice(number: 1))
            try await scheduler.submit(SendInvoice(number: 2), trigger: .after(.seconds(3_600)))
        }
        #expect(own == [SendInvoice(number: 1), SendInvoice(number: 2)])
        let others = try jobs.submitted(SendInvoice.self) { scheduler in
            try await scheduler.submit(SendInvoice(number: 2), conflict: .keep)
            try await scheduler.submit(SendInvoice(number: 3))
        }
        #expect(others == [SendInvoice(number: 3)])
        #expect(try jobs.submitted(SendInvoice.self).map(\.number) == [1, 2, 3])
        #expect(throws: MailServerIsDown.self) {
            try jobs.submitted(SendInvoice.self) { _ in throw MailServerIsDown() }
        }
        try jobs.stop()
    }

    @Test("a kind without a handler and a handler that never returns are errors")
    func errors() async throws {
        let jobs = try JobTester { $0.register("other") { _ in } }
        let waiting = try jobs.submitted(SendInvoice.self) { try await $0.submit(SendInvoice(number: 1)) }
        #expect(waiting == [SendInvoice(number: 1)])
        #expect(jobs.runAllDue() == [])
        let error = try #require(throws: JobError.self) { try jobs.perform(SendInvoice(number: 1)) }
        #expect(error.message.contains("no handler is registered for the kind invoice.send"))
        // The handler sleeps on the real clock, which the tester does not move, and is cancelled at once.
        let stuck = try tester { _, _ in try await Task.sleep(for: .seconds(86_400)) }
        #expect(throws: VirtualTimeError.self) { try stuck.perform(SendInvoice(number: 1)) }
        try jobs.stop()
    }
}
