package import ApusTimers

/// An input that the loop delivers to the scheduler's machine.
package enum SchedulerInput: Sendable {
    /// A caller has sent a command, and waits for the answer under this number.
    case command(Int, SchedulerCommand)
    /// A handler has returned, or was given up; `jitter` is a random number, 0 to 1, for the delay of a retry.
    case ended(RunKey, JobMachine.Ended, jitter: Double)
    /// A handler was not called, or asked to be called later, so the run waits again.
    case notBegun(RunKey, RunDecision?)
    /// A handler has reported progress that is to be stored.
    case progress(RunKey, RunProgress)
    /// These conditions do not hold at present.
    case conditions(unmet: JobConditions)
    /// A handler for this kind was registered.
    case handler(kind: String)
    indirect case signal(StoreSignal)
    case timeZonesChanged
}

/// A command of a caller, or one that the store keeps.
package enum SchedulerCommand: Sendable {
    case job(JobCommand)
    /// Continues jobs of another store in this one, all or none.
    case restore([JobRestoration])
    /// Reads the jobs that another scheduler has changed for the caller, by a submission with these outcomes or by
    /// another command.
    case read([JobID], outcomes: [SubmissionOutcome]?)
    case configure(QueueID, [JobQueue.Change])
    /// Deletes these jobs, except those that have not ended or have changed since they were read.
    case delete([JobVersion])
    /// Takes the submissions that applications have made until now.
    case takeSubmissions
    /// Starts no more runs, and ends when the runs in progress have ended; handlers that still run after the grace are
    /// cancelled.
    case stop(grace: Duration?)

    /// The identifiers of the jobs that the command changes.
    var ids: [JobID] {
        switch self {
        case .job(let command): command.ids
        case .restore(let jobs): jobs.map(\.request.id)
        case .read, .configure, .delete, .takeSubmissions, .stop: []
        }
    }

    /// The command with requests as stores keep them (``JobRequest/normalized``).
    var normalized: SchedulerCommand {
        switch self {
        case .job(.submit(let requests)): .job(.submit(requests.map(\.normalized)))
        case .job(.update(let request, let former, let key)):
            .job(.update(request.normalized, from: former, key: key))
        case .restore(let jobs):
            .restore(
                jobs.map { job in
                    var job = job
                    job.request = job.request.normalized
                    return job
                })
        case .job, .read, .configure, .delete, .takeSubmissions, .stop: self
        }
    }
}

/// The answer to a command.
package enum SchedulerReply: Sendable {
    case jobs([Job])
    case submitted([SubmissionResult])
    indirect case run(Run)
    case queue(JobQueue)
    case deleted(Set<Int64>)
    case done
}

/// The identifier of one attempt of one job.
package struct RunKey: Hashable, Sendable, Comparable {
    package var job: Int64
    package var occurrence: Int
    package var attempt: Int
    package init(_ run: Run) { (job, occurrence, attempt) = (run.jobKey, run.occurrence, run.attempt) }
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.job, lhs.occurrence, lhs.attempt) < (rhs.job, rhs.occurrence, rhs.attempt)
    }
}

/// The clocks at one moment; the wall clock may be the store's.
package struct SchedulerReading: Hashable, Sendable {
    private var clocks: ClockReading
    /// The latest possible instant of the wall clock; it differs from `wall` only for the clock of a database.
    package var latestWall: WallInstant

    package var wall: WallInstant {
        get { clocks.wall }
        set { clocks.wall = newValue }
    }
    package var continuous: ContinuousInstant { clocks.continuous }
    package var uptime: UptimeInstant { clocks.uptime }

    package init(_ time: some TimeSource) {
        clocks = ClockReading(time)
        latestWall = clocks.wall
    }

    /// Reads the clocks, with the store's wall clock if it has one.
    init(_ time: some TimeSource, of store: some JobStore) {
        self.init(time)
        if let bounds = store.wall(at: continuous) { (wall, latestWall) = (bounds.lowerBound, bounds.upperBound) }
    }

    /// The wall clock minus the continuous clock; the offset changes when the wall clock is set.
    var wallOffset: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: wall.nanoseconds &- continuous.nanoseconds))
    }
}

/// The next step of the loop, which executes one step at a time and delivers the result before it asks for another.
package enum SchedulerStep: Sendable {
    /// Commit, then call ``SchedulerMachine/committed(_:at:)`` or ``SchedulerMachine/commitFailed(_:at:)``.
    case commit(StoreTurn)
    /// Read, then call ``SchedulerMachine/read(_:_:at:)`` or ``SchedulerMachine/readFailed(_:_:at:)``.
    case read(SchedulerRead)
    /// Read the conditions of the host, and deliver the answer as an input.
    case readConditions
    /// Remove old jobs, then call ``SchedulerMachine/retired(hasMore:)`` or ``SchedulerMachine/retireFailed(_:)``.
    case retire(keptUntil: WallInstant, refusedBefore: WallInstant, budget: Int)
    /// Delete these jobs, then call ``SchedulerMachine/deleted(_:)``.
    case delete([JobVersion])
    /// Close the store, then call ``SchedulerMachine/closed()``.
    case close
    /// Wait until an input arrives, or until this instant if there is one.
    case wait(SchedulerWake?)
}

/// A read of the store.
package enum SchedulerRead: Hashable, Sendable {
    case interrupted(after: Int64, limit: Int)
    case anchored(after: Int64, limit: Int)
    case due(JobLoad)
    case load([JobReference])
    case submissions(limit: Int)
    case places([QueueUse])
}

/// The answer to a read.
package enum SchedulerReadAnswer: Sendable {
    case jobs([FoundJob])
    case due(DueJobs)
    case loaded([FoundJob?])
    case submissions([StoreSubmission])
    case places([QueuePlaces])
}

/// The instant of the next step, unless an input arrives earlier.
package struct SchedulerWake: Hashable, Sendable {
    package enum Instant: Hashable, Sendable {
        case wall(WallInstant)
        case uptime(UptimeInstant)
    }
    package var instant: Instant
    package var tolerance: Duration
}

/// A consequence of a call of the machine.
///
/// The loop executes effects in their order after the call, and does not wait for what they begin.
package enum SchedulerEffect: Sendable {
    /// Call the handler of this run.
    indirect case start(Run, of: Job)
    /// Cancel the handler of this run.
    case cancel(RunKey, CancellationReason)
    case answer(Int, Result<SchedulerReply, JobError>)
    indirect case emit(JobEvent)
    /// Count runs of the job that ended with this outcome, or occurrences that were skipped.
    indirect case count(RunState, Int, of: Job)
    /// Follow the host's conditions, or stop following them.
    case followConditions(Bool)
    indirect case log(SchedulerNotice)
    /// Report to the other schedulers of the store which jobs can run here.
    case serve(RunnableJobs)
    /// Let `start` return, because the jobs that are due first are in memory.
    case started
    /// End the loop's inbox and the streams of events; no effect follows.
    case stopped(JobError?)
}
