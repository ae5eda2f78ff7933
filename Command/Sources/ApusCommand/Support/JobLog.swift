import ApusClient

/// Prints the output of a job's runs, each piece once, and the outcome of each run.
///
/// The output of runs in progress arrives in events. Runs that ended while this process did not listen are read from
/// the history.
struct JobLog {
    private struct Attempt: Hashable {
        var occurrence: Int
        var attempt: Int

        init(_ run: WireRun) { (occurrence, attempt) = (run.occurrence, run.attempt) }
        init(_ output: WireOutput) { (occurrence, attempt) = (output.occurrence, output.attempt) }
    }

    let client: DaemonClient
    let job: WireJob

    /// The number of runs in a page of the history.
    private static let page = 100
    /// The latest attempts that need not be printed any more, because their ends were printed or came before this log
    /// began.
    ///
    /// More attempts are kept than a page of runs can contain.
    private var ended: [Attempt] = []
    /// The attempts in progress whose output was printed as it arrived, each with the number of its bytes so far,
    /// including omitted bytes.
    private var printed: [Attempt: Int] = [:]
    /// Whether output was omitted after the last piece.
    private var isOutputLost = false
    private var isInterrupted = false

    init(client: DaemonClient, job: WireJob) {
        self.client = client
        self.job = job
    }

    /// Prints the output of the last ended run, or of an occurrence.
    ///
    /// If a run is in progress and no occurrence is given, nothing is printed, because its output arrives in events.
    mutating func begin(at occurrence: Int?) async throws {
        let runs = try await client.runs(job: job.id, begun: true, limit: Self.page).runs
        let finished = runs.filter { $0.finished != nil }
        for run in finished { ended.append(Attempt(run)) }
        var last = finished.count == runs.count ? finished.first : nil
        if let occurrence {
            last = try await client.runs(job: job.id, occurrence: occurrence, begun: true, limit: Self.page).runs
                .first { $0.finished != nil }
        }
        if let last { try await print(last, isNewest: true) }
    }

    /// Prints the runs that have ended and were not printed yet.
    ///
    /// - Returns: whether the job can still run.
    mutating func look(_ client: DaemonClient) async throws -> Bool {
        let current = try await client.job(job.id)
        // If another job has the identifier, this job was replaced.
        guard current.created == job.created else { return false }
        let runs = try await client.runs(job: job.id, begun: true, limit: Self.page).runs
        let news = runs.filter { $0.finished != nil && !ended.contains(Attempt($0)) }
        if isInterrupted {
            isInterrupted = false
            let isMissing =
                news.count == Self.page || runs.contains { $0.finished == nil && printed[Attempt($0)] != nil }
                || news.contains { $0.outcome == "lost" || printed[Attempt($0)] != nil }
            Terminal.note("apus: connected again\(isMissing ? "; output may be missing here" : "")")
        }
        for run in news.reversed() {
            let newest = runs.first { $0.finished != nil && $0.occurrence == run.occurrence }
            if printed[Attempt(run)] != nil { end(run) } else { try await print(run, isNewest: run == newest) }
        }
        return Self.canRun(current)
    }

    /// Handles an event.
    ///
    /// - Returns: whether the job can still run.
    mutating func take(_ event: DaemonClient.Event) async throws -> Bool {
        switch event.name {
        case "output":
            let output: WireOutput = try event.decoded()
            // If the attempt has ended, its output was read from the history before this event arrived.
            if !ended.contains(Attempt(output)) { print(output) }
        case "lost":
            let lost: WireLost = try event.decoded()
            if lost.outputBytes > 0 { isOutputLost = true }
        case "run":
            let run: WireRun = try event.decoded()
            if run.outcome == "skipped" {
                Terminal.note("apus: \(History.line(run))")
            } else if run.finished != nil, !ended.contains(Attempt(run)) {
                end(run)
            }
        case "job":
            // The daemon may report the end of the job before the end of its run.
            return Self.canRun(try event.decoded()) ? true : try await look(client)
        default:
            break
        }
        return true
    }

    /// Prints the new part of a piece, after a note about output that was omitted before it.
    private mutating func print(_ output: WireOutput) {
        let attempt = Attempt(output)
        // A process that begins to listen during a run first gets the output that the daemon still has.
        let seen = printed[attempt] ?? (output.replayed ? output.offset : 0)
        if output.offset > seen {
            Terminal.note("apus: \(output.offset - seen) bytes of output are missing here")
        }
        let bytes = output.bytes
        printed[attempt] = max(seen, output.offset) + bytes.count
        isOutputLost = false
        guard output.replayed, output.offset < seen else { return Terminal.out(bytes) }
        let new = bytes.dropFirst(seen - output.offset)
        printed[attempt] = seen + new.count
        Terminal.out(Array(new))
    }

    /// Reports once that the daemon no longer answers.
    mutating func interrupt() {
        if !isInterrupted { Terminal.note("apus: the connection to the daemon was lost; reconnecting") }
        isInterrupted = true
    }

    /// Prints a run that has ended, and of which nothing was printed.
    private mutating func print(_ run: WireRun, isNewest: Bool) async throws {
        // The daemon sends the whole stored output only for the newest ended attempt of an occurrence. For earlier
        // attempts, it sends only the end of the output.
        if isNewest {
            Terminal.out(try await client.logs(job.id, occurrence: run.occurrence))
        } else {
            Terminal.out(run.outputTailBytes)
        }
        end(run)
    }

    private mutating func end(_ run: WireRun) {
        if printed.removeValue(forKey: Attempt(run)) != nil, isOutputLost {
            Terminal.note("apus: output may be missing here")
        }
        isOutputLost = false
        ended.append(Attempt(run))
        if ended.count > 10 * Self.page { ended.removeFirst(5 * Self.page) }
        Terminal.note("apus: \(History.line(run))")
    }

    private static func canRun(_ job: WireJob) -> Bool { job.state == "scheduled" || job.state == "suspended" }
}
