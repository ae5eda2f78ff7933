import ApusJSON
public import ApusJobs
public import ApusTimers

/// A client of one home's daemon, which it reaches over the daemon's socket.
///
/// Every method throws ``DaemonError`` with one of these codes: `notRunning` if no daemon listens, `unavailable` if a
/// process of another user listens, `noAnswer` if the connection was lost or the answer took too long (a change may
/// then have been applied), and otherwise the code and the message of the daemon's answer.
public struct DaemonClient: Sendable {
    /// The home of the daemon.
    public let home: Home
    /// The time within which a whole answer must arrive, by the continuous clock.
    public let patience: Duration
    private let random: any RandomSource

    /// Creates a client for the daemon of a home; the client connects at its first use.
    ///
    /// - Parameters:
    ///   - home: the home of the daemon.
    ///   - patience: the time within which a whole answer must arrive, by the continuous clock.
    ///   - random: the source of the idempotency keys of submissions.
    public init(home: Home, patience: Duration = .seconds(30), random: any RandomSource = SystemRandom()) {
        self.home = home
        self.patience = patience
        self.random = random
    }

    /// Returns the path of the socket at which the daemon answers.
    public func socketPath() async throws -> String {
        try await answer(to: HTTPRequest("GET", "/v1/health"), reusing: true, within: patience).path
    }

    /// Returns the daemon's process, version and state.
    public func health() async throws -> WireHealth { try await get("/v1/health") }

    /// Asks the daemon to stop, and returns at once.
    ///
    /// - Throws: ``DaemonError``.
    public func stop() async throws { _ = try await send(.post, "/v1/stop") }

