#if Postgres
    import ApusJobs
    import ApusTimers

    /// The sequence number from which a node reads submissions.
    ///
    /// Submissions that were taken stay in the index until no snapshot needs them, so a read of all submissions may
    /// pass any number of dead entries. Most reads therefore begin above the last submission that was taken. A
    /// submission with a lower number, whose transaction took longer, is found by the next read of all submissions.
    /// There is at most one such read in each `period`.
    struct SubmissionFloor {
        private(set) var sequence: Int64 = 0
        private var shards: Set<ShardID> = []
        private var nextWhole: UptimeInstant?
        private let period: Duration

        init(period: Duration) { self.period = period }

        /// Returns the sequence number from which to read.
        ///
        /// It is zero for the first read in each `period`, and when the node has new shards, which may have submissions
        /// with any number.
        mutating func start(of shards: Set<ShardID>, at now: UptimeInstant) -> Int64 {
            defer { self.shards = shards }
            if shards.isSubset(of: self.shards), let nextWhole, now < nextWhole { return sequence }
            nextWhole = now.advanced(by: period)
            return 0
        }

        /// Makes the next read begin at zero, because a submission with a lower number may have arrived.
        mutating func readWhole() { nextWhole = nil }

        /// Records the submissions that a turn has taken; those of refused parts are read again.
        mutating func took(_ taken: [TakenSubmission], _ parts: [Result<[Job], JobError>]) {
            for taken in taken {
                if case .success = parts[taken.part] { sequence = max(sequence, taken.sequence) } else { readWhole() }
            }
        }
    }
#endif
