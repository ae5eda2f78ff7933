import ApusClient
import ApusJobs
import ApusTimers
import Hummingbird
import LoopbackWeb

/// Sends the daemon's events to the listeners of `GET /v1/events`.
///
/// A slow listener never delays a job. Output and other events have separate bounds for each listener. If one of them
/// is exceeded, the listener loses the oldest events of that kind, and gets the event `lost` in place of what it has
/// lost.
final class EventFeeds: Sendable {
    /// The feed of the listeners on the socket.
    let socket: EventFeed
    /// The feed of the HTTP listeners.
    ///
    /// Its number of listeners has a separate limit, so that web pages do not take the places of the `apus` command.
    let http = EventFeed()

    /// The output of the runs in progress.
    ///
    /// The lock is held while an event is sent to the feeds, so that a new listener first gets all earlier output, and
    /// no output twice.
    private let outputs = Locked(RunningOutputs())

    /// The number of listeners that show notifications to a person.
    private let terminals = Locked(0)

    init() {
        var limits = EventFeed.Limits()
        limits.listeners = 256
        socket = EventFeed(limits: limits)
    }

    /// Answers a request with the events of one job, or of all jobs.
    ///
    /// If `beginsWithOutput` is set, the output so far of the runs in progress comes first.
    func answer(
        _ request: Request, on feed: EventFeed, job: String?, showsNotifications: Bool, beginsWithOutput: Bool
    ) throws -> Response {
        try outputs.withLock { outputs in
            let printed = beginsWithOutput ? outputs.all(of: job.map { JobID($0) }) : []
            return try answer(
                request, on: feed, job: job, showsNotifications: showsNotifications,
                first: printed.filter { !$0.bytes.isEmpty }.map {
                    Self.output($0.attempt, at: $0.offset, $0.bytes, isReplayed: true)
                })
        }
    }

    /// Returns the output so far of an occurrence's run, or of the job's newest run.
    ///
    /// The result is `nil` if this daemon has no such run in progress.
    func output(of job: JobID, occurrence: Int?) -> [UInt8]? {
        outputs.withLock { $0.output(of: job, occurrence: occurrence) }
    }

    private func answer(
        _ request: Request, on feed: EventFeed, job: String?, showsNotifications: Bool, first: [ServerEvent]
    ) throws -> Response {
        // Events without a job (lost events, the clock) are for every listener.
        let isWanted: @Sendable (ServerEvent) -> Bool = { job == nil || $0.subject == nil || $0.subject == job }
        guard showsNotifications else { return try feed.answer(request, where: isWanted, first: { first }) }
        terminals.withLock { $0 += 1 }
        do {
            return try feed.answer(
                request, where: isWanted, first: { first },
                onEnd: { [self] in terminals.withLock { $0 -= 1 } })
        } catch {
            terminals.withLock { $0 -= 1 }
            throw error
        }
    }

    func send(_ event: JobEvent, from jobs: JobDirectory) {
        let news = socket.isHeard || http.isHeard ? Self.wire(event, jobs) : nil
        outputs.withLock { outputs in
            outputs.note(event)
            if let news { send(news) }
        }
    }

    /// Reads the runs in progress again after events were dropped.
    ///
    /// If they cannot be read, no run is known to be in progress. The caller reads the next event afterwards, so the
    /// events since this read are applied to its result.
    func follow(_ scheduler: JobScheduler) async {
        var running: [Run] = []
        do {
            for try await page in scheduler.pages(of: RunQuery(states: [.running], limit: 1_000)) {
                running += page.runs
            }
        } catch { running = [] }
        outputs.withLock { [running] outputs in outputs.follow(running) }
    }

    private func send(_ event: ServerEvent) {
        socket.send(event)
        http.send(event)
    }

    /// Sends a notification to the attached terminals.
    ///
    /// - Returns: whether there is an attached terminal.
    func notify(_ notification: WireNotification) -> Bool {
        send(ServerEvent("notification", subject: notification.job, notification))
        return terminals.withLock { $0 > 0 }
    }

    /// Ends all streams, so that the server can stop.
    func close() {
        socket.close()
        http.close()
    }

    private struct Shift: Encodable {
        var byMs: Int64
    }

    private struct Deletion: Encodable {
        var job: String
    }

    private static func output(
        _ attempt: RunningOutputs.Attempt, at offset: Int, _ bytes: [UInt8], isReplayed: Bool
    ) -> ServerEvent {
        ServerEvent(
            "output", subject: attempt.job.rawValue, isBulk: true,
            WireOutput(
                job: attempt.job.rawValue, occurrence: attempt.occurrence, attempt: attempt.attempt, offset: offset,
                bytes: bytes, isReplayed: isReplayed))
    }

    private static func wire(_ event: JobEvent, _ jobs: JobDirectory) -> ServerEvent? {
        switch event {
        case .submitted(let job), .changed(let job):
            ServerEvent("job", subject: job.id.rawValue, jobs.wire(job))
        case .deleted(let job):
            ServerEvent("deleted", subject: job.rawValue, Deletion(job: job.rawValue))
        case .runStarted(let run), .runPostponed(let run), .runEnded(let run), .skipped(let run):
            ServerEvent("run", subject: run.jobID.rawValue, WireRun(run))
        case .output(let job, let occurrence, let attempt, let offset, let bytes):
            output(
                .init(job: job, occurrence: occurrence, attempt: attempt), at: offset, bytes, isReplayed: false)
        case .clockChanged(let offset):
            ServerEvent("clock", Shift(byMs: offset.wholeMilliseconds))
        case .dropped(let events, let outputBytes):
            .lost(events: events, outputBytes: outputBytes)
        default:
            nil
        }
    }
}
