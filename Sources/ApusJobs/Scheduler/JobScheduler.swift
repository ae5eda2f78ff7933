public import ApusBackground
public import ApusCalendar
public import ApusTimers
public import Logging

/// A scheduler of durable jobs, which submits them to a store, runs their handlers when they are due, and records every
/// outcome.
///
/// Register a handler for each kind of job, then call `start`. All methods may be called from any thread or task. Due
/// instants are on the wall clock; ``Trigger`` describes what setting that clock does. Nothing is lost while the
/// process or the machine does not run: ``JobPolicies/missedRuns`` determines what follows for occurrences that were
/// due in the meantime.
public final class JobScheduler: Sendable {
    /// The settings of a scheduler, with defaults that suit one machine.
    ///
    /// Negative durations count as zero, and durations of more than 292 years count as 292 years.
    public struct Configuration: Sendable {
        /// The time within which a job must be due to be kept in memory.
        public var horizon: Duration
        /// The approximate number of jobs in memory beyond which further jobs stay in the store.
        ///
        /// Jobs that wait for conditions or for a handler are not counted.
        public var maximumLoaded: Int
        /// The largest number of handlers that run at once; further runs wait for a place.
        public var maximumConcurrentRuns: Int
        /// For each queue in the dictionary, the largest number of its handlers that run at once in this scheduler; a
        /// number below 1 counts as 1.
        ///
        /// To run nothing of a queue, leave it out of ``serves``. The limit of a queue itself
        /// (``JobQueue/concurrency``) applies in addition, to all schedulers of the store together.
        public var queueConcurrency: [QueueID: Int]
        /// The number of runs of each job that are kept as history.
        public var historyRunsPerJob: Int
        /// The time for which finished and cancelled jobs are kept after their end (``Job/keptUntil``), unless a job's
        /// ``JobPolicies/retention`` sets another time; 30 days by default.
        ///
        /// Refused submissions are kept for the same time.
        public var finishedJobsKept: Duration
        /// The time for which a finished job is kept if its last ended run failed or was finally lost; 180 days by
        /// default.
        public var failedJobsKept: Duration
        /// The identifier of the machine's boot (`/proc/sys/kernel/random/boot_id` on Linux).
        ///
        /// With it, the scheduler notices when it starts that the wall clock was set while no scheduler ran. With
        /// `nil`, it does not notice that.
        public var bootID: String?
        /// The number of bytes beyond which a subscriber's buffer drops the oldest events about jobs and runs
        /// (``JobEvent/dropped(events:outputBytes:)``).
        public var eventBufferBytes: Int
        /// The number of bytes beyond which a subscriber's buffer drops the oldest output and progress, and no other
        /// events.
        public var outputBufferBytes: Int
        /// The name of the scheduler in the store, for people; the name of the program by default.
        public var node: NodeID
        /// The queues whose jobs the scheduler runs, if their kind has a handler; all queues by default.
        ///
        /// With ``QueueSelection/nothing`` it only submits and changes jobs. In a store that several schedulers share,
        /// a scheduler owns jobs only while it can run some. A scheduler that serves no queue, or has registered no
        /// handler yet, owns none. A due job that its owner cannot run moves to a scheduler that can.
        public var serves: QueueSelection
        /// The time that handlers may take to return after ``JobScheduler/stop(grace:)`` has cancelled them.
        public var cancellationGrace: Duration
        /// The time that a handler may take to return after it was cancelled for any reason, on the uptime clock; 5
        /// minutes by default, `nil` for no limit.
        ///
        /// After that the handler is given up: its place is free, and its return has no effect any more. Its run ends
        /// as ``RunState/lost`` with the reason `abandoned`, or as `cancelled` if the run or its job was cancelled or
        /// replaced. What follows is the same as after a return: a handler that has exceeded its time limit gets
        /// another attempt if the retry policy has one.
        public var abandonment: Duration?
        /// The time for which the store may be unusable (``JobScheduler/storeOutage``), on the uptime clock, before the
        /// scheduler ends with the store's error; `nil`, the default, for no limit.
        ///
        /// During that time the scheduler keeps in memory what it cannot write. Set this limit if the process ends with
        /// the scheduler and a service manager starts the process again.
        public var storePatience: Duration?
        /// The rules of the zones of calendar triggers.
        ///
        /// After a change of the rules, the scheduler reads them again when it next has something to do, and otherwise
        /// within an hour and a quarter.
        public var timeZones: any TimeZones
        /// The middleware around submissions and handlers; the first one is the outermost.
        public var middleware: [any JobMiddleware]

