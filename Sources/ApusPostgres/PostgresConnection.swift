#if Postgres
    package import ApusTimers
    package import Logging
    import Synchronization

    /// A connection to a PostgreSQL server.
    ///
    /// Batches that are executed while others are under way are sent without waiting for those, and are answered in
    /// order. The connection is closed by ``close()``, or when it is released; when it breaks, everything under way
    /// ends with an error that says what is known of its fate, and so does everything later. Nothing reconnects by
    /// itself.
    package final class PostgresConnection: Sendable {
        private let core: ConnectionCore
        let schema: SchemaName
        private let lastTicket = Atomic<UInt64>(0)

        /// What NOTIFY sends to the channels that are listened to, for one reader. It ends with the connection. The
        /// newest 1,000 wait for a slow reader; a notification is a hint, and the server merges equal ones
        /// too.
        package let notifications: AsyncStream<PostgresNotification>

        private init(
            core: ConnectionCore, schema: SchemaName, notifications: AsyncStream<PostgresNotification>
        ) {
            self.core = core
            self.schema = schema
            self.notifications = notifications
        }

        deinit { core.abandon() }

        /// Connects.
        ///
        /// A task that is cancelled meanwhile gets the error `cancelled`, and the attempt is given up.
        /// - Parameters:
        ///   - configuration: where to, and how.
        ///   - thread: where the connection lives.
        ///   - engine: measures the time-outs, on the clock that stops while the machine sleeps.
        ///   - logger: gets the server's notices and warnings.
        /// - Returns: the connection.
        /// - Throws: ``PostgresError``.
        package static func connect(
            _ configuration: PostgresConfiguration, thread: PostgresThread = .shared, engine: TimerEngine = .shared,
            logger: Logger = Logger(label: "apus.postgres")
        ) async throws(PostgresError) -> PostgresConnection {
            let (notifications, continuation) = AsyncStream<PostgresNotification>.makeStream(
                bufferingPolicy: .bufferingNewest(1_000))
            let core = ConnectionCore(
                configuration, thread: thread, engine: engine, logger: logger, notifications: continuation)
            let result = await withTaskCancellationHandler {
                await core.connect()
            } onCancel: {
                core.cancelConnecting()
            }
            try result.get()
            return PostgresConnection(
                core: core, schema: configuration.schemaName, notifications: notifications)
        }

        /// Executes statements in one round trip and one transaction.
        ///
        /// A task that is cancelled before its batch was sent gets the error `cancelled`, and nothing is applied. A
        /// batch that was sent is not taken back: its answer is waited for as if the task had not been cancelled.
        /// - Returns: the result of each statement.
        /// - Throws: ``PostgresError``: the first error, with the number of its statement, and what became of the
        ///   batch.
        package func execute(_ batch: PostgresBatch) async throws(PostgresError) -> [PostgresRows] {
            let ticket = lastTicket.wrappingAdd(1, ordering: .relaxed).newValue
            let result = await withTaskCancellationHandler {
                await core.execute(batch, ticket: ticket)
            } onCancel: {
                core.withdraw(ticket)
            }
            return try result.get()
        }

        /// Executes one statement, which is a transaction by itself.
        package func query(
            _ sql: String, _ parameters: [PostgresValue] = [], isPrepared: Bool = true
        ) async throws(PostgresError) -> PostgresRows {
            try await execute(PostgresBatch([PostgresStatement(sql, parameters, isPrepared: isPrepared)]))[0]
        }

        /// Listens to a channel, for as long as the connection lasts.
        package func listen(to channel: String) async throws(PostgresError) {
            let name = channel.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
                .joined(separator: "\"\"")
            _ = try await query("LISTEN \"\(name)\"", isPrepared: false)
        }

        /// Closes the connection when what is under way has been answered. Returns when it is closed.
        package func close() async { await core.close() }

        /// What the connection is and has done.
        package var status: PostgresConnectionStatus {
            get async { await core.status }
        }
    }

    /// What a connection is and has done.
    package struct PostgresConnectionStatus: Hashable, Sendable {
        /// Whether batches are accepted.
        package var isOpen: Bool
        /// The number of the server's process for this connection (`pg_backend_pid()`).
        package var serverProcess: Int32
        /// The server's version, as in 150018.
        package var serverVersion: Int32
        /// Whether the connection is encrypted.
        package var isEncrypted: Bool
        /// How many batches are submitted and not sent yet.
        var waitingBatches: Int
        /// How often the thread has waited, for all its connections.
        var polls: Int
        /// How often libpq was called for what costs messages or system calls.
        var calls: LibpqConnection.Calls
    }
#endif
