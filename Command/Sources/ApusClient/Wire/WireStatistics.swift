/// The answer of `GET /v1/stats`: statistics of the ended runs in the history.
public struct WireStatistics: Codable, Hashable, Sendable {
    /// A distribution of measured values in milliseconds, with percentiles by nearest rank.
    public struct Distribution: Codable, Hashable, Sendable {
        /// The number of measured values.
        public var count: Int
        /// The median.
        public var p50: Int64
        /// The 90th percentile.
        public var p90: Int64
        /// The 99th percentile.
        public var p99: Int64
        /// The greatest value.
        public var max: Int64

        package init(count: Int, p50: Int64, p90: Int64, p99: Int64, max: Int64) {
            self.count = count
            self.p50 = p50
            self.p90 = p90
            self.p99 = p99
            self.max = max
        }
    }

    /// The numbers and distributions of a set of runs.
    public struct Runs: Codable, Hashable, Sendable {
        /// The number of occurrences that succeeded; a run by hand counts as an occurrence.
        public var succeeded: Int
        /// The number of occurrences that failed and are not retried.
        public var failed: Int
        /// The number of occurrences that were lost and are not retried.
        public var lost: Int
        /// The number of occurrences that were cancelled.
        public var cancelled: Int
        /// The number of occurrences that were skipped.
        public var skipped: Int
        /// The number of attempts that began and have ended.
        public var attempts: Int
        /// The number of ended attempts, included in ``attempts``, that were not the first of their occurrence.
        public var retries: Int
        /// The share of successes among the occurrences that succeeded, failed or were lost, from 0 to 1.
        ///
        /// It is `null` if there are no such occurrences.
        @Nullable public var successRate: Double?
        /// The lateness of first attempts.
        @Nullable public var latenessMs: Distribution?
        /// The duration of the attempts that succeeded or failed.
        @Nullable public var durationMs: Distribution?

        package init(
            succeeded: Int, failed: Int, lost: Int, cancelled: Int, skipped: Int, attempts: Int, retries: Int,
            successRate: Double? = nil, latenessMs: Distribution? = nil, durationMs: Distribution? = nil
        ) {
            self.succeeded = succeeded
            self.failed = failed
            self.lost = lost
            self.cancelled = cancelled
            self.skipped = skipped
            self.attempts = attempts
            self.retries = retries
            self.successRate = successRate
            self.latenessMs = latenessMs
            self.durationMs = durationMs
        }
    }

    /// The runs of one job.
    public struct Job: Codable, Hashable, Sendable {
        /// The job's identifier.
        public var job: String
        /// The job's name, if it has one.
        @Nullable public var name: String?
        /// The runs.
        public var runs: Runs

        package init(job: String, name: String? = nil, runs: Runs) {
            self.job = job
            self.name = name
            self.runs = runs
        }
    }

    /// The runs that ended on one day.
    public struct Day: Codable, Hashable, Sendable {
        /// The date in ``WireStatistics/zone``, such as `2026-12-24`.
        public var day: String
        /// The runs.
        public var runs: Runs

        package init(day: String, runs: Runs) {
            self.day = day
            self.runs = runs
        }
    }

    /// The time zone of the days.
    public var zone: String
    /// The runs of all jobs.
    public var total: Runs
    /// The runs of each job, in the order of the identifiers.
    ///
    /// If there are more jobs than the requested limit, only the jobs with the most attempts are included.
    public var jobs: [Job]
    /// The number of jobs that are left out of ``jobs``.
    @EmptyIfAbsent public var omittedJobs: Int
    /// The runs of each day, oldest first; days without runs are left out.
    public var days: [Day]

    package init(zone: String, total: Runs, jobs: [Job], omittedJobs: Int, days: [Day]) {
        self.zone = zone
        self.total = total
        self.jobs = jobs
        self.omittedJobs = omittedJobs
        self.days = days
    }
}
