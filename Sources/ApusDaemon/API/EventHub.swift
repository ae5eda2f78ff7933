import ApusJobs
import ApusTimers
import Hummingbird
import LoopbackWeb

/// Hands the daemon's events to those who listen at `GET /v1/events`.
///
/// A slow listener never delays a job: it loses output first, then the oldest events, and gets the event `lost` in their
/// place.
final class EventHub: Sendable {
    /// Those on the socket.
    let socket: EventFeed
    /// Those on the HTTP listener. Their number has a bound of its own, so that pages do not take the command's places.
    let http = EventFeed()

    /// How many listeners show texts to a person.
    private let terminals = Locked(0)

    init() {
        var limits = EventFeed.Limits()
        limits.listeners = 256
        socket = EventFeed(limits: limits)
    }

    /// Answers with the events of one job, or of all.
    func answer(_ request: Request, on feed: EventFeed, job: String?, showsNotifications: Bool) throws -> Response {
        // What is about no job (what was lost, the clock) is for every listener.
        let isWanted: @Sendable (ServerEvent) -> Bool = { job == nil || $0.subject == nil || $0.subject == job }
        guard showsNotifications else { return try feed.answer(request, where: isWanted) }
        terminals.withLock { $0 += 1 }
        do {
            return try feed.answer(
                request, where: isWanted,
                onEnd: { [self] in terminals.withLock { $0 -= 1 } })
        } catch {
            terminals.withLock { $0 -= 1 }
            throw error
        }
    }

    func send(_ event: JobEvent, from jobs: JobDirectory) {
        guard socket.isHeard || http.isHeard, let event = Self.wire(event, jobs) else { return }
        send(event)
    }

    private func send(_ event: ServerEvent) {
        socket.send(event)
        http.send(event)
    }

    /// Sends a text to attached terminals.
    /// - Returns: whether there was one.
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

    private static func wire(_ event: JobEvent, _ jobs: JobDirectory) -> ServerEvent? {
        switch event {
        case .submitted(let job), .changed(let job):
            ServerEvent("job", subject: job.id.rawValue, jobs.wire(job))
        case .runStarted(let run), .runPostponed(let run), .runEnded(let run), .skipped(let run):
            ServerEvent("run", subject: run.job.rawValue, WireRun(run))
        case .output(let job, let occurrence, let attempt, let bytes):
            ServerEvent(
                "output", subject: job.rawValue, isBulk: true,
                WireOutput(
                    job: job.rawValue, occurrence: occurrence, attempt: attempt,
                    text: String(decoding: bytes, as: UTF8.self)))
        case .clockChanged(let offset):
            ServerEvent("clock", Shift(byMs: offset.wholeMilliseconds))
        case .dropped(let events, let outputBytes):
            .lost(events: events, outputBytes: outputBytes)
        default:
            nil
        }
    }
}