        /// Creates a configuration; an omitted argument has its default.
        public init(
            horizon: Duration = .seconds(60), maximumLoaded: Int = 10_000, maximumConcurrentRuns: Int = 256,
            queueConcurrency: [QueueID: Int] = [:], historyRunsPerJob: Int = 1_000,
            finishedJobsKept: Duration = .seconds(30 * 86_400),
            failedJobsKept: Duration = .seconds(180 * 86_400), bootID: String? = nil,
            eventBufferBytes: Int = 8 << 20, outputBufferBytes: Int = 1 << 20,
            cancellationGrace: Duration = .seconds(1), abandonment: Duration? = .seconds(300),
            storePatience: Duration? = nil, node: NodeID? = nil, middleware: [any JobMiddleware] = [],
            serves: QueueSelection = .all, timeZones: any TimeZones = SystemTimeZones.shared
        ) {
            self.horizon = horizon
            self.maximumLoaded = maximumLoaded
            self.maximumConcurrentRuns = maximumConcurrentRuns
            self.queueConcurrency = queueConcurrency
            self.historyRunsPerJob = historyRunsPerJob
            self.finishedJobsKept = finishedJobsKept
            self.failedJobsKept = failedJobsKept
            self.bootID = bootID
            self.eventBufferBytes = eventBufferBytes
            self.outputBufferBytes = outputBufferBytes
            self.cancellationGrace = cancellationGrace
            self.abandonment = abandonment
            self.storePatience = storePatience
            self.middleware = middleware
            self.serves = serves
            self.timeZones = timeZones
            let program = CommandLine.arguments.first?.unicodeScalars.split(separator: "/").last
            self.node = node ?? NodeID(rawValue: program.map { String($0) } ?? "apus")
        }

        /// The settings with all durations limited to the range from zero to 292 years, so that the scheduler can
        /// compute with them.
        var clamped: Configuration {
            func clamp(_ duration: Duration) -> Duration { max(.zero, duration).clamped }
            var result = self
            for path in [
                \Configuration.horizon, \.finishedJobsKept, \.failedJobsKept, \.cancellationGrace,
            ] {
                result[keyPath: path] = clamp(self[keyPath: path])
            }
            result.abandonment = abandonment.map(clamp)
            result.storePatience = storePatience.map(clamp)
            return result
        }
    }

    let loop: SchedulerLoop

    /// Creates a scheduler for `store`.
    ///
    /// The scheduler owns the store from ``start(afterOpening:)`` to ``stop(grace:)``.
    ///
    /// - Parameters:
    ///   - store: The store of the jobs.
    ///   - engine: The engine for time and timers.
    ///   - host: The host, whose conditions jobs can wait for (``JobPolicies/conditions``). They are followed only
    ///     while a job waits for them. Without a host, every condition counts as met.
    ///   - random: The source of the jitter of retries.
    ///   - configuration: The limits of what the scheduler loads, runs and keeps.
    ///   - executor: The executor of handlers; the global executor unless given. The scheduler's own tasks run on a
    ///     thread that handlers cannot block. If this is the executor of a `VirtualTime`, the scheduler's own tasks run
    ///     on it too.
    ///   - logger: The logger for failures of the store and of handlers.
    public init(
        store: any JobStore, engine: TimerEngine = .shared, host: (any BackgroundHost)? = nil,
        random: any RandomSource = SystemRandom(), configuration: Configuration = .init(),
        executor: (any TaskExecutor)? = nil, logger: Logger? = nil
    ) {
        loop = SchedulerLoop(
            store: store, engine: engine, host: host, random: random, configuration: configuration.clamped,
            executor: executor,
            logger: logger ?? Logger(label: "apus.jobs"))
    }

