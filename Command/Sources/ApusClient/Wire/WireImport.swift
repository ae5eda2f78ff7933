package import ApusCalendar
package import ApusJobs
package import ApusTimers

/// A job as `apus export` writes it, and `POST /v1/import` takes it.
public struct WireExportedJob: Codable, Hashable, Sendable {
    /// The job's identity and its progress at the export. Absent values are left out.
    public struct Record: Codable, Hashable, Sendable {
        /// The identifier.
        public var id: String
        /// When it was submitted: two jobs may have the same identifier, one after the other, but not both.
        public var created: String
        /// When its next occurrence was due.
        public var nextDue: String?
        /// While suspended: what was left of the running interval, in milliseconds.
        public var remainingMs: Int64?
        /// How many occurrences had an outcome.
        public var occurrences: Int
        /// How many of them were missed.
        public var missed: Int
        /// Of a trigger with a count: how many occurrences were to come.
        public var occurrencesLeft: Int?
    }

    /// The version of exports that are written. Of version 1, jobs have no record.
    package static let version = 2
    /// How many lines of an export are not jobs.
    package static let otherLines = 2

    /// The definition.
    public var submission: WireSubmission
    /// It is `suspended`; else it is `scheduled`.
    public var suspended: Bool
    /// `nil` for a job that begins with the import.
    public var record: Record?

    /// A job that begins with the import.
    public init(_ submission: WireSubmission) {
        self.submission = submission
        suspended = false
    }

    /// A job that has not ended.
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
    /// The key of an exported job that has none, and of every job that an export of version 1 was imported as.
    package var idempotencyKey: String { "export \(id) \(created)" }
}

/// The body of `POST /v1/import`: jobs of which all are made, or none.
public struct WireImport: Codable, Hashable, Sendable {
    /// The most bytes of a request.
    package static let mostBytes = 128 * 1024 * 1024

    /// The jobs.
    public var jobs: [WireExportedJob]
    /// The path of the crontab whose lines the jobs are: an open job with the label `crontab` of this value belongs to the
    /// line with its command, and is changed where it differs.
    public var crontab: String?
    /// With `true`, jobs of the crontab whose lines are gone are cancelled.
    public var prune: Bool?
    /// With `true`, nothing is done, and the answer says what would be.
    public var dryRun: Bool?

    /// An import.
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
        /// It is a new job.
        case created
        /// It is a new job that has ended: it was due once, and that was before the import.
        case ended
        /// It has changed an earlier job.
        case changed
        /// There is such a job already.
        case unchanged
    }

    /// One job of the request.
    public struct Entry: Codable, Hashable, Sendable {
        /// The effect.
        public var outcome: Outcome
        /// The identifier; `nil` for a job that a dry run would create.
        @Nullable public var id: String?

        package init(outcome: Outcome, id: String? = nil) {
            self.outcome = outcome
            self.id = id
        }
    }

    /// In the order of the request.
    public var jobs: [Entry]
    /// The open jobs of the crontab whose lines are gone.
    public var gone: [WireJob]

    package init(jobs: [Entry], gone: [WireJob]) {
        self.jobs = jobs
        self.gone = gone
    }
}

extension WireExportedJob {
    /// The job as the scheduler continues it, with that identifier.
    /// - Throws: what a submission is refused for.
    package func restoration(as id: JobID, at now: WallInstant, in zones: any TimeZones) throws -> JobRestoration {
        guard submission.conflict == nil else {
            throw DaemonError(.invalid, "conflict: an imported job has none; leave it out")
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
    /// - Returns: `true` if it would have ended when it was imported at `now`.
    /// - Throws: what the daemon refuses it for.
    package func hasEnded(at now: WallInstant, in zones: any TimeZones) throws -> Bool {
        let restoration = try restoration(as: JobID(record?.id ?? "new"), at: now, in: zones)
        return try JobMachine.restored(restoration, now: now, in: zones).machine.job.state.isFinal
    }
}
