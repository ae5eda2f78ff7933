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
        public var successRate: Double?
        /// How late first attempts began.
        public var latenessMs: Distribution?
        /// How long attempts took that succeeded or failed.
        public var durationMs: Distribution?

        /// Encodes every field, absent values as `null`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(succeeded, forKey: .succeeded)
            try container.encode(failed, forKey: .failed)
            try container.encode(lost, forKey: .lost)
            try container.encode(cancelled, forKey: .cancelled)
            try container.encode(skipped, forKey: .skipped)
            try container.encode(attempts, forKey: .attempts)
            try container.encode(retries, forKey: .retries)
            try container.encode(successRate, forKey: .successRate)
            try container.encode(latenessMs, forKey: .latenessMs)
            try container.encode(durationMs, forKey: .durationMs)
        }
    }

    /// The runs of one job.
    public struct Job: Codable, Hashable, Sendable {
        /// The job's identifier.
        public var job: String
        /// Its name, if it has one.
        public var name: String?
        /// Its runs.
        public var runs: Runs

        /// Encodes every field.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(job, forKey: .job)
            try container.encode(name, forKey: .name)
            try container.encode(runs, forKey: .runs)
        }
    }

    /// The runs that ended on one day.
    public struct Day: Codable, Hashable, Sendable {
        /// The date in ``WireStatistics/zone``: `2026-12-24`.
        public var day: String
        /// The runs.
        public var runs: Runs
    }

    /// The zone of the days.
    public var zone: String
    /// All of them.
    public var total: Runs
    /// By job, by identifier.
    public var jobs: [Job]
    /// By day, the oldest first; days without runs are left out.
    public var days: [Day]
}
