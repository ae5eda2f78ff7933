public import ApusBackground
public import ApusCalendar
public import ApusTimers
public import Logging

/// Keeps durable jobs: submits them to a store, runs their handlers when they are due, and records every outcome.
///
/// Register a handler for each kind of job, then `start`. All methods may be called from any thread or task. Due
/// instants are on the wall clock; ``Trigger`` says what setting that clock does. While the process or the machine does
/// not run, nothing is lost: ``JobPolicies/missedRuns`` decides about what was due meanwhile.
public final class JobScheduler: Sendable {
    /// What a scheduler may use. Every value has a default that suits one machine.
    public struct Configuration: Sendable {
        /// Only jobs that are due within this time are kept in memory.
        public var horizon: Duration
        /// How many jobs are kept in memory at most, as far as they are not running.
        public var maximumLoaded: Int
        /// How many handlers run at once; others wait for their turn, the oldest due first.
        public var maximumConcurrentRuns: Int
        /// How many handlers of these queues run at once in this scheduler; less than one counts as one, because ``serves``
        /// says of which queues nothing runs. A queue's own limit (``JobQueue/concurrency``) holds beside it, for all
        /// schedulers of the store together.
        public var queueConcurrency: [QueueID: Int]
        /// How many runs of each job are kept as history.
        public var historyRunsPerJob: Int
        /// How long finished and cancelled jobs are kept after their end (``Job/keptUntil``), unless a job itself says how
        /// long (``JobPolicies/retention``); 30 days by default. It is also how long refused submissions are kept.
        public var finishedJobsKept: Duration
        /// The same for finished jobs of which the last run to end failed or was lost for good; 180 days by default.
        public var failedJobsKept: Duration
        /// Names the boot of the machine, so that a change of the wall clock while no scheduler ran is noticed
        /// (`/proc/sys/kernel/random/boot_id` on Linux). `nil`: such a change is not noticed.
        public var bootID: String?
        /// How many bytes of events about jobs and runs wait for a subscriber before the oldest are dropped
        /// (``JobEvent/dropped(events:outputBytes:)``).
        public var eventBufferBytes: Int
        /// The same for output and progress, which are dropped first.
        public var outputBufferBytes: Int
        /// What the scheduler is called in the store, for people. The program's name by default.
        public var node: NodeID
        /// The queues whose jobs it runs, of the kinds that have a handler; all of them by default.
        ///
        /// With ``QueueSelection/nothing`` it only submits jobs, and changes them. In a store that several schedulers share, a
        /// scheduler owns jobs as long as it can run any: one that serves no queue, or has registered no handler yet, owns
        /// none. A due job that its owner cannot run moves to a scheduler that can.
        public var serves: QueueSelection
        /// How long handlers that ``JobScheduler/stop(grace:)`` has cancelled may take to return.
        public var cancellationGrace: Duration
        /// How long a handler may take to return after it was cancelled, for whatever reason, on the uptime clock. Then
        /// it is given up: its run ends as ``RunState/lost`` with the reason `abandoned`, its place is free, and its
        /// return has no effect any more. What follows is what would follow if it had returned: after its time limit,
        /// another attempt if the retry policy has one. 5 minutes by default; `nil` waits for as long as it takes.
        public var abandonment: Duration?
        /// How long the store may be unusable (``JobScheduler/storeOutage``), on the uptime clock, before the scheduler
        /// ends with the store's error. Meanwhile it keeps what happens in memory. `nil`, the default, waits for as
        /// long as it takes: set it where the process ends with the scheduler, and a service manager starts it again.
        public var storePatience: Duration?
        /// The rules of the zones of calendar triggers. They are read again when they have changed, which is noticed when the
        /// scheduler has something to do, and within an hour and a quarter otherwise.
        public var timeZones: any TimeZones
        /// What encloses submissions and handlers; the first is the outermost.
        public var middleware: [any JobMiddleware]

        /// A configuration; each argument left out has its default.
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
    }

    let loop: SchedulerLoop

    /// A scheduler over `store`, which it owns from `start` to `stop`.
    /// - Parameters:
    ///   - store: where the jobs live.
    ///   - engine: gives the time and the timers.
    ///   - host: reports the conditions that jobs wait for (``JobPolicies/conditions``); nothing else of it is used.
    ///     Its conditions are followed only while a job waits for them. Without one, every condition counts as met.
    ///   - random: gives the jitter of retries.
    ///   - configuration: how far ahead it loads, how much it runs at once, and what it keeps.
    ///   - executor: where handlers run; the global executor unless given. The scheduler's own tasks run on a thread
    ///     that handlers cannot block. With the executor of a `VirtualTime`, both run there.
    ///   - logger: gets the failures of the store and of handlers.
    public init(
        store: any JobStore, engine: TimerEngine = .shared, host: (any BackgroundHost)? = nil,
        random: any RandomSource = SystemRandom(), configuration: Configuration = .init(),
        executor: (any TaskExecutor)? = nil, logger: Logger? = nil
    ) {
        loop = SchedulerLoop(
            store: store, engine: engine, host: host, random: random, configuration: configuration, executor: executor,
            logger: logger ?? Logger(label: "apus.jobs"))
    }

