import ApusClient
import ApusJobs
import ApusTimers

/// What `apus top` shows, read from the daemon at one instant; also what `apus top --json` prints.
struct TopSnapshot: Codable, Sendable {
    /// How many jobs and runs are in a state.
    struct Counts: Codable, Hashable, Sendable {
        /// Attempts in progress.
        var running: Int
        /// Runs that are due and have not begun, and attempts that are repeated after a pause.
        var waiting: Int
        /// Jobs whose last attempt that ended has failed or was lost, ended jobs included, as `apus list --failed` has them.
        var failing: Int
        /// Jobs that are suspended.
        var suspended: Int
        /// Jobs that have not ended.
        var jobs: Int
        /// Whether more runs are open than were read; then `running` and `waiting` are lower bounds.
        var truncated: Bool
    }

    /// The start of a run that is next.
    struct Start: Codable, Hashable, Sendable {
        var job: String
        @Nullable var name: String?
        var due: String
    }

    /// When it was read, ISO 8601.
    var at: String
    var daemon: WireHealth
    var counts: Counts
    /// The attempts in progress, the oldest first.
    var running: [WireRun]
    /// The next starts, the soonest first, one of each job.
    var next: [Start]
    /// The last runs that have ended, newest first.
    var ended: [WireRun]
    /// The jobs that have not ended, by name; those without a name last. Of more jobs than are read, those that were
    /// submitted first.
    var jobs: [WireJob]
    /// By identifier, the names of the runs' jobs, of those that have one.
    var names: [String: String]

    /// How many starts and ended runs there are at most.
    static let listed = 10
    /// How many pages of each list are read at most, so that a large store does not keep the daemon busy.
    private static let pages = 5

    /// Reads everything anew.
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

    /// The elements of the first pages, and whether there are more.
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
        // Instants of the API have one form, so their text has their order.
        let due = jobs.compactMap { job in
            job.state == "scheduled" ? job.nextDue.map { Start(job: job.id, name: job.name, due: $0) } : nil
        }
        return Array(due.sorted { ($0.due, $0.job) < ($1.due, $1.job) }.prefix(listed))
    }

    private static func order(_ job: WireJob) -> (Int, String, String) {
        (job.name == nil ? 1 : 0, job.name ?? "", job.id)
    }
}
