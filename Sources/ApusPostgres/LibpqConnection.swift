#if Postgres
    import CPostgres
    import Logging
    import PlatformC

    /// One `PGconn`: libpq's calls, and the statements that were prepared on it. Nothing here blocks.
    ///
    /// Used on the connection's thread only.
    final class LibpqConnection {
        private let handle: OpaquePointer
        private let notices: NoticeBox
        private let schema: SchemaName
        private var prepared: [PreparationKey: String] = [:]
        private var preparing: Set<PreparationKey> = []
        private var lastName = 0
        private var parameters = ParameterBuffers()
        private(set) var calls = Calls()

        /// How often the calls were made that cost messages or system calls.
        struct Calls: Hashable, Sendable {
            var flushes = 0
            var syncs = 0
            var preparations = 0
            var executions = 0
            var reads = 0
        }

        /// The server prepares a text for the types of its parameters.
        struct PreparationKey: Hashable {
            var sql: String
            var types: [PostgresType]
        }

        /// Texts beyond this number are sent as they are: a program that makes up texts must not fill the server's
        /// memory.
        private static let mostPrepared = 256
        /// libpq counts the parameters of a statement in 16 bits.
        static let mostParameters = 65_535

        /// Begins to connect.
        /// - Throws: ``PostgresError`` if libpq cannot even begin.
        init(_ configuration: PostgresConfiguration, logger: Logger) throws(PostgresError) {
            schema = configuration.schemaName
            notices = NoticeBox(logger: logger)
            guard let handle = Self.start(configuration.connectionParameters) else {
                throw PostgresError(
                    code: .full, message: "this process is out of memory, so it cannot connect to PostgreSQL")
            }
            self.handle = handle
            guard PQstatus(handle) != CONNECTION_BAD else {
                // The rest is what `deinit` does.
                throw ServerErrors.connectError(String(cString: PQerrorMessage(handle)))
            }
            // The verbose form has the SQLSTATE, for which libpq 15 has no function before there are results.
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

        /// The descriptor to poll, or a negative number. While connecting it changes.
        var descriptor: Int32 { PQsocket(handle) }
        var isBad: Bool { PQstatus(handle) == CONNECTION_BAD }
        var errorMessage: String { String(cString: PQerrorMessage(handle)) }
        /// The number of the server's process for this connection.
        var serverProcess: Int32 { PQbackendPID(handle) }
        /// As in 150018.
        var serverVersion: Int32 { PQserverVersion(handle) }
        var isEncrypted: Bool { PQsslInUse(handle) != 0 }
        /// What the server said about the end of the session, if it did.
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

        /// The name of the statement, if it is prepared on this connection.
        func preparedName(_ key: PreparationKey) -> String? { prepared[key] }

        /// A name to prepare the statement under; nil if there are too many, or if one of the same is on its way:
        /// whether that one succeeds is not known yet, so what follows it must not count on it.
        func reserveName(_ key: PreparationKey) -> String? {
            guard prepared.count + preparing.count < Self.mostPrepared, preparing.insert(key).inserted else {
                return nil
            }
            lastName += 1
            return "apus\(lastName)"
        }

        /// Sends a preparation under a name that was reserved for it.
        func prepare(_ key: PreparationKey, name: String) -> Bool {
            calls.preparations += 1
            let types = key.types.map { $0 == .unknown ? 0 : $0.number }
            return PQsendPrepare(handle, name, schema.text(key.sql), Int32(types.count), types) == 1
        }

        /// The answer to a preparation has come, or never will.
        func preparationEnded(_ key: PreparationKey, name: String, isPrepared: Bool) {
            preparing.remove(key)
            if isPrepared { prepared[key] = name }
        }

        /// Forgets a prepared statement that the server does not execute any more, so that the next use prepares it
        /// anew.
        func forget(_ key: PreparationKey) { prepared[key] = nil }

        /// Sends an execution, of the prepared statement or of the text.
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

        /// Whether everything is sent. A broken connection shows when it is read: the server's last words are to be
        /// read.
        func flush() -> Bool {
            calls.flushes += 1
            return PQflush(handle) != 1
        }

        // MARK: Receiving

        /// - Returns: false if the connection is broken. What has arrived before can still be taken.
        func consume() -> Bool {
            calls.reads += 1
            return PQconsumeInput(handle) == 1
        }

        /// The next answer that has arrived.
        func nextResult() -> ResultHandle? {
            var wasEnd = false
            while PQisBusy(handle) == 0 {
                guard let result = PQgetResult(handle) else {
                    // Nil ends the results of one command; a second one in a row says that no more are expected.
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

    /// What NOTIFY sent to a channel that a connection listens to.
    package struct PostgresNotification: Hashable, Sendable {
        package var channel: String
        package var payload: String
        /// The number of the server's process whose session sent it.
        package var process: Int32
    }

    /// Gets the server's notices.
    private final class NoticeBox {
        private let logger: Logger
        private(set) var lastWords: PostgresError.ServerMessage?

        init(logger: Logger) { self.logger = logger }

        func receive(_ result: OpaquePointer) {
            guard let message = PostgresError.ServerMessage(result) else { return }
            // The class of sessions that end.
            if message.sqlState.hasPrefix("57P0") { lastWords = message }
            let isWarning = PostgresError.ServerMessage.severity(result) == "WARNING"
            logger.log(
                level: isWarning ? .warning : .debug, "PostgreSQL: \(message.message)",
                metadata: ["sqlState": "\(message.sqlState)"])
        }
    }

    extension PostgresError.ServerMessage {
        /// What an error of the server says; nil if it comes from libpq itself.
        init?(_ result: OpaquePointer) {
            func field(_ letter: Unicode.Scalar) -> String? {
                PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
            }
            guard let state = field("C") else { return nil }
            self.init(
                sqlState: state, message: field("M") ?? "no message", detail: field("D"), hint: field("H"),
                constraint: field("n"))
        }

        /// Whether the server ends the session with that error.
        static func endsSession(_ result: OpaquePointer) -> Bool {
            severity(result).map(["FATAL", "PANIC"].contains) ?? false
        }

        /// The severity, in no language.
        static func severity(_ result: OpaquePointer) -> String? {
            PQresultErrorField(result, Int32(Unicode.Scalar("V").value)).map { String(cString: $0) }
        }
    }

    /// The arrays that libpq wants for parameters, used again for each statement.
    private struct ParameterBuffers {
        private var bytes: [UInt8] = []
        private var types: [UInt32] = []
        private var lengths: [Int32] = []
        private var formats: [Int32] = []
        private var offsets: [Int] = []
        private var pointers: [UnsafePointer<CChar>?] = []

        /// Buffers of more bytes than this are not kept.
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
            // An empty value is not null, so its pointer must not be.
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
