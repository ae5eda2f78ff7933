/// The promises that the simulation of a cluster tries to break, in words.
package enum ClusterPromise: String, CaseIterable, Sendable {
    case durable = "an answered submission's job exists for ever, with its identity"
    case oneOutcome = "each occurrence has one final outcome, which never changes; in peace, each that is due has one"
    case neverEarly = "no handler begins before its run is due by the database's clock"
    case fenced = "a node writes nothing after it was ended, and nothing to a shard that it has lost"
    case alone =
        "a second handler of an occurrence begins only if the first one's node acts no more, and it was cancelled"
    case placed =
        "a run begins only on a node that has its kind and serves its queue, and a job moves only without claimed runs"
    case acting = "a handler begins only on a node that has not ended, of a claim that is stored"
    case once = "a command is carried out at most once, and its answer agrees with the tables"
    case spread = "in peace the shards are spread evenly, and no submission and no reply is left"
    case limited =
        "no more handlers of a queue run than its limit over all nodes, and no more of a key on one, except for cancelled ones"
    case unique = "no two jobs that have not ended have a payload that is to be unique"
    case named = "no job is made beside one of its name that has not ended, if its submission asks for that"
    case snoozed = "who asks to be called later is called again under the same attempt, and not before"
    case exactlyOnce = "a handler's effect is there once at most, and then its occurrence has succeeded"
    case promoted = "a run that a promotion has lost continues on no node, unless it was cancelled"
    case takeOver = "what is due of a dead node's jobs begins within five seconds"
    case setAside = "a job that no node can read is set aside, stays as it is, and delays no other"
    case progress = "time passes, and every command is answered"
    case invariants = "the invariants of every scheduler hold"
}

/// A promise that was broken, with the observation that shows it.
package struct ClusterViolation: Sendable, CustomStringConvertible {
    package var promise: ClusterPromise
    package var detail: String
    /// The time since the beginning, in milliseconds.
    package var millisecond: Int64
    package var description: String { "\(promise.rawValue)\n  at \(millisecond) ms: \(detail)" }
}
