package import ApusTimers

/// Reads a store without owning it and without changing it, whether it is in use or not.
package protocol StoreInspection: Sendable {
    /// Returns the numbers of a store's rows, and the schedulers that use it.
    ///
    /// - Throws: ``JobError`` with `notFound` if there is no store at the location, `unavailable`, `newerSchema`,
    ///   `damaged`.
    func status() async throws -> StoreStatus
    /// Checks the invariants of all rows, as they are in the store at one instant.
    ///
    /// - Returns: The violations; empty if there are none.
    /// - Throws: The errors of ``status()``.
    func check() async throws -> [StoreFinding]
}

/// The contents of a store in numbers, and the schedulers that use it.
package struct StoreStatus: Hashable, Sendable {
    /// A scheduler that may use the store.
    package struct Node: Hashable, Sendable {
        package var name: String
        package var shards: Int
        /// Whether the scheduler's session with the store is open.
        package var isConnected: Bool

        package init(name: String, shards: Int, isConnected: Bool) {
            self.name = name
            self.shards = shards
            self.isConnected = isConnected
        }
    }

    package var schema: Int
    package var newestSchema: Int
    /// The size of the store on the disk.
    package var bytes: Int64
    package var jobs: [JobState: Int]
    package var waitingRuns: Int
    package var claimedRuns: Int
    package var endedRuns: Int
    package var submissions: Int
    /// The number of refused submissions that are kept.
    package var refusals: Int
    /// The number of jobs that are set aside because the owner of their shard cannot read them.
    package var setAsideCount: Int
    /// The first jobs that are set aside.
    package var setAside: [UnreadableJob]
    /// The earliest instant at which a job must be examined.
    ///
    /// It is in the past if the job has not been examined in time, or waits for a place.
    package var earliestWake: WallInstant?
    package var nodes: [Node]

    package init(
        schema: Int, newestSchema: Int, bytes: Int64, jobs: [JobState: Int], waitingRuns: Int, claimedRuns: Int,
        endedRuns: Int, submissions: Int, refusals: Int, setAsideCount: Int, setAside: [UnreadableJob],
        earliestWake: WallInstant?, nodes: [Node]
    ) {
        self.refusals = refusals
        self.setAsideCount = setAsideCount
        self.setAside = setAside
        self.schema = schema
        self.newestSchema = newestSchema
        self.bytes = bytes
        self.jobs = jobs
        self.waitingRuns = waitingRuns
        self.claimedRuns = claimedRuns
        self.endedRuns = endedRuns
        self.submissions = submissions
        self.earliestWake = earliestWake
        self.nodes = nodes
    }
}

/// A violated invariant of a store.
package struct StoreFinding: Hashable, Sendable {
    /// The invariant.
    package var rule: String
    /// The number of violations.
    package var count: Int
    /// Descriptions of some of the violations.
    package var examples: [String]

    package init(rule: String, count: Int, examples: [String]) {
        self.rule = rule
        self.count = count
        self.examples = examples
    }
}

/// Collects the jobs and runs of a store that cannot be read.
package struct UnreadableRows {
    private var count = 0
    private var examples: [String] = []

    package init() {}

    package mutating func add(_ job: UnreadableJob) { add("\(job.id) (key \(job.key)): \(job.problem)") }

    package mutating func add(_ example: String) {
        count += 1
        if examples.count < 5 { examples.append(example) }
    }

    /// The finding for the collected rows; `nil` if there are none.
    package var finding: StoreFinding? {
        count == 0
            ? nil : StoreFinding(rule: "every job and every run can be read", count: count, examples: examples)
    }
}

/// An invariant of a store, with a query for its violations.
///
/// Each row of the query is a violation, which the column `subject` describes.
package struct StoreRule: Sendable {
    package var rule: String
    package var violations: String

    package init(_ rule: String, violations: String) {
        self.rule = rule
        self.violations = violations
    }

    /// A query for the first five violations, in which each row also has the number of all violations.
    package var sql: String {
        "SELECT count(*) OVER () AS violations, subject FROM (\(violations)) AS v ORDER BY subject LIMIT 5"
    }

    /// Returns the finding for the rows of the query; `nil` if there are none.
    package func finding(_ rows: [(count: Int, example: String)]) -> StoreFinding? {
        rows.first.map { StoreFinding(rule: rule, count: $0.count, examples: rows.map(\.example)) }
    }
}
