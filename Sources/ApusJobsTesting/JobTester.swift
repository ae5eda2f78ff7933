public import ApusJobs
import ApusTimers
public import ApusVirtualTime

/// A started scheduler over a store in memory, in virtual time, for tests of code with jobs.
///
/// ```swift
/// let jobs = try JobTester { $0.register(SendInvoice.self) { invoice, _ in try await mailer.send(invoice) } }
/// jobs.fail(SendInvoice.self, attempts: 1...1, with: MailServerIsDown())
/// let first = try jobs.perform(SendInvoice(number: 17), policies: .init(retry: .constant(attempts: 2)))
/// #expect(first.state == .failed)
/// #expect(try jobs.outcome(of: first).state == .succeeded)
/// ```
///
/// Everything runs on the thread that calls a method. The method returns when nothing more can happen at that instant,
/// or when what it waits for has happened. Handlers that sleep must do so on the engine or a clock of ``time``. Runs
/// are deterministic: generated identifiers are numbered, and retries have no jitter. The tester works with any test
/// library, because it reports nothing: it returns values and throws.
public final class JobTester: Sendable {
    /// The time of the scheduler and its handlers: `time.advance(by:)` makes later jobs and retries due.
    public let time: VirtualTime
    /// The scheduler, for the code under test.
    public let scheduler: JobScheduler
    private let failures = InjectedFailures()
    private let ended = Ended()

    /// Creates and starts a scheduler.
    ///
    /// - Parameters:
    ///   - time: The time of the test.
    ///   - configuration: The program's configuration. Its middleware receives a failure that the test injects as if
    ///     the handler had thrown it.
    ///   - register: A closure that registers the handlers, before the start.
    /// - Throws: The errors of `register`, and of the scheduler's start.
    public init(
        time: VirtualTime = VirtualTime(), configuration: JobScheduler.Configuration = .init(),
        register: (JobScheduler) throws -> Void
    ) throws {
        var configuration = configuration
        configuration.middleware.append(failures)
        let scheduler = JobScheduler(
            store: MemoryStore(), engine: time.engine, random: Numbering(), configuration: configuration,
            executor: time.executor)
        (self.time, self.scheduler) = (time, scheduler)
        try register(scheduler)
        try time.perform { try await scheduler.start() }
        // The task ends when the scheduler ends its events.
        time.start { [ended, events = scheduler.events()] in
            for await event in events { if case .runEnded(let run) = event { ended.add(run) } }
        }
    }

    // MARK: Running

    /// Submits a job that is due immediately, runs its first attempt to the end, and returns the attempt.
    ///
    /// While the handler sleeps, virtual time passes. The job is separate from all others, regardless of the uniqueness
    /// in `JobPayload.defaults`.
    /// - Parameters:
    ///   - payload: The payload for the handler.
    ///   - policies: The job's policies; those of `JobPayload.defaults` unless given. With a retry policy, another
    ///     attempt follows a failed one: ``outcome(of:)`` runs it.
    /// - Returns: The attempt with its state, reason, result and output. An attempt that the handler has snoozed is
    ///   `waiting`.
    /// - Throws: `JobError` with `invalid` if no handler is registered for the kind; the errors of
    ///   `JobScheduler.submit`; `VirtualTimeError` with `stuck` if the handler waits for something that never happens.
    public func perform<Payload: JobPayload>(_ payload: Payload, policies: JobPolicies? = nil) throws -> Run {
        let scheduler = scheduler
        guard scheduler.hasHandler(for: Payload.kind) else {
            throw JobError(
                code: .invalid,
                message:
                    "no handler is registered for the kind \(Payload.kind); register one where the JobTester is made")
        }
        return try time.perform(advancingTime: true) {
            let events = scheduler.events()
            let job = try await scheduler.submit(payload, policies: policies, uniqueness: .identifier).job
            for await event in events {
                switch event {
                case .runEnded(let run), .runPostponed(let run): if run.jobKey == job.key { return run }
                default: break
                }
            }
            throw JobError(code: .closed, message: "the scheduler stopped before the job ran")
        }
    }

