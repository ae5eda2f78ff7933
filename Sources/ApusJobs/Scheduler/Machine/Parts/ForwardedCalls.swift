import ApusTimers

/// Callers' commands for jobs of shards that other schedulers own.
///
/// ```
///  caller ─► command ─► its job is in another shard ─► a turn puts it into the store, with a number
///                                                        │
///            answer ◄─ signal ◄─ reply ◄─ the turn of the shard's owner that carries it out, and removes it
/// ```
///
/// The owner removes the command and writes its effect and the reply in one transaction, so the command is carried out
/// at most once, whatever happens to the schedulers. After ``patience`` the caller gets an error, because it is unknown
/// whether the command was carried out.
struct ForwardedCalls {
    /// The time for which a caller waits for the reply; a takeover of a dead scheduler's shards needs less time.
    static let patience: Duration = .seconds(30)

    /// The instants until which the callers wait for replies, by the numbers of the calls.
    private var deadlines: [Int: UptimeInstant] = [:]

    var nextDeadline: UptimeInstant? { deadlines.values.min() }

    /// Notes that the command is in the store.
    mutating func stored(_ call: Int, _ now: UptimeInstant) { deadlines[call] = now.advanced(by: Self.patience) }

    /// Notes that the reply has arrived.
    ///
    /// - Returns: Whether the reply was still awaited.
    mutating func replied(_ call: Int) -> Bool { deadlines.removeValue(forKey: call) != nil }

    mutating func giveUp(_ now: UptimeInstant, _ effects: inout [SchedulerEffect]) {
        if deadlines.isEmpty { return }
        let seconds = Self.patience.components.seconds
        let error = JobError(
            code: .unavailable,
            message:
                "the node that runs the job has not answered within \(seconds) s; it may have made the change, or may still make it: read the job"
        )
        for (call, deadline) in deadlines.sorted(by: { $0.key < $1.key }) where deadline <= now {
            deadlines[call] = nil
            effects.answer(call, .failure(error))
        }
    }

    mutating func failAll(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for call in deadlines.keys.sorted() { effects.answer(call, .failure(error)) }
        deadlines = [:]
    }
}