    deinit { loop.abandon() }

    /// Registers the handler of jobs of this kind, for attempts that begin from now on.
    ///
    /// A later call for the same kind replaces the handler. The handler runs in its own task, which is cancelled when
    /// the run must end (``RunContext/cancellationReason``). A normal return is success, and an error is failure; a
    /// thrown ``RunDecision`` determines what follows.
    ///
    /// A due job whose kind has no handler is parked: it waits until one is registered, here or by a program that opens
    /// the store later (``isParked(_:)``). In a store that several schedulers share, the job runs in a scheduler that
    /// has a handler for its kind. Register handlers before ``start(afterOpening:)``: when a handler is registered
    /// later, the other schedulers may need up to a second to learn of it.
    public func register(_ kind: String, handler: @escaping @Sendable (RunContext) async throws -> Void) {
        register(kind, retryDelay: { _ in nil }, handler: handler)
    }

    func register(
        _ kind: String, retryDelay: @escaping @Sendable (Int) -> Duration?,
        handler: @escaping @Sendable (RunContext) async throws -> Void
    ) {
        let call = loop.configuration.middleware.enclosing(handler)
        loop.handle(kind, SchedulerLoop.Handler(call: call, retryDelay: retryDelay))
    }

    /// Registers a handler that returns a result, which is stored with the run (``Run/result(as:)``) if the attempt
    /// succeeds.
    ///
    /// A result that cannot be encoded as JSON, or that is larger than 64 KiB, makes the attempt a failure without a
    /// retry, because the work was done and would be repeated.
    public func register<Value: Codable & Sendable>(
        _ kind: String, returning type: Value.Type, handler: @escaping @Sendable (RunContext) async throws -> Value
    ) {
        register(kind) { run in try run.keep(result: await handler(run)) }
    }

    /// Opens the store, recovers the runs that a crash interrupted, and begins to run due jobs.
    ///
    /// - Parameter afterOpening: A closure that is called when the scheduler owns the store, before anything runs. It
    ///   can clean up what an interrupted owner has left outside of the store.
    /// - Throws: The errors of ``JobStore/open(as:)``, or of the first reads of the store; ``JobError`` with `closed`
    ///   if the scheduler was started before, or is stopped before or during the start.
    public func start(afterOpening: @Sendable () -> Void = {}) async throws {
        try await loop.start(afterOpening: afterOpening)
    }

    /// Starts no more runs, waits for running handlers, and closes the store.
    ///
    /// It may be called repeatedly; a later call may shorten the grace of an earlier one.
    ///
    /// - Parameter grace: The time that handlers may run from the call on, on the uptime clock, before they are
    ///   cancelled (`shutdown`). Runs that continue after ``Configuration/cancellationGrace`` stay running in the
    ///   store: they are lost, and retried after the next start. `nil` waits for all handlers.
    public func stop(grace: Duration? = .seconds(10)) async { await loop.stop(grace: grace) }

    /// Submits a job, which survives a crash once this returns.
    ///
    /// - Returns: The job, and the effect of the submission. It may be an existing job that has not ended
    ///   (``JobRequest/conflict``).
    /// - Throws: ``JobError`` with `invalid` (naming the argument), `alreadyExists` (if the request refuses conflicts),
    ///   `closed` if the scheduler does not run, or the store's `full`, `unavailable`, `damaged`, `notOwner`.
    @discardableResult
    public func submit(_ request: JobRequest) async throws -> SubmissionResult { try await submit([request])[0] }

