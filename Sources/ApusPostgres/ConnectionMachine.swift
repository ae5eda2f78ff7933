#if Postgres
    import ApusTimers

    /// The readiness of a descriptor, either awaited or reported by `poll`.
    struct Readiness: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let readable = Readiness(rawValue: 1)
        static let writable = Readiness(rawValue: 2)
    }

    /// The life of a connection to PostgreSQL in pipeline mode, as a pure state machine without libpq, clock, lock or
    /// thread.
    ///
    /// The owner reports each event, and then performs the actions of ``next()`` until it returns `.wait`.
    ///
    /// ```
    ///  connecting ──ready──▶ idle ──submit──▶ busy ──close──▶ draining
    ///      │                  │ ◀──answered──  │                 │
    ///  failed, close          close            lost           answered
    ///      ▼                  ▼                ▼                 ▼
    ///    closed             closed           broken            closed
    /// ```
    ///
    /// A connection that is lost in another state is `broken` too.
    ///
    /// Batches are answered in the order in which they were sent. The response to a batch is a number of answers and a
    /// sync. A batch in an explicit transaction has its COMMIT and a second sync after the first one, so that a failed
    /// transaction is left before the next batch begins.
    struct ConnectionMachine {
        /// The identifier of a batch in its connection; later batches have greater numbers.
        struct BatchID: Hashable, Sendable {
            var number: UInt64
        }

        /// The expected answers of a batch.
        struct Shape: Hashable, Sendable {
            /// The number of answers before the first sync: of BEGIN, of preparations and of statements.
            var answers: Int
            /// Whether COMMIT and a second sync follow.
            var hasCommit = false
        }

        struct Waiting {
            let id: BatchID
            let deadline: UptimeInstant?
        }

        struct Work {
            /// The sent batches in order; the first one is answered next.
            var inFlight: ArraySlice<Entry> = []
            var waiting: ArraySlice<Waiting> = []
            /// Whether the socket accepts no more data for now.
            var isBlocked = false
            /// Whether libpq has bytes that were not offered to the socket yet.
            var hasUnsent = false

            var isEmpty: Bool { inFlight.isEmpty && waiting.isEmpty }
        }

        enum State {
            case connecting(Readiness)
            case idle
            case busy(Work)
            case draining(Work)
            case broken
            case closed
        }

        /// The maximum number of batches that are sent and not answered.
        ///
        /// Further batches wait in the machine, because a batch in libpq's buffers cannot be withdrawn.
        static let mostInFlight = 64

        var state = State.connecting(.writable)
        private var lastNumber: UInt64 = 0
        /// The instant for which the owner's timer is set.
        var alarm: UptimeInstant?
        var wantedAlarm: UptimeInstant?
        var connectDeadline: UptimeInstant?

        /// Creates the machine of a connection whose `PQconnectStartParams` has succeeded.
        ///
        /// - Parameter deadline: the instant at which connecting fails unless it has succeeded.
        init(connectDeadline deadline: UptimeInstant?) {
            connectDeadline = deadline
            wantedAlarm = deadline
        }

        // MARK: Reading

        /// The readiness for which `poll` must wait.
        var interest: Readiness {
            switch state {
            case .connecting(let readiness): readiness
            case .idle: .readable
            // While the socket is full, the server may be blocked until this side reads, so wait for both directions.
            case .busy(let work), .draining(let work): work.isBlocked ? [.readable, .writable] : .readable
            case .broken, .closed: []
            }
        }

        /// Whether batches are accepted.
        var isOpen: Bool {
            switch state {
            case .idle, .busy: true
            case .connecting, .draining, .broken, .closed: false
            }
        }

        /// The number of batches that were submitted and not sent yet.
        var waitingCount: Int {
            switch state {
            case .busy(let work), .draining(let work): work.waiting.count
            case .connecting, .idle, .broken, .closed: 0
            }
        }

        /// The name of the state, for tests and logs.
        var phase: String {
            switch state {
            case .connecting: "connecting"
            case .idle: "idle"
            case .busy: "busy"
            case .draining: "draining"
            case .broken: "broken"
            case .closed: "closed"
            }
        }
    }

    // MARK: Connecting

    extension ConnectionMachine {
        /// The result of `PQconnectPoll`.
        enum ConnectStatus {
            case reading
            case writing
            case ready
            case failed
        }

        enum ConnectAction: Equatable {
            /// Wait for ``interest``; the descriptor may have changed.
            case wait
            /// Begin the pipeline of the established connection.
            case begin
            /// Release the connection, and report the error.
            case finish
        }

        mutating func connectPolled(_ status: ConnectStatus) -> ConnectAction {
            guard case .connecting = state else { preconditionFailure("only a connecting connection polls") }
            switch status {
            case .reading: state = .connecting(.readable)
            case .writing: state = .connecting(.writable)
            case .ready:
                state = .idle
                connectDeadline = nil
                return .begin
            case .failed:
                state = .closed
                return .finish
            }
            return .wait
        }
    }

    // MARK: Batches

    extension ConnectionMachine {
        /// Accepts a batch; returns `nil` if the connection accepts none.
        mutating func submit(deadline: UptimeInstant?) -> BatchID? {
            var work: Work
            switch state {
            case .idle: work = Work()
            case .busy(let current): work = current
            case .connecting, .draining, .broken, .closed: return nil
            }
            state = .closed  // so that the arrays of `work` are not copied
            lastNumber += 1
            let id = BatchID(number: lastNumber)
            work.waiting.append(Waiting(id: id, deadline: deadline))
            state = .busy(work)
            want(deadline)
            return id
        }

        /// Withdraws a batch that was not sent yet.
        ///
        /// - Returns: false if it was sent, or has already been answered.
        mutating func withdraw(_ id: BatchID) -> Bool {
            changeWork { work in
                guard let index = work.waiting.firstIndex(where: { $0.id == id }) else { return false }
                work.waiting.remove(at: index)
                return true
            } ?? false
        }

        enum NextAction: Equatable {
            /// Report ``sent(_:as:)``, and pass the whole batch to libpq.
            case send(BatchID)
            /// Call `PQflush`, and report the result to ``flushed(isComplete:)``.
            case flush
            /// Call ``expired(at:)`` at this instant, which replaces the instant of the previous request.
            case arm(UptimeInstant)
            /// Release the connection, because it was asked to close and everything was answered.
            case finish
            /// Wait for ``interest``.
            case wait
        }

        /// Returns the next action for the owner, which calls this method until the result is `.wait` or `.finish`.
        mutating func next() -> NextAction {
            if let wanted = wantedAlarm {
                wantedAlarm = nil
                alarm = wanted
                return .arm(wanted)
            }
            let action: NextAction?? = changeWork { work -> NextAction? in
                if work.inFlight.count < Self.mostInFlight, let first = work.waiting.first { return .send(first.id) }
                return work.hasUnsent && !work.isBlocked ? .flush : nil
            }
            if case .some(.some(let action)) = action { return action }
            switch state {
            case .busy(let work) where work.isEmpty: state = .idle
            case .draining(let work) where work.isEmpty:
                state = .closed
                return .finish
            case .connecting, .idle, .busy, .draining, .broken, .closed: break
            }
            return .wait
        }

        /// Records that a batch is about to be passed to libpq, after which it cannot be withdrawn.
        mutating func sent(_ id: BatchID, as shape: Shape) {
            precondition(shape.answers > 0, "a batch has a statement")
            let isFirst: Bool? = changeWork { work in
                guard let first = work.waiting.popFirst(), first.id == id else { return false }
                work.inFlight.append(Entry(id: id, shape: shape, deadline: first.deadline))
                work.hasUnsent = true
                return true
            }
            precondition(isFirst == true, "batches are sent in their order")
        }

        mutating func want(_ deadline: UptimeInstant?) {
            guard let deadline, deadline < (wantedAlarm ?? alarm ?? UptimeInstant(nanoseconds: .max)) else { return }
            wantedAlarm = deadline
        }

        /// Changes the work in place; returns `nil` in a state without work.
        mutating func changeWork<Value>(_ body: (inout Work) -> Value) -> Value? {
            switch state {
            case .busy(var work):
                state = .closed  // so that the arrays are not copied
                defer { state = .busy(work) }
                return body(&work)
            case .draining(var work):
                state = .closed
                defer { state = .draining(work) }
                return body(&work)
            case .connecting, .idle, .broken, .closed: return nil
            }
        }
    }

    // MARK: Input and output

    extension ConnectionMachine {
        enum ReadyAction: Equatable {
            /// Call `PQconnectPoll`.
            case pollConnect
            /// Call `PQconsumeInput`, handle all answers and notifications that have arrived, then call ``next()``.
            case consume
            /// Call ``next()``.
            case proceed
            /// Do nothing, because the connection has ended.
            case ignore
        }

        /// Handles the readiness of the descriptor.
        ///
        /// An error or a hang-up counts as both directions, because libpq then reports it.
        mutating func ready(_ readiness: Readiness) -> ReadyAction {
            switch state {
            case .connecting: return .pollConnect
            case .broken, .closed: return .ignore
            case .idle: return readiness.contains(.readable) ? .consume : .proceed
            case .busy, .draining:
                // Reading input may make room for output too, because a server that could not write its answers may
                // have stopped reading.
                changeWork { $0.isBlocked = false }
                return readiness.contains(.readable) ? .consume : .proceed
            }
        }

        /// Records the result of `PQflush`.
        ///
        /// - Parameter isComplete: false if bytes remain, because the socket is full.
        mutating func flushed(isComplete: Bool) {
            changeWork { work in
                work.isBlocked = !isComplete
                work.hasUnsent = !isComplete
            }
        }
    }

    // MARK: Ends

    extension ConnectionMachine {
        /// A batch without a complete answer, and what is known of its fate.
        struct Unanswered: Equatable {
            var id: BatchID
            var fate: PostgresFate
        }

        /// Ends a broken connection, which its owner then releases.
        ///
        /// - Returns: the batches that were not answered, in order.
        mutating func lost() -> [Unanswered] {
            let unanswered: [Unanswered]? = changeWork { work in
                // This is true after the batch at which the server ended the session, because the server began no
                // later batch.
                var isEnded = false
                return work.inFlight.map { entry in
                    defer { isEnded = isEnded || entry.isSessionEnded }
                    return Unanswered(id: entry.id, fate: isEnded ? .notApplied : entry.fate)
                } + work.waiting.map { Unanswered(id: $0.id, fate: .notApplied) }
            }
            state = .broken
            wantedAlarm = nil
            return unanswered ?? []
        }

        enum ExpiryAction: Equatable {
            /// Nothing is overdue.
            case none
            /// Complete these batches with an error; they were not sent.
            case withdrawn([BatchID])
            /// Close the connection as lost, because the server did not answer in time.
            case lose
        }

        /// Returns what must be done at the instant for which `.arm` asked, and sets the next such instant.
        mutating func expired(at now: UptimeInstant) -> ExpiryAction {
            alarm = nil
            if case .connecting = state, let connectDeadline {
                if connectDeadline <= now { return .lose }
                want(connectDeadline)
            }
            let action: ExpiryAction? = changeWork { work in
                func isOverdue(_ deadline: UptimeInstant?) -> Bool { deadline.map { $0 <= now } ?? false }
                if work.inFlight.contains(where: { isOverdue($0.deadline) }) { return .lose }
                let overdue = work.waiting.filter { isOverdue($0.deadline) }.map(\.id)
                if overdue.isEmpty { return .none }
                work.waiting.removeAll { isOverdue($0.deadline) }
                return .withdrawn(overdue)
            }
            want(changeWork { ($0.inFlight.compactMap(\.deadline) + $0.waiting.compactMap(\.deadline)).min() } ?? nil)
            return action ?? .none
        }

        enum CloseAction: Equatable {
            /// Release the connection now.
            case finish
            /// Call ``next()``, which returns `.finish` when everything was answered.
            case drain
            /// Do nothing, because the connection is already closed or closing.
            case none
        }

        /// Closes the connection when all submitted batches have been answered.
        mutating func close() -> CloseAction {
            switch state {
            case .connecting, .idle, .broken:
                state = .closed
                return .finish
            case .busy(let work):
                state = .draining(work)
                return .drain
            case .draining, .closed: return .none
            }
        }
    }
#endif
