import ApusJSON
public import ApusJobs
public import ApusTimers

/// Talks to the daemon of one home over its socket.
///
/// Every method throws ``DaemonError``: `notRunning` when no daemon listens, `unavailable` when another user's process
/// does, `noAnswer` when the connection was lost or the answer took too long (then a change may have happened), else the
/// code and the message that the daemon answered.
public struct DaemonClient: Sendable {
    /// The home whose daemon is meant.
    public let home: Home
    /// How long the daemon has for a whole answer, by the continuous clock.
    public let patience: Duration
    private let random: any RandomSource

    /// A client for the daemon of that home. Connects when it is first used.
    ///
    /// - Parameters:
    ///   - home: the home whose daemon is meant.
    ///   - patience: how long the daemon has for a whole answer, by the continuous clock.
    ///   - random: makes the idempotency keys of submissions.
    public init(home: Home, patience: Duration = .seconds(30), random: any RandomSource = SystemRandom()) {
        self.home = home
        self.patience = patience
        self.random = random
    }

    /// Where the daemon answers.
    public func socketPath() async throws -> String {
        try await answer(to: HTTPRequest("GET", "/v1/health"), reusing: true, within: patience).path
    }

    /// The daemon's process, version and state.
    public func health() async throws -> WireHealth { try await get("/v1/health") }

    /// Asks the daemon to stop, and returns at once.
    /// - Throws: ``DaemonError``.
    public func stop() async throws { _ = try await send(.post, "/v1/stop") }

