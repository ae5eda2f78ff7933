#if SQLite
    import GRDBSQLite

    /// The text of a statement that runs for each row.
    ///
    /// Its compiled form is found by the identity of this object, because hashing the text takes about as long as
    /// running the statement.
    final class SQLText: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// A compiled statement, used only on the queue of its connection.
    ///
    /// It calls SQLite directly, so reading or writing a row allocates neither an array of arguments nor boxed values.
    final class PreparedStatement {
        private let handle: OpaquePointer
        private let connection: OpaquePointer
        private var bound: Int32 = 0
        private var column: Int32 = 0

        init(_ sql: String, on connection: OpaquePointer) throws {
            var handle: OpaquePointer?
            let persistent: UInt32 = 1
            guard sqlite3_prepare_v3(connection, sql, -1, persistent, &handle, nil) == SQLITE_OK, let handle else {
                throw SQLiteFailure(connection: connection)
            }
            self.handle = handle
            self.connection = connection
        }

        deinit { sqlite3_finalize(handle) }

        // MARK: Binding, in the order of the parameters

        /// Lets the next value bind to the first parameter, even if the previous use ended before the statement ran.
        func rebind() { bound = 0 }

        @discardableResult
        func bind(_ value: Int64) -> Self {
            bound += 1
            sqlite3_bind_int64(handle, bound, value)
            return self
        }

        @discardableResult
        func bind(_ value: Int64?) -> Self {
            if let value { return bind(value) }
            return bindNull()
        }

        @discardableResult
        func bind(_ value: Double) -> Self {
            bound += 1
            sqlite3_bind_double(handle, bound, value)
            return self
        }

        @discardableResult
        func bind(_ value: Double?) -> Self {
            if let value { return bind(value) }
            return bindNull()
        }

        @discardableResult
        func bind(_ value: String?) -> Self {
            guard var value else { return bindNull() }
            bound += 1
            value.withUTF8 { bytes in
                _ = bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(
                        handle, bound, $0.baseAddress ?? Self.empty, Int32(clamping: $0.count), Self.copied)
                }
            }
            return self
        }

        /// Binds a constant text of the program without copying it.
        @discardableResult
        func bind(constant text: StaticString) -> Self {
            bound += 1
            text.withUTF8Buffer { bytes in
                _ = bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(handle, bound, $0.baseAddress, Int32(clamping: $0.count), nil)
                }
            }
            return self
        }

        /// Binds text that need not be valid UTF-8, such as the upper bound of a range of texts.
        @discardableResult
        func bind(rawText bytes: [UInt8]) -> Self {
            bound += 1
            bytes.withUnsafeBytes { buffer in
                let text = buffer.bindMemory(to: CChar.self)
                _ = sqlite3_bind_text(
                    handle, bound, text.baseAddress ?? Self.empty, Int32(clamping: text.count), Self.copied)
            }
            return self
        }

        @discardableResult
        func bind(_ bytes: [UInt8]) -> Self {
            bound += 1
            if bytes.isEmpty {
                sqlite3_bind_zeroblob(handle, bound, 0)
            } else {
                _ = bytes.withUnsafeBytes {
                    sqlite3_bind_blob(handle, bound, $0.baseAddress, Int32(clamping: $0.count), Self.copied)
                }
            }
            return self
        }

        @discardableResult
        func bind(_ bytes: [UInt8]?) -> Self {
            if let bytes { return bind(bytes) }
            return bindNull()
        }

        @discardableResult
        func bindNull() -> Self {
            bound += 1
            sqlite3_bind_null(handle, bound)
            return self
        }

        private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
        private static var empty: UnsafePointer<CChar> { UnsafePointer(bitPattern: 1)! }

        // MARK: Running

        /// Runs the statement to its end.
        ///
        /// - Returns: the number of changed rows.
        @discardableResult
        func run() throws -> Int {
            defer { reset() }
            while try step() {}
            return Int(sqlite3_changes(connection))
        }

        func forEachRow(_ body: (PreparedStatement) throws -> Void) throws {
            defer { reset() }
            while try step() { try body(self) }
        }

        /// Returns the result of `body` for the first row; `nil` if there is none.
        func firstRow<Value>(_ body: (PreparedStatement) throws -> Value) throws -> Value? {
            defer { reset() }
            return try step() ? try body(self) : nil
        }

        private func step() throws -> Bool {
            column = 0
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw SQLiteFailure(connection: connection)
            }
        }

        private func reset() {
            bound = 0
            sqlite3_reset(handle)
        }

        // MARK: Columns, in their order

        func integer() -> Int64 {
            defer { column += 1 }
            return sqlite3_column_int64(handle, column)
        }

        func optionalInteger() -> Int64? {
            defer { column += 1 }
            return sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
        }

        func real() -> Double {
            defer { column += 1 }
            return sqlite3_column_double(handle, column)
        }

        func optionalReal() -> Double? {
            defer { column += 1 }
            return sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_double(handle, column)
        }

        func optionalText() -> String? {
            defer { column += 1 }
            guard let text = sqlite3_column_text(handle, column) else { return nil }
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        }

        func text() -> String { optionalText() ?? "" }

        func blob() -> [UInt8] {
            defer { column += 1 }
            guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
        }

        func optionalBlob() -> [UInt8]? {
            if sqlite3_column_type(handle, column) != SQLITE_NULL { return blob() }
            column += 1
            return nil
        }
    }
#endif
