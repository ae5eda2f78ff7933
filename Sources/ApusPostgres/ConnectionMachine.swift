#if Postgres
    import ApusTimers

    /// The readiness of a descriptor: what a connection waits for, or what `poll` reported.
    struct Readiness: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let readable = Readiness(rawValue: 1)
        static let writable = Readiness(rawValue: 2)
    }

    /// The life of one connection to PostgreSQL in pipeline mode, as a pure machine: no libpq, clock, lock or thread.
    ///
    /// Its owner reports each event, and then performs what ``next()`` returns until that is `.wait`.
    ///
    /// ```
    ///  connecting ──ready──▶ idle ──submit──▶ busy ──close──▶ draining
    ///      │                  │ ◀──answered──  │                 │
    ///  failed, close          close            lost           answered
    ///      ▼                  ▼                ▼                 ▼
    ///    closed             closed           broken            closed
    /// ```
    ///
    /// Batches are answered in the order in which they were sent. A batch is a number of answers and a sync; one in an
    /// explicit transaction has its COMMIT and a second sync after the first, so that a failed transaction is left
    /// before the next batch begins.
    struct ConnectionMachine {
        /// Names a batch within one connection; later batches have greater numbers.
        struct BatchID: Hashable, Sendable {
            var number: UInt64
        }

        /// What a batch is on the wire.
        struct Shape: Hashable, Sendable {
            /// The answers before the first sync: of BEGIN, of preparations and of statements.
            var answers: Int
            /// Whether COMMIT and a second sync follow.
            var hasCommit = false
        }

        struct Waiting {
            let id: BatchID
            let deadline: UptimeInstant?
        }

        struct Work {
            /// In the order of sending; the first one is answered next.
            var inFlight: ArraySlice<Entry> = []
            var waiting: ArraySlice<Waiting> = []
            /// The server's socket takes no more for now.
            var isBlocked = false
            /// libpq holds bytes that were not offered to the socket yet.
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

        /// More batches than this wait in the machine instead of in libpq's buffers, where nothing can be withdrawn.
        static let mostInFlight = 64

        var state = State.connecting(.writable)
        private var lastNumber: UInt64 = 0
        /// When the owner's timer will fire, as far as the machine asked for it.
        var alarm: UptimeInstant?
        var wantedAlarm: UptimeInstant?
        var connectDeadline: UptimeInstant?

        /// A connection whose `PQconnectStartParams` has succeeded.
        /// - Parameter deadline: when connecting has failed, if it is not done.
        init(connectDeadline deadline: UptimeInstant?) {
            connectDeadline = deadline
            wantedAlarm = deadline
        }

        // MARK: Reading

        /// What `poll` has to wait for.
        var interest: Readiness {
            switch state {
            case .connecting(let readiness): readiness
            case .idle: .readable
            // While the socket is full, the server may be waiting for us to read: wait for both directions.
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

        /// How many batches were submitted and not sent yet.
        var waitingCount: Int {
            switch state {
            case .busy(let work), .draining(let work): work.waiting.count
            case .connecting, .idle, .broken, .closed: 0
            }
        }

        /// The state's name, for tests and logs.
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
        /// What `PQconnectPoll` returned.
        enum ConnectStatus {
            case reading
            case writing
            case ready
            case failed
        }

        enum ConnectAction: Equatable {
            /// Wait for ``interest``. The descriptor may be another one than before.
            case wait
            /// Connected: begin the pipeline.
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
        /// Accepts a batch, or returns nil if the connection takes none.
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

        /// Takes back a batch that was not sent yet.
        /// - Returns: false if it was sent, or is answered already.
        mutating func withdraw(_ id: BatchID) -> Bool {
            changeWork { work in
                guard let index = work.waiting.firstIndex(where: { $0.id == id }) else { return false }
                work.waiting.remove(at: index)
                return true
            } ?? false
        }

        enum NextAction: Equatable {
            /// Report ``sent(_:as:)``, and give the whole batch to libpq.
            case send(BatchID)
            /// Call `PQflush`, and report to ``flushed(_:)``.
            case flush
            /// Call ``expired(at:)`` at that instant, which replaces the instant of the earlier request.
            case arm(UptimeInstant)
            /// Everything is answered, and the connection was asked to close: release it.
            case finish
            /// Wait for ``interest``.
            case wait
        }

        /// What the owner has to do now. To be called until it returns `.wait` or `.finish`.
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

        /// The batch is about to be given to libpq. From here on it cannot be taken back.
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

        /// Changes the work in place; nil in a state without work.
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
            /// Call `PQconsumeInput`, take the answers and notifications that have arrived, then ask ``next()``.
            case consume
            /// Ask ``next()``.
            case proceed
            /// It came after the end.
            case ignore
        }

        /// `poll` reported the descriptor. An error or a hang-up counts as both directions: libpq finds out.
        mutating func ready(_ readiness: Readiness) -> ReadyAction {
            switch state {
            case .connecting: return .pollConnect
            case .broken, .closed: return .ignore
            case .idle: return readiness.contains(.readable) ? .consume : .proceed
            case .busy, .draining:
                // Input makes room for output too: the server may have stopped reading until it could write.
                changeWork { $0.isBlocked = false }
                return readiness.contains(.readable) ? .consume : .proceed
            }
        }

        /// `PQflush` has returned.
        /// - Parameter isComplete: false if bytes are left, for want of room in the socket.
        mutating func flushed(isComplete: Bool) {
            changeWork { work in
                work.isBlocked = !isComplete
                work.hasUnsent = !isComplete
            }
        }
    }

    // MARK: Ends

    extension ConnectionMachine {
        /// What became of a batch without a complete answer.
        struct Unanswered: Equatable {
            var id: BatchID
            var fate: PostgresFate
        }

        /// The connection is of no use any more. The owner releases it.
        /// - Returns: the batches that were not answered, in their order.
        mutating func lost() -> [Unanswered] {
            let unanswered: [Unanswered]? = changeWork { work in
                // Batches after the one at which the server ended the session were never begun.
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
            /// These batches were not sent yet, and are given up.
            case withdrawn([BatchID])
            /// The server did not answer in time: close the connection as lost.
            case lose
        }

        /// The instant of `.arm` has come.
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
            /// Ask ``next()``, which says when everything is answered.
            case drain
            /// It is closed, or about to be.
            case none
        }

        /// Closes the connection when everything that was submitted is answered.
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