    /// Submits several jobs in one commit, all or none.
    ///
    /// - Returns: The answers to the requests, in their order.
    @discardableResult
    public func submit(_ requests: [JobRequest]) async throws -> [SubmissionResult] {
        let requests = try loop.configuration.middleware.submitted(requests)
        for request in requests { try request.validate() }
        if requests.isEmpty { return [] }
        guard case .submitted(let results) = try await loop.call(.job(.submit(requests))) else {
            throw JobError(
                code: .unavailable,
                message: "another node carried out the submission without reporting the result; read the job")
        }
        return results
    }

    /// Makes jobs from the submissions in committed transactions of applications.
    ///
    /// The scheduler does so by itself when it starts, and when this process commits a submission with the scheduler's
    /// store. It does not notice the submissions of other processes, so call this method after such a submission. A
    /// read of such a job, or a wait for its outcome, may otherwise be too early.
    /// - Throws: ``JobError`` with `closed`, or the store's errors: the submissions are then kept, and taken later.
    public func takeSubmissions() async throws { _ = try await loop.call(.takeSubmissions) }

    private func jobs(_ command: SchedulerCommand) async throws -> [Job] {
        guard case .jobs(let jobs) = try await loop.call(command) else {
            preconditionFailure("the answer does not belong to \(command)")
        }
        return jobs
    }

    /// Ends a job permanently: none of its runs begins any more, and its running handlers are cancelled.
    ///
    /// A job that has ended is not changed.
    /// - Throws: ``JobError`` with `notFound`, `closed`, or the store's errors.
    @discardableResult
    public func cancel(_ id: JobID) async throws -> Job { try await jobs(.job(.cancel(id)))[0] }

    /// Ends several jobs permanently, as ``cancel(_:)`` does.
    ///
    /// The jobs end in commits of up to 1,000 jobs, and due jobs run between the commits. Identifiers without a job are
    /// ignored.
    /// - Returns: The jobs that have ended now, in the order of `ids`.
    /// - Throws: ``JobError`` with `closed`, or the store's errors: some of the jobs may then be cancelled.
    @discardableResult
    public func cancel(all ids: [JobID]) async throws -> [Job] { try await cancel(ids.map { .cancel($0) }) }

    func cancel(_ commands: [JobCommand]) async throws -> [Job] {
        var cancelled: [Job] = []
        for start in stride(from: 0, to: commands.count, by: SchedulerTurn.maximumCommands) {
            let some = commands[start..<min(start + SchedulerTurn.maximumCommands, commands.count)]
            for answer in await loop.call(some.map { .job($0) }) {
                switch answer {
                case .success(.jobs(let jobs)): cancelled += jobs
                case .failure(let error) where error.code != .notFound: throw error
                case .success, .failure: break
                }
            }
        }
        return cancelled
    }

    /// Suspends a job, so that none of its runs begins until ``resume(_:)``.
    ///
    /// A relative trigger keeps the remainder of its interval. A suspended job is not changed.
    /// - Throws: ``JobError`` with `notFound`, `invalid` for a job that has ended, `closed`, or the store's errors.
    @discardableResult
    public func suspend(_ id: JobID) async throws -> Job { try await jobs(.job(.suspend(id)))[0] }

    /// Resumes a job after ``suspend(_:)``.
    ///
    /// ``JobPolicies/missedRuns`` determines what follows for occurrences that were due in the meantime by the wall
    /// clock. A job that is not suspended is not changed.
    /// - Throws: ``JobError`` with `notFound`, `invalid` for a job that has ended, `closed`, or the store's errors.
    @discardableResult
    public func resume(_ id: JobID) async throws -> Job { try await jobs(.job(.resume(id)))[0] }

    /// Runs a job once more, now, independently of its trigger, even if it is suspended or has finished.
    ///
    /// A finished job is scheduled again until the run has its outcome. The run's occurrence number is 0 or below, and
    /// smaller than those of the job's earlier runs by hand; some numbers may be left out.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a cancelled job; `conflict` for a finished job that is
    ///   unique by its payload or key if another job with the same payload or key is open, and for a job with 1,000
    ///   open runs; `closed`, or the store's errors.
    @discardableResult
    public func runNow(_ id: JobID) async throws -> Run {
        try await run(.job(.runNow(id)))
    }

