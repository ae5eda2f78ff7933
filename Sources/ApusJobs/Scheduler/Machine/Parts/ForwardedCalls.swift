import ApusTimers

/// Callers' commands for jobs of shards that other schedulers own.
///
/// ```
///  caller ─► command ─► its job is in another shard ─► a turn puts it into the store, with a number
///                                                        │
///            answer ◄─ signal ◄─ reply ◄─ the turn of the shard's owner that carries it out, and removes it
/// ```
///
/// The command, its effect and the reply are one transaction of the owner: it is carried out once, whatever becomes of
/// the schedulers. After ``patience`` the caller gets an error: the fate is unknown.
struct ForwardedCalls {
    /// Longer than a dead scheduler's shards need to be taken over.
    static let patience: Duration = .seconds(30)

    /// Until when the replies are waited for.
    private var deadlines: [Int: UptimeInstant] = [:]

    var nextDeadline: UptimeInstant? { deadlines.values.min() }

    /// The command is in the store.
    mutating func stored(_ call: Int, _ now: UptimeInstant) { deadlines[call] = now.advanced(by: Self.patience) }

    /// - Returns: whether the reply is still waited for.
    mutating func replied(_ call: Int) -> Bool { deadlines.removeValue(forKey: call) != nil }

    mutating func giveUp(_ now: UptimeInstant, _ effects: inout [SchedulerEffect]) {
        if deadlines.isEmpty { return }
        let seconds = Self.patience.components.seconds
        let error = JobError(
            code: .unavailable,
            message:
                "the node that runs the job has not answered within \(seconds) s; whether it was done is not known, and it may be done yet"
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
