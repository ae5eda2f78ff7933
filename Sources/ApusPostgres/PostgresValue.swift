#if Postgres
    /// A parameter of a statement, with its type.
    ///
    /// A null has a type too. A statement is prepared for the types of its parameters, so it would be prepared several
    /// times if the types varied.
    package struct PostgresValue: Hashable, Sendable {
        enum Storage: Hashable, Sendable {
            case null
            case bool(Bool)
            case int32(Int32)
            case int64(Int64)
            case text(String)
            /// A value in the binary format, for a `bytea` or an array.
            case bytes([UInt8])
        }

        let type: PostgresType
        let storage: Storage

        private init(_ type: PostgresType, _ storage: Storage?) {
            self.type = type
            self.storage = storage ?? .null
        }

        package static func bool(_ value: Bool?) -> PostgresValue { PostgresValue(.bool, value.map(Storage.bool)) }
        package static func int32(_ value: Int32?) -> PostgresValue { PostgresValue(.int32, value.map(Storage.int32)) }
        package static func int64(_ value: Int64?) -> PostgresValue { PostgresValue(.int64, value.map(Storage.int64)) }
        /// Creates a `text`, which must not contain the character U+0000.
        package static func text(_ value: String?) -> PostgresValue { PostgresValue(.text, value.map(Storage.text)) }
        /// Creates a `bytea`.
        package static func bytes(_ value: [UInt8]?) -> PostgresValue {
            PostgresValue(.bytes, value.map(Storage.bytes))
        }
        /// Creates a `timestamptz`.
        package static func timestamp(_ value: PostgresTimestamp?) -> PostgresValue {
            PostgresValue(.timestamp, value.map { .int64($0.microsecondsSince2000) })
        }

        /// Creates a one-dimensional array that may contain nulls, for `unnest`.
        package static func array<Element: PostgresElement>(_ values: some Collection<Element?>) -> PostgresValue {
            var bytes = arrayHeader(
                of: Element.type, count: values.count, hasNulls: true, size: elementSize(values.first))
            for value in values {
                guard let value else {
                    bytes.append(bigEndian: Int32(-1))
                    continue
                }
                bytes.append(bigEndian: Int32(value.byteCount))
                value.append(to: &bytes)
            }
            return PostgresValue(Element.arrayType, .bytes(bytes))
        }

        /// Creates a one-dimensional array without nulls.
        package static func array<Element: PostgresElement>(_ values: some Collection<Element>) -> PostgresValue {
            var bytes = arrayHeader(
                of: Element.type, count: values.count, hasNulls: false, size: elementSize(values.first))
            for value in values {
                bytes.append(bigEndian: Int32(value.byteCount))
                value.append(to: &bytes)
            }
            return PostgresValue(Element.arrayType, .bytes(bytes))
        }

        /// Creates a one-dimensional array from its elements in the binary format, each preceded by its length.
        static func array(
            type: PostgresType, element: PostgresType, count: Int, hasNulls: Bool, elements: [UInt8]
        ) -> PostgresValue {
            var bytes = arrayHeader(of: element, count: count, hasNulls: hasNulls, size: 0)
            bytes += elements
            return PostgresValue(type, .bytes(bytes))
        }

        private static func elementSize(_ first: (some PostgresElement)??) -> Int {
            4 + ((first ?? nil)?.byteCount ?? 0)
        }

        private static func arrayHeader(
            of element: PostgresType, count: Int, hasNulls: Bool, size: Int
        ) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(20 + count * size)
            bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
            bytes.append(bigEndian: Int32(hasNulls ? 1 : 0))
            bytes.append(bigEndian: element.number)
            guard count > 0 else { return bytes }
            bytes.append(bigEndian: Int32(count))
            // This is the index of the first element.
            bytes.append(bigEndian: Int32(1))
            return bytes
        }

        /// Appends the value in the binary format; nothing for a null.
        func append(to bytes: inout [UInt8]) {
            switch storage {
            case .null: break
            case .bool(let value): value.append(to: &bytes)
            case .int32(let value): value.append(to: &bytes)
            case .int64(let value): value.append(to: &bytes)
            case .text(let value): value.append(to: &bytes)
            case .bytes(let value): value.append(to: &bytes)
            }
        }

        var isNull: Bool { storage == .null }
    }

    /// An SQL command with its parameters `$1`, `$2` and so on.
    package struct PostgresStatement: Hashable, Sendable {
        package var sql: String
        package var parameters: [PostgresValue]
        /// Whether the command is prepared at its first use on a connection.
        ///
        /// This should be `false` for a command that runs once, or whose text contains values.
        package var isPrepared: Bool

        package init(_ sql: String, _ parameters: [PostgresValue] = [], isPrepared: Bool = true) {
            self.sql = sql
            self.parameters = parameters
            self.isPrepared = isPrepared
        }
    }

    /// Statements that are sent in one round trip, and applied entirely or not at all.
    ///
    /// They must not begin or end transactions, because the server would then commit at these statements. Only
    /// ``ServerTransaction`` uses such statements, on a connection of its own.
    ///
    /// The isolation level is READ COMMITTED unless another one is chosen. At this level, each statement sees all
    /// commits before it began, including those made while an earlier statement of the batch waited for a lock.
    package struct PostgresBatch: Sendable {
        /// The way in which the statements become one transaction.
        package enum Transaction: Hashable, Sendable {
            /// The server's own transaction around everything up to the sync of the batch, without additional messages.
            ///
            /// The server refuses `LOCK TABLE` and `SAVEPOINT` in it.
            case implicit
            /// `BEGIN` and `COMMIT` around the statements, with a second sync.
            case explicit(Isolation)
        }

        package enum Isolation: String, Hashable, Sendable {
            case readCommitted = "READ COMMITTED"
            case repeatableRead = "REPEATABLE READ"
            case serializable = "SERIALIZABLE"
        }

        package var statements: [PostgresStatement]
        package var transaction: Transaction
        /// The maximum time until the answer; `nil` for ``PostgresConfiguration/answerTimeout``.
        package var answerTimeout: Duration?

        package init(
            _ statements: [PostgresStatement], transaction: Transaction = .implicit, answerTimeout: Duration? = nil
        ) {
            self.statements = statements
            self.transaction = transaction
            self.answerTimeout = answerTimeout
        }
    }
#endif
