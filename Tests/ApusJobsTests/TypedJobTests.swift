import ApusJobs
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

private struct SendInvoice: JobPayload, Hashable {
    static let kind = "invoice.send"
    struct Line: Codable, Hashable { var price: Double }
    var number: Int
    var recipient: String
    var lines: [Line] = []
    var labels: [String: String] = [:]
}

private struct SendReminder: JobPayload {
    static let kind = "reminder.send"
    static let defaults = JobDefaults(
        policies: .init(retry: .exponential(attempts: 3, from: .seconds(1)), timeLimit: .seconds(60)), queue: "mail",
        priority: .high, uniqueness: .payload(), conflict: .keep)
    var number: Int
}

private struct Receipt: Codable, Hashable {
    var number: Int
    var copies: [String]
}

@Suite("Typed jobs")
struct TypedJobTests {
    private let harness: SchedulerHarness
    private let seen = Log<SendInvoice>()
    private var scheduler: JobScheduler { harness.scheduler }

    init() throws { harness = try SchedulerHarness(start: false) }

    @discardableResult
    private func submit(_ payload: SendInvoice, id: JobID? = nil, attempts: Int = 1) throws -> Job {
        try harness.perform {
            try await $0.submit(payload, id: id, policies: .init(retry: .exponential(attempts: attempts))).job
        }
    }

    private func error(_ body: @escaping @Sendable (JobScheduler) async throws -> Void) throws -> JobError {
        try #require(throws: JobError.self) { try harness.perform(body) }
    }

    @Test("a handler receives the submitted payload and its run")
    func payload() throws {
        scheduler.register(SendInvoice.self) { [seen] invoice, run in
            seen.add(invoice)
            #expect(run.attempt == 1)
        }
        try harness.start()
        let invoice = SendInvoice(
            number: 17, recipient: "a/\"ü\"", lines: [.init(price: 0.1), .init(price: 2)], labels: ["b": "1"])
        let job = try submit(invoice)
        harness.time.settle()
        #expect(seen.all == [invoice])
        #expect(harness.seconds == 0)
        #expect(job.request.kind == "invoice.send")
        #expect(try job.payload(as: SendInvoice.self) == invoice)
        let run = try #require(try harness.runs(job.id.rawValue).first)
        #expect(run.state == .succeeded && run.result == nil)
        #expect(try run.result(as: Receipt.self) == nil)
    }

    @Test("a submission inherits its kind's defaults and can override them")
    func defaults() throws {
        try harness.start()
        let asDeclared = try harness.perform { try await $0.submit(SendReminder(number: 1)).job.request }
        let declared = SendReminder.defaults
        #expect(asDeclared.policies == declared.policies && asDeclared.policies.timeLimit == .seconds(60))
        #expect(asDeclared.queue == "mail" && asDeclared.priority == .high)
        #expect(asDeclared.uniqueness == .payload() && asDeclared.conflict == .keep)
        let same = try harness.perform { try await $0.submit(SendReminder(number: 1)) }
        #expect(same.outcome == .kept && same.job.id == asDeclared.id)

        let own = try JobRequest(
            SendReminder(number: 2), policies: .init(), queue: .default, priority: .normal, uniqueness: .identifier,
            conflict: .update)
        #expect(own.policies == JobPolicies() && own.queue == .default && own.priority == .normal)
        #expect(own.uniqueness == .identifier && own.conflict == .update)
        let plain = try JobRequest(SendInvoice(number: 1, recipient: "ann"))
        #expect(plain.policies == JobPolicies() && plain.queue == .default && plain.uniqueness == .identifier)
    }

    @Test("a handler of an untyped kind can also return a result")
    func plainResult() throws {
        scheduler.register("plain", returning: Receipt.self) { Receipt(number: $0.occurrence, copies: []) }
        try harness.start()
        try harness.submit(.after(.zero), kind: "plain")
        harness.time.settle()
        #expect(try harness.runs().first?.result(as: Receipt.self) == Receipt(number: 1, copies: []))
    }

    @Test("a handler's result is stored with the run and survives a crash")
    func result() throws {
        scheduler.register(SendInvoice.self, returning: Receipt.self) { invoice, _ in
            Receipt(number: invoice.number, copies: ["a", "b"])
        }
        try harness.start()
        try submit(SendInvoice(number: 17, recipient: "ann"), id: JobID("job"))
        harness.time.settle()
        try harness.crash()
        let run = try #require(try harness.runs().first)
        #expect(run.state == .succeeded)
        #expect(try run.result(as: Receipt.self) == Receipt(number: 17, copies: ["a", "b"]))
        let error = #expect(throws: JobError.self) { try run.result(as: SendInvoice.self) }
        #expect(error?.message.contains("recipient: is missing") == true, "\(String(describing: error))")
    }

