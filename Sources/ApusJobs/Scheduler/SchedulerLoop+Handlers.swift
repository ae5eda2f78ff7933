import ApusTimers
import Logging

// Calls handlers, and reports to the machine when each has returned or was given up.
extension SchedulerLoop {
    func launch(_ run: Run, of job: Job) {
        let key = RunKey(run)
        let control = RunControl(
            engine: engine, events: hub, executor: handlerExecutor, patience: configuration.abandonment,
            report: { [weak self] in self?.receive($0, of: key) })
        handlers.withLock { $0.begin(run, control) }
        let schema = storeSchema
        control.attach(Task(executorPreference: handlerExecutor) { await self.perform(run, of: job, schema, control) })
    }

    private func perform(_ claimed: Run, of job: Job, _ schema: String?, _ control: RunControl) async {
        var run = claimed
        let key = RunKey(run)
        let now = reading().wall
        // A run never begins early. It waits again if the clock was set back since the claim, or if its kind has no
        // handler.
        guard now >= run.due, let handler = handler(of: job.request.kind) else {
            guard control.end() != nil else { return hasReturnedLate(run, control) }
            return end(key, .notBegun(key, nil))
        }
        run.started = now
        guard control.begin(timeLimit: job.request.policies.timeLimit, at: now) else {
            return hasReturnedLate(run, control)
        }
        hub.emit(.runStarted(run))
        let context = RunContext(
            job: job, occurrence: run.occurrence, attempt: run.attempt, standsFor: run.standsFor, due: run.due,
            started: now, isLastAttempt: run.isLastAttempt(under: job.request.policies.retry), schema: schema,
            control: control)
        let metrics = metrics.current
        let began = metrics.map { _ in engine.time.uptime() }
        var failure: (any Error)?
        do { try await handler.call(context) } catch { failure = error }
        guard let left = control.end() else { return hasReturnedLate(run, control) }
        let decision = failure as? RunDecision
        if let decision, decision.kind == .snooze {
            // The last report of progress stays with the run; everything else that the handler has set is discarded.
            if let progress = left.progress { post(.progress(key, progress)) }
            return end(key, .notBegun(key, decision))
        }
        if let metrics, let began {
            metrics.handled(job, for: began.duration(to: engine.time.uptime()), lateness: run.lateness)
        }
        var ended = JobMachine.Ended(.succeeded, left)
        switch (left.reason, failure) {
        case (.timedOut, _): ended.result = .timedOut
        case (_, nil): break
        case (.shutdown, _): ended.result = .interrupted
        case (_, let error?):
            ended.result = .failed(reason: "\(error)", isFinal: decision?.kind == .discard)
            if let code = decision?.exitCode { ended.exitCode = code }
        }
        switch ended.result {
        case .failed(_, isFinal: false), .timedOut:
            ended.retryAfter = decision?.delay ?? handler.retryDelay(run.attempt - run.lostBefore)
        default: break
        }
        end(key, ended)
    }

    private func end(_ key: RunKey, _ ended: JobMachine.Ended) {
        // A random number of the system costs a system call, and a success needs no jitter.
        let jitter = ended.result == .succeeded ? 0 : Double(random.next() >> 11) * 0x1p-53
        end(key, .ended(key, ended, jitter: jitter))
    }

    private func end(_ key: RunKey, _ input: SchedulerInput) {
        _ = handlers.withLock { $0.remove(key) }
        post(input)
    }

    private func receive(_ report: RunControl.Report, of key: RunKey) {
        switch report {
        case .progress(let progress): post(.progress(key, progress))
        case .stuck:
            if let called = handlers.withLock({ $0.markStuck(key) }) {
                SchedulerNotice.handlerIsStuck(called.run).log(to: logger)
            }
            wake()
        case .givenUp(let left):
            handlers.withLock { $0.giveUp(key) }
            var ended = JobMachine.Ended(left.reason == .timedOut ? .timedOut : .interrupted, left)
            ended.isAbandoned = true
            end(key, ended)
        }
    }

    // MARK: Handlers that ignore their cancellation

