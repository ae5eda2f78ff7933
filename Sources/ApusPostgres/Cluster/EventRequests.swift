#if Postgres
    import ApusTimers

    /// Decides when a node asks the other nodes for their events, and when it sends its own.
    ///
    /// A node sends events only while another node that has subscribers asks for them, because events cost the sender
    /// time in each run, and each notification wakes all nodes.
    ///
    /// Invariant: a subscriber receives each event since it subscribed, or ``JobEvent/dropped(events:outputBytes:)`` in
    /// its place. A request needs time to arrive and may be lost, so it states for how long its subscribers may have
    /// waited. A node that begins to send reports dropped events if it has changed anything in that time.
    struct EventRequests {
        struct Request: Equatable {
            var node: Int64
            /// The maximum time between the first subscription on the node and the arrival of the request at the
            /// server.
            var age: Duration
            /// The time for which the receivers send their events, unless there is another request.
            var period: Duration
        }

        /// The time after a request in which further subscribers cause no request.
        ///
        /// It is shorter than each period, so the receivers still send at its end.
        static let pause: Duration = .seconds(1)

        private let node: Int64
        private let period: Duration
        /// The time for which this node's session can be blocked before the node must stop making changes.
        private let patience: Duration
        private var hasOthers = false
        private var subscribed: ContinuousInstant?
        private var requested: ContinuousInstant?
        private var end: ContinuousInstant?
        private var changed: ContinuousInstant?

        init(node: Int64, timing: MembershipMachine.Timing) {
            self.node = node
            period = max(timing.beat, Self.pause) * 5
            patience = timing.patience
        }

        // MARK: Asking

        /// Records the first subscriber after a time without any.
        ///
        /// - Returns: The request to send, unless the next beat's request is early enough.
        mutating func subscribe(at now: ContinuousInstant) -> Request? {
            subscribed = subscribed ?? now
            if let requested, requested.duration(to: now) < Self.pause { return nil }
            return request(at: now)
        }

        /// Records what a beat has found.
        ///
        /// - Returns: The request to send, if there are other nodes and this node has subscribers.
        mutating func beat(hasOthers: Bool, hasSubscribers: Bool, at now: ContinuousInstant) -> Request? {
            self.hasOthers = hasOthers
            if let end, end <= now { self.end = nil }
            subscribed = hasSubscribers ? subscribed ?? now : nil
            return request(at: now)
        }

        private mutating func request(at now: ContinuousInstant) -> Request? {
            guard hasOthers, let subscribed else { return nil }
            requested = now
            return Request(node: node, age: subscribed.duration(to: now) + patience, period: period)
        }

        // MARK: Sending

        /// Whether another node wants the events of this node; the beats notice when a period has ended.
        var isSending: Bool { end != nil }

        /// Records that this node has changed something.
        ///
        /// The call comes before the events of the change are created, which happens only if a node wants them.
        mutating func change(at now: ContinuousInstant) { changed = now }

        /// Returns whether an event is to be sent; if not, it counts as a change.
        mutating func mustSend(at now: ContinuousInstant) -> Bool {
            if !isSending { change(at: now) }
            return isSending
        }

        /// Records a request.
        ///
        /// - Returns: Whether this node must report dropped events, because it may not have sent all that the request's
        ///   node wants.
        mutating func receive(_ request: Request, at now: ContinuousInstant) -> Bool {
            guard request.node != node else { return false }
            let wasSending = isSending
            let end = now.advanced(by: request.period)
            self.end = max(self.end ?? end, end)
            guard !wasSending, let changed else { return false }
            return changed.duration(to: now) <= request.age + patience
        }
    }

    extension EventRequests.Request {
        private static let word = "wanted"

        /// Reads the payload of a notification; returns `nil` if it is not a request.
        init?(_ payload: String) {
            // Most payloads are events, of up to 8 kB.
            guard payload.utf8.starts(with: Self.word.utf8) else { return nil }
            let parts = payload.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard parts.count == 4, parts[0] == Self.word, let node = Int64(parts[1]), let age = Int64(parts[2]),
                let period = UInt32(parts[3])
            else { return nil }
            self.init(node: node, age: .milliseconds(age), period: .milliseconds(Int64(period)))
        }

        /// The payload, with the times in milliseconds, rounded up.
        var payload: String {
            func milliseconds(_ time: Duration) -> Int64 { Int64((time / .milliseconds(1)).rounded(.up)) }
            return "\(Self.word) \(node) \(milliseconds(age)) \(milliseconds(period))"
        }
    }
#endif
