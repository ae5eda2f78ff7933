package import ApusTimers

/// Looks at a store without owning it, whether it is in use or not. It changes nothing.
package protocol StoreInspection: Sendable {
    /// - Throws: ``JobError`` with `notFound` if there is no store at the place, `unavailable`, `newerSchema`, `damaged`.
    func status() async throws -> StoreStatus
    /// Asks for everything that must be true of the rows, at one instant of the store.
    /// - Returns: what is not; nothing if all is well.
    /// - Throws: As ``status()``.
    func check() async throws -> [StoreFinding]
}

/// What a store has, and who uses it.
package struct StoreStatus: Hashable, Sendable {
    /// A scheduler that may use the store.
    package struct Node: Hashable, Sendable {
        package var name: String
        /// How many shards it owns.
        package var shards: Int
        /// Whether its session with the store is open.
        package var isConnected: Bool

        package init(name: String, shards: Int, isConnected: Bool) {
            self.name = name
            self.shards = shards
            self.isConnected = isConnected
        }
    }

    /// The version of the schema.
    package var schema: Int
    /// The newest version that this program knows.
    package var newestSchema: Int
    /// What the store takes on the disk.
    package var bytes: Int64
    package var jobs: [JobState: Int]
    package var waitingRuns: Int
    package var claimedRuns: Int
    /// Runs that are over.
    package var endedRuns: Int
    package var submissions: Int
    /// How many submissions were refused, of those that are kept.
    package var refusals: Int
    /// How many jobs are set aside because the owner of their shard cannot read them.
    package var setAsideCount: Int
    /// The first of them.
    package var setAside: [UnreadableJob]
    /// When the job that is looked at next is to be looked at; in the past if it is late, or waits for a place.
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

/// Something that should be true of a store and is not.
package struct StoreFinding: Hashable, Sendable {
    /// What should be true.
    package var rule: String
    /// How many times it is not.
    package var count: Int
    /// Some of those.
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

    /// `nil` if there are none.
    package var finding: StoreFinding? {
        count == 0
            ? nil : StoreFinding(rule: "every job and every run can be read", count: count, examples: examples)
    }
}

/// A rule that a query can break: its rows are what breaks it, each with one text, `subject`.
package struct StoreRule: Sendable {
    package var rule: String
    package var violations: String

    package init(_ rule: String, violations: String) {
        self.rule = rule
        self.violations = violations
    }

    /// Rows of how many violations there are, and one of them each: the first five.
    package var sql: String {
        "SELECT count(*) OVER () AS violations, subject FROM (\(violations)) AS v ORDER BY subject LIMIT 5"
    }

    /// `nil` if there are no rows.
    package func finding(_ rows: [(count: Int, example: String)]) -> StoreFinding? {
        rows.first.map { StoreFinding(rule: rule, count: $0.count, examples: rows.map(\.example)) }
    }
}