    /// Notes that a handler that was given up has returned; its run has ended without it, so nothing follows.
    private func hasReturnedLate(_ run: Run, _ control: RunControl) {
        _ = handlers.withLock { $0.returnedLate(RunKey(run), control) }
        logger.notice(
            "a handler that was given up has returned",
            metadata: ["job": "\(run.jobID)", "occurrence": "\(run.occurrence)", "attempt": "\(run.attempt)"])
        wake()
    }

    func stuckHandlers() -> [StuckHandler] {
        let now = engine.time.uptime()
        return handlers.withLock(\.stuck).compactMap { called in
            called.control.stuck.map { reason, since in
                StuckHandler(
                    jobID: called.run.jobID, occurrence: called.run.occurrence, attempt: called.run.attempt,
                    reason: reason, duration: since.duration(to: now), isAbandoned: called.isAbandoned)
            }
        }
        .sorted { ($0.jobID.rawValue, $0.occurrence, $0.attempt) < ($1.jobID.rawValue, $1.occurrence, $1.attempt) }
    }
}

extension JobMachine.Ended {
    /// Creates the end of an attempt from a result and the values that the handler has set.
    fileprivate init(_ result: Result, _ left: RunControl.Left) {
        self.init(result, started: left.started, exitCode: left.exitCode, output: left.output)
        (handlerResult, progress) = (left.result, left.progress)
    }
}

/// The handlers that were called and have not returned: those of runs in progress, and those whose runs have ended
/// without them.
struct CalledHandlers: Sendable {
    struct Called: Sendable {
        let run: Run
        let control: RunControl
        var isAbandoned = false
    }

    private var running: [RunKey: Called] = [:]
    /// The keys of running handlers that were reported as stuck.
    private var overdue: Set<RunKey> = []
    /// The handlers that were given up, by their controls.
    ///
    /// Their keys need not be unique: if the store has lost the end of a run, a later run has the same key.
    private var abandoned: [ObjectIdentifier: Called] = [:]

    subscript(key: RunKey) -> RunControl? { running[key]?.control }

    /// The handlers that may be stuck; ``RunControl/stuck`` says whether they are.
    var stuck: [Called] { overdue.compactMap { running[$0] } + abandoned.values }

    mutating func begin(_ run: Run, _ control: RunControl) {
        running[RunKey(run)] = Called(run: run, control: control)
    }

    /// Removes a handler that has returned or was given up, and returns its control.
    ///
    /// The caller releases the control, so that it is not freed under the lock.
    mutating func remove(_ key: RunKey) -> RunControl? {
        if !overdue.isEmpty { overdue.remove(key) }
        return running.removeValue(forKey: key)?.control
    }

    mutating func markStuck(_ key: RunKey) -> Called? {
        guard let called = running[key] else { return nil }
        overdue.insert(key)
        return called
    }

    mutating func giveUp(_ key: RunKey) {
        overdue.remove(key)
        guard var called = running.removeValue(forKey: key) else { return }
        called.isAbandoned = true
        abandoned[ObjectIdentifier(called.control)] = called
    }

    /// Removes a handler that has returned after it was given up, perhaps before ``giveUp(_:)`` was called.
    mutating func returnedLate(_ key: RunKey, _ control: RunControl) -> RunControl? {
        if let called = abandoned.removeValue(forKey: ObjectIdentifier(control)) { return called.control }
        return running[key]?.control === control ? remove(key) : nil
    }
}

/// A handler that was cancelled and has not returned since (``JobScheduler/stuckHandlers()``).
public struct StuckHandler: Hashable, Sendable {
    /// The identifier of the job.
    public var jobID: JobID
    /// The number of the occurrence; 0 and below for runs by hand.
    public var occurrence: Int
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The reason why the handler was cancelled.
    public var reason: CancellationReason
    /// The time since the handler was cancelled, on the uptime clock.
    public var duration: Duration
    /// Whether the handler was given up; if so, its run has ended without it.
    public var isAbandoned: Bool
}

extension JobScheduler {
    /// Returns the handlers that were cancelled at least 10 s ago and have not returned, ordered by job, occurrence and
    /// attempt.
    ///
    /// If ``Configuration/abandonment`` is shorter than 10 s, that time counts in place of 10 s. Handlers that were
    /// given up, and whose runs have ended without them, are included. A stuck handler occupies what it uses, such as a
    /// thread of Swift's pool that it blocks.
    public func stuckHandlers() -> [StuckHandler] { loop.stuckHandlers() }
}
