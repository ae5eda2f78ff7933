package import ApusTimers

/// A store that can be copied, or that can receive a copy if it is empty.
///
/// Reading and writing require exclusive use of the store. Data is transferred in pages, so memory is bounded.
package protocol CopyableStore: Sendable {
    /// Begins to read; no other process writes until the reader has finished.
    ///
    /// - Throws: ``JobError`` with `owned` (naming the owner), `notFound` if there is no store at the location,
    ///   `unavailable`, `newerSchema`, `damaged`.
    func beginReading() async throws -> any StoreCopyReader

    /// Begins to write into an empty store, which is created if necessary.
    ///
    /// - Throws: ``JobError`` with `alreadyExists` if it is not empty; the errors of ``beginReading()``.
    func beginWriting() async throws -> any StoreCopyWriter
}

/// Reads everything in a store, page by page.
package protocol StoreCopyReader: Sendable {
    /// Returns the header, which is not in pages.
    func header() async throws -> StoreHeader
    /// Returns at most `limit` jobs after a key, with their open runs, ordered by key; an empty list means that there
    /// are no more.
    ///
    /// A job that is set aside, but that this program can read, is returned with the due instants that it had before it
    /// was set aside.
    /// - Throws: ``JobError`` with `damaged` if a job cannot be read.
    func jobs(after key: Int64, limit: Int) async throws -> [StoredJob]
    /// Returns the ended runs after a sequence, in the order in which they were written; at most `limit`.
    func runs(after sequence: Int64, limit: Int) async throws -> [StoredRun]
    /// Returns the submissions after a sequence, without those that a turn has taken; at most `limit`.
    func submissions(after sequence: Int64, limit: Int) async throws -> [StoredSubmission]
    /// Returns at most `limit` refused submissions, namely the first ones whose sequence is greater than `sequence`.
    func refusals(after sequence: Int64, limit: Int) async throws -> [RefusedSubmission]
    /// Gives the store back.
    ///
    /// - Throws: ``JobError`` with `notOwner` if another owner may have written in the meantime; the store is given
    ///   back all the same.
    func finish() async throws
}

/// Writes everything into an empty store, and can read what it has written.
///
/// No scheduler uses the store before ``finish()``.
package protocol StoreCopyWriter: StoreCopyReader {
    /// Adds the header; must be called first.
    func add(_ header: StoreHeader) async throws
    /// Adds jobs with their open runs, in the order of their keys.
    func add(_ jobs: [StoredJob]) async throws
    /// Adds ended runs of jobs that were added.
    func add(_ runs: [StoredRun]) async throws
    func add(_ submissions: [StoredSubmission]) async throws
    func add(_ refusals: [RefusedSubmission]) async throws
    /// Removes everything that was added; does nothing after ``finish()`` or an earlier call.
    func abandon() async
}

/// The contents of a store besides jobs, runs and submissions.
package struct StoreHeader: Hashable, Sendable {
    package var clock: StoreClock?
    /// The queues, ordered by name.
    package var queues: [JobQueue]
    /// The greatest key that was given to a job; later jobs get greater ones.
    package var lastKey: Int64
    /// The greatest sequence that was given to a submission.
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

/// The number of rows of each kind.
package struct StoreCounts: Hashable, Sendable {
    package var jobs: Int
    package var openRuns: Int
    /// The number of ended runs.
    package var runs: Int
    package var submissions: Int
    /// The number of refused submissions.
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
    /// The shard; `nil` in a store with one shard.
    package var shard: ShardID?
    /// The open runs, ordered by (occurrence, attempt).
    package var open: [StoredRun]

    package init(_ job: Job, shard: ShardID?, open: [StoredRun]) {
        self.job = job
        self.shard = shard
        self.open = open
    }
}

/// A run with the number of the write that created it.
package struct StoredRun: Hashable, Sendable {
    package var sequence: Int64
    package var run: Run
    /// Whether the trigger of the run's job counts elapsed time.
    package var isTriggerRelative: Bool

    package init(_ run: Run, sequence: Int64, isTriggerRelative: Bool) {
        self.run = run
        self.sequence = sequence
        self.isTriggerRelative = isTriggerRelative
    }
}

/// A submission as it is stored, whether it can be read or not.
package struct StoredSubmission: Hashable, Sendable {
    package var sequence: Int64
    package var submitted: WallInstant
    /// The shard; `nil` in a store with one shard.
    package var shard: ShardID?
    /// The coded form of a ``JobCommand``.
    ///
    /// The form of a command that submits one job begins with exactly ``prefix`` and ends with ``suffix``.
    package let command: String

    /// Creates a submission from its stored form.
    ///
    /// - Parameters:
    ///   - sequence: The submission's ``StoreSubmission/sequence``.
    ///   - submitted: The instant of the submission.
    ///   - shard: The shard whose owner is to take it.
    ///   - command: The coded form, as any encoder has written it.
    package init(sequence: Int64, submitted: WallInstant, shard: ShardID?, command: String) {
        self.sequence = sequence
        self.submitted = submitted
        self.shard = shard
        // PostgreSQL's jsonb writes the beginning of a submission with spaces, so this beginning is replaced by
        // `Self.prefix`.
        let (prefix, suffix) = (#"{"command": "submit", "requests": ["#, "]}")
        self.command =
            command.hasPrefix(prefix) && command.hasSuffix(suffix)
            ? Self.prefix + command.dropFirst(prefix.count) : command
    }

    /// Creates a submission of one job from the coded form of its request.
    package init(sequence: Int64, submitted: WallInstant, request: String) {
        self.init(
            sequence: sequence, submitted: submitted, shard: nil, command: Self.prefix + request + Self.suffix)
    }

    private static let prefix = #"{"command":"submit","requests":["#
    private static let suffix = "]}"

    /// The coded form of the request, if the command submits exactly one job; `nil` for any other command.
    package var request: String? {
        guard command.hasPrefix(Self.prefix), command.hasSuffix(Self.suffix) else { return nil }
        return String(command.dropFirst(Self.prefix.count).dropLast(Self.suffix.count))
    }
}
