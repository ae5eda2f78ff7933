package import ApusJobs
import ApusTimers

/// A job that the daemon cannot read.
public struct WireUnreadableJob: Codable, Hashable, Sendable {
    /// The identifier.
    public var id: String
    /// The number of the job's row in the store.
    public var key: Int64
    /// A sentence that says what cannot be read.
    public var problem: String

    package init(_ job: UnreadableJob) { (id, key, problem) = (job.id.rawValue, job.key, job.problem) }
}

/// A page of jobs that the daemon cannot read and has set aside.
public struct WireUnreadablePage: Codable, Hashable, Sendable {
    /// The jobs.
    public var jobs: [WireUnreadableJob]
    /// The position of the next page, to be passed as `after`; `null` at the end.
    @Nullable public var next: String?

    /// Creates a page of at most `limit` jobs; if there is a next page, `found` contains `limit` + 1 jobs.
    package init(_ found: [UnreadableJob], limit: Int) {
        jobs = found.prefix(limit).map { WireUnreadableJob($0) }
        next = found.count > limit ? "\(found[limit - 1].key)" : nil
    }
}

/// A submission of an application that the daemon has refused.
public struct WireRefusal: Codable, Hashable, Sendable {
    /// The number that the store gave the submission.
    public var sequence: Int64
    /// The identifier of the job that was to be made; `null` if the stored submission has none.
    @Nullable public var job: String?
    /// The instant of the submission.
    public var submitted: String
    /// The instant of the refusal.
    public var refused: String
    /// The code of the error, for programs.
    public var code: String
    /// The reason, a sentence for people.
    public var message: String
    /// The submission as it is stored: JSON, unless it is damaged.
    public var command: String

    package init(_ refused: RefusedSubmission) {
        sequence = refused.sequence
        job = refused.id?.rawValue
        submitted = refused.submitted.iso8601
        self.refused = refused.refusal.refused.iso8601
        (code, message) = (refused.refusal.code, refused.refusal.message)
        command = refused.command
    }
}

/// A page of refused submissions, newest first.
public struct WireRefusalPage: Codable, Hashable, Sendable {
    /// The submissions.
    public var refusals: [WireRefusal]
    /// The position of the next page, to be passed as `after`; `null` at the end.
    @Nullable public var next: String?

    package init(_ refusals: [RefusedSubmission], next: String?) {
        self.refusals = refusals.map { WireRefusal($0) }
        self.next = next
    }
}
