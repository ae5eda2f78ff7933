import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers

/// Requests that concern many jobs; their `check` throws once the client has disconnected.
extension JobDirectory {
    /// Returns a page of jobs, including unreadable ones.
    ///
    /// If the jobs are long, the page contains fewer jobs than the query's limit.
    func page(_ query: JobQuery) async throws -> WireJobPage {
        enum Found {
            case job(Job, lastRun: Run?)
            case unreadable(UnreadableJob)

            var textSize: Int {
                switch self {
                case .job(let job, let lastRun): job.textSize + (lastRun?.textSize ?? 0)
                case .unreadable(let job): 512 + job.problem.utf8.count
                }
            }
        }
        let (found, next) = try await BoundedPage.read(
            limit: query.limit, after: query.cursor, size: \Found.textSize,
            piece: { limit, after in
                var piece = query
                (piece.limit, piece.cursor) = (limit, after)
                let page = try await scheduler.jobs(piece)
                let jobs = zip(page.jobs, page.lastRuns).map { Found.job($0, lastRun: $1) }
                return (jobs + page.unreadable.map { .unreadable($0) }, page.nextCursor)
            })
        var page = WireJobPage(jobs: [], next: next)
        for found in found {
            switch found {
            case .job(let job, let lastRun): page.jobs.append(wire(job, lastRun: lastRun))
            case .unreadable(let job): page.unreadable.append(WireUnreadableJob(job))
            }
        }
        return page
    }

    /// Returns a page of runs; if the runs are long, it contains fewer runs than the query's limit.
    func page(_ query: RunQuery) async throws -> WireRunPage {
        var names: [JobID: String] = [:]
        let (runs, next) = try await BoundedPage.read(
            limit: query.limit, after: query.cursor,
            size: { (run: Run) in run.textSize },
            piece: { limit, after in
                var piece = query
                (piece.limit, piece.cursor) = (limit, after)
                let page = try await scheduler.runs(piece)
                names.merge(page.names) { newest, _ in newest }
                return (page.runs, page.nextCursor)
            })
        return WireRunPage(RunPage(runs: runs, names: names, nextCursor: next))
    }

    /// The maximum number of reads, each of up to 100 jobs with a calendar, that are made for one page.
    private static let piecesExamined = 20

    /// Returns a page of the jobs that are due and wait for conditions or for a handler, followed by the jobs whose
    /// time zone this daemon does not know.
    ///
    /// Jobs that wait are included only if this daemon's scheduler has loaded them. The jobs without a known zone are
    /// searched for among the jobs with a calendar. One request examines only a bounded number of these, so a page may
    /// have few jobs, or none, although there is a next page.
    func obstructed(limit: Int, after: String?, check: () throws -> Void) async throws -> WireJobPage {
        let held = scheduler.obstructed
        if let after, after.utf8.first == UInt8(ascii: "z") {
            return try await zoneless(limit: limit, after: String(after.dropFirst()), besides: Set(held), check: check)
        }
        let rest = held.filter { $0 > after.flatMap { Int64($0) } ?? 0 }
        guard !rest.isEmpty else {
            return try await zoneless(limit: limit, after: "", besides: Set(held), check: check)
        }
        let (found, next) = try await BoundedPage.read(
            limit: limit, after: nil, size: { (job: Job) in job.textSize },
            piece: { limit, after in
                try check()
                let first = after.flatMap { Int($0) } ?? 0
                let some = rest[first..<min(first + limit, rest.count)]
                let jobs = try await scheduler.jobs(numbered: Array(some))
                return (jobs, some.endIndex < rest.count ? "\(some.endIndex)" : nil)
            })
        let last = next.flatMap { Int($0) }.map { "\(rest[$0 - 1])" }
        return WireJobPage(jobs: found.map { wire($0) }, next: last ?? "z")
    }

    /// Returns a page of the jobs whose time zone is unknown, from a position in the list of the jobs with a calendar.
    private func zoneless(
        limit: Int, after position: String, besides held: Set<Int64>, check: () throws -> Void
    ) async throws -> WireJobPage {
        var query = JobQuery(
            states: [.scheduled], calendarsOnly: true, includesLastRuns: false, limit: min(limit, 100),
            cursor: position.isEmpty ? nil : position)
        var (found, bytes, pieces): ([Job], Int, Int) = ([], 0, 0)
        var zones: [String: Bool] = [:]
        repeat {
            try check()
            let page = try await scheduler.jobs(query)
            for job in page.jobs {
                guard let zone = job.request.trigger.calendar?.timeZone, !held.contains(job.key) else { continue }
                let isThere = zones[zone] ?? ((try? scheduler.timeZones.zone(zone)) != nil)
                zones[zone] = isThere
                if isThere { continue }
                found.append(job)
                bytes += job.textSize
            }
            query.cursor = page.nextCursor
            pieces += 1
        } while query.cursor != nil && found.count + query.limit <= limit && pieces < Self.piecesExamined
            && bytes < BoundedPage.bytes
        return WireJobPage(jobs: found.map { wire($0) }, next: query.cursor.map { "z\($0)" })
    }

