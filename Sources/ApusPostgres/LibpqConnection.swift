#if Postgres
    import CPostgres
    import Logging
    import PlatformC

    /// The calls of libpq for one `PGconn`, none of which blocks, and the statements that were prepared on it.
    ///
    /// It is used on the connection's thread only.
    final class LibpqConnection {
        private let handle: OpaquePointer
        private let notices: NoticeBox
        private let schema: SchemaName
        private var prepared: [PreparationKey: String] = [:]
        private var preparing: Set<PreparationKey> = []
        private var lastName = 0
        private var parameters = ParameterBuffers()
        private(set) var calls = Calls()

        /// The numbers of calls that cost messages or system calls.
        struct Calls: Hashable, Sendable {
            var flushes = 0
            var syncs = 0
            var preparations = 0
            var executions = 0
            var reads = 0
        }

        /// The text and the types of parameters for which the server prepares a statement.
        struct PreparationKey: Hashable {
            var sql: String
            var types: [PostgresType]
        }

        /// The maximum number of prepared statements.
        ///
        /// Further texts are sent unprepared, because a program that generates texts must not fill the server's memory.
        private static let mostPrepared = 256
        /// The maximum number of parameters of a statement, which libpq counts in 16 bits.
        static let mostParameters = 65_535

        /// Begins to connect.
        ///
        /// - Throws: ``PostgresError`` if libpq cannot begin.
        init(_ configuration: PostgresConfiguration, logger: Logger) throws(PostgresError) {
            schema = configuration.schemaName
            notices = NoticeBox(logger: logger)
            guard let handle = Self.start(configuration.connectionParameters) else {
                throw PostgresError(
                    code: .full, message: "this process is out of memory, so it cannot connect to PostgreSQL")
            }
            self.handle = handle
            guard PQstatus(handle) != CONNECTION_BAD else {
                // `deinit` releases the handle.
                throw ServerErrors.connectError(String(cString: PQerrorMessage(handle)))
            }
            // The verbose form contains the SQLSTATE, for which libpq 15 has no function before there are results.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            PQsetNoticeReceiver(
                handle,
                { context, result in
                    guard let context, let result else { return }
                    Unmanaged<NoticeBox>.fromOpaque(context).takeUnretainedValue().receive(result)
                }, Unmanaged.passUnretained(notices).toOpaque())
        }

        deinit { PQfinish(handle) }

        private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
            let keywords = parameters.map { strdup($0.keyword) }
            let values = parameters.map { strdup($0.value) }
            defer { for text in keywords + values { free(text) } }
            return PQconnectStartParams(
                keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
        }

        // MARK: Connecting

        /// The descriptor to poll, which may change while connecting; negative if there is none.
        var descriptor: Int32 { PQsocket(handle) }
        var isBad: Bool { PQstatus(handle) == CONNECTION_BAD }
        var errorMessage: String { String(cString: PQerrorMessage(handle)) }
        /// The identifier of the server's process for this connection.
        var serverProcess: Int32 { PQbackendPID(handle) }
        /// The server's version, for example 150018.
        var serverVersion: Int32 { PQserverVersion(handle) }
        var isEncrypted: Bool { PQsslInUse(handle) != 0 }
        /// The server's message about the end of the session, if any.
        var lastWords: PostgresError.ServerMessage? { notices.lastWords }

        func pollConnect() -> ConnectionMachine.ConnectStatus {
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_READING: .reading
            case PGRES_POLLING_WRITING: .writing
            case PGRES_POLLING_OK: .ready
            default: .failed
            }
        }

        func beginPipeline() -> Bool {
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            return PQsetnonblocking(handle, 1) == 0 && PQenterPipelineMode(handle) == 1
        }

        // MARK: Sending

        /// Returns the name of the statement if it is prepared on this connection.
        func preparedName(_ key: PreparationKey) -> String? { prepared[key] }

        /// Reserves a name for preparing a statement.
        ///
        /// - Returns: `nil` if there are too many prepared statements, or if an earlier batch prepares the same one. A
        ///   later batch must not depend on the success of that preparation.
        func reserveName(_ key: PreparationKey) -> String? {
            guard prepared.count + preparing.count < Self.mostPrepared, preparing.insert(key).inserted else {
                return nil
            }
            lastName += 1
            return "apus\(lastName)"
        }

        /// Sends a preparation under a reserved name; returns false if libpq refuses it.
        func prepare(_ key: PreparationKey, name: String) -> Bool {
            calls.preparations += 1
            let types = key.types.map { $0 == .unknown ? 0 : $0.number }
            return PQsendPrepare(handle, name, schema.text(key.sql), Int32(types.count), types) == 1
        }

        /// Records that the answer to a preparation has arrived, or will not arrive.
        func preparationEnded(_ key: PreparationKey, name: String, isPrepared: Bool) {
            preparing.remove(key)
            if isPrepared { prepared[key] = name }
        }

        /// Forgets a prepared statement that the server can no longer execute, so that its next use prepares it again.
        func forget(_ key: PreparationKey) { prepared[key] = nil }

        /// Sends the execution of a prepared statement, or of the text; returns false if libpq refuses it.
        func execute(_ statement: PostgresStatement, name: String?) -> Bool {
            calls.executions += 1
            return parameters.withPointers(statement.parameters) { types, values, lengths, formats in
                let count = Int32(statement.parameters.count)
                if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
                return PQsendQueryParams(
                    handle, schema.text(statement.sql), count, types, values, lengths, formats, 1)
            } == 1
        }

        func sync() -> Bool {
            calls.syncs += 1
            return PQpipelineSync(handle) == 1
        }

        /// Sends buffered bytes, and returns whether none are left.
        ///
        /// After an error, all bytes count as sent, because the next read handles the error and finds the server's last
        /// message.
        func flush() -> Bool {
            calls.flushes += 1
            return PQflush(handle) != 1
        }

        // MARK: Receiving

        /// Reads the input that has arrived.
        ///
        /// - Returns: false if the connection is broken. Earlier input can still be used.
        func consume() -> Bool {
            calls.reads += 1
            return PQconsumeInput(handle) == 1
        }

        /// Returns the next answer that has arrived, if any.
        func nextResult() -> ResultHandle? {
            var wasEnd = false
            while PQisBusy(handle) == 0 {
                guard let result = PQgetResult(handle) else {
                    // `nil` ends the results of one command. Another `nil` after it means that no answer is available.
                    if wasEnd { return nil }
                    wasEnd = true
                    continue
                }
                return ResultHandle(result)
            }
            return nil
        }

        func nextNotification() -> PostgresNotification? {
            guard let notify = PQnotifies(handle) else { return nil }
            defer { PQfreemem(notify) }
            return PostgresNotification(
                channel: String(cString: notify.pointee.relname), payload: String(cString: notify.pointee.extra),
                process: notify.pointee.be_pid)
        }
    }

    /// A notification of a channel to which a connection listens.
    package struct PostgresNotification: Hashable, Sendable {
        package var channel: String
        package var payload: String
        /// The identifier of the server's process that sent the notification.
        package var process: Int32
    }

    private final class NoticeBox {
        private let logger: Logger
        private(set) var lastWords: PostgresError.ServerMessage?

        init(logger: Logger) { self.logger = logger }

        func receive(_ result: OpaquePointer) {
            guard let message = PostgresError.ServerMessage(result) else { return }
            // 57P01 and similar states end the session.
            if message.sqlState.hasPrefix("57P0") { lastWords = message }
            let isWarning = PostgresError.ServerMessage.severity(result) == "WARNING"
            logger.log(
                level: isWarning ? .warning : .debug, "PostgreSQL: \(message.message)",
                metadata: ["sqlState": "\(message.sqlState)"])
        }
    }

    extension PostgresError.ServerMessage {
        /// Creates the message of a server's error; `nil` if the error is from libpq itself.
        init?(_ result: OpaquePointer) {
            func field(_ letter: Unicode.Scalar) -> String? {
                PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
            }
            guard let state = field("C") else { return nil }
            self.init(
                sqlState: state, message: field("M") ?? "no message", detail: field("D"), hint: field("H"),
                constraint: field("n"))
        }

        /// Returns whether the server ends the session with this error.
        static func endsSession(_ result: OpaquePointer) -> Bool {
            severity(result).map(["FATAL", "PANIC"].contains) ?? false
        }

        /// Returns the severity in its untranslated form.
        static func severity(_ result: OpaquePointer) -> String? {
            PQresultErrorField(result, Int32(Unicode.Scalar("V").value)).map { String(cString: $0) }
        }
    }

    /// The arrays of parameters that libpq needs, reused for each statement.
    private struct ParameterBuffers {
        private var bytes: [UInt8] = []
        private var types: [UInt32] = []
        private var lengths: [Int32] = []
        private var formats: [Int32] = []
        private var offsets: [Int] = []
        private var pointers: [UnsafePointer<CChar>?] = []

        /// The capacity, in bytes, above which buffers are not reused.
        private static let keptCapacity = 1 << 20

        mutating func withPointers<Value>(
            _ values: [PostgresValue],
            _ body: ([UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]) -> Value
        ) -> Value {
            if bytes.capacity > Self.keptCapacity { bytes = [] }
            bytes.removeAll(keepingCapacity: true)
            types.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            formats.removeAll(keepingCapacity: true)
            offsets.removeAll(keepingCapacity: true)
            pointers.removeAll(keepingCapacity: true)
            for value in values {
                offsets.append(bytes.count)
                value.append(to: &bytes)
                types.append(value.type == .unknown ? 0 : value.type.number)
                lengths.append(Int32(bytes.count - offsets[offsets.count - 1]))
                formats.append(1)
            }
            // This byte gives the buffer an address even if all values are empty, because libpq would take a null
            // pointer for a null value.
            bytes.append(0)
            return bytes.withUnsafeBytes { buffer in
                let base = buffer.bindMemory(to: CChar.self).baseAddress
                for (offset, value) in zip(offsets, values) {
                    pointers.append(value.isNull ? nil : base.map { $0 + offset })
                }
                return body(types, pointers, lengths, formats)
            }
        }
    }
#endif
