#if Postgres
    import ApusJobs
    import ApusTimers
    import Logging

    /// A connection that is made when it is needed, and again after it broke.
    final class ServerLink: Sendable {
        private let configuration: PostgresConfiguration
        private let engine: TimerEngine
        private let logger: Logger
        private let connected = Locked<PostgresConnection?>(nil)
        private let settings = Locked<[PostgresStatement]>(ServerLink.plans)
        private let receiver = Locked<(@Sendable (PostgresNotification) -> Void)?>(nil)
        private let turnstile = Turnstile()

        var schema: SchemaName { configuration.schemaName }

        init(
            _ configuration: PostgresConfiguration, engine: TimerEngine, logger: Logger
        ) {
            self.configuration = configuration
            self.engine = engine
            self.logger = logger
        }

        /// Sets the receiver of all notifications, for the present connection and for later ones.
        func receive(with receiver: @escaping @Sendable (PostgresNotification) -> Void) {
            self.receiver.withLock { $0 = receiver }
        }

        /// The settings of each session.
        ///
        /// They suit short statements, whose best plans are the same for any number of rows: such a statement gains
        /// nothing if it is compiled or planned again.
        private static let plans = [
            PostgresStatement("SET jit = off", isPrepared: false),
            PostgresStatement("SET plan_cache_mode = force_generic_plan", isPrepared: false),
            // Without this setting, a plan that was made for an empty table would stay in use when the table has many
            // rows.
            PostgresStatement("SET enable_seqscan = off", isPrepared: false),
        ]

        /// Sets the name of the present connection, and of later ones, in the server's views.
        func rename(_ name: String) async throws {
            let statement = PostgresStatement("SELECT set_config('application_name', $1, false)", [.text(name)])
            settings.withLock { $0 = Self.plans + [statement] }
            _ = try await execute(PostgresBatch([statement]))
        }

        /// The maximum number of sessions on which a batch is tried.
        private static let mostSessions = 4

        /// Executes a batch, and sends it again over a new connection if the session ended before the batch was
        /// applied.
        ///
        /// Callers therefore rarely notice the end of a session, even during a batch or while a connection is made. A
        /// batch is not sent again if it may have been applied, if the server did not answer in time, or if
        /// `mostSessions` sessions have ended.
        ///
        /// - Throws: ``PostgresError``.
        func execute(_ batch: PostgresBatch) async throws -> [PostgresRows] {
            var sessions = 1
            while true {
                do { return try await attempt(batch) } catch let error as PostgresError
                    where error.endsConnection && error.code != .noAnswer && error.fate == .notApplied
                    && sessions < Self.mostSessions
                {
                    sessions += 1
                }
            }
        }

        private func attempt(_ batch: PostgresBatch) async throws -> [PostgresRows] {
            let connection = try await connection()
            do { return try await connection.execute(batch) } catch {
                if error.endsConnection { forget(connection) }
                throw error
            }
        }

        /// Executes statements that change nothing, and sends them again if the connection breaks.
        func read(_ statements: [PostgresStatement], isSnapshot: Bool = false) async throws -> [PostgresRows] {
            let batch = PostgresBatch(
                statements, transaction: isSnapshot ? .explicit(.repeatableRead) : .implicit)
            do { return try await execute(batch) } catch let error as PostgresError where error.endsConnection {
                return try await execute(batch)
            }
        }

        func connection() async throws -> PostgresConnection {
            if let connection = connected.withLock({ $0 }) { return connection }
            return try await turnstile.pass {
                if let connection = self.connected.withLock({ $0 }) { return connection }
                let connection = try await self.anotherConnection()
                self.connected.withLock { $0 = connection }
                let notifications = connection.notifications
                _ = Task(executorPreference: PostgresThread.shared.tasks) { [weak self] in
                    for await notification in notifications { self?.receiver.withLock { $0 }?(notification) }
                }
                return connection
            }
        }

        /// Opens another connection with the same settings, for the caller alone.
        func anotherConnection() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.connect(configuration, engine: engine, logger: logger)
            _ = try await connection.execute(PostgresBatch(settings.withLock { $0 }))
            return connection
        }

        private func forget(_ connection: PostgresConnection) {
            connected.withLock { if $0 === connection { $0 = nil } }
        }

        /// Closes the connection, which is opened again when it is needed.
        func disconnect() async {
            let connection = connected.withLock { $0.take() }
            await connection?.close()
        }
    }

    extension PostgresError {
        /// Whether the connection can execute nothing more after this error.
        var endsConnection: Bool {
            [.lost, .noAnswer, .closed, .shutDown, .crashed].contains(code)
        }

        /// The store's error with this error as its cause.
        var jobError: JobError {
            switch code {
            case .full: JobError(code: .full, message: "the database is full; nothing was written", cause: self)
            case .constraint, .invalid: JobError(code: .invalid, message: message, cause: self)
            case _ where server?.sqlState == "AP001":
                JobError(code: .notOwner, message: "\(server?.message ?? message): nothing was written", cause: self)
            // The caller may try again, because the next beat finds out which shards the node owns.
            case _ where server?.sqlState == "AP002":
                JobError(code: .unavailable, message: "\(server?.message ?? message): nothing was written", cause: self)
            // With this code the caller may try again, and reads the store to find the fate of a turn.
            default: JobError(code: .unavailable, message: "the database cannot be used: \(message)", cause: self)
            }
        }
    }
#endif