    /// Waits until the daemon that answers at present has stopped answering.
    ///
    /// The store is then closed, and another daemon can open it, or has already opened it. The process may exist for a
    /// moment longer, or remain as a zombie that its parent has not reaped.
    public func untilStopped() async throws {
        let clock = TimerClock.continuous()
        var process: Int32?
        while true {
            do {
                let answering = try await health().pid
                if let process, process != answering { return }
                process = answering
            } catch let error as DaemonError where error.code == .notRunning {
                return
            } catch let error as DaemonError where error.code == .noAnswer {
                // The daemon has closed the connection, or hangs. The next round finds out whether it still listens.
            }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(10)), tolerance: nil)
        }
    }

    /// Submits a job, which is durable when this method returns.
    ///
    /// A submission without an answer is sent a second time. The daemon accepts it only once, because each submission
    /// is sent with an idempotency key: its own or, if it has none, a random one.
    ///
    /// - Throws: ``DaemonError``; with `noAnswer` the job may have been submitted, and the message names the key with
    ///   which the submission can be repeated.
    public func submit(_ submission: WireSubmission) async throws -> WireJob {
        var submission = submission
        let key = submission.idempotencyKey ?? WireSubmission.newIdempotencyKey(random)
        submission.idempotencyKey = key
        do {
            return try decode(
                try await send(.post, "/v1/jobs", body: try JSONText.bytes(of: submission), repeats: .always))
        } catch var error as DaemonError where error.code == .noAnswer {
            error.message +=
                "; the job may have been submitted anyway: `apus list` shows it, and repeating the submission "
                + "with --idempotency-key \(key) adds no second job"
            throw error
        }
    }

    /// Imports the jobs of an export or of a crontab: all of them or none.
    ///
    /// - Throws: ``DaemonError``; with `noAnswer` the jobs may have been imported, and repeating the import makes no
    ///   duplicates.
    public func imported(_ jobs: WireImport) async throws -> WireImported {
        try decode(
            try await send(.post, "/v1/import", body: try JSONText.bytes(of: jobs), patience: .seconds(600)))
    }

    /// Calls `body` with the text of an export, piece by piece.
    ///
    /// - Parameters:
    ///   - labels: the labels (`key=value`) that the exported jobs must all have; empty for all jobs.
    ///   - body: a closure that is called with each piece of the text as it arrives.
    /// - Throws: ``DaemonError`` and the errors of `body`; the text is then incomplete.
    public func export(labels: [String] = [], _ body: ([UInt8]) async throws -> Void) async throws {
        let query = labels.map { ("label", $0) }
        try await stream("/v1/export", query: query, eachWithin: patience) { piece in
            if let piece { try await body(piece) }
            return true
        }
    }

    /// Returns one job, found by its identifier, a unique prefix of that, or its name.
    public func job(_ id: String) async throws -> WireJob { try await get("/v1/jobs/\(Self.segment(id))") }

    /// Returns one page of jobs.
    ///
    /// With `failed`, the page contains only jobs whose newest ended attempt failed or was lost. Without `lastRun`, the
    /// jobs' last runs are left out, which takes less time.
    public func jobs(
        states: [String] = [], kind: String? = nil, _ filter: JobFilter = JobFilter(), failed: Bool = false,
        lastRun: Bool = true, limit: Int? = nil, after: String? = nil
    ) async throws -> WireJobPage {
        var query = Self.query(states: states, filter, failed: failed)
        if let kind { query.append(("kind", kind)) }
        if !lastRun { query.append(("lastRun", "false")) }
        if let limit { query.append(("limit", String(limit))) }
        if let after { query.append(("after", after)) }
        return try await get("/v1/jobs", query: query)
    }

    /// Returns the number of jobs that ``jobs(states:kind:_:failed:lastRun:limit:after:)`` would list in all pages.
    public func jobCount(
        states: [String] = [], _ filter: JobFilter = JobFilter(), failed: Bool = false
    ) async throws -> Int {
        let query = Self.query(states: states, filter, failed: failed)
        let answer: WireCount = try await get("/v1/job-count", query: query)
        return answer.count
    }

    private static func query(states: [String], _ filter: JobFilter, failed: Bool) -> [(String, String)] {
        states.map { ("state", $0) } + filter.queues.map { ("queue", $0) }
            + filter.fairnessKeys.map { ("fairnessKey", $0) } + filter.labels.map { ("label", $0) }
            + (failed ? [("failed", "true")] : [])
    }

    /// Returns the scheduled jobs whose next occurrences are due first.
    public func nextJobs(limit: Int) async throws -> [WireJob] {
        let page: WireJobPage = try await get("/v1/next", query: [("limit", "\(limit)")])
        return page.jobs
    }

    /// Returns one page of the jobs that are due and wait for conditions or for a handler, followed by the jobs whose
    /// time zone the daemon does not know.
    ///
    /// Jobs that wait are included only if the daemon's scheduler has loaded them.
    public func obstructedJobs(limit: Int, after: String? = nil) async throws -> WireJobPage {
        try await get("/v1/obstructed", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// Returns one page of the jobs that the daemon cannot read and has set aside.
    public func unreadableJobs(limit: Int, after: String? = nil) async throws -> WireUnreadablePage {
        try await get("/v1/unreadable", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// Returns one page of the refused submissions of applications, newest first.
    public func refusals(limit: Int, after: String? = nil) async throws -> WireRefusalPage {
        try await get("/v1/refusals", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// Returns one page of the runs of the jobs that pass the filter, newest first.
    ///
    /// With `begun`, the page contains only attempts that began. With `since`, an instant in ISO 8601, it contains only
    /// runs that are open or have ended since then.
    public func runs(
        job: String? = nil, _ filter: JobFilter = JobFilter(), occurrence: Int? = nil, begun: Bool = false,
        outcomes: [String] = [], since: String? = nil, limit: Int? = nil, after: String? = nil
    ) async throws -> WireRunPage {
        var query = Self.query(states: [], filter, failed: false) + outcomes.map { ("outcome", $0) }
        if begun { query.append(("begun", "true")) }
        if let since { query.append(("since", since)) }
        if let job { query.append(("job", job)) }
        if let occurrence { query.append(("occurrence", String(occurrence))) }
        if let limit { query.append(("limit", String(limit))) }
        if let after { query.append(("after", after)) }
        return try await get("/v1/runs", query: query)
    }

    /// Returns statistics of the ended runs of one job or of all jobs.
    ///
    /// - Parameters:
    ///   - job: the job's identifier, a unique prefix of that, or its name.
    ///   - since: an instant in ISO 8601; only runs that have ended since then count.
    ///   - zone: the time zone of the days; GMT by default.
    /// - Returns: the statistics in total, by job and by day.
    /// - Throws: ``DaemonError``.
    public func statistics(
        job: String? = nil, since: String? = nil, zone: String? = nil
    ) async throws -> WireStatistics {
        var query: [(String, String)] = []
        if let job { query.append(("job", job)) }
        if let since { query.append(("since", since)) }
        if let zone { query.append(("zone", zone)) }
        return try decode(
            try await send(.get, "/v1/stats", query: query, patience: .seconds(600), repeats: .whenLost))
    }

    /// Returns the metrics since the daemon's start, in the text format of Prometheus.
    public func metrics() async throws -> String {
        String(decoding: try await send(.get, "/metrics", repeats: .whenLost), as: UTF8.self)
    }

    /// Cancels a job.
    public func cancel(_ id: String) async throws -> WireJob {
        try decode(try await send(.delete, "/v1/jobs/\(Self.segment(id))"))
    }

    /// The states of jobs that can be cancelled.
    package static let openStates = ["scheduled", "suspended"]

    /// Cancels the jobs that have not ended, with one request for each 1,000 jobs.
    ///
    /// - Parameters:
    ///   - filter: the filter that the jobs must pass.
    ///   - progress: a closure that is called after each request with the number of cancelled jobs.
    /// - Returns: the jobs' identifiers.
    /// - Throws: ``DaemonError``; some of the jobs may then be cancelled.
    public func cancelAll(
        _ filter: JobFilter = JobFilter(), progress: (Int) -> Void = { _ in }
    ) async throws -> [String] {
        var cancelled: [String] = []
        try await changePages(.delete, "/v1/jobs", Self.query(states: [], filter, failed: false)) {
            (page: WireCancelled) in
            cancelled += page.cancelled
            progress(cancelled.count)
            return page.next
        }
        return cancelled
    }

    /// Sends a request for each 1,000 jobs that match a query.
    ///
    /// `next` gets each answer, and returns the position of the next page, or `nil` at the end.
    private func changePages<Answer: Decodable>(
        _ method: Method, _ path: String, _ query: [(String, String)], _ next: (Answer) -> String?
    ) async throws {
        let query = (query.isEmpty ? [("all", "true")] : query) + [("limit", "1000")]
        var after: String?
        repeat {
            let answer = try await send(method, path, query: query + (after.map { [("after", $0)] } ?? []))
            after = next(try decode(answer))
        } while after != nil
    }

    /// Deletes a job that has ended, with its runs and their output.
    public func delete(_ id: String) async throws {
        _ = try await send(.post, "/v1/jobs/\(Self.segment(id))/delete")
    }

    /// The states of jobs that can be deleted.
    package static let endedStates = ["finished", "cancelled"]

    /// Deletes the jobs that have ended, with their runs and output, except jobs with a run in progress.
    ///
    /// One request is sent for each 1,000 jobs.
    ///
    /// - Parameters:
    ///   - filter: the filter that the jobs must pass.
    ///   - failed: whether only jobs are deleted whose newest ended attempt failed or was lost.
    ///   - progress: a closure that is called after each request with the number of deleted jobs.
    /// - Returns: the number of deleted jobs.
    /// - Throws: ``DaemonError``; some of the jobs may then be deleted.
    public func deleteEnded(
        _ filter: JobFilter = JobFilter(), failed: Bool = false, progress: (Int) -> Void = { _ in }
    ) async throws -> Int {
        var deleted = 0
        try await changePages(.delete, "/v1/ended", Self.query(states: [], filter, failed: failed)) {
            (page: WireDeleted) in
            deleted += page.deleted
            progress(deleted)
            return page.next
        }
        return deleted
    }

    /// Changes the definition of a job; its identifier, its history and the fields that the change leaves out stay.
    public func change(_ id: String, _ change: WireJobChange) async throws -> WireJob {
        try decode(try await send(.patch, "/v1/jobs/\(Self.segment(id))", body: try JSONText.bytes(of: change)))
    }

    /// Suspends a job.
    public func suspend(_ id: String) async throws -> WireJob {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/suspend"))
    }

    /// Resumes a job.
    public func resume(_ id: String) async throws -> WireJob {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/resume"))
    }

    /// Runs a job now, in addition to its occurrences.
    public func run(_ id: String) async throws -> WireRun {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/run"))
    }

    /// Cancels the waiting or active run of one occurrence; the job stays.
    public func cancelRun(_ id: String, occurrence: Int) async throws -> WireRun {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/runs/\(occurrence)/cancel"))
    }

    /// Retries an occurrence that failed, was lost or was cancelled; by default the last occurrence with such an
    /// outcome.
    public func retry(_ id: String, occurrence: Int? = nil) async throws -> WireRun {
        try decode(
            try await send(.post, "/v1/jobs/\(Self.segment(id))/retry", query: Self.query(occurrence: occurrence)))
    }

    /// The states of jobs that can be retried, which are all states except `cancelled`.
    package static let retriableStates = ["scheduled", "suspended", "finished"]

    /// Retries the last occurrence of each job whose newest ended attempt failed or was lost, except cancelled jobs.
    ///
    /// One request is sent for each 1,000 jobs. A job is skipped if another caller has retried or cancelled it, or if
    /// it no longer exists.
    ///
    /// - Parameters:
    ///   - filter: the filter that the jobs must pass.
    ///   - progress: a closure that is called after each request with the number of retried jobs.
    /// - Returns: the new attempts.
    /// - Throws: ``DaemonError``; some of the jobs may then be retried.
    public func retryFailed(
        _ filter: JobFilter = JobFilter(), progress: (Int) -> Void = { _ in }
    ) async throws -> [WireRun] {
        var runs: [WireRun] = []
        try await changePages(.post, "/v1/failed/retry", Self.query(states: [], filter, failed: false)) {
            (page: WireRetried) in
            runs += page.runs
            progress(runs.count)
            return page.next
        }
        return runs
    }

    /// Returns the decisions about an occurrence, which explain why it ran, did not run, or waits.
    ///
    /// The default is the oldest open occurrence, or else the next occurrence, or else the last one.
    public func why(_ id: String, occurrence: Int? = nil) async throws -> WireExplanation {
        try await get("/v1/jobs/\(Self.segment(id))/why", query: Self.query(occurrence: occurrence))
    }

    private static func query(occurrence: Int?) -> [(String, String)] {
        occurrence.map { [("occurrence", String($0))] } ?? []
    }

    /// Returns the daemons that share the store.
    public func nodes() async throws -> WireNodes { try await get("/v1/nodes") }

    /// Returns the queues that have limits, or jobs that run or wait, in the order of their names.
    public func queues() async throws -> WireQueues { try await get("/v1/queues") }

    /// Changes a queue.
    public func change(queue name: String, _ change: WireQueueChange) async throws -> WireQueue {
        let name = try Self.segment(name, "name: must not be empty; give the name of a queue")
        return try decode(try await send(.patch, "/v1/queues/\(name)", body: try JSONText.bytes(of: change)))
    }

    /// Returns the last 64 KiB of the output of an occurrence, by default of the last run that ended.
    ///
    /// With `running`, the method returns the output so far of a run in progress, if there is one.
    public func logs(_ id: String, occurrence: Int? = nil, running: Bool = false) async throws -> [UInt8] {
        let query = Self.query(occurrence: occurrence) + (running ? [("running", "true")] : [])
        return try await send(.get, "/v1/jobs/\(Self.segment(id))/logs", query: query)
    }

    /// An event of the daemon: a name, and data as JSON.
    public struct Event: Sendable {
        /// The kind of event: `job`, `run`, `output`, `notification` or `clock`, or `lost` in place of events that were
        /// left out.
        public var name: String
        /// The event's data, as JSON in UTF-8.
        public var data: [UInt8]
        /// Returns the data as a wire type.
        public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
            try LenientJSON.decode(from: data)
        }
    }

    /// Listens to the events of a job, or of all jobs, from now on until the daemon stops or the calling task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - job: the identifier, a unique prefix of it, or the name of the only job whose events are sent.
    ///   - terminal: whether the caller shows notifications to a person.
    ///   - running: whether the output so far of the runs in progress is sent first, as `output` events.
    ///   - body: a closure that is called with each event, and first with `nil` when the daemon listens; it returns
    ///     `false` to end the listening.
    /// - Throws: ``DaemonError``, or the errors of `body`.
    public func listen(
        job: String? = nil, terminal: Bool = false, running: Bool = false, _ body: (Event?) async throws -> Bool
    ) async throws {
        var query: [(String, String)] = terminal ? [("terminal", "true")] : []
        if let job { query.append(("job", job)) }
        if running { query.append(("running", "true")) }
        var parser = EventParser()
        try await stream("/v1/events", query: query, eachWithin: nil) { piece in
            guard let piece else { return try await body(nil) }
            for event in parser.append(piece) {
                guard try await body(event) else { return false }
            }
            return true
        }
    }
}

/// An error of the daemon or of its client: a code for programs, and a message for people that includes the remedy.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the JSON API.
        public var description: String
        /// An argument is not acceptable.
        public static let invalid = Code(description: "invalid")
        /// Files or the network cannot be used at present.
        public static let unavailable = Code(description: "unavailable")
        /// No daemon listens.
        public static let notRunning = Code(description: "notRunning")
        /// A daemon listens, but the connection was lost or the answer took too long, so a change may have happened.
        public static let noAnswer = Code(description: "noAnswer")
        /// The daemon serves a home other than the one that the request names.
        public static let otherHome = Code(description: "otherHome")
        /// The daemon ended because it could not use its store for too long.
        public static let storeLost = Code(description: "storeLost")
        /// The caller is not allowed to send this request.
        public static let forbidden = Code(description: "forbidden")
        /// Returns the code of an error of the scheduler or the store.
        public static func jobs(_ code: JobError.Code) -> Code { Code(description: code.description) }
        /// Returns the code that is named in an answer of the API.
        public static func named(_ name: String) -> Code { Code(description: name) }
    }
    /// The kind of error.
    public var code: Code
    /// A sentence with the problem and the remedy.
    public var message: String
    /// The underlying error, if there is one.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
    /// The message, with the cause if there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
