package import ApusCalendar
package import ApusJobs
package import ApusTimers

/// A job in the form that `apus export` writes and `POST /v1/import` accepts.
public struct WireExportedJob: Codable, Hashable, Sendable {
    /// The job's identity, and its progress at the export; absent values are left out.
    public struct Record: Codable, Hashable, Sendable {
        /// The identifier.
        public var id: String
        /// The instant of the submission, which distinguishes jobs that have had the same identifier one after the
        /// other.
        public var created: String
        /// The instant at which the next occurrence was due.
        public var nextDue: String?
        /// The remainder of the current interval, in milliseconds, if the job was suspended.
        public var remainingMs: Int64?
        /// The number of occurrences with an outcome.
        public var occurrences: Int
        /// The number of occurrences that were missed.
        public var missed: Int
        /// The number of occurrences that were to come, if the trigger has a count.
        public var occurrencesLeft: Int?
    }

    /// The version of the exports that are written; in version 1, jobs have no record.
    package static let version = 2
    /// The number of lines of an export that are not jobs.
    package static let otherLines = 2

    /// The definition of the job.
    public var submission: WireSubmission
    /// Whether the job is suspended; otherwise it is scheduled.
    public var suspended: Bool
    /// The identity and the progress; `nil` for a job that begins with the import.
    public var record: Record?

    /// Creates a job that begins with the import.
    public init(_ submission: WireSubmission) {
        self.submission = submission
        suspended = false
    }

    /// Creates the exported form of a job that has not ended.
    public init(_ job: WireJob) {
        let record = Record(
            id: job.id, created: job.created, nextDue: job.nextDue, remainingMs: job.remainingMs,
            occurrences: job.occurrences, missed: job.missed, occurrencesLeft: job.occurrencesLeft)
        submission = WireSubmission(
            name: job.name, kind: job.kind, trigger: job.trigger, action: job.action, policies: job.policies,
            labels: job.labels, queue: job.queue, priority: job.priority, fairnessKey: job.fairnessKey,
            unique: job.unique, idempotencyKey: job.idempotencyKey ?? record.idempotencyKey)
        suspended = job.state == "suspended"
        self.record = record
    }
}

extension WireExportedJob.Record {
    /// The idempotency key that an export writes for a job without a key of its own.
    ///
    /// All jobs that were imported from an export of version 1 have such a key.
    package var idempotencyKey: String { "export \(id) \(created)" }
}

/// The body of `POST /v1/import`: jobs that are imported together, all or none.
public struct WireImport: Codable, Hashable, Sendable {
    /// The maximum size of a request, in bytes.
    package static let mostBytes = 128 * 1024 * 1024

    /// The jobs.
    public var jobs: [WireExportedJob]
    /// The path of the crontab that the jobs come from.
    ///
    /// An open job whose label `crontab` has this value belongs to the line of the crontab that has the job's command.
    /// If the job differs from that line, the job is changed.
    public var crontab: String?
    /// Whether open jobs of the crontab are cancelled if their lines no longer exist.
    public var prune: Bool?
    /// Whether this is a dry run, which changes nothing and only answers with the effects that the import would have.
    public var dryRun: Bool?

    /// Creates an import.
    public init(jobs: [WireExportedJob], crontab: String? = nil, prune: Bool? = nil, dryRun: Bool? = nil) {
        self.jobs = jobs
        self.crontab = crontab
        self.prune = prune
        self.dryRun = dryRun
    }
}

/// The answer of `POST /v1/import`.
public struct WireImported: Codable, Hashable, Sendable {
    /// The effect of an import on a job.
    public enum Outcome: String, Codable, Sendable {
        /// The job is new.
        case created
        /// The job is new and has ended, because its only due instant was before the import.
        case ended
        /// A job that existed before the import was changed.
        case changed
        /// The job exists already, and stays as it is.
        case unchanged
    }

    /// The effect of the import on one job of the request.
    public struct Entry: Codable, Hashable, Sendable {
        /// The effect of the import on the job.
        public var outcome: Outcome
        /// The identifier; `nil` for a job that a dry run would create.
        @Nullable public var id: String?

        package init(outcome: Outcome, id: String? = nil) {
            self.outcome = outcome
            self.id = id
        }
    }

    /// The effects, in the order of the jobs in the request.
    public var jobs: [Entry]
    /// The open jobs of the crontab whose lines no longer exist.
    public var gone: [WireJob]

    package init(jobs: [Entry], gone: [WireJob]) {
        self.jobs = jobs
        self.gone = gone
    }
}

extension WireExportedJob {
    /// Returns the job in the form that a scheduler needs to continue it, with the given identifier.
    ///
    /// - Throws: the errors of a refused submission.
    package func restoration(as id: JobID, at now: WallInstant, in zones: any TimeZones) throws -> JobRestoration {
        guard submission.conflict == nil else {
            throw DaemonError(.invalid, "conflict: cannot be given for an imported job; leave it out")
        }
        if let record { try SubmissionCheck.check(printable: record.id, "record.id") }
        var request = try submission.request(at: now, in: zones)
        request.id = id
        request.conflict = .refuse
        return JobRestoration(
            request: request, isSuspended: suspended,
            progress: try record.map { record in
                JobRestoration.Progress(
                    created: try TimeText.parseISO8601(record.created, argument: "record.created"),
                    nextDue: try record.nextDue.map { try TimeText.parseISO8601($0, argument: "record.nextDue") },
                    remainder: record.remainingMs.map { .milliseconds($0) }, occurrences: record.occurrences,
                    missed: record.missed, left: record.occurrencesLeft)
            })
    }

    /// Checks the job as the daemon does.
    ///
    /// - Returns: `true` if an import at `now` would make a job that has ended.
    /// - Throws: the error with which the daemon refuses the job.
    package func hasEnded(at now: WallInstant, in zones: any TimeZones) throws -> Bool {
        let restoration = try restoration(as: JobID(record?.id ?? "new"), at: now, in: zones)
        return try JobMachine.restored(restoration, now: now, in: zones).machine.job.state.isFinal
    }
}
