package import ApusTimers

/// A store of which everything can be read, or into which everything can be written: for copies.
///
/// Both need the store for themselves. Pages keep the memory bounded.
package protocol CopyableStore: Sendable {
    /// Begins to read. No other process writes until the reader has finished.
    /// - Throws: ``JobError`` with `owned` (naming the owner), `notFound` if there is nothing at the place,
    ///   `unavailable`, `newerSchema`, `damaged`.
    func beginReading() async throws -> any StoreCopyReader

    /// Begins to write into an empty store, making it if need be.
    /// - Throws: ``JobError`` with `alreadyExists` if it is not empty; as ``beginReading()``.
    func beginWriting() async throws -> any StoreCopyWriter
}

/// Reads everything, page by page.
package protocol StoreCopyReader: Sendable {
    /// What is not in pages.
    func header() async throws -> StoreHeader
    /// The jobs after one with that key, with their open runs, ordered by key; at most `limit`. Empty at the end. One
    /// that is set aside, and that this program can read, is due as it was.
    /// - Throws: ``JobError`` with `damaged` if one of them cannot be read.
    func jobs(after key: Int64, limit: Int) async throws -> [StoredJob]
    /// The runs that are over, after one with that sequence, in the order in which they were written; at most `limit`.
    func runs(after sequence: Int64, limit: Int) async throws -> [StoredRun]
    /// The submissions that no turn has taken, after one with that sequence; at most `limit`.
    func submissions(after sequence: Int64, limit: Int) async throws -> [StoredSubmission]
    /// The submissions that were refused, after one with that sequence; at most `limit`.
    func refusals(after sequence: Int64, limit: Int) async throws -> [RefusedSubmission]
    /// Gives the store back.
    /// - Throws: ``JobError`` with `notOwner` if another owner may have written meanwhile. The store is given back all
    ///   the same.
    func finish() async throws
}

/// Writes everything into an empty store. What it has added, it can read.
///
/// Nothing of it is used by a scheduler before ``finish()``.
package protocol StoreCopyWriter: StoreCopyReader {
    /// What is not in pages. The first call.
    func add(_ header: StoreHeader) async throws
    /// Jobs with their open runs, in the order of their keys.
    func add(_ jobs: [StoredJob]) async throws
    /// Runs that are over, of jobs that were added.
    func add(_ runs: [StoredRun]) async throws
    func add(_ submissions: [StoredSubmission]) async throws
    func add(_ refusals: [RefusedSubmission]) async throws
    /// Takes back what was added. Idempotent; it does nothing after ``finish()``.
    func abandon() async
}

/// What a store has besides jobs, runs and submissions.
package struct StoreHeader: Hashable, Sendable {
    package var clock: StoreClock?
    /// Ordered by their names.
    package var queues: [JobQueue]
    /// The greatest key that was given to a job: later ones get greater ones.
    package var lastKey: Int64
    /// The same for submissions.
    package var lastSubmission: Int64
    package var counts: StoreCounts

    package init(
        clock: StoreClock?, queues: [JobQueue], lastKey: Int64, lastSubmission: Int64, counts: StoreCounts
    ) {
        self.clock = clock
        self.queues = queues
        self.lastKey = lastKey
        self.lastSubmission = lastSubmission
        self.counts = counts
    }
}

/// How many rows of each kind there are.
package struct StoreCounts: Hashable, Sendable {
    package var jobs: Int
    package var openRuns: Int
    /// Runs that are over.
    package var runs: Int
    package var submissions: Int
    /// Submissions that were refused.
    package var refusals: Int

    package init(jobs: Int = 0, openRuns: Int = 0, runs: Int = 0, submissions: Int = 0, refusals: Int = 0) {
        self.refusals = refusals
        self.jobs = jobs
        self.openRuns = openRuns
        self.runs = runs
        self.submissions = submissions
    }
}

/// A job with its open runs, as it is stored.
package struct StoredJob: Hashable, Sendable {
    package var job: Job
    /// `nil` of a store that has one shard.
    package var shard: ShardID?
    /// Ordered by (occurrence, attempt).
    package var open: [StoredRun]

    package init(_ job: Job, shard: ShardID?, open: [StoredRun]) {
        self.job = job
        self.shard = shard
        self.open = open
    }
}

/// A run with the number of the write that made it.
package struct StoredRun: Hashable, Sendable {
    package var sequence: Int64
    package var run: Run
    /// Whether its job's trigger counts elapsed time.
    package var isTriggerRelative: Bool

    package init(_ run: Run, sequence: Int64, isTriggerRelative: Bool) {
        self.run = run
        self.sequence = sequence
        self.isTriggerRelative = isTriggerRelative
    }
}

/// A submission as it is stored, whether it can be understood or not.
package struct StoredSubmission: Hashable, Sendable {
    package var sequence: Int64
    package var submitted: WallInstant
    /// `nil` of a store that has one shard.
    package var shard: ShardID?
    /// A ``JobCommand`` in its coded form; of one that submits a single job, with ``prefix`` and ``suffix`` as they are.
    package let command: String

    /// - Parameters:
    ///   - sequence: see ``StoreSubmission/sequence``.
    ///   - submitted: when it was submitted.
    ///   - shard: whose owner is to take it.
    ///   - command: in its coded form, as some encoder has written it.
    package init(sequence: Int64, submitted: WallInstant, shard: ShardID?, command: String) {
        self.sequence = sequence
        self.submitted = submitted
        self.shard = shard
        // As jsonb writes it.
        let (prefix, suffix) = (#"{"command": "submit", "requests": ["#, "]}")
        self.command =
            command.hasPrefix(prefix) && command.hasSuffix(suffix)
            ? Self.prefix + command.dropFirst(prefix.count) : command
    }

    /// A submission of one job, in its coded form.
    package init(sequence: Int64, submitted: WallInstant, request: String) {
        self.init(
            sequence: sequence, submitted: submitted, shard: nil, command: Self.prefix + request + Self.suffix)
    }

    private static let prefix = #"{"command":"submit","requests":["#
    private static let suffix = "]}"

    /// The one job that it submits, in its coded form.
    package var request: String? {
        guard command.hasPrefix(Self.prefix), command.hasSuffix(Self.suffix) else { return nil }
        return String(command.dropFirst(Self.prefix.count).dropLast(Self.suffix.count))
    }
}