    /// Changes the definition of a job that has not ended; its number, its history and its open runs stay.
    ///
    /// If the trigger is unchanged, all due instants stay. A new trigger determines the occurrences from now on, and
    /// its count begins again; the former definition applies to occurrences that were due until now. Running attempts
    /// keep the payload and the time limit with which they began. All later attempts, including waiting runs, follow
    /// the new definition.
    /// - Parameters:
    ///   - id: The identifier of the job.
    ///   - body: A closure that changes the definition, except for the identifier and the kind. It is called again with
    ///     the present definition if another caller has changed it in the meantime.
    /// - Returns: The job.
    /// - Throws: ``JobError`` with `notFound`; `invalid` if the job has ended, if the identifier or the kind is
    ///   changed, or if a submission of the new definition would be refused as `invalid`; `alreadyExists` if the job
    ///   would count as the same as another job; `conflict` if other callers keep changing it; `closed`, or the store's
    ///   errors; and the errors of `body`.
    @discardableResult
    public func update(_ id: JobID, _ body: (inout JobRequest) throws -> Void) async throws -> Job {
        var tries = 0
        while true {
            tries += 1
            guard let job = try await loop.store.job(id)?.job else {
                throw JobError(code: .notFound, message: "\(id): there is no such job")
            }
            var request = job.request
            try body(&request)
            guard request.id == id, request.kind == job.request.kind else {
                throw JobError(code: .invalid, message: "\(id): the identifier and the kind of a job cannot be changed")
            }
            try request.validate()
            do {
                return try await jobs(.job(.update(request, from: job.request, key: job.key)))[0]
            } catch let error as JobError {
                guard error.code == .conflict, tries < 8 else { throw error }
            }
        }
    }

    private func run(_ command: SchedulerCommand) async throws -> Run {
        guard case .run(let run) = try await loop.call(command) else {
            preconditionFailure("the answer does not belong to \(command)")
        }
        return run
    }

    /// Cancels the open run of one occurrence, waiting or running; the job continues.
    ///
    /// If the run is in progress, its handler is cancelled.
    /// - Returns: The run: cancelled, or still running with the reason `cancelled`.
    /// - Throws: ``JobError`` with `notFound` if the job does not exist or the occurrence has not been due, `conflict`
    ///   if it is not open, `closed`, or the store's errors.
    @discardableResult
    public func cancelRun(_ id: JobID, occurrence: Int) async throws -> Run {
        try await run(.job(.cancelRun(id, occurrence: occurrence)))
    }

    /// Retries an occurrence that has failed, was lost or was cancelled, regardless of the retry policy.
    ///
    /// The occurrence gets another attempt, due now, whose outcome becomes that of the occurrence. Until then, a job
    /// that was finished is in the state `scheduled` again.
    /// - Parameters:
    ///   - id: The identifier of the job.
    ///   - occurrence: The number of the occurrence; `nil` for the last one that did not succeed.
    /// - Returns: The new attempt.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a cancelled job, and for an occurrence that has succeeded,
    ///   was skipped or is open; `conflict` if another job has the identifier by now, and for a job with 1,000 open
    ///   runs; `closed`, or the store's errors.
    @discardableResult
    public func retry(_ id: JobID, occurrence: Int? = nil) async throws -> Run {
        var tries = 0
        while true {
            tries += 1
            guard let job = try await loop.store.job(id)?.job else {
                throw JobError(code: .notFound, message: "\(id): there is no such job")
            }
            let run = try await retryableRun(of: job, occurrence)
            do { return try await self.run(.job(.retry(run, version: job.version))) } catch let error as JobError {
                guard error.code == .conflict, tries < 8 else { throw error }
            }
        }
    }

