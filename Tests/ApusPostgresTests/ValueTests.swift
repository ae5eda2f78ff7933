#if Postgres
    import ApusPostgres
    import ApusTimers
    import Testing

    @Suite("Values")
    struct ValueTests {
        /// Sends a value, reads it back, and lets the server write it as text.
        private func roundTrip<Value: PostgresElement & Equatable>(
            _ values: [Value?], _ parameter: (Value?) -> PostgresValue
        ) async throws {
            try await withConnection { connection in
                for value in values {
                    let row = try await connection.query("SELECT $1, $1 IS NULL", [parameter(value)])[0]
                    #expect(try row.decodeIfPresent(Value.self, at: 0) == value)
                    #expect(try row.decode(Bool.self, at: 1) == (value == nil))
                }
                let array = try await connection.query("SELECT $1", [.array(values)])[0]
                #expect(try array.decodeArray(of: Value.self, at: 0) == values)
                let whole = values.compactMap(\.self)
                let rows = try await connection.query("SELECT * FROM unnest($1)", [.array(whole)])
                #expect(try rows.map { try $0.decode(Value.self, at: 0) } == whole)
            }
        }

        private let random = SeededRandom(seed: 15)

        @Test("booleans are read back unchanged")
        func booleans() async throws { try await roundTrip([true, false, nil], PostgresValue.bool) }

        @Test("64-bit integers are read back unchanged")
        func integers() async throws {
            let some = (0..<200).map { _ in Int64(truncatingIfNeeded: random.next()) >> Int64(random.next() % 64) }
            try await roundTrip([nil, 0, 1, -1, .min, .max] + some, PostgresValue.int64)
        }

        @Test("32-bit integers are read back unchanged")
        func smallIntegers() async throws {
            let some = (0..<200).map { _ in Int32(truncatingIfNeeded: random.next()) >> Int32(random.next() % 32) }
            try await roundTrip([nil, 0, 1, -1, .min, .max] + some, PostgresValue.int32)
        }

        @Test("texts with every kind of character but U+0000 are read back unchanged")
        func texts() async throws {
            let some = (0..<200).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<random.next() % 50).compactMap { _ in Unicode.Scalar(UInt32(1 + random.next() % 0x10_FFFF))
                        }))
            }
            try await roundTrip([nil, "", " ", "NULL", "{a,\"b\"}", "é𝄞e\u{301}\u{1}"] + some, PostgresValue.text)
        }

        @Test("bytes are read back unchanged")
        func bytes() async throws {
            let some = (0..<200).map { _ in
                (0..<random.next() % 100).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            try await roundTrip([nil, [], [0], [255, 0, 92]] + some, PostgresValue.bytes)
        }

        @Test("instants in PostgreSQL's whole range are read back exactly")
        func timestamps() async throws {
            // The range extends from 4713 BC to the end of 294276.
            let (first, end): (Int64, Int64) = (-211_813_488_000_000_000, 9_223_371_331_200_000_000)
            let some = (0..<200).map { _ in
                PostgresTimestamp(microsecondsSince2000: first + Int64(random.next() % UInt64(end) / 2))
            }
            let edges: [PostgresTimestamp?] = [
                nil, .infinity, .negativeInfinity, .init(microsecondsSince2000: first),
                .init(microsecondsSince2000: end - 1),
            ]
            try await roundTrip(edges + some, PostgresValue.timestamp)
        }

        @Test("an instant has the same value on the server, on both scales")
        func epoch() async throws {
            try await withConnection { connection in
                let row = try await connection.query(
                    """
                    SELECT '1970-01-01 00:00:00.000001Z'::timestamptz,
                        to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
                    """,
                    [.timestamp(PostgresTimestamp(microsecondsSince1970: 1_767_225_600_000_001))])[0]
                #expect(try row.decode(PostgresTimestamp.self, at: 0).microsecondsSince1970 == 1)
                #expect(try row.decode(String.self, at: 1) == "2026-01-01 00:00:00.000001")
            }
            #expect(PostgresTimestamp.infinity.microsecondsSince1970 == nil)
            #expect(PostgresTimestamp.negativeInfinity.microsecondsSince1970 == nil)
            #expect(PostgresTimestamp(microsecondsSince1970: .min) == nil)
        }

        @Test("other types of the same family can be read")
        func families() async throws {
            try await withConnection { connection in
                let row = try await connection.query(
                    """
                    SELECT 7::int2, 8::int4, 9::oid, 'a'::varchar, 'b'::name, '{"c": 1}'::json, '10'::xid8, 'd',
                        11::int2, '{e,NULL}'::varchar[], '{}'::int8[], NULL::int8[], '{1,2}'::int4[]
                    """)[0]
                #expect(try row.decode(Int64.self, at: 0) == 7)
                #expect(try row.decode(Int64.self, at: 1) == 8)
                #expect(try row.decode(Int64.self, at: 2) == 9)
                #expect(try row.decode(String.self, at: 3) == "a")
                #expect(try row.decode(String.self, at: 4) == "b")
                #expect(try row.decode(String.self, at: 5) == "{\"c\": 1}")
                #expect(try row.decode(Int64.self, at: 6) == 10)
                #expect(try row.decode(String.self, at: 7) == "d")
                #expect(try row.decode(Int32.self, at: 8) == 11)
                #expect(try row.decodeArray(of: String.self, at: 9) == ["e", nil])
                #expect(try row.decodeArray(of: Int64.self, at: 10) == [])
                #expect(try row.decodeArray(of: Int64.self, at: 11) == [])
                #expect(try row.decodeArray(of: Int64.self, at: 12) == [1, 2])
            }
        }

        @Test("a null, another type and a two-dimensional array are errors that name the column")
        func mismatches() async throws {
            try await withConnection { connection in
                let row = try await connection.query(
                    "SELECT NULL::int8 AS a, 'x'::text AS b, '{{1},{2}}'::int8[] AS c")[0]
                let null = await postgresError { try row.decode(Int64.self, at: 0) }
                #expect(null?.message == "the column a is null")
                let type = await postgresError { try row.decode(Int64.self, at: 1) }
                #expect(type?.message == "the column b is text and cannot be read as int8")
                #expect(type?.code == .invalid)
                let array = await postgresError { try row.decodeArray(of: Int64.self, at: 2) }
                #expect(array?.message == "the column c is int8[] and cannot be read as int8[]")
            }
        }

        @Test("a cell's bytes are lent without a copy, and results outlive their connection")
        func lending() async throws {
            let row = try await withConnection { try await $0.query("SELECT '\\x010203'::bytea AS x, NULL::bytea")[0] }
            #expect(row.withBytes(at: 0) { Array($0) } == [1, 2, 3])
            #expect(row.withBytes(at: 1) { $0.count } == 0)
            #expect(row.isNull(1))
        }

        @Test("the server refuses a text with U+0000 and does not truncate it silently")
        func zeroCharacter() async throws {
            try await withConnection { connection in
                let parameter = await postgresError { try await connection.query("SELECT $1", [.text("a\0b")]) }
                #expect(parameter?.code == .invalid)
                #expect(parameter?.server?.sqlState == "22021")
                let text = await postgresError { try await connection.query("SELECT 1\0; nonsense") }
                #expect(text?.code == .invalid)
                #expect(text?.server == nil)
            }
        }
    }
#endif
