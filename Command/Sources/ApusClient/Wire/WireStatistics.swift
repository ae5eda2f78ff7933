/// What `GET /v1/stats` answers: how the runs went that have ended, as far as they are in the history.
public struct WireStatistics: Codable, Hashable, Sendable {
    /// Measured values, in milliseconds; percentiles by nearest rank.
    public struct Distribution: Codable, Hashable, Sendable {
        /// How many were measured.
        public var count: Int
        /// The median.
        public var p50: Int64
        /// Nine of ten are at most this.
        public var p90: Int64
        /// 99 of 100 are at most this.
        public var p99: Int64
        /// The largest.
        public var max: Int64

        package init(count: Int, p50: Int64, p90: Int64, p99: Int64, max: Int64) {
            self.count = count
            self.p50 = p50
            self.p90 = p90
            self.p99 = p99
            self.max = max
        }
    }

    /// Some runs.
    public struct Runs: Codable, Hashable, Sendable {
        /// How many occurrences succeeded; runs by hand count as occurrences here.
        public var succeeded: Int
        /// How many failed for good.
        public var failed: Int
        /// How many were lost for good.
        public var lost: Int
        /// How many were cancelled.
        public var cancelled: Int
        /// How many were skipped.
        public var skipped: Int
        /// How many attempts began and have ended.
        public var attempts: Int
        /// How many of these were not the first of their occurrence.
        public var retries: Int
        /// Of the occurrences that succeeded, failed or were lost: which share succeeded, 0 to 1; `null` if there are none.
        @Nullable public var successRate: Double?
        /// How late first attempts began.
        @Nullable public var latenessMs: Distribution?
        /// How long attempts took that succeeded or failed.
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
        /// Its name, if it has one.
        @Nullable public var name: String?
        /// Its runs.
        public var runs: Runs

        package init(job: String, name: String? = nil, runs: Runs) {
            self.job = job
            self.name = name
            self.runs = runs
        }
    }

    /// The runs that ended on one day.
    public struct Day: Codable, Hashable, Sendable {
        /// The date in ``WireStatistics/zone``: `2026-12-24`.
        public var day: String
        /// The runs.
        public var runs: Runs

        package init(day: String, runs: Runs) {
            self.day = day
            self.runs = runs
        }
    }

    /// The zone of the days.
    public var zone: String
    /// All of them.
    public var total: Runs
    /// By job, by identifier: of more jobs than asked for, those with the most attempts.
    public var jobs: [Job]
    /// How many jobs are left out of `jobs`.
    @EmptyIfAbsent public var omittedJobs: Int
    /// By day, the oldest first; days without runs are left out.
    public var days: [Day]

    package init(zone: String, total: Runs, jobs: [Job], omittedJobs: Int, days: [Day]) {
        self.zone = zone
        self.total = total
        self.jobs = jobs
        self.omittedJobs = omittedJobs
        self.days = days
    }
}
