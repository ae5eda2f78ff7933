public import ApusTimers

/// The beginning and the cause of a time in which a scheduler cannot use its store (``JobScheduler/storeOutage``).
public struct StoreOutage: Sendable {
    /// The instant of the first failed access, by the scheduler's wall clock.
    public var since: WallInstant
    /// The last error.
    public var error: JobError
}

extension JobScheduler {
    /// The present outage of the store; `nil` while no failure is known, and while the scheduler does not run.
    ///
    /// It begins with a failed read or commit, or when a database has not answered for so long that other nodes may
    /// declare this node dead. An outage of the first kind ends with a commit, which the scheduler tries about once a
    /// second, even if there is nothing to write. An outage of the second kind ends when the database answers again.
    public var storeOutage: StoreOutage? { loop.storeOutage() }
}

extension SchedulerMachine {
    /// The present outage; see ``JobScheduler/storeOutage``.
    var outage: StoreOutage? {
        guard let (since, error) = currentOutage else { return nil }
        return StoreOutage(since: since.wall, error: error)
    }

    private var currentOutage: (since: SchedulerReading, error: JobError)? {
        if life.isOver { return nil }
        guard let cutOff = shards.cutOffSince else { return backoff.outage }
        let silence = JobError(
            code: .unavailable,
            message:
                "the database does not answer, and other nodes may declare this one dead; check that the database can be reached"
        )
        guard let (since, error) = backoff.outage else { return (cutOff, silence) }
        return (since.uptime < cutOff.uptime ? since : cutOff, error)
    }

    /// The instant at which the scheduler gives up the store.
    var outageDeadline: UptimeInstant? {
        guard let patience = configuration.storePatience, life.isRunning else { return nil }
        return currentOutage.map { $0.since.uptime.advanced(by: patience) }
    }

    /// Ends the scheduler if the outage has lasted for too long.
    mutating func endOutage(_ now: SchedulerReading) {
        guard let deadline = outageDeadline, deadline <= now.uptime, let error = currentOutage?.error else { return }
        halt(
            JobError(
                code: .unavailable, message: "the store could not be used for too long: \(error.message)",
                cause: error))
    }
}