    /// Lets time pass until a run's occurrence has its outcome, through all its retries.
    ///
    /// - Returns: The last attempt.
    /// - Throws: The errors of `JobScheduler.outcome(of:)`; `VirtualTimeError` with `stuck` if there will be no
    ///   outcome.
    public func outcome(of run: Run) throws -> Run {
        try time.perform(advancingTime: true) { [scheduler] in try await scheduler.outcome(of: run) }
    }

    /// Lets time pass, and runs all jobs that become due, including jobs that these submit.
    ///
    /// Without an argument, no time passes, and the jobs that are due now run.
    ///
    /// - Parameter duration: The time that passes, on all clocks.
    /// - Returns: The attempts that have ended since the last call, or since the start, in the order of their ends. A
    ///   handler that waits for a later instant continues, and is not among them.
    @discardableResult
    public func runAllDue(within duration: Duration = .zero) -> [Run] {
        time.advance(by: duration)
        return ended.takeAll()
    }

    /// Makes attempts at jobs of a kind fail before their handler is called.
    ///
    /// - Parameters:
    ///   - type: The type of the payload.
    ///   - attempts: The numbers of the attempts that fail, counted from 1 for each occurrence. Another call for the
    ///     kind replaces the attempts and the error.
    ///   - error: The error that the handler seems to throw, which may be a `RunDecision`.
    public func fail<Payload: JobPayload>(
        _ type: Payload.Type, attempts: ClosedRange<Int>, with error: any Error
    ) {
        failures.byKind.withLock { $0[Payload.kind] = (attempts, error) }
    }

    // MARK: What was submitted

    /// Returns the payloads of all jobs of a kind, including ended ones, in the order of their submission.
    ///
    /// - Throws: `JobError` with `invalid` for a payload that cannot be decoded.
    public func submitted<Payload: JobPayload>(_ type: Payload.Type) throws -> [Payload] {
        try jobs(of: Payload.kind).map { try $0.payload(as: type) }
    }

    /// Returns the payloads of the jobs of a kind that `body` has submitted, in the order of their submission.
    ///
    /// A submission that made no new job, because a job that counts as the same exists, is left out.
    ///
    /// - Throws: The errors of `body`; `JobError` with `invalid` for a payload that cannot be decoded;
    ///   `VirtualTimeError` with `stuck` if `body` waits for something that never happens, or for time to pass.
    public func submitted<Payload: JobPayload>(
        _ type: Payload.Type, by body: @escaping @Sendable (JobScheduler) async throws -> Void
    ) throws -> [Payload] {
        let before = Set(try jobs(of: Payload.kind).map(\.key))
        try time.perform { [scheduler] in try await body(scheduler) }
        return try jobs(of: Payload.kind).filter { !before.contains($0.key) }.map { try $0.payload(as: type) }
    }

    private func jobs(of kind: String) throws -> [Job] {
        try time.perform { [scheduler] in
            var jobs: [Job] = []
            let query = JobQuery(kind: kind, includesLastRuns: false, limit: 1_000)
            for try await page in scheduler.pages(of: query) { jobs += page.jobs }
            return jobs
        }
    }

    /// Stops the scheduler, and cancels the handlers that still run.
    ///
    /// - Returns: The remaining timers and tasks (`VirtualTime.leaks`): those of the code under test, and none of the
    ///   scheduler.
    /// - Throws: `VirtualTimeError` with `stuck` if a handler does not return.
    @discardableResult
    public func stop() throws -> [String] {
        try time.perform(advancingTime: true) { [scheduler] in await scheduler.stop(grace: .zero) }
        return time.leaks
    }
}

/// A source of consecutive numbers instead of random ones.
///
/// Identifiers that are derived from these numbers differ. Jitter is derived from their high bits, so it is zero.
private final class Numbering: RandomSource {
    private let last = Locked<UInt64>(0)

    func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

private final class Ended: Sendable {
    private let runs = Locked<[Run]>([])

    func add(_ run: Run) { runs.withLock { $0.append(run) } }

    func takeAll() -> [Run] { runs.exchange(\.self, with: []) }
}

private final class InjectedFailures: JobMiddleware {
    let byKind = Locked<[String: (attempts: ClosedRange<Int>, error: any Error)]>([:])

    func handle(_ run: RunContext, next: () async throws -> Void) async throws {
        if let failure = byKind.withLock({ $0[run.job.request.kind] }), failure.attempts.contains(run.attempt) {
            throw failure.error
        }
        try await next()
    }
}