    /// Returns the scheduled jobs with the earliest next occurrences.
    func next(limit: Int, check: () throws -> Void) async throws -> WireJobPage {
        // More jobs than `limit` are read, because a job with a waiting run is among the soonest, although its next
        // occurrence may be due later than those of other jobs.
        var looked = 2 * limit
        while true {
            try check()
            let soonest = try await scheduler.soonest(limit: looked)
            let due = soonest.compactMap { job in
                job.state == .scheduled ? job.nextDue.map { (due: $0, job: job) } : nil
            }.sorted { ($0.due, $0.job.key) < ($1.due, $1.job.key) }.prefix(limit)
            let isComplete = due.count == limit && soonest.last?.nextWake.map { $0 >= due.last!.due } ?? true
            if isComplete || soonest.count < looked {
                return WireJobPage(jobs: due.map { wire($0.job) }, next: nil)
            }
            looked *= 4
        }
    }

    /// The maximum number of occurrences in an answer.
    static let mostUpcoming = 10_000

    /// Returns the upcoming occurrences of the scheduled jobs, at most `perJob` for each job.
    func upcoming(
        after: WallInstant, until: WallInstant, perJob limit: Int, check: () throws -> Void
    ) async throws -> WireUpcoming {
        var merge = UpcomingMerge<(job: Job, occurrences: UpcomingOccurrences?)>(perJob: limit, all: Self.mostUpcoming)
        let query = JobQuery(states: [.scheduled], includesLastRuns: false, limit: 100)
        for try await page in scheduler.pages(of: query) {
            for var job in page.jobs {
                try check()
                var occurrences = scheduler.upcoming(of: job, after: after)
                guard let first = occurrences.next(), first.due <= until else { continue }
                job.request.payload = []
                // The search for further occurrences is prepared later, because it takes more memory than the job, and
                // many jobs have no second occurrence in the period.
                merge.add(.init(due: first.due, note: first.note, job: job.id, name: job.request.name), (job, nil))
            }
        }
        let merged = try merge.merged(
            size: { 128 + ($0.name?.utf8.count ?? 0) },
            next: { source, last in
                try check()
                if source.occurrences == nil {
                    source.occurrences = scheduler.upcoming(of: source.job, after: last.due)
                }
                guard let next = source.occurrences?.next(), next.due <= until else { return nil }
                return .init(due: next.due, note: next.note, job: last.job, name: last.name)
            })
        return WireUpcoming(
            occurrences: merged.occurrences.map {
                .init(job: $0.job.rawValue, name: $0.name, due: $0.due.iso8601, note: $0.note?.description)
            },
            truncated: merged.truncated.map(\.rawValue), cut: merged.cut.map(\.iso8601))
    }
}

/// Reads a page of a list piece by piece, and ends it before its text is too long for one answer.
///
/// A client reads at most 64 MiB.
enum BoundedPage {
    /// The approximate maximum size of a page in bytes; its text in JSON can be six times as long.
    static let bytes = 8 << 20
    /// The maximum number of elements in a piece.
    private static let piece = 100

    /// Returns a page of at most `limit` elements.
    ///
    /// `read` returns a piece of at most the given number of elements, and the position of the next ones if there are
    /// more; `size` returns the approximate size of an element, in bytes.
    static func read<Element>(
        limit: Int, after: String?, size: (Element) -> Int,
        piece read: (_ limit: Int, _ after: String?) async throws -> (elements: [Element], next: String?)
    ) async throws -> (elements: [Element], next: String?) {
        var page: [Element] = []
        var next = after
        var bytes = 0
        repeat {
            let piece = try await read(min(piece, limit - page.count), next)
            page += piece.elements
            next = piece.next
            bytes += piece.elements.reduce(0) { $0 + size($1) }
        } while next != nil && page.count < limit && bytes < Self.bytes
        return (page, next)
    }
}

extension Job {
    /// The approximate size of the job as JSON, in bytes.
    var textSize: Int {
        512 + request.payload.count + (request.name?.utf8.count ?? 0)
            + request.labels.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

extension Run {
    /// The approximate size of the run as JSON, in bytes.
    var textSize: Int {
        512 + min(output.count, WireRun.tailBytes) + min(result?.count ?? 0, WireRun.tailBytes)
            + (reason?.utf8.count ?? 0)
    }
}