    deinit { loop.abandon() }

    /// Registers what runs jobs of this kind, for attempts that begin from now on. A later call for the same kind replaces
    /// the earlier.
    ///
    /// The handler runs in a task of its own, which is cancelled when the run is to end
    /// (``RunContext/cancellationReason``). Returning normally is success, and throwing is failure; a thrown
    /// ``RunDecision`` says what follows. A job that is due and whose kind has no handler is parked: it waits until one is
    /// registered, here or by a program that opens the store later (``isParked(_:)``). In a store that several schedulers
    /// share it runs where there is one. Register handlers before ``start(afterOpening:)``: a later one is known to the
    /// others within a second.
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

    /// The same with a handler that returns a result, which is kept with the run (``Run/result(as:)``) if the attempt
    /// succeeds.
    ///
    /// A result that cannot be written as JSON, or that is larger than 64 KiB, makes the attempt a failure without
    /// another one: the work was done, and would be done again.
    public func register<Value: Codable & Sendable>(
        _ kind: String, returning type: Value.Type, handler: @escaping @Sendable (RunContext) async throws -> Value
    ) {
        register(kind) { run in try run.keep(result: await handler(run)) }
    }

    /// Opens the store, decides about what a crash interrupted, and begins to run what is due.
    /// - Parameter afterOpening: called when the store is this scheduler's, before anything is run: the moment to
    ///   clear away what an interrupted owner left outside of the store.
    /// - Throws: what ``JobStore/open(as:)`` throws; `closed` after ``stop(grace:)``.
    public func start(afterOpening: @Sendable () -> Void = {}) async throws {
        try await loop.start(afterOpening: afterOpening)
    }

    /// Starts no more runs, lets running handlers finish, and closes the store. Idempotent;
    /// a later call may shorten the grace of an earlier one.
    ///
    /// - Parameter grace: how long handlers may run from the call on, on the uptime clock; they are then cancelled
    ///   (`shutdown`). What still runs after ``Configuration/cancellationGrace`` stays running in the store: it is lost,
    ///   and tried again at the next start. `nil` waits for as long as they take.
    public func stop(grace: Duration? = .seconds(10)) async { await loop.stop(grace: grace) }

    /// Submits a job. When this returns, the job survives a crash.
    /// - Returns: the job, and what the submission did: a job that has not ended may be in its place
    ///   (``JobRequest/conflict``).
    /// - Throws: ``JobError`` with `invalid` (naming the argument), `alreadyExists` (if the request refuses conflicts),
    ///   `closed` if the scheduler does not run, or the store's `full`, `unavailable`, `damaged`, `notOwner`.
    @discardableResult
    public func submit(_ request: JobRequest) async throws -> SubmissionResult { try await submit([request])[0] }

    /// Submits several jobs in one commit: all or none.
    /// - Returns: the answer to each request, in their order.
    @discardableResult
    public func submit(_ requests: [JobRequest]) async throws -> [SubmissionResult] {
        let requests = try loop.configuration.middleware.submitted(requests)
        for request in requests { try request.validate() }
        if requests.isEmpty { return [] }
        guard case .submitted(let results) = try await loop.call(.job(.submit(requests))) else {
            throw JobError(
                code: .unavailable,
                message: "another node has carried out the submission, and does not say what it did; read the job")
        }
        return results
    }

    /// Makes jobs of what was submitted in applications' transactions that are committed already.
    ///
    /// The scheduler does that by itself when it starts, and as soon as this process commits a submission with the
    /// scheduler's store. It does not notice another process's submission: call this then. A caller that asks for such
    /// a job, or waits for its outcome, may come too early.
    /// - Throws: ``JobError`` with `closed`, or the store's errors: the submissions are kept then, and taken later.
    public func takeSubmissions() async throws { _ = try await loop.call(.takeSubmissions) }

    private func jobs(_ command: SchedulerCommand) async throws -> [Job] {
        guard case .jobs(let jobs) = try await loop.call(command) else {
            preconditionFailure("the answer does not belong to \(command)")
        }
        return jobs
    }

    /// Ends a job for good: nothing of it starts any more; running handlers are cancelled. No effect on one that has
    /// ended.
    /// - Throws: ``JobError`` with `notFound`, `closed`, or the store's errors.
    @discardableResult
    public func cancel(_ id: JobID) async throws -> Job { try await jobs(.job(.cancel(id)))[0] }

