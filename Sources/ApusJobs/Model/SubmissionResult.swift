/// The effect of a submission on the store's jobs.
///
/// With ``kept`` and ``joined``, an earlier run may stand for the submission. With every other effect, a run begins
/// after the submission.
public enum SubmissionOutcome: String, Hashable, Sendable, CaseIterable {
    /// The submission made a job.
    case inserted
    /// A job that had not ended has the request's definition now, or had it already.
    ///
    /// The job's future occurrences follow this definition.
    case updated
    /// A job with only runs in progress left has the request's definition, and its trigger counts from this submission.
    ///
    /// The next run begins when those runs have ended.
    case rescheduled
    /// A job that had not ended was cancelled, and a new one is in its place.
    case replaced
    /// A job that has not ended is unchanged, because the request has ``ConflictPolicy/keep``.
    ///
    /// If only runs in progress are left of the job, nothing begins because of this submission.
    case kept
    /// The answer is the unchanged job of an earlier submission.
    ///
    /// That submission had the same idempotency key, or the same kind and content within the period of
    /// ``JobUniqueness``.
    case joined
}

/// The answer to a submission: the job, whose properties can be read directly, and the effect of the submission.
@dynamicMemberLookup
public struct SubmissionResult: Hashable, Sendable {
    /// The job as it is after the submission.
    public var job: Job
    /// The effect of the submission.
    public var outcome: SubmissionOutcome

    /// Creates an answer.
    public init(job: Job, outcome: SubmissionOutcome) { (self.job, self.outcome) = (job, outcome) }

    /// A property of the job.
    public subscript<Value>(dynamicMember path: KeyPath<Job, Value>) -> Value { job[keyPath: path] }
}

extension SubmissionOutcome: Codable {
    /// Decodes the outcome's name, such as `updated`.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeName() }
}
