import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers

/// Reads the history for statistics.
struct StatisticsDirectory: Sendable {
    var scheduler: JobScheduler
    /// How many runs are in memory at once, with what they printed.
    private static let page = 200

    /// The runs that have ended, of one job or of all, since an instant or ever; by job, of the `limit` jobs with the most
    /// attempts. `check` throws once the client has gone.
    func statistics(
        job: JobID?, since: WallInstant?, zone: ZoneDatabase.Zone, limit: Int, check: () throws -> Void
    ) async throws -> WireStatistics {
        var total = RunStatistics()
        var jobs: [JobID: RunStatistics] = [:]
        var names: [JobID: String] = [:]
        var days: [String: RunStatistics] = [:]
        var query = RunQuery(
            jobID: job, states: [.succeeded, .failed, .skipped, .lost, .cancelled], since: since, limit: Self.page)
        repeat {
            let page = try await scheduler.runs(query)
            for run in page.runs {
                guard let finished = run.finished else { continue }
                total.add(run)
                jobs[run.jobID, default: RunStatistics()].add(run)
                days[Self.day(of: finished, in: zone.rules), default: RunStatistics()].add(run)
            }
            names.merge(page.names) { newest, _ in newest }
            query.cursor = page.nextCursor
            try check()
        } while query.cursor != nil
        let listed = jobs.sorted { ($1.value.attempts, $0.key) < ($0.value.attempts, $1.key) }.prefix(limit)
        return WireStatistics(
            zone: zone.name, total: total.wire,
            jobs: listed.sorted { $0.key < $1.key }
                .map { .init(job: $0.key.rawValue, name: names[$0.key], runs: $0.value.wire) },
            omittedJobs: jobs.count - listed.count,
            days: days.sorted { $0.key < $1.key }.map { .init(day: $0.key, runs: $0.value.wire) })
    }

    /// `2026-12-24`
    private static func day(of instant: WallInstant, in zone: TimeZoneRules) -> String {
        "\(zone.local(at: Int64(instant.nanoseconds / 1_000_000_000)).date)"
    }
}