    /// Returns the outcome of an occurrence that can be retried.
    private func retryableRun(of job: Job, _ occurrence: Int?) async throws -> Run {
        let ends: Set<RunState> = occurrence == nil ? [.failed, .lost, .cancelled] : []
        let query = RunQuery(jobID: job.id, occurrence: occurrence, states: ends, limit: 100)
        var found: Run?
        for try await page in pages(of: query) {
            found = page.runs.first { $0.isFinal || occurrence != nil && $0.state.isOpen }
            if found != nil { break }
        }
        let what = occurrence.map(OccurrenceText.words) ?? "the job"
        guard let run = found else {
            throw JobError(code: .notFound, message: "\(job.id): \(what) has no attempt that can be tried again")
        }
        guard run.canBeTriedAgain else {
            throw JobError(
                code: .invalid,
                message:
                    "\(job.id): \(what) is \(run.state.rawValue); only a run that failed, was lost or was cancelled can be tried again"
            )
        }
        return run
    }

    /// Changes settings of a queue, such as its limits; settings without a change stay.
    ///
    /// The settings are stored, and apply to runs that begin from now on.
    /// - Throws: ``JobError`` with `invalid` (naming the argument), `closed`, or the store's errors.
    @discardableResult
    public func configure(queue: QueueID, _ changes: JobQueue.Change...) async throws -> JobQueue {
        try await configure(queue: queue, changes)
    }

    /// Applies a list of changes to the settings of a queue.
    @discardableResult
    public func configure(queue: QueueID, _ changes: [JobQueue.Change]) async throws -> JobQueue {
        guard case .queue(let queue) = try await loop.call(.configure(queue, changes)) else {
            preconditionFailure("the answer does not belong to a queue")
        }
        return queue
    }

    /// Returns the queues that have settings, or have jobs that run or wait, ordered by name.
    ///
    /// The result is empty while the scheduler does not run.
    public func queues() -> [QueueStatus] { loop.queues() }

    /// Explains why an occurrence ran, did not run, or waits, from the stored rows and the present state of the
    /// scheduler.
    ///
    /// - Parameters:
    ///   - id: The identifier of the job.
    ///   - occurrence: The number of the occurrence; `nil` for the oldest open occurrence, or else the next one, or
    ///     else the last one.
    /// - Returns: The decisions about the occurrence, in their order.
    /// - Throws: ``JobError`` with `notFound` if there is no such job, or if the occurrence has no stored runs and is
    ///   not the next one; or the store's errors.
    public func explain(_ id: JobID, occurrence: Int? = nil) async throws -> JobExplanation {
        guard let loaded = try await loop.store.job(id) else {
            throw JobError(code: .notFound, message: "\(id): there is no such job")
        }
        let number = occurrence ?? loaded.currentOccurrence(includingByHand: true)
        var runs: [Run] = []
        if let number { runs = try await self.runs(RunQuery(jobID: id, occurrence: number, limit: 1_000)).runs }
        if let occurrence, runs.isEmpty, occurrence != loaded.job.nextOccurrence || loaded.job.state.isFinal {
            throw JobError(
                code: .notFound,
                message:
                    "\(id): there is no record of \(OccurrenceText.words(occurrence)); it was removed, or the occurrence is still to come"
            )
        }
        var explanation = Explanation(
            loaded, loop.situation(of: loaded), now: loop.reading().wall, in: loop.configuration.timeZones)
        return explanation.explain(number, runs: runs)
    }

    /// Returns the conditions (``JobPolicies/conditions``) that hold a due job back, as the scheduler last read them.
    ///
    /// The result is empty if no occurrence is due, if the conditions hold, if the job waits for something else, or if
    /// the host does not report the conditions.
    public func awaitedConditions(_ id: JobID) -> JobConditions { loop.awaitedConditions(id) }

    /// Returns whether a job is parked: an occurrence is due and could begin, but this scheduler has no handler for its
    /// kind or does not serve its queue, and knows no other scheduler of the store that can run it.
    ///
    /// The occurrence begins once ``register(_:handler:)-(String,_)`` registers a handler. A job that is suspended or
    /// whose conditions do not hold is not parked. While the scheduler does not run, no job is parked.
    public func isParked(_ id: JobID) -> Bool { loop.isParked(id) }

