#if Postgres
    package import ApusTimers
    package import Logging
    import Synchronization

    /// A connection to a PostgreSQL server.
    ///
    /// A batch that is submitted while others are active is sent without waiting for them, and batches are answered in
    /// order. The connection is closed by ``close()``, or when this object is released. When the connection breaks, all
    /// its batches end with an error that states what is known of their fate, and later calls throw too. It does not
    /// reconnect.
    package final class PostgresConnection: Sendable {
        private let core: ConnectionCore
        let schema: SchemaName
        private let lastTicket = Atomic<UInt64>(0)

        /// The notifications of all channels to which the connection listens, for one reader, until the connection
        /// ends.
        ///
        /// Only the newest 1,000 are buffered for a slow reader. This is sufficient, because a notification is only a
        /// hint, and the server coalesces equal notifications too.
        package let notifications: AsyncStream<PostgresNotification>

        private init(
            core: ConnectionCore, schema: SchemaName, notifications: AsyncStream<PostgresNotification>
        ) {
            self.core = core
            self.schema = schema
            self.notifications = notifications
        }

        deinit { core.abandon() }

        /// Connects to a server.
        ///
        /// If the task is cancelled in the meantime, the attempt ends with the error `cancelled`.
        ///
        /// - Parameters:
        ///   - configuration: the server and the behaviour of the connection.
        ///   - thread: the thread of the connection.
        ///   - engine: measures the time-outs, on the uptime clock.
        ///   - logger: receives the server's notices and warnings.
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
        /// If the task is cancelled before the batch is sent, the call throws the error `cancelled`, and nothing is
        /// applied. A sent batch cannot be withdrawn, so the call then waits for the answer as if the task had not been
        /// cancelled.
        ///
        /// - Returns: the result of each statement.
        /// - Throws: ``PostgresError``: the first error, with the number of its statement and the fate of the batch.
        package func execute(_ batch: PostgresBatch) async throws(PostgresError) -> [PostgresRows] {
            let ticket = lastTicket.wrappingAdd(1, ordering: .relaxed).newValue
            let result = await withTaskCancellationHandler {
                await core.execute(batch, ticket: ticket)
            } onCancel: {
                core.withdraw(ticket)
            }
            return try result.get()
        }

        /// Executes one statement in a transaction of its own.
        ///
        /// - Returns: the result.
        /// - Throws: ``PostgresError``.
        package func query(
            _ sql: String, _ parameters: [PostgresValue] = [], isPrepared: Bool = true
        ) async throws(PostgresError) -> PostgresRows {
            try await execute(PostgresBatch([PostgresStatement(sql, parameters, isPrepared: isPrepared)]))[0]
        }

        /// Listens to a channel until the connection ends.
        ///
        /// - Throws: ``PostgresError``.
        package func listen(to channel: String) async throws(PostgresError) {
            let name = channel.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
                .joined(separator: "\"\"")
            _ = try await query("LISTEN \"\(name)\"", isPrepared: false)
        }

        /// Closes the connection after all active batches were answered, and returns when it is closed.
        package func close() async { await core.close() }

        /// The state and the statistics of the connection.
        package var status: PostgresConnectionStatus {
            get async { await core.status }
        }
    }

    /// The state and the statistics of a connection.
    package struct PostgresConnectionStatus: Hashable, Sendable {
        /// Whether batches are accepted.
        package var isOpen: Bool
        /// The identifier of the server's process for this connection (`pg_backend_pid()`).
        package var serverProcess: Int32
        /// The server's version, for example 150018.
        package var serverVersion: Int32
        package var isEncrypted: Bool
        /// The number of batches that were submitted and not sent yet.
        var waitingBatches: Int
        /// The number of calls of `poll` on the thread, for all its connections.
        var polls: Int
        /// The numbers of libpq's calls that cost messages or system calls.
        var calls: LibpqConnection.Calls
    }
#endif
