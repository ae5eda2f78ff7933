package import ApusTimers

/// What the scheduler's loop brings to its machine.
package enum SchedulerInput: Sendable {
    /// A caller asks for something and waits for the answer.
    case command(Int, SchedulerCommand)
    /// A handler has returned. `jitter` is a random number, 0 to 1, for the delay of a retry.
    case ended(RunKey, JobMachine.Ended, jitter: Double)
    /// A handler was not begun, or could not: the run waits again.
    case notBegun(RunKey, JobPostponement?)
    /// A handler reports how far it is, to be kept.
    case progress(RunKey, RunProgress)
    /// These conditions do not hold now.
    case conditions(unmet: JobConditions)
    /// There is a handler for this kind now.
    case handler(kind: String)
    /// The store has something to say.
    case signal(StoreSignal)
    /// The rules of a time zone are others than before.
    case timeZonesChanged
}

/// What callers ask for.
package enum SchedulerCommand: Sendable {
    case job(JobCommand)
    /// Jobs of another store continue in this one, all or none.
    case restore([JobRestoration])
    /// The jobs that another scheduler has changed for the caller.
    case read([JobID])
    case configure(QueueID, [JobQueue.Change])
    /// What applications have submitted until now is taken.
    case takeSubmissions
    /// Starts no more runs, and ends when the running ones have ended; after the grace they are cancelled.
    case stop(grace: Duration?)

    /// The identifiers of the jobs that it changes.
    var ids: [JobID] {
        switch self {
        case .job(let command): command.ids
        case .restore(let jobs): jobs.map(\.request.id)
        case .read, .configure, .takeSubmissions, .stop: []
        }
    }
}

/// What callers are answered.
package enum SchedulerReply: Sendable {
    case jobs([Job])
    case run(Run)
    case queue(JobQueue)
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

/// What the clocks said at one moment.
package struct ClockReading: Hashable, Sendable {
    package var wall: WallInstant
    /// The latest that it may be. Another one than `wall` if the clock is that of a database.
    package var latestWall: WallInstant
    package var continuous: ContinuousInstant
    package var uptime: UptimeInstant

    package init(_ time: some TimeSource) {
        wall = time.wall()
        latestWall = wall
        continuous = time.continuous()
        uptime = time.uptime()
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

/// What the loop has to do next. It does one action at a time, and brings the result before it asks again.
package enum SchedulerStep: Sendable {
    /// Commit, then ``SchedulerMachine/committed(_:at:)`` or ``SchedulerMachine/commitFailed(_:at:)``.
    case commit(StoreTurn)
    /// Read, then ``SchedulerMachine/read(_:at:)`` or ``SchedulerMachine/readFailed(_:at:)``.
    case read(SchedulerRead)
    /// Look which conditions hold, and bring the answer as an input.
    case readConditions
    /// Remove old jobs, then ``SchedulerMachine/retired(hasMore:)``.
    case retire(endedBefore: WallInstant, budget: Int)
    /// Close the store, then ``SchedulerMachine/closed()``.
    case close
    /// Wait for inputs, and for this instant, if there is one.
    case wait(SchedulerWake?)
}

/// What to read from the store.
package enum SchedulerRead: Hashable, Sendable {
    case interrupted(after: Int64, limit: Int)
    case anchored(after: Int64, limit: Int)
    case due(through: WallInstant, limit: Int, excluding: [QueueLane])
    case load([JobReference])
    case submissions(limit: Int)
    case places([QueueUse])
}

/// What was read.
package enum SchedulerReadAnswer: Sendable {
    case jobs([LoadedJob])
    case due(DueJobs)
    case loaded([LoadedJob?])
    case submissions([StoreSubmission])
    case places([QueuePlaces])
}

/// When to look again if nothing happens before.
package struct SchedulerWake: Hashable, Sendable {
    package enum Instant: Hashable, Sendable {
        case wall(WallInstant)
        case uptime(UptimeInstant)
    }
    package var instant: Instant
    /// How much later it may be.
    package var tolerance: Duration
}

/// What the loop does after a step, without waiting for it.
package enum SchedulerEffect: Sendable {
    /// Call the handler of this run.
    case start(Run, of: Job)
    /// Cancel the handler of this run.
    case cancel(RunKey, CancellationReason)
    case answer(Int, Result<SchedulerReply, JobError>)
    case emit(JobEvent)
    /// So many runs of the job ended so, or so many occurrences were skipped.
    case count(RunState, Int, of: Job)
    /// Follow the host's conditions, or end that.
    case followConditions(Bool)
    case log(SchedulerNotice)
    /// The jobs that are due first are in memory: what is due is run from now on.
    case started
    /// Nothing follows.
    case stopped(JobError?)
}

/// What an operator should know.
package enum SchedulerNotice: Sendable {
    case storeFails(any Error)
    case storeWorks
    case clockSet(by: Duration)
    case interrupted(jobs: Int)
    case parked(kind: String)
    /// A job waits because its time zone is not there.
    case timeZoneMissing(JobID, String)
    case handlersStillRun(Int)
    case unwritten(Int)
    case lostOwnership(JobError)
    /// What an application submitted in a transaction of its own was refused, and removed.
    case submissionRefused(JobID?, JobError)
}
