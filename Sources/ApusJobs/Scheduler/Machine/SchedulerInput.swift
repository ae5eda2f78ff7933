package import ApusTimers

/// An event that the scheduler's loop brings to its machine.
package enum SchedulerInput: Sendable {
    /// A caller waits for the answer to a command.
    case command(Int, SchedulerCommand)
    /// A handler has returned. `jitter` is a random number, 0 to 1, for the delay of a retry.
    case ended(RunKey, JobMachine.Ended, jitter: Double)
    /// A handler was not begun, or could not: the run waits again.
    case notBegun(RunKey, RunDecision?)
    /// A handler reports its progress, which is stored.
    case progress(RunKey, RunProgress)
    /// These conditions do not hold now.
    case conditions(unmet: JobConditions)
    /// A handler for this kind was registered.
    case handler(kind: String)
    indirect case signal(StoreSignal)
    /// The rules of a time zone have changed.
    case timeZonesChanged
}

/// A command of a caller, or one that the store keeps.
package enum SchedulerCommand: Sendable {
    case job(JobCommand)
    /// Continues jobs of another store in this one, all or none.
    case restore([JobRestoration])
    /// Reads the jobs that another scheduler has changed for the caller: by a submission, which had these outcomes, or
    /// by another command.
    case read([JobID], outcomes: [SubmissionOutcome]?)
    case configure(QueueID, [JobQueue.Change])
    /// Removes those of the jobs that have ended, and are as they were read.
    case delete([JobVersion])
    /// Takes the submissions that applications have made until now.
    case takeSubmissions
    /// Starts no more runs, and ends when the running ones have ended; after the grace they are cancelled.
    case stop(grace: Duration?)

    /// The identifiers of the jobs that it changes.
    var ids: [JobID] {
        switch self {
        case .job(let command): command.ids
        case .restore(let jobs): jobs.map(\.request.id)
        case .read, .configure, .delete, .takeSubmissions, .stop: []
        }
    }

    /// With requests as stores keep them (``JobRequest/normalized``).
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

/// Names one attempt of one job.
package struct RunKey: Hashable, Sendable, Comparable {
    package var job: Int64
    package var occurrence: Int
    package var attempt: Int
    package init(_ run: Run) { (job, occurrence, attempt) = (run.jobKey, run.occurrence, run.attempt) }
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.job, lhs.occurrence, lhs.attempt) < (rhs.job, rhs.occurrence, rhs.attempt)
    }
}

/// What the clocks said at one moment, where the wall clock may be that of the store.
package struct SchedulerReading: Hashable, Sendable {
    private var clocks: ClockReading
    /// The latest that the wall clock may be. Another one than `wall` if the clock is that of a database.
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

    /// By the store's clock, if it has one.
    init(_ time: some TimeSource, of store: some JobStore) {
        self.init(time)
        if let bounds = store.wall(at: continuous) { (wall, latestWall) = (bounds.lowerBound, bounds.upperBound) }
    }

    /// The wall clock minus the clock that cannot be set.
    var wallOffset: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: wall.nanoseconds &- continuous.nanoseconds))
    }
}

/// The next step of the loop, which executes one at a time and brings the result before it asks again.
package enum SchedulerStep: Sendable {
    /// Commit, then ``SchedulerMachine/committed(_:at:)`` or ``SchedulerMachine/commitFailed(_:at:)``.
    case commit(StoreTurn)
    /// Read, then ``SchedulerMachine/read(_:at:)`` or ``SchedulerMachine/readFailed(_:at:)``.
    case read(SchedulerRead)
    /// Read the conditions of the host, and bring the answer as an input.
    case readConditions
    /// Remove old jobs, then ``SchedulerMachine/retired(hasMore:)``.
    case retire(keptUntil: WallInstant, refusedBefore: WallInstant, budget: Int)
    /// Remove these jobs, then ``SchedulerMachine/deleted(_:)``.
    case delete([JobVersion])
    /// Close the store, then ``SchedulerMachine/closed()``.
    case close
    /// Wait for inputs, and for this instant, if there is one.
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

/// The answer to a read of the same name.
package enum SchedulerReadAnswer: Sendable {
    case jobs([FoundJob])
    case due(DueJobs)
    case loaded([FoundJob?])
    case submissions([StoreSubmission])
    case places([QueuePlaces])
}

/// The instant of the next step if nothing happens before.
package struct SchedulerWake: Hashable, Sendable {
    package enum Instant: Hashable, Sendable {
        case wall(WallInstant)
        case uptime(UptimeInstant)
    }
    package var instant: Instant
    package var tolerance: Duration
}

/// A consequence of a step, which the loop executes after it without waiting for the end.
package enum SchedulerEffect: Sendable {
    /// Call the handler of this run.
    indirect case start(Run, of: Job)
    /// Cancel the handler of this run.
    case cancel(RunKey, CancellationReason)
    case answer(Int, Result<SchedulerReply, JobError>)
    indirect case emit(JobEvent)
    /// Count the runs of the job that ended so, or the occurrences that were skipped.
    indirect case count(RunState, Int, of: Job)
    /// Follow the host's conditions, or stop following them.
    case followConditions(Bool)
    indirect case log(SchedulerNotice)
    /// Report to the other schedulers of the store what can run here.
    case serve(RunnableJobs)
    /// The jobs that are due first are in memory, and run when they are due from now on.
    case started
    /// The last effect.
    case stopped(JobError?)
}