    /// Waits until the daemon that answers now does not any more. The store is closed then, and another daemon can have
    /// it, or has it already. (The process may exist for a moment longer, or as a zombie that its parent has not asked
    /// for.)
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
                // It is about to end.
            }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(10)), tolerance: nil)
        }
    }

    /// Submits a job: when this returns, it is durable.
    ///
    /// A submission without an answer is sent a second time. It has an idempotency key, a random one unless it was given
    /// one, so the daemon takes it once.
    /// - Throws: ``DaemonError``; with `noAnswer` the job may have been submitted, and the message names the key with which
    ///   the submission can be repeated.
    public func submit(_ submission: WireSubmission) async throws -> WireJob {
        var submission = submission
        let key = submission.idempotencyKey ?? WireSubmission.newIdempotencyKey(random)
        submission.idempotencyKey = key
        do {
            return try decode(
                try await send(.post, "/v1/jobs", body: try JSONText.bytes(of: submission), repeats: .always))
        } catch var error as DaemonError where error.code == .noAnswer {
            error.message +=
                "; the job may have been submitted (`apus list` shows it), and repeating the submission "
                + "with --idempotency-key \(key) makes no second one"
            throw error
        }
    }

    /// Makes jobs of an export, or of a crontab: all or none.
    /// - Throws: ``DaemonError``; with `noAnswer` they may have been made, and a repeated import makes no second ones.
    public func imported(_ jobs: WireImport) async throws -> WireImported {
        try decode(
            try await send(.post, "/v1/import", body: try JSONText.bytes(of: jobs), patience: .seconds(600)))
    }

    /// The text that `apus export` writes.
    /// - Parameters:
    ///   - labels: only of jobs that have all of these (`key=value`).
    ///   - body: is called with each piece of the text as it comes; nothing of it is kept.
    /// - Throws: ``DaemonError``, and what `body` throws. The text is not complete then.
    public func export(labels: [String] = [], _ body: ([UInt8]) async throws -> Void) async throws {
        let query = labels.map { ("label", $0) }
        try await stream("/v1/export", query: query, eachWithin: patience) { piece in
            if let piece { try await body(piece) }
            return true
        }
    }

    /// One job, by identifier, unique prefix or name.
    public func job(_ id: String) async throws -> WireJob { try await get("/v1/jobs/\(Self.segment(id))") }

    /// One page of jobs; with `failed`, only of those whose newest attempt that has ended failed or was lost; without
    /// `lastRun`, without their last runs, which takes less time.
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

    /// How many jobs there are; as in ``jobs(states:kind:_:failed:lastRun:limit:after:)``.
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

    /// The scheduled jobs whose next occurrences are due first.
    public func nextJobs(limit: Int) async throws -> [WireJob] {
        let page: WireJobPage = try await get("/v1/next", query: [("limit", "\(limit)")])
        return page.jobs
    }

    /// One page of the jobs that are due and wait for conditions or for a handler, as far as the daemon's scheduler has
    /// them.
    public func obstructedJobs(limit: Int, after: String? = nil) async throws -> WireJobPage {
        try await get("/v1/obstructed", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// One page of the jobs that the daemon cannot read and has set aside.
    public func unreadableJobs(limit: Int, after: String? = nil) async throws -> WireUnreadablePage {
        try await get("/v1/unreadable", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// One page of applications' submissions that were refused, the last ones first.
    public func refusals(limit: Int, after: String? = nil) async throws -> WireRefusalPage {
        try await get("/v1/refusals", query: [("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? []))
    }

    /// One page of runs, newest first, of the jobs that pass the filter; with `begun`, only of attempts that began; with
    /// `since`, an instant in ISO 8601, only of those that are open or ended since.
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

    /// How the runs went that have ended, of one job or of all.
    /// - Parameters:
    ///   - job: by identifier, unique prefix or name.
    ///   - since: an instant in ISO 8601; only runs that ended since.
    ///   - zone: the zone of the days; GMT unless given.
    /// - Returns: the statistics in all, by job and by day.
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

    /// What was measured since the daemon started, in Prometheus' text format.
    public func metrics() async throws -> String {
        String(decoding: try await send(.get, "/metrics", repeats: .whenLost), as: UTF8.self)
    }

    /// Cancels a job.
    public func cancel(_ id: String) async throws -> WireJob {
        try decode(try await send(.delete, "/v1/jobs/\(Self.segment(id))"))
    }

    /// The states of jobs that can be cancelled.
    package static let openStates = ["scheduled", "suspended"]

    /// Cancels the jobs that have not ended. Sends a request for each 1,000 jobs.
    /// - Parameters:
    ///   - filter: which of them.
    ///   - progress: called after each request with the number of jobs that are cancelled.
    /// - Returns: the jobs' identifiers.
    /// - Throws: ``DaemonError``; some of the jobs may be cancelled then.
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

    /// Sends a request for each 1,000 jobs that match a query. `next` gets each answer, and returns where the next page
    /// begins.
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

    /// Deletes a job that has ended, with its runs and what they printed.
    public func delete(_ id: String) async throws {
        _ = try await send(.post, "/v1/jobs/\(Self.segment(id))/delete")
    }

    /// The states of jobs that can be deleted.
    package static let endedStates = ["finished", "cancelled"]

    /// Deletes the jobs that have ended, with their runs and what they printed, except those with a run in progress.
    /// Sends a request for each 1,000 jobs.
    /// - Parameters:
    ///   - filter: which of them.
    ///   - failed: only jobs whose newest attempt that has ended failed or was lost.
    ///   - progress: called after each request with the number of jobs that are deleted.
    /// - Returns: how many were deleted.
    /// - Throws: ``DaemonError``; some of the jobs may be deleted then.
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

    /// Changes what a job is asked to do; what is left out stays, and so do its identifier and its history.
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

    /// Runs a job now, beside its occurrences.
    public func run(_ id: String) async throws -> WireRun {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/run"))
    }

    /// Cancels the run of one occurrence, waiting or running; the job stays.
    public func cancelRun(_ id: String, occurrence: Int) async throws -> WireRun {
        try decode(try await send(.post, "/v1/jobs/\(Self.segment(id))/runs/\(occurrence)/cancel"))
    }

    /// Tries an occurrence again that has failed, was lost or was cancelled; the last such one unless it is named.
    public func retry(_ id: String, occurrence: Int? = nil) async throws -> WireRun {
        try decode(
            try await send(.post, "/v1/jobs/\(Self.segment(id))/retry", query: Self.query(occurrence: occurrence)))
    }

    /// A cancelled job cannot be retried.
    package static let retriableStates = ["scheduled", "suspended", "finished"]

    /// Tries again the last occurrence of each job whose newest attempt that has ended failed or was lost, except
    /// cancelled ones. A job that cannot be retried any more, because another caller has done so or cancelled it, or it
    /// is gone, is skipped. Sends a request for each 1,000 jobs.
    /// - Parameters:
    ///   - filter: which of them.
    ///   - progress: called after each request with the number of jobs that are tried again.
    /// - Returns: the new attempts.
    /// - Throws: ``DaemonError``; some of the jobs may be tried again then.
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

    /// Why an occurrence ran, did not run, or waits; the oldest open one unless it is named, else the next, else the last.
    public func why(_ id: String, occurrence: Int? = nil) async throws -> WireExplanation {
        try await get("/v1/jobs/\(Self.segment(id))/why", query: Self.query(occurrence: occurrence))
    }

    private static func query(occurrence: Int?) -> [(String, String)] {
        occurrence.map { [("occurrence", String($0))] } ?? []
    }

    /// The daemons that share the store.
    public func nodes() async throws -> WireNodes { try await get("/v1/nodes") }

    /// The queues that have limits, or jobs that run or wait, by name.
    public func queues() async throws -> WireQueues { try await get("/v1/queues") }

    /// Changes a queue.
    public func change(queue name: String, _ change: WireQueueChange) async throws -> WireQueue {
        let name = try Self.segment(name, "name: must not be empty; give the name of a queue")
        return try decode(try await send(.patch, "/v1/queues/\(name)", body: try JSONText.bytes(of: change)))
    }

    /// What the last run that ended (or an occurrence's) printed: its last 64 KiB. With `running`, rather what a
    /// run in progress has printed so far, if there is one.
    public func logs(_ id: String, occurrence: Int? = nil, running: Bool = false) async throws -> [UInt8] {
        let query = Self.query(occurrence: occurrence) + (running ? [("running", "true")] : [])
        return try await send(.get, "/v1/jobs/\(Self.segment(id))/logs", query: query)
    }

    /// An event: its name, and its data as JSON.
    public struct Event: Sendable {
        /// `job`, `run`, `output`, `notification`, `clock`, or `lost` where events were left out.
        public var name: String
        /// The JSON.
        public var data: [UInt8]
        /// The data as a wire type.
        public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
            try LenientJSON.decode(from: data)
        }
    }

    /// Events of a job (or of all) from now on, until the daemon stops or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - job: only this job's; by identifier, unique prefix or name.
    ///   - terminal: whether the caller shows notifications to a person.
    ///   - running: whether it begins with what runs in progress have printed so far, as `output` events.
    ///   - body: called with each event; `false` ends the listening. First called with `nil`, when the daemon listens.
    /// - Throws: ``DaemonError``, or what `body` throws.
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

/// What can go wrong between the command and the daemon: a code for programs and a message for people that says what
/// to do.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the JSON API.
        public var description: String
        /// An argument was not acceptable.
        public static let invalid = Code(description: "invalid")
        /// Files or the network cannot be used now.
        public static let unavailable = Code(description: "unavailable")
        /// No daemon listens.
        public static let notRunning = Code(description: "notRunning")
        /// A daemon listens, but the connection was lost or the answer took too long: a change may have happened.
        public static let noAnswer = Code(description: "noAnswer")
        /// The daemon keeps another home than the request is for.
        public static let otherHome = Code(description: "otherHome")
        /// The daemon has ended, because it could not use its store for too long.
        public static let storeLost = Code(description: "storeLost")
        /// The caller may not do this.
        public static let forbidden = Code(description: "forbidden")
        /// The daemon answered with an error of the scheduler or the store.
        public static func jobs(_ code: JobError.Code) -> Code { Code(description: code.description) }
        /// The code that an answer of the API named.
        public static func named(_ name: String) -> Code { Code(description: name) }
    }
    /// The kind of error.
    public var code: Code
    /// What happened, and what to do.
    public var message: String
    /// What caused it.
    public var cause: (any Error)?

    /// An error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
    /// The message, with the cause if there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
