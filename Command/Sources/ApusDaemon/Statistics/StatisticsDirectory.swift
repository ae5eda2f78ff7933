import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import Hummingbird
import LoopbackWeb
import NIOCore

/// Computes statistics of the history.
struct StatisticsDirectory: Sendable {
    var scheduler: JobScheduler
    /// The maximum number of runs, with their output, that are in memory at once.
    private static let page = 200

    /// Returns statistics of the ended runs of one job or of all jobs, since an instant or from the beginning.
    ///
    /// The statistics by job are those of the `limit` jobs with the most attempts. `check` throws once the client has
    /// disconnected.
    func statistics(
        job: JobID?, since: WallInstant?, zone: ZoneDatabase.Zone, limit: Int, check: () throws -> Void
    ) async throws -> WireStatistics {
        var total = RunStatistics()
        var jobs: [JobID: RunStatistics] = [:]
        var names: [JobID: String] = [:]
        var days: [String: RunStatistics] = [:]
        let query = RunQuery(
            jobID: job, states: [.succeeded, .failed, .skipped, .lost, .cancelled], since: since, limit: Self.page)
        for try await page in scheduler.pages(of: query) {
            for run in page.runs {
                guard let finished = run.finished else { continue }
                total.add(run)
                jobs[run.jobID, default: RunStatistics()].add(run)
                days[Self.day(of: finished, in: zone.rules), default: RunStatistics()].add(run)
            }
            names.merge(page.names) { newest, _ in newest }
            try check()
        }
        let listed = jobs.sorted { ($1.value.attempts, $0.key) < ($0.value.attempts, $1.key) }.prefix(limit)
        return WireStatistics(
            zone: zone.name, total: total.wire,
            jobs: listed.sorted { $0.key < $1.key }
                .map { .init(job: $0.key.rawValue, name: names[$0.key], runs: $0.value.wire) },
            omittedJobs: jobs.count - listed.count,
            days: days.sorted { $0.key < $1.key }.map { .init(day: $0.key, runs: $0.value.wire) })
    }

    /// Returns the local date, such as `2026-12-24`.
    private static func day(of instant: WallInstant, in zone: TimeZoneRules) -> String {
        "\(zone.local(at: Int64(instant.nanoseconds / 1_000_000_000)).date)"
    }
}

/// Counts and measures runs, which are added one after another.
struct RunStatistics {
    private var outcomes: [RunState: Int] = [:]
    private(set) var attempts = 0
    private var retries = 0
    /// The measured values, in milliseconds.
    private var lateness: [Int64] = []
    private var durations: [Int64] = []

    /// Adds a run that has ended; an open run is ignored.
    mutating func add(_ run: Run) {
        guard !run.state.isOpen else { return }
        if run.isFinal { outcomes[run.state, default: 0] += run.through - run.occurrence + 1 }
        guard run.claimed != nil || run.started != nil else { return }
        attempts += 1
        if run.attempt > 1 { retries += 1 }
        if let late = run.lateness { lateness.append(late.wholeMilliseconds) }
        guard run.state == .succeeded || run.state == .failed, let started = run.started, let finished = run.finished
        else { return }
        durations.append(max(.zero, started.duration(to: finished)).wholeMilliseconds)
    }

    /// The statistics of the runs that were added.
    var wire: WireStatistics.Runs {
        func count(_ state: RunState) -> Int { outcomes[state] ?? 0 }
        let decided = count(.succeeded) + count(.failed) + count(.lost)
        return WireStatistics.Runs(
            succeeded: count(.succeeded), failed: count(.failed), lost: count(.lost), cancelled: count(.cancelled),
            skipped: count(.skipped), attempts: attempts, retries: retries,
            successRate: decided == 0 ? nil : Double(count(.succeeded)) / Double(decided),
            latenessMs: WireStatistics.Distribution(lateness), durationMs: WireStatistics.Distribution(durations))
    }
}

extension WireStatistics.Distribution {
    /// Creates a distribution whose percentiles are measured values (nearest rank); `nil` if there are no values.
    init?(_ values: [Int64]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        func percentile(_ percent: Int) -> Int64 { sorted[Swift.max(0, (percent * sorted.count + 99) / 100 - 1)] }
        self.init(
            count: sorted.count, p50: percentile(50), p90: percentile(90), p99: percentile(99), max: sorted.last ?? 0)
    }
}

/// The routes for statistics of the history, and for metrics since the daemon's start.
extension Routes {
    func addStatistics(to api: APIRouter) {
        api.get("/v1/stats", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["job", "since", "zone", "limit"])
            let since = try instant(parameters, "since")
            let zone = try TimeText.zone(named: parameters["zone"] ?? "UTC", argument: "zone")
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 1_000
            let job: JobID? = if let name = parameters["job"] { try await jobs.resolve(name) } else { nil }
            return try await long.answer(context) { check in
                try Response.json(
                    try await StatisticsDirectory(scheduler: scheduler)
                        .statistics(job: job, since: since, zone: zone, limit: limit, check: check))
            }
        }
        api.get("/metrics", needs: .read) { request, _ in
            _ = try Query(of: request, known: [])
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(
                    byteBuffer: ByteBuffer(string: metrics.page(version: ApusVersion.current, started: started))))
        }
    }
}
