import ApusClient
import ApusJobs
import ApusTimers

/// The data of `apus top`, which `apus top --json` prints too.
///
/// The data is read with several requests. Its parts may therefore differ by changes that happened between two
/// requests.
struct TopSnapshot: Codable, Sendable {
    /// The numbers of jobs and runs in some states.
    struct Counts: Codable, Hashable, Sendable {
        /// The number of attempts in progress.
        var running: Int
        /// The number of runs that are due and have not begun, and of attempts that are repeated after a pause.
        var waiting: Int
        /// The number of jobs, including ended ones, whose last ended attempt failed or was lost, as in `apus list
        /// --failed`.
        var failing: Int
        /// The number of suspended jobs.
        var suspended: Int
        /// The number of jobs that have not ended.
        var jobs: Int
        /// Whether more runs are open than were read, so that `running` and `waiting` are lower bounds.
        var truncated: Bool
    }

    /// The next start of a job.
    struct Start: Codable, Hashable, Sendable {
        var job: String
        @Nullable var name: String?
        var due: String
    }

    /// The instant of the reading (ISO 8601).
    var at: String
    var daemon: WireHealth
    var counts: Counts
    /// The attempts in progress, oldest first.
    var running: [WireRun]
    /// The next starts, soonest first, at most one for each job.
    var next: [Start]
    /// The last runs that have ended, newest first.
    var ended: [WireRun]
    /// The jobs that have not ended, sorted by name; jobs without a name come last.
    ///
    /// If the store has more jobs than are read, these are the jobs that were submitted first.
    var jobs: [WireJob]
    /// The names of the runs' jobs, keyed by the jobs' identifiers; jobs without a name are not included.
    var names: [String: String]

    /// The maximum length of the list of starts, and of the list of ended runs.
    static let listed = 10
    /// The maximum number of pages that are read of each list, so that a large store does not keep the daemon busy.
    private static let pages = 5

    /// Reads a snapshot.
    ///
    /// - Throws: `DaemonError`.
    static func read(_ client: DaemonClient, pageSize: Int = 1_000) async throws -> TopSnapshot {
        let health = try await client.health()
        let states = ["scheduled", "suspended"]
        let (open, hasMoreJobs) = try await all { after in
            let page = try await client.jobs(states: states, limit: pageSize, after: after)
            return (page.jobs, page.next)
        }
        var names: [String: String] = [:]
        let (active, hasMoreRuns) = try await all { after in
            let page = try await client.runs(outcomes: ["running", "waiting"], limit: pageSize, after: after)
            names.merge(page.names) { _, new in new }
            return (page.runs, page.next)
        }
        let ended = try await client.runs(
            outcomes: OutcomeText.words.filter { !["running", "waiting"].contains($0) }, limit: listed)
        names.merge(ended.names) { _, new in new }
        let running = active.filter { $0.outcome == "running" }
        return TopSnapshot(
            at: When.now.iso8601, daemon: health,
            counts: Counts(
                running: running.count, waiting: active.count - running.count,
                failing: try await client.jobCount(failed: true),
                suspended: try await client.jobCount(states: ["suspended"]),
                jobs: hasMoreJobs ? try await client.jobCount(states: states) : open.count, truncated: hasMoreRuns),
            running: running.sorted { ($0.started ?? "", $0.job) < ($1.started ?? "", $1.job) },
            next: starts(of: try await client.nextJobs(limit: listed)), ended: ended.runs,
            jobs: open.sorted { order($0) < order($1) }, names: names)
    }

    /// Returns the elements of the first pages, and whether more pages follow.
    private static func all<Element>(
        _ read: (_ after: String?) async throws -> ([Element], String?)
    ) async throws -> ([Element], Bool) {
        var (elements, after): ([Element], String?) = ([], nil)
        for _ in 0..<pages {
            let (more, next) = try await read(after)
            elements += more
            after = next
            if after == nil { break }
        }
        return (elements, after != nil)
    }

    static func starts(of jobs: [WireJob]) -> [Start] {
        // The API writes all instants in the same format, so sorting the texts sorts the instants.
        let due = jobs.compactMap { job in
            job.state == "scheduled" ? job.nextDue.map { Start(job: job.id, name: job.name, due: $0) } : nil
        }
        return Array(due.sorted { ($0.due, $0.job) < ($1.due, $1.job) }.prefix(listed))
    }

    private static func order(_ job: WireJob) -> (Int, String, String) {
        (job.name == nil ? 1 : 0, job.name ?? "", job.id)
    }
}