    @Test("a failed attempt's result is dropped, and the next attempt's result is stored")
    func failedAttempt() throws {
        scheduler.register(SendInvoice.self, returning: Int.self) { invoice, run in
            try run.setResult(Array("early".utf8))
            if run.attempt == 1 { throw RunDecision.retry(reason: "no luck") }
            return run.attempt
        }
        try harness.start()
        try submit(SendInvoice(number: 17, recipient: "ann"), id: JobID("job"), attempts: 2)
        harness.advance(10)
        #expect(try harness.history() == ["1 failed(no luck)", "1.2 succeeded"])
        #expect(try harness.runs().map { try $0.result(as: Int.self) } == [nil, 2])
    }

    @Test(
        "a payload that cannot be decoded fails without another attempt, and the reason names the kind and the field",
        arguments: [
            (#"{"number": 17}"#, "recipient: is missing"),
            (#"{"number": "17", "recipient": "ann"}"#, "number: must be Int"),
            (#"{"number": 17, "recipient": null}"#, "recipient: must be String, not null"),
            (
                #"{"number": 17, "recipient": "ann", "labels": {}, "lines": [{"price": 1}, {}]}"#,
                "lines[1].price: is missing"
            ),
            ("", "valid JSON"), ("[]", "must be"),
        ])
    func undecodable(json: String, problem: String) throws {
        scheduler.register(SendInvoice.self) { [seen] invoice, _ in seen.add(invoice) }
        try harness.start()
        let request = JobRequest(
            id: JobID("job"), kind: SendInvoice.kind, trigger: .after(.seconds(1)),
            policies: .init(retry: .exponential(attempts: 3)), payload: Array(json.utf8))
        _ = try harness.perform { try await $0.submit(request) }
        harness.advance(60)
        let runs = try harness.runs()
        #expect(runs.count == 1 && runs.first?.state == .failed && runs.first?.isFinal == true)
        let reason = runs.first?.reason ?? ""
        #expect(reason.contains("kind invoice.send") && reason.contains(problem), "\(reason)")
        #expect(seen.all.isEmpty)
        try harness.check()
    }

    @Test("a payload over 64 KiB is refused at its submission, with its size")
    func largePayload() throws {
        try harness.start()
        let error = try error {
            try await $0.submit(SendInvoice(number: 1, recipient: String(repeating: "x", count: 65_500)))
        }
        #expect(error.code == .invalid)
        #expect(error.message.hasPrefix("payload: must be at most 65536 bytes (64 KiB), not 655"), "\(error)")
    }

    @Test("a payload that JSON cannot express is refused, and the message names the field")
    func inexpressible() throws {
        try harness.start()
        let error = try error {
            try await $0.submit(SendInvoice(number: 1, recipient: "ann", lines: [.init(price: .nan)]))
        }
        #expect(error.code == .invalid)
        #expect(error.message.contains("lines[0].price: "), "\(error)")
        #expect(error.cause is EncodingError)
    }

    @Test("a result over 64 KiB fails its attempt, which is not repeated, and is not kept")
    func largeResult() throws {
        scheduler.register(SendInvoice.self, returning: String.self) { _, _ in String(repeating: "x", count: 65_535) }
        try harness.start()
        try submit(SendInvoice(number: 17, recipient: "ann"), id: JobID("job"), attempts: 3)
        harness.advance(60)
        #expect(
            try harness.history() == [
                "1 failed(invoice.send: result: must be at most 65536 bytes (64 KiB), not 65537)"
            ])
        #expect(try harness.runs().first?.result == nil)
    }

    @Test("payloads with equal values are equal, because their keys are sorted")
    func uniqueByValue() throws {
        try harness.start()
        let keys = (0..<20).map { "key\($0)" }
        func invoice(_ keys: some Sequence<String>) -> SendInvoice {
            var labels: [String: String] = [:]
            for key in keys { labels[key] = "x" }
            return SendInvoice(number: 17, recipient: "ann", labels: labels)
        }
        let jobs = try [invoice(keys), invoice(keys.reversed()), invoice(keys.dropLast())].map { payload in
            try harness.perform {
                try await $0.submit(payload, trigger: .after(.seconds(9)), uniqueness: .payload(), conflict: .keep)
            }
        }
        #expect(jobs[0].id == jobs[1].id)
        #expect(jobs[0].id != jobs[2].id)
        let text = String(decoding: jobs[2].request.payload, as: UTF8.self)
        #expect(text.hasPrefix(#"{"labels":{"key0":"x","key1":"x","key10":"x","#), "\(text)")
    }

    @Test("each submission without an identifier creates a separate job, named after its kind")
    func identifiers() throws {
        try harness.start()
        let jobs = try (0..<3).map { _ in try submit(SendInvoice(number: 17, recipient: "ann")) }
        #expect(Set(jobs.map(\.id)).count == 3)
        for job in jobs {
            #expect(job.id.rawValue.hasPrefix("invoice.send-"))
            #expect(job.id.rawValue.utf8.count == "invoice.send-".utf8.count + 26)
        }
        let requests = try (0..<2).map { _ in try JobRequest(SendInvoice(number: 17, recipient: "ann")) }
        #expect(requests[0].id != requests[1].id)
        #expect(requests[0].payload == jobs[0].request.payload)
    }

    @Test("every argument of a typed request or submission reaches the job")
    func arguments() throws {
        try harness.start()
        let payload = SendInvoice(number: 17, recipient: "ann")
        let trigger = Trigger.every(.seconds(60), count: 3)
        let policies = JobPolicies(overlap: .replace, retry: .exponential(attempts: 4))
        let (labels, metadata) = (["team": "a"], ["trace": "1"])
        let typed = try JobRequest(
            payload, id: "job", name: "name", trigger: trigger, policies: policies, labels: labels, queue: "mail",
            priority: .high, metadata: metadata, uniqueness: .payload(), conflict: .refuse, idempotencyKey: "key")
        let plain = JobRequest(
            id: "job", name: "name", kind: "invoice.send", trigger: trigger, policies: policies, labels: labels,
            payload: typed.payload, queue: "mail", priority: .high, metadata: metadata, uniqueness: .payload(),
            conflict: .refuse, idempotencyKey: "key")
        #expect(typed == plain)
        func submit(key: String?, _ id: JobID) throws -> Job {
            try harness.perform {
                try await $0.submit(
                    payload, id: id, name: "name", trigger: trigger, policies: policies, labels: labels, queue: "mail",
                    priority: .high, metadata: metadata, uniqueness: .payload(), conflict: .refuse, idempotencyKey: key
                ).job
            }
        }
        let job = try submit(key: "key", "job")
        var request = job.request
        request.conflict = .refuse
        #expect(request == plain)
        #expect(try submit(key: "key", "job").key == job.key, "the same submission again")
        let error = #expect(throws: JobError.self) { try submit(key: nil, "other") }
        #expect(error?.code == .alreadyExists)
    }

    @Test("identifiers come from the scheduler's random source and always have 26 characters")
    func seededIdentifiers() throws {
        /// A random source that always returns a small number, whose text has few digits.
        struct Few: RandomSource { func next() -> UInt64 { 35 } }
        let time = VirtualTime()
        let scheduler = JobScheduler(
            store: MemoryStore(), engine: time.engine, random: Few(), executor: time.executor)
        try time.perform { try await scheduler.start() }
        let job = try time.perform { try await scheduler.submit(SendInvoice(number: 17, recipient: "ann")) }
        #expect(job.id.rawValue == "invoice.send-000000000000z000000000000z")
        try time.perform { await scheduler.stop(grace: nil) }
    }

    @Test("a result that JSON cannot express fails its attempt, which is not repeated, and the reason names the field")
    func inexpressibleResult() throws {
        scheduler.register(SendInvoice.self, returning: SendInvoice.Line.self) { _, _ in
            SendInvoice.Line(price: .infinity)
        }
        try harness.start()
        try submit(SendInvoice(number: 17, recipient: "ann"), id: JobID("job"), attempts: 3)
        harness.advance(60)
        let runs = try harness.runs()
        #expect(runs.map(\.state) == [.failed])
        let expected = "the result of kind invoice.send cannot be written as JSON: price: "
        #expect(runs.first?.reason?.hasPrefix(expected) == true, "\(runs)")
    }

    @Test("a payload is not decoded as another kind's")
    func otherKind() throws {
        try harness.start()
        let job = try harness.submit(.after(.seconds(1)))
        let error = #expect(throws: JobError.self) { try job.payload(as: SendInvoice.self) }
        #expect(error?.code == .invalid)
        #expect(error?.message == "the job job is of the kind work, not invoice.send")
    }

    /// A payload whose retry delays are 60 s, 240 s and 540 s.
    ///
    /// From the fourth failure on, the delays of the policies apply.
    private struct Poll: JobPayload {
        static let kind = "poll"
        static let defaults = JobDefaults(
            policies: .init(
                retry: .exponential(attempts: 5, maximumLost: 3, from: .seconds(1), to: .seconds(1), jitter: 0)))
        static func retryDelay(afterFailures failures: Int) -> Duration? {
            failures > 3 ? nil : .seconds(60 * failures * failures)
        }
    }

    /// Returns the starts of a job's attempts, in seconds.
    private func attempts(_ policies: JobPolicies? = nil, within seconds: Double) throws -> [Int] {
        try harness.perform { _ = try await $0.submit(Poll(), id: "job", policies: policies) }
        harness.advance(seconds)
        return try harness.runs().compactMap(\.started).map { Int(secondsSinceBeginning($0).rounded()) }
    }

    @Test("a kind's own function sets the delay before a retry, and the policy sets the number of attempts")
    func retryDelay() throws {
        struct Failure: Error {}
        scheduler.register(Poll.self) { _, _ in throw Failure() }
        try harness.start()
        #expect(try attempts(within: 2_000) == [0, 60, 300, 840, 841])
        #expect(try harness.history().last == "1.5 failed(Failure())")
    }

    /// A payload that has retry delays only for the first two failures.
    private struct Twice: JobPayload {
        static let kind = "twice"
        static let defaults = JobDefaults(policies: .init(retry: .exponential(attempts: 3)))
        static func retryDelay(afterFailures failures: Int) -> Duration? { [.seconds(7), .seconds(8)][failures - 1] }
    }

    @Test("no delay is computed after a success or after a failure that the handler declares final")
    func noRetryDelay() throws {
        scheduler.register(Twice.self) { _, run in
            if run.job.id == "final" { throw RunDecision.discard(reason: "no") }
            if run.attempt < 3 { throw RunDecision.retry(reason: "later") }
        }
        try harness.start()
        try harness.perform {
            _ = try await $0.submit(Twice(), id: "job")
            _ = try await $0.submit(Twice(), id: "final")
        }
        harness.advance(20)
        #expect(try harness.history() == ["1 failed(later)", "1.2 failed(later)", "1.3 succeeded"])
        #expect(
            try harness.runs().compactMap(\.started).map { Int(secondsSinceBeginning($0).rounded()) } == [0, 7, 15])
        #expect(try harness.history("final") == ["1 failed(no)"])
    }

    @Test("a timed-out attempt also waits for the kind's delay; a delay thrown by the handler takes precedence")
    func retryDelayOfOthers() throws {
        scheduler.register(Poll.self, returning: Int.self) { [time = harness.time] _, run in
            if run.attempt == 2 { throw RunDecision.retry(after: .seconds(5), reason: "soon") }
            try await TimerClock<UptimeInstant>(engine: time.engine).sleep(for: .seconds(20))
            return 1
        }
        try harness.start()
        var policies = Poll.defaults.policies
        policies.timeLimit = .seconds(10)
        #expect(try attempts(policies, within: 100) == [0, 70, 75])
        #expect(
            try harness.history() == ["1 failed(timedOut)", "1.2 failed(soon)", "1.3 failed(timedOut)", "1.4 waiting"])
    }

    @Test("an attempt that was lost does not count as a failure")
    func retryDelayAfterLoss() throws {
        struct Failure: Error {}
        let began = Log<Int>()
        let register = { (scheduler: JobScheduler) in
            scheduler.register(Poll.self) { [time = self.harness.time] _, run in
                began.add(Int(secondsSinceBeginning(run.started)))
                if run.attempt == 1 {
                    try await TimerClock<UptimeInstant>(engine: time.engine).sleep(for: .seconds(100))
                }
                throw Failure()
            }
        }
        register(scheduler)
        try harness.start()
        try harness.perform { _ = try await $0.submit(Poll(), id: "job") }
        harness.advance(10)
        try harness.crash(register)
        harness.advance(100)
        #expect(began.all == [0, 10, 70])
        #expect(try harness.history().prefix(2) == ["1 lost(interrupted)", "1.2 failed(Failure())"])
    }
}
