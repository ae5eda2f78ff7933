#if Postgres
    /// The type of a parameter or a column, identified by its number in PostgreSQL's catalog.
    package struct PostgresType: Hashable, Sendable, CustomStringConvertible {
        package var number: UInt32
        package init(_ number: UInt32) { self.number = number }

        package static let bool = PostgresType(16)
        package static let bytes = PostgresType(17)
        package static let int64 = PostgresType(20)
        package static let int32 = PostgresType(23)
        package static let text = PostgresType(25)
        package static let timestamp = PostgresType(1_184)
        package static let boolArray = PostgresType(1_000)
        package static let bytesArray = PostgresType(1_001)
        package static let int32Array = PostgresType(1_007)
        package static let textArray = PostgresType(1_009)
        package static let int64Array = PostgresType(1_016)
        package static let timestampArray = PostgresType(1_185)
        /// The type of a column of `SELECT NULL`, and of a parameter whose type depends on the statement.
        package static let unknown = PostgresType(705)

        // These types are decoded like one of the types above.
        static let int16 = PostgresType(21)
        static let oid = PostgresType(26)
        static let name = PostgresType(19)
        static let json = PostgresType(114)
        static let character = PostgresType(1_042)
        static let varchar = PostgresType(1_043)
        static let varcharArray = PostgresType(1_015)
        static let nameArray = PostgresType(1_003)
        static let transactionID = PostgresType(5_069)

        /// PostgreSQL's name for the type, or its number.
        package var description: String { Self.names[self] ?? "the type \(number)" }

        private static let names: [PostgresType: String] = [
            .bool: "bool", .bytes: "bytea", .int64: "int8", .int32: "int4", .text: "text", .timestamp: "timestamptz",
            .boolArray: "bool[]", .bytesArray: "bytea[]", .int32Array: "int4[]", .textArray: "text[]",
            .int64Array: "int8[]", .timestampArray: "timestamptz[]", .int16: "int2", .oid: "oid", .name: "name",
            .json: "json", .character: "char", .varchar: "varchar", .varcharArray: "varchar[]", .nameArray: "name[]",
            .transactionID: "xid8",
        ]
    }

    /// An instant of a `timestamptz`, with the precision of one microsecond.
    package struct PostgresTimestamp: Hashable, Comparable, Sendable {
        /// The microseconds since 2000-01-01T00:00:00Z, without leap seconds.
        package var microsecondsSince2000: Int64
        package init(microsecondsSince2000: Int64) { self.microsecondsSince2000 = microsecondsSince2000 }

        /// The value that is later than every instant.
        package static let infinity = PostgresTimestamp(microsecondsSince2000: .max)
        /// The value that is earlier than every instant.
        package static let negativeInfinity = PostgresTimestamp(microsecondsSince2000: .min)

        /// Creates an instant from the microseconds since 1970-01-01T00:00:00Z; `nil` outside of the range.
        package init?(microsecondsSince1970 microseconds: Int64) {
            let (difference, overflow) = microseconds.subtractingReportingOverflow(Self.between1970And2000)
            guard !overflow, difference != .min else { return nil }
            microsecondsSince2000 = difference
        }

        /// The microseconds since 1970-01-01T00:00:00Z; `nil` for an infinity, and for an instant that is not
        /// representable.
        package var microsecondsSince1970: Int64? {
            guard self != .negativeInfinity else { return nil }
            let (sum, overflow) = microsecondsSince2000.addingReportingOverflow(Self.between1970And2000)
            return overflow ? nil : sum
        }

        private static let between1970And2000: Int64 = 946_684_800_000_000

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.microsecondsSince2000 < rhs.microsecondsSince2000 }
    }

    /// A Swift type whose values can be parameters, columns and array elements, in PostgreSQL's binary format.
    package protocol PostgresElement: Sendable {
        /// The PostgreSQL type of a parameter that has this Swift type.
        static var type: PostgresType { get }
        /// The PostgreSQL type of an array of such values.
        static var arrayType: PostgresType { get }
        /// Appends the value in the binary format.
        func append(to bytes: inout [UInt8])
        /// The number of bytes that `append(to:)` appends.
        var byteCount: Int { get }
        /// Decodes a column or an element of a type; returns `nil` if the type is not supported.
        static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Self?
    }

    extension Bool: PostgresElement {
        package static var type: PostgresType { .bool }
        package static var arrayType: PostgresType { .boolArray }
        package var byteCount: Int { 1 }
        package func append(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Bool? {
            type == .bool && bytes.count == 1 ? bytes[0] != 0 : nil
        }
    }

    extension Int32: PostgresElement {
        package static var type: PostgresType { .int32 }
        package static var arrayType: PostgresType { .int32Array }
        package var byteCount: Int { 4 }
        package func append(to bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Int32? {
            switch type {
            case .int32: bytes.integer(Int32.self)
            case .int16: bytes.integer(Int16.self).map(Int32.init)
            default: nil
            }
        }
    }

    extension Int64: PostgresElement {
        package static var type: PostgresType { .int64 }
        package static var arrayType: PostgresType { .int64Array }
        package var byteCount: Int { 8 }
        package func append(to bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Int64? {
            switch type {
            case .int64: bytes.integer(Int64.self)
            case .int32: bytes.integer(Int32.self).map(Int64.init)
            case .int16: bytes.integer(Int16.self).map(Int64.init)
            case .oid: bytes.integer(UInt32.self).map(Int64.init)
            case .transactionID: bytes.integer(UInt64.self).flatMap(Int64.init(exactly:))
            default: nil
            }
        }
    }

    extension PostgresTimestamp: PostgresElement {
        package static var type: PostgresType { .timestamp }
        package static var arrayType: PostgresType { .timestampArray }
        package var byteCount: Int { 8 }
        package func append(to bytes: inout [UInt8]) { bytes.append(bigEndian: microsecondsSince2000) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> PostgresTimestamp? {
            guard type == .timestamp else { return nil }
            return bytes.integer(Int64.self).map(PostgresTimestamp.init(microsecondsSince2000:))
        }
    }

    extension String: PostgresElement {
        package static var type: PostgresType { .text }
        package static var arrayType: PostgresType { .textArray }
        package var byteCount: Int { utf8.count }
        package func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> String? {
            switch type {
            case .text, .varchar, .name, .character, .json, .unknown: String(decoding: bytes, as: UTF8.self)
            default: nil
            }
        }
    }

    extension [UInt8]: PostgresElement {
        package static var type: PostgresType { .bytes }
        package static var arrayType: PostgresType { .bytesArray }
        package var byteCount: Int { count }
        package func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self) }
        package static func decode(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> [UInt8]? {
            type == .bytes ? Array(bytes) : nil
        }
    }

    extension [UInt8] {
        mutating func append(bigEndian value: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
        }
    }

    extension UnsafeRawBufferPointer {
        /// Returns the big-endian integer in these bytes; `nil` if their number is not the size of the integer.
        func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
            count == MemoryLayout<Value>.size ? Value(bigEndian: loadUnaligned(as: Value.self)) : nil
        }
    }
#endif
