import ApusJobs
import ApusTimers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Hands the daemon's events to those who listen at `GET /v1/events`.
///
/// Each listener has a bounded buffer and keeps the newest; a slow one loses the oldest events and never delays a job.
final class EventHub: Sendable {
    /// A server-sent event: its name, and its data as JSON.
    struct Event: Sendable {
        var name: String
        var job: String?
        var data: String

        init(name: String, job: String?, _ value: some Encodable) {
            self.name = name
            self.job = job
            // Encoding our own wire types cannot fail: they hold strings and numbers.
            data = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        }
    }

    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        /// Listeners that show texts to a person.
        var terminals: Set<Int> = []
        var isClosed = false
    }

    private let state = Locked(State())

    /// Events from now on, until ``drop(_:)``.
    func listen(showsNotifications: Bool) -> (id: Int?, events: AsyncStream<Event>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1_024))
        let id: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            if showsNotifications { state.terminals.insert(state.nextID) }
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return (nil, stream)
        }
        return (id, stream)
    }

    /// Ends a listener's events.
    func drop(_ id: Int?) {
        guard let id else { return }
        let listener = state.withLock { state in
            state.terminals.remove(id)
            return state.listeners.removeValue(forKey: id)
        }
        listener?.finish()
    }

    func send(_ event: JobEvent, from jobs: JobDirectory) {
        guard state.withLock({ !$0.listeners.isEmpty }), let event = Self.wire(event, jobs) else { return }
        send(event)
    }

    private func send(_ event: Event) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(event) }
    }

    /// Sends a text to attached terminals.
    /// - Returns: whether there was one.
    func notify(_ notification: WireNotification) -> Bool {
        send(Event(name: "notification", job: notification.job, notification))
        return state.withLock { !$0.terminals.isEmpty }
    }

    /// Ends all streams, so that the server can stop.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private struct Shift: Encodable {
        var byMs: Int64
    }

    private static func wire(_ event: JobEvent, _ jobs: JobDirectory) -> Event? {
        switch event {
        case .submitted(let job), .changed(let job):
            Event(name: "job", job: job.id.rawValue, jobs.wire(job))
        case .runStarted(let run), .runEnded(let run), .skipped(let run):
            Event(name: "run", job: run.job.rawValue, WireRun(run))
        case .output(let job, let occurrence, let attempt, let bytes):
            Event(
                name: "output", job: job.rawValue,
                WireOutput(
                    job: job.rawValue, occurrence: occurrence, attempt: attempt,
                    text: String(decoding: bytes, as: UTF8.self)))
        case .clockChanged(let offset):
            Event(name: "clock", job: nil, Shift(byMs: offset.wholeMilliseconds))
        default:
            nil
        }
    }
}
