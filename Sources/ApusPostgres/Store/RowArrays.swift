#if Postgres
    /// Rows in the form of one array for each column.
    ///
    /// `unnest` turns the arrays into rows again, so that one statement writes any number of rows. Values are added row
    /// by row, in the order of the columns.
    struct RowArrays {
        private struct Column {
            var element: PostgresType
            var array: PostgresType
            var bytes: [UInt8] = []
            var hasNulls = false
        }

        private var columns: [Column] = []
        private var next = 0
        private(set) var count = 0
        private let expected: Int

        /// Creates arrays with memory for this number of rows of short values.
        init(expected: Int = 0) { self.expected = expected }

        var isEmpty: Bool { count == 0 }

        mutating func add(_ value: Int64) { add(present: value) }
        mutating func add(_ value: Int64?) { add(optional: value) }
        mutating func add(_ value: Int) { add(present: Int64(value)) }
        mutating func add(_ value: Int?) { add(optional: value.map(Int64.init)) }
        mutating func add(_ value: Bool) { add(present: value) }
        mutating func add(_ value: Double) { add(present: value) }
        mutating func add(_ value: Double?) { add(optional: value) }
        mutating func add(_ value: String) { add(present: value) }
        mutating func add(_ value: String?) { add(optional: value) }
        mutating func add(_ value: [UInt8]) { add(present: value) }
        mutating func add(_ value: [UInt8]?) { add(optional: value) }

        mutating func endRow() {
            precondition(count == 0 || next == columns.count, "a row has \(next) columns of \(columns.count)")
            count += 1
            next = 0
        }

        private mutating func add<Value: PostgresElement>(present value: Value) {
            let column = column(of: Value.self)
            columns[column].bytes.append(bigEndian: Int32(value.byteCount))
            value.append(to: &columns[column].bytes)
        }

        private mutating func add<Value: PostgresElement>(optional value: Value?) {
            if let value { return add(present: value) }
            let column = column(of: Value.self)
            columns[column].hasNulls = true
            columns[column].bytes.append(bigEndian: Int32(-1))
        }

        private mutating func column<Value: PostgresElement>(of _: Value.Type) -> Int {
            defer { next += 1 }
            if next == columns.count, count == 0 {
                var column = Column(element: Value.type, array: Value.arrayType)
                // This is enough for the length (4 bytes) and 8 bytes of each value.
                column.bytes.reserveCapacity(12 * expected)
                columns.append(column)
            }
            return next
        }

        /// The parameters, one array for each column.
        var parameters: [PostgresValue] {
            columns.map {
                PostgresValue.array(
                    type: $0.array, element: $0.element, count: count, hasNulls: $0.hasNulls, elements: $0.bytes)
            }
        }
    }

    extension Double: PostgresElement {
        package static var type: PostgresType { PostgresType(701) }
        package static var arrayType: PostgresType { PostgresType(1_022) }
        package var byteCount: Int { 8 }
        package func append(to bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Double? {
            guard type == Self.type else { return nil }
            return bytes.integer(UInt64.self).map(Double.init(bitPattern:))
        }
    }

    extension String {
        /// The text with U+FFFD in place of each U+0000, which PostgreSQL's texts cannot contain.
        ///
        /// It is used only for texts that people read.
        var withoutNull: String {
            utf8.contains(0) ? String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }) : self
        }
    }

    /// Reads the columns of a row in order.
    struct RowReader {
        private let row: PostgresRow
        private var column = 0

        init(_ row: PostgresRow) { self.row = row }

        mutating func next<Value: PostgresElement>(_: Value.Type = Value.self) throws(PostgresError) -> Value {
            defer { column += 1 }
            return try row.decode(Value.self, at: column)
        }

        mutating func optional<Value: PostgresElement>(_: Value.Type = Value.self) throws(PostgresError) -> Value? {
            defer { column += 1 }
            return try row.decodeIfPresent(Value.self, at: column)
        }

        mutating func int() throws(PostgresError) -> Int { Int(try next(Int64.self)) }
        mutating func optionalInt() throws(PostgresError) -> Int? { try optional(Int64.self).map(Int.init) }
    }
#endif
