public import ApusTimers

/// Since when and why a scheduler cannot use its store (``JobScheduler/storeOutage``).
public struct StoreOutage: Sendable {
    /// When the first access failed, by the clock that the scheduler goes by.
    public var since: WallInstant
    /// The last error.
    public var error: JobError
}

extension JobScheduler {
    /// Since when and why the store cannot be written; `nil` while nothing is known to be wrong, and while the
    /// scheduler does not run.
    ///
    /// It begins with a read or a commit that fails, or when a database has not answered for so long that other nodes
    /// may take this one for dead. The first kind ends with a commit, which the scheduler tries about once a second,
    /// also if there is nothing to be written; the second one ends when the database answers again.
    public var storeOutage: StoreOutage? { loop.storeOutage() }
}

extension SchedulerMachine {
    /// See ``JobScheduler/storeOutage``.
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
                "the database does not answer, and other nodes may take this one for dead; check that it can be reached"
        )
        guard let (since, error) = backoff.outage else { return (cutOff, silence) }
        return (since.uptime < cutOff.uptime ? since : cutOff, error)
    }

    /// When the scheduler gives the store up.
    var outageDeadline: UptimeInstant? {
        guard let patience = configuration.storePatience, life.isRunning else { return nil }
        return currentOutage.map { $0.since.uptime.advanced(by: patience) }
    }

    /// Ends the scheduler if the store could not be used for too long.
    mutating func endOutage(_ now: SchedulerReading) {
        guard let deadline = outageDeadline, deadline <= now.uptime, let error = currentOutage?.error else { return }
        halt(
            JobError(
                code: .unavailable, message: "the store could not be used for too long: \(error.message)",
                cause: error))
    }
}