    package func hasHandler(for kind: String) -> Bool { loop.handler(of: kind) != nil }

    /// The present, by the scheduler's wall clock.
    package var now: WallInstant { loop.reading().wall }

    /// The rules of the zones of calendar triggers.
    package var timeZones: any TimeZones { loop.configuration.timeZones }

    /// Returns a stream of the scheduler's events from now on.
    ///
    /// Each subscriber has its own buffer, with one limit for output and progress, and another for all other events
    /// (``Configuration/outputBufferBytes``, ``Configuration/eventBufferBytes``). When a limit is exceeded, the oldest
    /// events of that group are dropped, and ``JobEvent/dropped(events:outputBytes:)`` stands in their place. The
    /// stream ends when the scheduler stops, or with the task that reads it.
    public func events() -> AsyncStream<JobEvent> { loop.hub.subscribe() }

    /// The number of streams of ``events()``, for tests.
    package var subscriberCount: Int { loop.hub.count }
}

// Running as a part of structured concurrency.
extension JobScheduler {
    /// Starts, runs due jobs until the task is cancelled, and stops: ``start(afterOpening:)`` and ``stop(grace:)`` in
    /// one call.
    ///
    /// Register handlers before this call. It returns when the scheduler has stopped, because of the cancellation or of
    /// a call of ``stop(grace:)``. A scheduler that was started before cannot be run, so a second call throws `closed`.
    ///
    /// In a `ServiceGroup` of swift-service-lifecycle, use `JobSchedulerService` of ApusServiceLifecycle, which stops
    /// at a graceful shutdown.
    /// - Parameters:
    ///   - grace: The time that handlers may run after the task's cancellation, on the uptime clock, before they are
    ///     cancelled; `nil` waits for all handlers. See ``stop(grace:)``.
    ///   - afterOpening: A closure that is called when the scheduler owns the store, before anything runs.
    ///   - afterStarting: A closure that is called once the scheduler runs, concurrently with its first runs. It can
    ///     ``declare(_:as:)`` the program's repeating jobs. It is cancelled when the task is cancelled and when the
    ///     scheduler has ended, and this method waits for its return. An error that it throws stops the scheduler as a
    ///     cancellation does; once a stop was requested, its errors are ignored.
    /// - Throws: The errors of ``start(afterOpening:)`` and `afterStarting`, and the error with which the scheduler
    ///   loses its store (``JobError`` with `notOwner`, or `unavailable` after ``Configuration/storePatience``). A
    ///   cancellation is the normal end, without a `CancellationError`.
    public func run(
        grace: Duration? = .seconds(10), afterOpening: @Sendable () -> Void = {},
        afterStarting: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let hasStopped = loop.hub.isFinished
        let error = try await withTaskCancellationHandler {
            do { try await start(afterOpening: afterOpening) } catch let error as JobError where error.code == .closed {
                // A stop during the start is a normal end. The error is thrown if the scheduler was stopped before this
                // call, because it cannot start again.
                guard !hasStopped, loop.hub.isFinished else { throw error }
                return await loop.hub.waitForEnd()
            }
            return try await withThrowingTaskGroup { group in
                group.addTask {
                    do { try await afterStarting() } catch {
                        // If a stop has begun, it keeps its own grace, and the error is ignored.
                        guard !Task.isCancelled, self.loop.acceptsCommands else { return }
                        await self.stop(grace: grace)
                        throw error
                    }
                }
                let error = await loop.hub.waitForEnd()
                group.cancelAll()
                try await group.waitForAll()
                return error
            }
        } onCancel: {
            requestStop(grace: grace)
        }
        if let error { throw error }
    }

    /// Begins ``stop(grace:)`` without waiting for its end.
    package func requestStop(grace: Duration?) {
        loop.noteStopRequest()
        _ = Task(executorPreference: loop.executor) { await self.stop(grace: grace) }
    }
}
