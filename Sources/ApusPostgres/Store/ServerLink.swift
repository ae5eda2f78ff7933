#if Postgres
    import ApusJobs
    import ApusTimers
    import Logging

    /// A connection that is made when it is needed, and anew after it broke.
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

        /// From now on, the receiver is called for each notification that a connection gets.
        func receive(with receiver: @escaping @Sendable (PostgresNotification) -> Void) {
            self.receiver.withLock { $0 = receiver }
        }

        /// The statements are the same for any number of rows, and short: neither compiling them nor planning them anew
        /// pays.
        private static let plans = [
            PostgresStatement("SET jit = off", isPrepared: false),
            PostgresStatement("SET plan_cache_mode = force_generic_plan", isPrepared: false),
            // A plan that was made for an empty table would be kept when it is full.
            PostgresStatement("SET enable_seqscan = off", isPrepared: false),
        ]

        /// Names the connection in the server's views, this one and those that come after it.
        func rename(_ name: String) async throws {
            let statement = PostgresStatement("SELECT set_config('application_name', $1, false)", [.text(name)])
            settings.withLock { $0 = Self.plans + [statement] }
            _ = try await execute(PostgresBatch([statement]))
        }

        /// How many sessions a batch may see end.
        private static let mostSessions = 4

        /// Executes a batch, on a new connection if a session has ended before it could apply the batch: no caller notices
        /// that sessions were ended, also while a batch was under way, or while a connection was made.
        /// - Throws: ``PostgresError``. A batch that may have been applied is not sent again.
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

        /// The same for a batch that changes nothing: once more if the connection broke.
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

        /// A connection with the same settings, which only the caller uses.
        func anotherConnection() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.connect(configuration, engine: engine, logger: logger)
            _ = try await connection.execute(PostgresBatch(settings.withLock { $0 }))
            return connection
        }

        private func forget(_ connection: PostgresConnection) {
            connected.withLock { if $0 === connection { $0 = nil } }
        }

        /// Ends the connection; another one is made when it is needed.
        func disconnect() async {
            let connection = connected.withLock { $0.take() }
            await connection?.close()
        }
    }

    extension PostgresError {
        /// Nothing more can be executed on the connection.
        var endsConnection: Bool {
            [.lost, .noAnswer, .closed, .shutDown, .crashed].contains(code)
        }

        /// The store's error for it.
        var jobError: JobError {
            switch code {
            case .full: JobError(code: .full, message: "the database is full; nothing was written", cause: self)
            case .constraint, .invalid: JobError(code: .invalid, message: message, cause: self)
            case _ where server?.sqlState == "AP001":
                JobError(code: .notOwner, message: "\(server?.message ?? message): nothing was written", cause: self)
            // The node learns with its next beat what is its.
            case _ where server?.sqlState == "AP002":
                JobError(code: .unavailable, message: "\(server?.message ?? message): nothing was written", cause: self)
            // A store that was not written may be tried again: with this code its fate is asked about.
            default: JobError(code: .unavailable, message: "the database cannot be used: \(message)", cause: self)
            }
        }
    }
#endif