    /// Ends several jobs for good, as ``cancel(_:)`` does, in commits of up to 1,000 of them, between which what is
    /// due runs. Identifiers without a job are left out.
    /// - Returns: the jobs that have ended, in the order of their identifiers.
    /// - Throws: ``JobError`` with `closed`, or the store's errors: some of the jobs may be cancelled then.
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

    /// Lets nothing of the job start until ``resume(_:)``. A relative trigger keeps the remainder of its interval.
    /// No effect on a suspended job.
    /// - Throws: ``JobError`` with `notFound`, `invalid` for a job that has ended, `closed`, or the store's errors.
    @discardableResult
    public func suspend(_ id: JobID) async throws -> Job { try await jobs(.job(.suspend(id)))[0] }

    /// Resumes a job after ``suspend(_:)``. What was due meanwhile by the wall clock is decided by
    /// ``JobPolicies/missedRuns``. No effect on a job that is not suspended.
    /// - Throws: ``JobError`` with `notFound`, `invalid` for a job that has ended, `closed`, or the store's errors.
    @discardableResult
    public func resume(_ id: JobID) async throws -> Job { try await jobs(.job(.resume(id)))[0] }

    /// Runs a job once more, now, beside its trigger; also while it is suspended, and after it has finished: then it is
    /// scheduled until the run has its outcome. The run's occurrence number is 0 or below: each is smaller than the job's
    /// earlier ones, and numbers may be left out.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a cancelled job; `conflict` for a job that has finished and is
    ///   unique by its payload or key, while another one with that is open, and for a job with 1,000 open runs; `closed`,
    ///   or the store's errors.
    @discardableResult
    public func runNow(_ id: JobID) async throws -> Run {
        try await run(.job(.runNow(id)))
    }

    /// Changes the definition of a job that has not ended; its number, its history and its open runs stay.
    ///
    /// With an equal trigger everything stays due when it was. With another one, the occurrences that are still to come
    /// follow it from now on, and its count begins anew; what was due until now is decided by the former definition.
    /// Running attempts keep the payload and the time limit that they began with; what follows them obeys the new
    /// definition, runs that wait included.
    /// - Parameters:
    ///   - id: the job.
    ///   - body: changes what was asked for; the identifier and the kind stay. Called again, with what is there then, if
    ///     another caller has changed the definition meanwhile.
    /// - Returns: the job.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a job that has ended, another identifier or kind, and what a
    ///   submission would be refused for; `alreadyExists` if it would count as the same as another job; `conflict` if other
    ///   callers keep changing it; `closed`, or the store's errors; and what `body` throws.
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

    /// Cancels the open run of one occurrence, waiting or running; the job continues. A running handler is cancelled.
    /// - Returns: the run: cancelled, or still running with the reason `cancelled`.
    /// - Throws: ``JobError`` with `notFound` if there is no such job or the occurrence has not arrived, `conflict` if it is
    ///   not open, `closed`, or the store's errors.
    @discardableResult
    public func cancelRun(_ id: JobID, occurrence: Int) async throws -> Run {
        try await run(.job(.cancelRun(id, occurrence: occurrence)))
    }

    /// Tries an occurrence once more that has failed, was lost or was cancelled, whatever the retry policy says. It gets
    /// another attempt, due now, and its outcome is that attempt's; a finished job is scheduled again until then.
    /// - Parameters:
    ///   - id: the job.
    ///   - occurrence: the occurrence; `nil` for the last one that did not succeed.
    /// - Returns: the new attempt.
    /// - Throws: ``JobError`` with `notFound`; `invalid` for a cancelled job, and for an occurrence that has succeeded, was
    ///   skipped or is open; `conflict` if another job has the identifier by now, and for a job with 1,000 open runs;
    ///   `closed`, or the store's errors.
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

