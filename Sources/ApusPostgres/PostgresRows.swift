#if Postgres
    import CPostgres

    /// The rows of a statement's result, in libpq's memory, from which a cell is copied only when it is read.
    package struct PostgresRows: RandomAccessCollection, Sendable {
        private let result: ResultHandle
        package let count: Int

        init(_ result: ResultHandle) {
            self.result = result
            count = Int(PQntuples(result.pointer))
        }

        package var startIndex: Int { 0 }
        package var endIndex: Int { count }
        package subscript(index: Int) -> PostgresRow {
            precondition(indices.contains(index), "there is no row \(index)")
            return PostgresRow(result: result, row: Int32(index))
        }

        /// The number of rows that the statement inserted, updated, deleted or returned.
        package var affectedCount: Int { Int(String(cString: PQcmdTuples(result.pointer))) ?? 0 }
        package var columns: [String] {
            (0..<PQnfields(result.pointer)).map { String(cString: PQfname(result.pointer, $0)) }
        }
    }

    /// The owner of a libpq result.
    ///
    /// A result is independent of its connection, and reading it changes nothing.
    final class ResultHandle: @unchecked Sendable {  // `pointer` is only read until `deinit`
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { PQclear(pointer) }

        var status: ExecStatusType { PQresultStatus(pointer) }
    }

    /// One row of a result, with columns counted from 0.
    package struct PostgresRow: Sendable {
        fileprivate let result: ResultHandle
        fileprivate let row: Int32

        package func isNull(_ column: Int) -> Bool { PQgetisnull(result.pointer, row, Int32(column)) != 0 }

        /// Returns the value of a column that is not null.
        ///
        /// - Throws: ``PostgresError`` with the code `invalid` if the column is null or of another type.
        package func decode<Value: PostgresElement>(
            _: Value.Type = Value.self, at column: Int
        ) throws(PostgresError) -> Value {
            guard let value = try decodeIfPresent(Value.self, at: column) else {
                throw PostgresError(code: .invalid, message: "the column \(name(column)) is null", fate: .applied)
            }
            return value
        }

        /// Returns the value of a column; `nil` for null.
        ///
        /// - Throws: ``PostgresError`` with the code `invalid` if the column is of another type.
        package func decodeIfPresent<Value: PostgresElement>(
            _: Value.Type = Value.self, at column: Int
        ) throws(PostgresError) -> Value? {
            if isNull(column) { return nil }
            let type = type(column)
            guard let value = Value.decode(cell(column), type) else { throw mismatch(column, type, Value.type) }
            return value
        }

        /// Returns the elements of a one-dimensional array, with `nil` for null; an array that is null counts as empty.
        ///
        /// - Throws: ``PostgresError`` with the code `invalid` if the column is of another type.
        package func decodeArray<Element: PostgresElement>(
            of _: Element.Type = Element.self, at column: Int
        ) throws(PostgresError) -> [Element?] {
            if isNull(column) { return [] }
            guard let elements = ArrayReader(cell(column))?.elements(Element.self) else {
                throw mismatch(column, type(column), Element.arrayType)
            }
            return elements
        }

        /// Calls `body` with the bytes of a cell, in the binary format of its type, or with no bytes for null.
        package func withBytes<Value>(
            at column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
        ) rethrows -> Value {
            try withExtendedLifetime(result) { try body(cell(column)) }
        }

        private func cell(_ column: Int) -> UnsafeRawBufferPointer {
            let column = Int32(column)
            return UnsafeRawBufferPointer(
                start: PQgetvalue(result.pointer, row, column), count: Int(PQgetlength(result.pointer, row, column)))
        }

        private func type(_ column: Int) -> PostgresType {
            precondition((0..<Int(PQnfields(result.pointer))).contains(column), "the result has no column \(column)")
            return PostgresType(PQftype(result.pointer, Int32(column)))
        }

        private func name(_ column: Int) -> String {
            PQfname(result.pointer, Int32(column)).map { String(cString: $0) } ?? "\(column)"
        }

        private func mismatch(_ column: Int, _ type: PostgresType, _ wanted: PostgresType) -> PostgresError {
            PostgresError(
                code: .invalid, message: "the column \(name(column)) is \(type) and cannot be read as \(wanted)",
                fate: .applied)
        }
    }

    /// Reads the binary format of an array.
    private struct ArrayReader {
        private var bytes: UnsafeRawBufferPointer
        private let type: PostgresType
        private let count: Int

        /// Creates a reader; `nil` for an array of several dimensions, or for bytes that are no array.
        init?(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            guard bytes.count >= 12, let dimensions = self.bytes.takeInt32(), self.bytes.takeInt32() != nil,
                let type = self.bytes.takeInt32(), dimensions <= 1
            else { return nil }
            self.type = PostgresType(UInt32(bitPattern: type))
            guard dimensions == 1 else {
                count = 0
                return
            }
            guard let count = self.bytes.takeInt32(), count >= 0, self.bytes.takeInt32() != nil else { return nil }
            self.count = Int(count)
        }

        /// Returns the elements; `nil` if they are not of the type.
        func elements<Element: PostgresElement>(_: Element.Type) -> [Element?]? {
            var rest = bytes
            var elements: [Element?] = []
            elements.reserveCapacity(Swift.min(count, rest.count / 4))
            for _ in 0..<count {
                guard let length = rest.takeInt32() else { return nil }
                guard length >= 0 else {
                    elements.append(nil)
                    continue
                }
                guard rest.count >= Int(length),
                    let element = Element.decode(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))), type)
                else { return nil }
                elements.append(element)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length)))
            }
            return elements
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate mutating func takeInt32() -> Int32? {
            guard let value = UnsafeRawBufferPointer(rebasing: prefix(4)).integer(Int32.self) else { return nil }
            self = UnsafeRawBufferPointer(rebasing: dropFirst(4))
            return value
        }
    }
#endif
