/// The effect of a submission on the store's jobs.
///
/// A run begins after the submission, unless it says that an earlier one stands for it: ``kept`` and ``joined``.
public enum SubmissionOutcome: String, Hashable, Sendable, CaseIterable {
    /// It made a job.
    case inserted
    /// A job that had not ended got the request's definition, or has it already: what is to come of it obeys that.
    case updated
    /// As ``updated``; only runs in progress were left of the job, so its trigger counts from this submission on. The
    /// next run begins when they have ended.
    case rescheduled
    /// A job that had not ended was cancelled, and a new one is in its place.
    case replaced
    /// A job that has not ended is as it was, by ``ConflictPolicy/keep``. If only runs in progress are left of it,
    /// nothing begins because of this submission.
    case kept
    /// The job of an earlier submission is the answer, and is as it was: that submission had the same idempotency key,
    /// or the same kind and payload or key within the period of ``JobUniqueness``.
    case joined
}

/// The answer to a submission: the job, and what the submission did. The job's properties can be read from it directly.
@dynamicMemberLookup
public struct SubmissionResult: Hashable, Sendable {
    /// The job as it is after the submission.
    public var job: Job
    /// What the submission did.
    public var outcome: SubmissionOutcome

    /// An answer.
    public init(job: Job, outcome: SubmissionOutcome) { (self.job, self.outcome) = (job, outcome) }

    /// A property of the job.
    public subscript<Value>(dynamicMember path: KeyPath<Job, Value>) -> Value { job[keyPath: path] }
}

extension SubmissionOutcome: Codable {
    /// Reads the outcome's name, such as `updated`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}
