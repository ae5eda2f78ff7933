#if Postgres
    import ApusJobs
    import ApusTimers

    /// From which sequence on a node reads the submissions.
    ///
    /// What was taken stays in the index until no snapshot needs it, so a read of everything may pass any number of dead
    /// entries. Most reads begin above the last submission that was taken. One with a lower sequence, whose transaction
    /// took longer, is found by the read of everything, once in a period at most.
    struct SubmissionFloor {
        private(set) var sequence: Int64 = 0
        private var shards: Set<ShardID> = []
        private var nextWhole: UptimeInstant?
        private let period: Duration

        init(period: Duration) { self.period = period }

        /// Where a read begins. New shards may have submissions of any sequence.
        mutating func start(of shards: Set<ShardID>, at now: UptimeInstant) -> Int64 {
            defer { self.shards = shards }
            if shards.isSubset(of: self.shards), let nextWhole, now < nextWhole { return sequence }
            nextWhole = now.advanced(by: period)
            return 0
        }

        /// A submission with a lower sequence may have come to this node.
        mutating func readWhole() { nextWhole = nil }

        /// A turn has taken submissions; those of refused parts are read again.
        mutating func took(_ taken: [TakenSubmission], _ parts: [Result<[Job], JobError>]) {
            for taken in taken {
                if case .success = parts[taken.part] { sequence = max(sequence, taken.sequence) } else { readWhole() }
            }
        }
    }
#endif
