import ApusClient

/// Prints what the runs of a job print, each piece once, and how each run ends.
///
/// Output of runs in progress comes in events. What ended while this process did not listen is read from the history.
struct JobLog {
    /// One attempt.
    private struct Attempt: Hashable {
        var occurrence: Int
        var attempt: Int

        init(_ run: WireRun) { (occurrence, attempt) = (run.occurrence, run.attempt) }
        init(_ output: WireOutput) { (occurrence, attempt) = (output.occurrence, output.attempt) }
    }

    let client: DaemonClient
    let job: WireJob

    /// How many runs are looked at where events are missing.
    private static let page = 100
    /// Those that have ended, and whose end was printed; the latest, more than a page of runs can name.
    private var ended: [Attempt] = []
    /// The runs whose output was printed as it came, and that are in progress as far as is known; with how many bytes of
    /// theirs have come, left out ones included.
    private var printed: [Attempt: Int] = [:]
    /// Whether output was left out since the last that came.
    private var isOutputLost = false
    private var isInterrupted = false

    init(client: DaemonClient, job: WireJob) {
        self.client = client
        self.job = job
    }

    /// Prints what the last run that has ended has printed, unless one is running, whose output comes with the events;
    /// or that of an occurrence.
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

    /// Prints what ended since the last event.
    /// - Returns: whether the job can still run.
    mutating func look(_ client: DaemonClient) async throws -> Bool {
        let current = try await client.job(job.id)
        // Another job has the identifier: this one was replaced.
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

    /// - Returns: whether the job can still run.
    mutating func take(_ event: DaemonClient.Event) async throws -> Bool {
        switch event.name {
        case "output":
            let output: WireOutput = try event.decoded()
            // It was read from the history before this event.
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
            // Its end may come before the run's.
            return Self.canRun(try event.decoded()) ? true : try await look(client)
        default:
            break
        }
        return true
    }

    /// Prints what is new of a piece, after how much was left out before it.
    private mutating func print(_ output: WireOutput) {
        let attempt = Attempt(output)
        // Who joins a run begins with what the daemon has of it.
        let seen = printed[attempt] ?? (output.replayed ? output.offset : 0)
        if output.offset > seen {
            Terminal.note("apus: \(output.offset - seen) bytes of output are left out here")
        }
        let bytes = output.bytes
        printed[attempt] = max(seen, output.offset) + bytes.count
        isOutputLost = false
        guard output.replayed, output.offset < seen else { return Terminal.out(bytes) }
        let new = bytes.dropFirst(seen - output.offset)
        printed[attempt] = seen + new.count
        Terminal.out(Array(new))
    }

    /// The daemon no longer answers.
    mutating func interrupt() {
        if !isInterrupted { Terminal.note("apus: the connection to the daemon is lost; it is looked for again") }
        isInterrupted = true
    }

    /// Prints a run that has ended, and of which nothing was printed.
    private mutating func print(_ run: WireRun, isNewest: Bool) async throws {
        // Only of an occurrence's newest attempt there is more than the end.
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
