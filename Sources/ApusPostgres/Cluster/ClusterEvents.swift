#if Postgres
    import ApusJobs
    import ApusTimers
    import Logging

    /// Exchanges events with the other nodes by notifications; these name jobs and runs, which the receiver reads from
    /// the tables.
    ///
    /// A node sends at most once in each ``pause``, over a connection of its own. Each time it sends at most the
    /// numbers in ``most``, drops further events, and sends the receivers the number of dropped events. It sends
    /// nothing while no other node requests events; see ``EventRequests``.
    final class ClusterEvents: Sendable {
        static let pause: Duration = .milliseconds(50)
        /// The maximum numbers of events and of bytes of output in one pause.
        static let most = (events: 100, bytes: 32_768)
        private static let piece = 1_500

        private struct Pending {
            var events: [CodedEvent] = []
            var bytes = 0
            var droppedEvents = 0
            var droppedBytes = 0
            var isScheduled = false
        }

        private let stream: AsyncStream<JobEvent>
        private let continuation: AsyncStream<JobEvent>.Continuation
        private let node: Int64
        private let link: ServerLink
        var channel: String { link.schema.channel("events") }
        private let queries: StoreQueries
        private let engine: TimerEngine
        private let logger: Logger
        private let pending = Locked(Pending())
        private let requests: Locked<EventRequests>
        private let hasSubscribers = Locked<@Sendable () -> Bool>({ false })
        /// Whether another node wants the events of this node.
        var isSending: Bool { requests.withLock(\.isSending) }
        /// The received payloads, in a stream so that they are read in order.
        private let arrivals: AsyncStream<String>.Continuation
        private let reader = Locked<Task<Void, Never>?>(nil)

        init(
            node: Int64, link: ServerLink, queries: StoreQueries, engine: TimerEngine, logger: Logger,
            timing: MembershipMachine.Timing
        ) {
            self.node = node
            requests = Locked(EventRequests(node: node, timing: timing))
            self.link = link
            self.queries = queries
            self.engine = engine
            self.logger = logger
            (stream, continuation) = AsyncStream.makeStream(
                of: JobEvent.self, bufferingPolicy: .bufferingNewest(10_000))
            let (payloads, arrivals) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1_000))
            self.arrivals = arrivals
            let task = Task(executorPreference: PostgresThread.shared.tasks) { [weak self] in
                for await payload in payloads { await self?.read(payload) }
            }
            reader.withLock { $0 = task }
        }

        func finish() {
            continuation.finish()
            arrivals.finish()
        }

        // MARK: Asking

        /// Asks the other nodes for their events, because the first subscriber of this node has come.
        func subscribe() {
            guard let request = requests.withLock({ $0.subscribe(at: engine.time.continuous()) }) else { return }
            // The next beat repeats a request that is lost.
            _ = Task(executorPreference: PostgresThread.shared.tasks) { try? await self.send([request.payload]) }
        }

        /// Repeats the request for the events of the other nodes while this node has subscribers, and sends what an
        /// earlier attempt could not.
        func beat(hasOthers: Bool) async {
            let request = requests.withLock { requests in
                // The subscribers are counted under the lock. For a subscriber that comes too late to be counted,
                // `subscribe()` takes the lock after this call, so its request is not lost.
                requests.beat(
                    hasOthers: hasOthers, hasSubscribers: hasSubscribers.withLock { $0 }(),
                    at: engine.time.continuous())
            }
            if let request { try? await self.send([request.payload]) }
            if pending.withLock({ $0.droppedEvents + $0.droppedBytes > 0 }) { scheduleSending() }
        }

        // MARK: Sending

        /// Records a change; its events are published after this call, if another node wants them.
        func change() { requests.withLock { $0.change(at: engine.time.continuous()) } }

        func publish(_ event: JobEvent) {
            guard requests.withLock({ $0.mustSend(at: engine.time.continuous()) }), let coded = CodedEvent(event)
            else { return }
            pending.withLock { pending in
                let size = coded.bytes?.count ?? 0
                if size > 0, pending.bytes + size > Self.most.bytes {
                    pending.droppedBytes += size
                } else if size == 0, pending.events.count >= Self.most.events {
                    pending.droppedEvents += 1
                } else {
                    pending.events += coded.pieces(of: Self.piece)
                    pending.bytes += size
                }
            }
            scheduleSending()
        }

        private func scheduleSending() {
            let mustSchedule = pending.withLock { pending in
                defer { pending.isScheduled = true }
                return !pending.isScheduled
            }
            guard mustSchedule else { return }
            engine.schedule(after: Self.pause) { [weak self] in
                _ = Task(executorPreference: PostgresThread.shared.tasks) { await self?.send() }
            }
        }

        private func send() async {
            let sent = pending.withLock { pending in
                defer { pending = Pending() }
                return pending
            }
            var payloads = [Payload()]
            for event in sent.events {
                let text = JobJSON.text(of: event)
                if payloads[payloads.count - 1].add(text) { continue }
                payloads.append(Payload())
                _ = payloads[payloads.count - 1].add(text)
            }
            let last = payloads.count - 1
            (payloads[last].droppedEvents, payloads[last].droppedBytes) = (sent.droppedEvents, sent.droppedBytes)
            do { try await send(payloads.map { $0.text(from: node) }) } catch {
                logger.debug("events could not be sent", metadata: ["error": "\(error)"])
                // The next event or beat sends these numbers.
                pending.withLock { pending in
                    pending.droppedEvents += sent.droppedEvents + sent.events.count { $0.bytes == nil }
                    pending.droppedBytes += sent.droppedBytes + sent.bytes
                }
            }
        }

        private func send(_ payloads: [String]) async throws {
            let notifications = payloads.map {
                PostgresStatement("SELECT pg_notify($1, $2)", [.text(channel), .text($0)])
            }
            _ = try await link.execute(PostgresBatch(notifications))
        }

        // MARK: Receiving

        /// Returns the events of the other nodes that arrive while `hasSubscribers` returns true.
        func stream(while hasSubscribers: @escaping @Sendable () -> Bool) -> AsyncStream<JobEvent> {
            self.hasSubscribers.withLock { $0 = hasSubscribers }
            return stream
        }

        /// Receives the payload of a notification.
        func receive(_ payload: String) {
            if let request = EventRequests.Request(payload) {
                if requests.withLock({ $0.receive(request, at: engine.time.continuous()) }) {
                    pending.withLock { $0.droppedEvents += 1 }
                    scheduleSending()
                }
            } else if hasSubscribers.withLock({ $0 })(), case .dropped = arrivals.yield(payload) {
                missed()
            }
        }

        /// Reports to the subscribers that an unknown number of events of the other nodes is missing.
        func missed() {
            if hasSubscribers.withLock({ $0 })() { deliver(.dropped(events: 1, outputBytes: 0)) }
        }

        private func deliver(_ event: JobEvent) {
            // The full stream has dropped its oldest event. The report of that drop makes it drop another event, so the
            // report counts two.
            if case .dropped = continuation.yield(event) { continuation.yield(.dropped(events: 2, outputBytes: 0)) }
        }

        private func read(_ payload: String) async {
            guard let message = try? JobJSON.decode(Message.self, from: Array(payload.utf8)), message.node != node
            else {
                return
            }
            do {
                let keys = message.events.compactMap { $0.isOfJob ? $0.key : nil }
                let jobs = Dictionary(
                    try await queries.load(Array(Set(keys))).readable.map { ($0.job.key, $0.job) },
                    uniquingKeysWith: { $1 })
                let runs = try await queries.runs(message.events.filter(\.isOfRun).map(\.run))
                for event in message.events {
                    if let event = event.event(jobs, runs) { deliver(event) }
                }
                if message.droppedEvents > 0 || message.droppedBytes > 0 {
                    deliver(.dropped(events: message.droppedEvents, outputBytes: message.droppedBytes))
                }
            } catch {
                logger.debug("events of another node could not be read", metadata: ["error": "\(error)"])
                deliver(.dropped(events: message.events.count, outputBytes: 0))
            }
        }
    }

    /// The payload of a notification that is received.
    private struct Message: Decodable {
        var node: Int64
        var events: [CodedEvent]
        var droppedEvents: Int
        var droppedBytes: Int
    }

    /// The payload of a notification to be sent, made of events that are each encoded once.
    private struct Payload {
        /// The maximum size of the events, in bytes; PostgreSQL allows 7,999 for the whole payload.
        private static let maximum = 7_000

        private var events = ""
        var droppedEvents = 0
        var droppedBytes = 0

        /// Adds an encoded event if there is space for it; an empty payload has space for any event.
        ///
        /// - Returns: Whether there was space.
        mutating func add(_ event: String) -> Bool {
            if events.isEmpty {
                events = event
                return true
            }
            if events.utf8.count + 1 + event.utf8.count > Self.maximum { return false }
            events += ",\(event)"
            return true
        }

        /// Returns the JSON of a ``Message``.
        func text(from node: Int64) -> String {
            """
            {"node":\(node),"events":[\(events)],"droppedEvents":\(droppedEvents),"droppedBytes":\(droppedBytes)}
            """
        }
    }

    /// An event of one job, as a reference to the rows of its job or run.
    struct CodedEvent: Codable, Equatable {
        enum Kind: String, Codable {
            case submitted, changed, deleted, runStarted, runEnded, runPostponed, skipped, output, progress
        }
        var kind: Kind
        var job: JobID
        var key: Int64 = 0
        var occurrence = 0
        var attempt = 0
        /// The offset of the output.
        var offset: Int?
        var bytes: [UInt8]?
        var fraction: Double?
        var message: String?

        var isOfJob: Bool { kind == .submitted || kind == .changed }
        var isOfRun: Bool { !isOfJob && kind != .deleted && kind != .output && kind != .progress }
        var run: RunReference { RunReference(job: key, occurrence: occurrence, attempt: attempt) }

        /// Returns the event with its job or run from the tables; `nil` if they do not exist.
        fileprivate func event(_ jobs: [Int64: Job], _ runs: [RunReference: Run]) -> JobEvent? {
            switch kind {
            case .submitted: jobs[key].map { .submitted($0) }
            case .changed: jobs[key].map { .changed($0) }
            case .deleted: .deleted(jobID: job)
            case .output:
                .output(
                    jobID: job, occurrence: occurrence, attempt: attempt, offset: offset ?? 0, bytes: bytes ?? [])
            case .progress:
                .progress(
                    jobID: job, occurrence: occurrence, attempt: attempt, fraction: fraction ?? 0, message: message)
            case .runStarted:
                runs[run].map { run in
                    var run = run
                    run.started = run.started ?? run.claimed
                    return .runStarted(run)
                }
            case .runEnded: runs[run].map { .runEnded($0) }
            case .runPostponed: runs[run].map { .runPostponed($0) }
            case .skipped: runs[run].map { .skipped($0) }
            }
        }

        /// Creates the reference to an event; `nil` for an event that concerns one scheduler only.
        init?(_ event: JobEvent) {
            switch event {
            case .submitted(let new): (kind, job, key) = (.submitted, new.id, new.key)
            case .changed(let changed): (kind, job, key) = (.changed, changed.id, changed.key)
            case .deleted(let id): (kind, job) = (.deleted, id)
            case .runStarted(let run): (kind, job, key, occurrence, attempt) = Self.fields(.runStarted, run)
            case .runEnded(let run): (kind, job, key, occurrence, attempt) = Self.fields(.runEnded, run)
            case .runPostponed(let run): (kind, job, key, occurrence, attempt) = Self.fields(.runPostponed, run)
            case .skipped(let run): (kind, job, key, occurrence, attempt) = Self.fields(.skipped, run)
            case .output(let id, let number, let attempt, let offset, let bytes):
                (kind, job, occurrence, self.attempt) = (.output, id, number, attempt)
                (self.offset, self.bytes) = (offset, bytes)
            case .progress(let id, let number, let attempt, let fraction, let message):
                (kind, job, occurrence, self.attempt) = (.progress, id, number, attempt)
                // The message is truncated to fit into a notification.
                (self.fraction, self.message) = (fraction, message.map { String($0.prefix(500)) })
            case .clockChanged, .dropped, .stopped: return nil
            }
        }

        private static func fields(_ kind: Kind, _ run: Run) -> (Kind, JobID, Int64, Int, Int) {
            (kind, run.jobID, run.jobKey, run.occurrence, run.attempt)
        }

        /// Returns the event in pieces whose output fits into notifications.
        func pieces(of size: Int) -> [CodedEvent] {
            guard let bytes, bytes.count > size else { return [self] }
            return stride(from: 0, to: bytes.count, by: size).map { start in
                var piece = self
                piece.offset = offset.map { $0 + start }
                piece.bytes = Array(bytes[start..<min(start + size, bytes.count)])
                return piece
            }
        }
    }
#endif
