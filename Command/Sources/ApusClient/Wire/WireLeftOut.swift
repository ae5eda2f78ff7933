package import ApusJobs
import ApusTimers

/// A job that the daemon cannot read.
public struct WireUnreadableJob: Codable, Hashable, Sendable {
    /// The identifier.
    public var id: String
    /// The number of its row.
    public var key: Int64
    /// What cannot be read.
    public var problem: String

    package init(_ job: UnreadableJob) { (id, key, problem) = (job.id.rawValue, job.key, job.problem) }
}

/// A page of jobs that the daemon cannot read and has set aside.
public struct WireUnreadablePage: Codable, Hashable, Sendable {
    /// The jobs.
    public var jobs: [WireUnreadableJob]
    /// Pass it as `after` for the next page; `null` at the end.
    @Nullable public var next: String?

    /// A page of so many, of which one more was found if there are more.
    package init(_ found: [UnreadableJob], limit: Int) {
        jobs = found.prefix(limit).map { WireUnreadableJob($0) }
        next = found.count > limit ? "\(found[limit - 1].key)" : nil
    }
}

/// A submission of an application that was refused when it was taken.
public struct WireRefusal: Codable, Hashable, Sendable {
    /// The store's number for the submission.
    public var sequence: Int64
    /// The identifier of the job that was to be made; `null` if what is stored has none.
    @Nullable public var job: String?
    /// When it was submitted.
    public var submitted: String
    /// When it was refused.
    public var refused: String
    /// A word for programs.
    public var code: String
    /// Why, for people.
    public var message: String
    /// What was asked for, as it is stored: JSON, unless it was damaged.
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

/// A page of submissions that were refused, the last ones first.
public struct WireRefusalPage: Codable, Hashable, Sendable {
    /// The submissions.
    public var refusals: [WireRefusal]
    /// Pass it as `after` for the next page; `null` at the end.
    @Nullable public var next: String?

    package init(_ refusals: [RefusedSubmission], next: String?) {
        self.refusals = refusals.map { WireRefusal($0) }
        self.next = next
    }
}