    /// The outcome of an occurrence that can be tried again.
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
                    "\(job.id): \(what) is \(run.state.rawValue); only what failed, was lost or was cancelled is tried again"
            )
        }
        return run
    }

    /// Changes limits of a queue, or pauses it; what is not named stays. Kept in the store, and true for runs that begin from
    /// now on.
    /// - Throws: ``JobError`` with `invalid` (naming the argument), `closed`, or the store's errors.
    @discardableResult
    public func configure(queue: QueueID, _ changes: JobQueue.Change...) async throws -> JobQueue {
        try await configure(queue: queue, changes)
    }

    /// The same with a list of changes.
    @discardableResult
    public func configure(queue: QueueID, _ changes: [JobQueue.Change]) async throws -> JobQueue {
        guard case .queue(let queue) = try await loop.call(.configure(queue, changes)) else {
            preconditionFailure("the answer does not belong to a queue")
        }
        return queue
    }

    /// The queues that have limits, or jobs that run or wait, by name. Empty while the scheduler does not run.
    public func queues() -> [QueueStatus] { loop.queues() }

    /// Why an occurrence ran, did not run, or waits: the chain of decisions about it, from what is stored and what the
    /// scheduler sees now.
    /// - Parameters:
    ///   - id: the job.
    ///   - occurrence: the occurrence; `nil` for the oldest open one, else the next one, else the last one.
    /// - Returns: the decisions, in their order.
    /// - Throws: ``JobError`` with `notFound`, also for an occurrence that is not to come or whose history is gone, or the
    ///   store's errors.
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
                    "\(id): nothing is known of \(OccurrenceText.words(occurrence)); its history is gone, or it has not arrived"
            )
        }
        var explanation = Explanation(
            loaded, loop.situation(of: loaded), now: loop.reading().wall, in: loop.configuration.timeZones)
        return explanation.explain(number, runs: runs)
    }

    /// What holds a job back although it is due, of its ``JobPolicies/conditions``, as the scheduler saw last. Empty when
    /// nothing does: no occurrence is due, the conditions hold, something else is in the way, or the host does not
    /// report them.
    public func awaitedConditions(_ id: JobID) -> JobConditions { loop.awaitedConditions(id) }

    /// Whether a job is parked: an occurrence is due, could begin, and this scheduler has no handler for the job's kind, or
    /// does not serve its queue, and knows no other scheduler of the store that can run it.
    ///
    /// It begins as soon as ``register(_:handler:)-(String,_)`` registers one. A job whose conditions do not hold, or that is suspended, is
    /// not parked, and none is while the scheduler does not run.
    public func isParked(_ id: JobID) -> Bool { loop.isParked(id) }

    package func hasHandler(for kind: String) -> Bool { loop.handler(of: kind) != nil }

    /// The present, by the clock that this scheduler goes by.
    package var now: WallInstant { loop.reading().wall }

    /// The rules by which it reads calendar triggers.
    package var timeZones: any TimeZones { loop.configuration.timeZones }

    /// What happens from now on. Each subscriber has its own buffer, bounded in bytes; when it is full, output is dropped
    /// first, and ``JobEvent/dropped(events:outputBytes:)`` stands where events were left out. The stream ends when the
    /// scheduler stops, or with the task that reads it.
    public func events() -> AsyncStream<JobEvent> { loop.hub.subscribe() }

    /// For tests: how many streams of ``events()`` there are.
    package var subscriberCount: Int { loop.hub.count }
}

/// Running as a part of structured concurrency.
extension JobScheduler {
    /// Starts, runs what is due until the task is cancelled, and stops: ``start(afterOpening:)`` and ``stop(grace:)`` in
    /// one call. Register handlers before. Returns when the scheduler has stopped, be it by the cancellation or by
    /// ``stop(grace:)``; like a started scheduler, it cannot be run again.
    ///
    /// In a `ServiceGroup` of swift-service-lifecycle, use `JobSchedulerService` of ApusServiceLifecycle: it stops at a
    /// graceful shutdown.
    /// - Parameters:
    ///   - grace: how long handlers may run after the task's cancellation, on the uptime clock, before they are
    ///     cancelled; `nil` waits for as long as they take. See ``stop(grace:)``.
    ///   - afterOpening: called when the store is this scheduler's, before anything is run.
    ///   - afterStarting: called when the scheduler runs, beside its first runs: the moment to
    ///     ``declare(_:as:)`` the program's repeating jobs. It is cancelled with the task, and when the scheduler has ended,
    ///     and waited for. An error that it throws stops the scheduler as a cancellation does; once a stop was requested,
    ///     its errors are ignored.
    /// - Throws: what ``start(afterOpening:)`` and `afterStarting` throw, and the error with which the scheduler loses its
    ///   store (``JobError`` with `notOwner`, or `unavailable` after ``Configuration/storePatience``). Not
    ///   `CancellationError`: a cancellation is how it ends.
    public func run(
        grace: Duration? = .seconds(10), afterOpening: @Sendable () -> Void = {},
        afterStarting: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let hasStopped = loop.hub.isFinished
        let error = try await withTaskCancellationHandler {
            do { try await start(afterOpening: afterOpening) } catch let error as JobError where error.code == .closed {
                // It was stopped while it started; one that had been stopped before cannot be run.
                guard !hasStopped, loop.hub.isFinished else { throw error }
                return await loop.hub.waitForEnd()
            }
            return try await withThrowingTaskGroup { group in
                group.addTask {
                    do { try await afterStarting() } catch {
                        // A stop that has begun keeps its own grace.
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

    /// Begins ``stop(grace:)``, and does not wait for its end.
    package func requestStop(grace: Duration?) {
        loop.noteStopRequest()
        _ = Task(executorPreference: loop.executor) { await self.stop(grace: grace) }
    }
}
