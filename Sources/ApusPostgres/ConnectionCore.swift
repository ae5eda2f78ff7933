#if Postgres
    import ApusTimers
    import Logging

    /// The part of a connection that runs on its thread: libpq's connection, and the machine that decides what to do
    /// with it.
    ///
    /// The thread retains the core while it is connected. When the ``PostgresConnection`` is released, it ends the core
    /// by ``abandon()``.
    actor ConnectionCore {
        private let configuration: PostgresConfiguration
        private let thread: PostgresThread
        private let engine: TimerEngine
        private let logger: Logger
        private let notifications: AsyncStream<PostgresNotification>.Continuation

        private var machine: ConnectionMachine
        private var libpq: LibpqConnection?
        private var source: PollSource?
        private var timer: ScheduledTimer?
        private var pending: [ConnectionMachine.BatchID: PendingBatch] = [:]
        private var connecting: CheckedContinuation<Result<Void, PostgresError>, Never>?
        private var closers: [CheckedContinuation<Void, Never>] = []
        private var hasTurn = false
        /// The error that calls throw after the end of the connection.
        private var ending: PostgresError?
        /// The server's message about the end of the session.
        private var lastWords: PostgresError.ServerMessage?

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

        init(
            _ configuration: PostgresConfiguration, thread: PostgresThread, engine: TimerEngine, logger: Logger,
            notifications: AsyncStream<PostgresNotification>.Continuation
        ) {
            self.configuration = configuration
            self.thread = thread
            self.engine = engine
            self.logger = logger
            self.notifications = notifications
            machine = ConnectionMachine(
                connectDeadline: engine.time.uptime().advanced(by: configuration.connectTimeout))
        }

        // MARK: From any thread

        nonisolated func abandon() { onThread { $0.end() } }
        nonisolated func cancelConnecting() { onThread { $0.giveUpConnecting() } }
        nonisolated func withdraw(_ ticket: UInt64) { onThread { $0.withdrawUnsent(ticket) } }

        private nonisolated func onThread(_ body: @escaping @Sendable (isolated ConnectionCore) -> Void) {
            thread.loop.perform { self.assumeIsolated(body) }
        }

        // MARK: Connecting

        func connect() async -> Result<Void, PostgresError> {
            if Task.isCancelled { return .failure(Self.cancelled) }
            return await withCheckedContinuation { continuation in
                connecting = continuation
                // This call sets the timer for the deadline of connecting, which also limits the time of the resolver.
                turn()
                HostAddresses.resolve(configuration) { result in self.onThread { $0.beginConnecting(result) } }
            }
        }

        private func beginConnecting(_ resolved: Result<PostgresConfiguration, PostgresError>) {
            // The caller may have cancelled the connection in the meantime.
            guard connecting != nil else { return }
            do throws(PostgresError) {
                let libpq = try LibpqConnection(try resolved.get(), logger: logger)
                self.libpq = libpq
                let source = PollSource(descriptor: libpq.descriptor, interest: machine.interest) { self.ready($0) }
                self.source = source
                thread.loop.add(source)
            } catch {
                _ = machine.connectPolled(.failed)
                release(error)
            }
        }

        private func pollConnect() {
            guard let libpq, let source else { return }
            let action = machine.connectPolled(libpq.pollConnect())
            // Each address and each attempt has a descriptor of its own.
            source.descriptor = libpq.descriptor
            source.interest = machine.interest
            switch action {
            case .wait: break
            case .begin:
                guard libpq.beginPipeline() else { return lose(ServerErrors.lost(libpq.errorMessage, notice: nil)) }
                connecting.take()?.resume(returning: .success(()))
            case .finish: release(ServerErrors.connectError(libpq.errorMessage))
            }
        }

        private func giveUpConnecting() {
            guard connecting != nil else { return }
            _ = machine.close()
            release(Self.cancelled)
        }

        private static let cancelled = PostgresError(
            code: .cancelled, message: "the task was cancelled; nothing was sent")

        // MARK: Batches

        func execute(_ batch: PostgresBatch, ticket: UInt64) async -> Result<[PostgresRows], PostgresError> {
            if Task.isCancelled { return .failure(Self.cancelled) }
            if let objection = PendingBatch.objection(to: batch) { return .failure(objection) }
            return await withCheckedContinuation { continuation in
                let deadline = (batch.answerTimeout ?? configuration.answerTimeout).map {
                    engine.time.uptime().advanced(by: $0)
                }
                guard let id = machine.submit(deadline: deadline) else {
                    return continuation.resume(returning: .failure(ending ?? Self.closed))
                }
                pending[id] = PendingBatch(batch, ticket: ticket, continuation: continuation)
                scheduleTurn()
            }
        }

        private static let closed = PostgresError(code: .closed, message: "the connection is closed; connect again")

        private func withdrawUnsent(_ ticket: UInt64) {
            guard let (id, batch) = pending.first(where: { $0.value.ticket == ticket }), machine.withdraw(id) else {
                return
            }
            pending[id] = nil
            batch.end(.failure(Self.cancelled))
            scheduleTurn()
        }

        /// Schedules a call of `turn()` for when the thread has done its present work, so that all batches submitted
        /// until then are sent together.
        private func scheduleTurn() {
            guard !hasTurn else { return }
            hasTurn = true
            thread.loop.atEndOfTurn { self.turn() }
        }

        private func turn() {
            hasTurn = false
            while true {
                switch machine.next() {
                case .send(let id): send(id)
                case .flush: machine.flushed(isComplete: connected.flush())
                case .arm(let instant): arm(instant)
                case .finish: return release(nil)
                case .wait:
                    source?.interest = machine.interest
                    return
                }
            }
        }

        private var connected: LibpqConnection {
            guard let libpq else { preconditionFailure("the machine sends over an open connection only") }
            return libpq
        }

        private func send(_ id: ConnectionMachine.BatchID) {
            let libpq = connected
            guard let batch = pending[id] else { preconditionFailure("the machine sends what was submitted") }
            machine.sent(id, as: batch.plan(libpq))
            if !batch.send(libpq) { lose(ServerErrors.lost(libpq.errorMessage, notice: nil)) }
        }

        // MARK: Input

        private func ready(_ readiness: Readiness) {
            switch machine.ready(readiness) {
            case .pollConnect: pollConnect()
            case .consume: consume()
            case .proceed: break
            case .ignore: return
            }
            scheduleTurn()
        }

        private func consume() {
            guard let libpq else { return }
            let isAlive = libpq.consume()
            while let result = libpq.nextResult() {
                guard let answer = ConnectionMachine.Answer(result) else { return loseForViolation() }
                // On a broken connection, libpq itself generates a result for each unanswered command.
                if answer == .unreadable, libpq.isBad { break }
                guard receive(answer, result, libpq) else { return loseForViolation() }
            }
            while let notification = libpq.nextNotification() { notifications.yield(notification) }
            if !isAlive || libpq.isBad {
                lose(ServerErrors.lost(libpq.errorMessage, notice: lastWords ?? libpq.lastWords))
            }
        }

        private func loseForViolation() {
            lose(
                PostgresError(
                    code: .lost,
                    message:
                        "the server sent an answer that a pipeline cannot have, such as that of COPY; connect again",
                    fate: .unknown))
        }

        /// Handles an answer.
        ///
        /// - Returns: false if the server violates the protocol.
        private func receive(
            _ answer: ConnectionMachine.Answer, _ result: ResultHandle, _ libpq: LibpqConnection
        ) -> Bool {
            if answer == .ended { lastWords = PostgresError.ServerMessage(result.pointer) }
            switch machine.received(answer) {
            case .result(let id, let number): pending[id]?.receive(result, number, libpq)
            case .error(let id, let number): pending[id]?.receiveError(result, number, libpq)
            case .answered(let id, let fate): pending.removeValue(forKey: id)?.finish(fate, libpq)
            case .none: break
            case .violation: return false
            }
            return true
        }

        // MARK: Time

        private func arm(_ instant: UptimeInstant) {
            timer?.cancel()
            timer = engine.schedule(at: instant) { [weak self] in self?.onThread { $0.alarm() } }
        }

        private func alarm() {
            let isConnecting = connecting != nil
            switch machine.expired(at: engine.time.uptime()) {
            case .none: break
            case .withdrawn(let ids):
                for id in ids { pending.removeValue(forKey: id)?.end(.failure(Self.unsentInTime)) }
            case .lose where isConnecting:
                lose(
                    PostgresError(
                        code: .unreachable,
                        message: """
                            the server has not accepted the connection within \(configuration.connectTimeout); \
                            check the host, the port and the network
                            """))
            case .lose:
                lose(
                    PostgresError(
                        code: .noAnswer,
                        message: "the server has not answered in time, and the connection was closed; connect again",
                        fate: .unknown))
            }
            scheduleTurn()
        }

        private static let unsentInTime = PostgresError(
            code: .noAnswer, message: "the batch was not sent in time, because the server has not answered earlier ones"
        )

        // MARK: The end

        func close() async {
            await withCheckedContinuation { continuation in
                closers.append(continuation)
                end()
            }
        }

        private func end() {
            switch machine.close() {
            case .finish: release(nil)
            case .drain: scheduleTurn()
            case .none: if libpq == nil { release(nil) }
            }
        }

        /// Ends a broken connection.
        private func lose(_ error: PostgresError) {
            let unanswered = machine.lost()
            for entry in unanswered {
                pending.removeValue(forKey: entry.id)?.end(becauseOf: error, fate: entry.fate)
            }
            release(error)
        }

        /// Releases all resources; later calls throw the error, if there is one.
        private func release(_ error: PostgresError?) {
            precondition(pending.isEmpty, "a connection is released when nothing is under way")
            if let source { thread.loop.remove(source) }
            source = nil
            libpq = nil
            timer?.cancel()
            timer = nil
            if var error, ending == nil {
                error.fate = .notApplied
                ending = error
            }
            connecting.take()?.resume(returning: .failure(error ?? Self.closed))
            notifications.finish()
            let closers = closers
            self.closers = []
            for closer in closers { closer.resume() }
        }

        var status: PostgresConnectionStatus {
            PostgresConnectionStatus(
                isOpen: machine.isOpen, serverProcess: libpq?.serverProcess ?? 0,
                serverVersion: libpq?.serverVersion ?? 0,
                isEncrypted: libpq?.isEncrypted ?? false, waitingBatches: machine.waitingCount,
                polls: thread.loop.polls,
                calls: libpq?.calls ?? LibpqConnection.Calls())
        }
    }
#endif
