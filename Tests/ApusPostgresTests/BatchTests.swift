#if Postgres
    import ApusPostgres
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("Batches", .timeLimit(.minutes(10)))
    struct BatchTests {
        @Test("each statement of a batch has its result and the number of changed rows")
        func results() async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run("CREATE TEMP TABLE \(table) (id int8 PRIMARY KEY, name text)")
                let results = try await connection.execute(
                    PostgresBatch([
                        PostgresStatement(
                            "INSERT INTO \(table) SELECT * FROM unnest($1, $2)",
                            [.array([1, 2, 3] as [Int64]), .array(["a", nil, "c"] as [String?])]),
                        PostgresStatement("DELETE FROM \(table) WHERE id = $1", [.int64(3)]),
                        PostgresStatement("SELECT id, name FROM \(table) ORDER BY id"),
                        PostgresStatement(""),
                    ]))
                #expect(results.map(\.affectedCount) == [3, 1, 2, 0])
                #expect(results[2].columns == ["id", "name"])
                #expect(try results[2].map { try $0.decode(Int64.self, at: 0) } == [1, 2])
                #expect(try results[2].map { try $0.decodeIfPresent(String.self, at: 1) } == ["a", nil])
            }
        }

        @Test(
            "a batch is applied as a whole or not at all, and the first error has its statement's number",
            arguments: [PostgresBatch.Transaction.implicit, .explicit(.readCommitted), .explicit(.serializable)])
        func atomicity(transaction: PostgresBatch.Transaction) async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run("CREATE TEMP TABLE \(table) (id int8 PRIMARY KEY)")
                func insert(_ ids: Int64...) -> PostgresBatch {
                    PostgresBatch(
                        ids.map { PostgresStatement("INSERT INTO \(table) VALUES ($1)", [.int64($0)]) },
                        transaction: transaction)
                }
                let error = await postgresError { try await connection.execute(insert(1, 2, 2, 3)) }
                #expect(error?.code == .constraint)
                #expect(error?.statement == 2)
                #expect(error?.fate == .notApplied)
                #expect(error?.server?.constraint == "\(table)_pkey")
                #expect(try await connection.value("SELECT count(*) FROM \(table)") == Int64(0))
                _ = try await connection.execute(insert(1, 2, 3))
                #expect(try await connection.value("SELECT count(*) FROM \(table)") == Int64(3))
            }
        }

        @Test(
            "a batch whose commit fails is not applied, and the next batch is unaffected",
            arguments: [PostgresBatch.Transaction.implicit, .explicit(.readCommitted)])
        func deferredConstraint(transaction: PostgresBatch.Transaction) async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run(
                    "CREATE TEMP TABLE \(table) (id int8 PRIMARY KEY, "
                        + "parent int8 REFERENCES \(table) DEFERRABLE INITIALLY DEFERRED)")
                let insert = "INSERT INTO \(table) VALUES ($1, $2)"
                async let refused = connection.execute(
                    PostgresBatch([PostgresStatement(insert, [.int64(1), .int64(2)])], transaction: transaction))
                async let accepted = connection.execute(
                    PostgresBatch([PostgresStatement(insert, [.int64(3), .int64(3)])], transaction: transaction))
                _ = try await accepted
                do {
                    _ = try await refused
                    Issue.record("the constraint was not checked")
                } catch let error as PostgresError {
                    #expect(error.code == .constraint)
                    #expect(error.statement == nil)
                    #expect(error.fate == .notApplied)
                }
                #expect(try await connection.value("SELECT sum(id)::int8 FROM \(table)") == Int64(3))
            }
        }

        @Test(
            "a statement sees commits made while an earlier statement of its batch waited for a lock",
            arguments: [PostgresBatch.Transaction.implicit, .explicit(.readCommitted)])
        func laterSnapshot(transaction: PostgresBatch.Transaction) async throws {
            try await withConnection { holder in
                try await withConnection { connection in
                    let table = uniqueName()
                    let lock = Int64(table.hashValue)
                    try await holder.run("CREATE TABLE \(table) (id int8)")
                    _ = try await holder.query("SELECT pg_advisory_lock($1)", [.int64(lock)])
                    async let seen = connection.execute(
                        PostgresBatch(
                            [
                                PostgresStatement("SELECT count(*) FROM \(table)"),
                                PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int64(lock)]),
                                PostgresStatement("SELECT count(*) FROM \(table)"),
                            ], transaction: transaction))
                    try await untilBlocked(await connection.status.serverProcess, holder)
                    try await holder.run("INSERT INTO \(table) VALUES (1)")
                    _ = try await holder.query("SELECT pg_advisory_unlock($1)", [.int64(lock)])
                    let results = try await seen
                    #expect(try results[0][0].decode(Int64.self, at: 0) == 0)
                    #expect(try results[2][0].decode(Int64.self, at: 0) == 1)
                    try await holder.run("DROP TABLE \(table)")
                }
            }
        }

        @Test("transactions are READ COMMITTED, whatever the database's default, unless the batch chooses otherwise")
        func isolation() async throws {
            var configuration = try await PostgresServer.shared.value.configuration
            configuration.set("options", to: "-c default_transaction_isolation=serializable -c geqo=off")
            try await withConnection(configuration) { connection in
                for (transaction, expected) in [
                    (.implicit, "read committed"), (.explicit(.readCommitted), "read committed"),
                    (.explicit(.repeatableRead), "repeatable read"), (.explicit(.serializable), "serializable"),
                ] as [(PostgresBatch.Transaction, String)] {
                    let batch = PostgresBatch(
                        [PostgresStatement("SHOW transaction_isolation")], transaction: transaction)
                    let level = try await connection.execute(batch)[0][0].decode(String.self, at: 0)
                    #expect(level == expected)
                }
                let geqo: String = try await connection.value("SHOW geqo")
                #expect(geqo == "off")
            }
        }

        @Test("commands that need a transaction are accepted in an explicit one, and refused in an implicit one")
        func lockTable() async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run("CREATE TEMP TABLE \(table) (id int8)")
                let lock = PostgresStatement("LOCK TABLE \(table)")
                _ = try await connection.execute(
                    PostgresBatch(
                        [
                            lock, PostgresStatement("SAVEPOINT a"),
                            PostgresStatement("INSERT INTO \(table) VALUES (1)"),
                            PostgresStatement("ROLLBACK TO SAVEPOINT a"),
                            PostgresStatement("INSERT INTO \(table) VALUES (2)"),
                        ], transaction: .explicit(.readCommitted)))
                let sum: Int64 = try await connection.value("SELECT sum(id)::int8 FROM \(table)")
                #expect(sum == 2)
                let error = await postgresError { try await connection.execute(PostgresBatch([lock])) }
                #expect(error?.server?.sqlState == "25P01")
            }
        }

        @Test("a statement is prepared once for each set of parameter types, and the cache drops stale entries")
        func preparation() async throws {
            try await withConnection { connection in
                let table = uniqueName()
                try await connection.run("CREATE TEMP TABLE \(table) (id int8)", "INSERT INTO \(table) VALUES (1)")
                let select = "SELECT * FROM \(table)"
                for _ in 0..<3 { _ = try await connection.query(select) }
                #expect(await connection.status.calls.preparations == 1)
                _ = try await connection.execute(
                    PostgresBatch([
                        PostgresStatement("SELECT $1", [.int64(1)]), PostgresStatement("SELECT $1", [.int64(2)]),
                        PostgresStatement("SELECT $1", [.text("a")]), PostgresStatement("SELECT $1", [.text(nil)]),
                    ]))
                #expect(await connection.status.calls.preparations == 3)
                try await connection.run("ALTER TABLE \(table) ADD COLUMN name text")
                let stale = await postgresError { try await connection.query(select) }
                #expect(stale?.server?.sqlState == "0A000")
                #expect(try await connection.query(select).columns == ["id", "name"])
                try await connection.run("DEALLOCATE ALL")
                let gone = await postgresError { try await connection.query(select) }
                #expect(gone?.server?.sqlState == "26000")
                #expect(try await connection.query(select).count == 1)
            }
        }

        @Test("a preparation that fails or is skipped after an error is repeated")
        func failedPreparation() async throws {
            try await withConnection { connection in
                let table = uniqueName()
                let select = PostgresStatement("SELECT * FROM \(table)")
                let missing = await postgresError { try await connection.execute(PostgresBatch([select])) }
                #expect(missing?.code == .undefined)
                #expect(missing?.statement == 0)
                let create = PostgresStatement("CREATE TEMP TABLE \(table) (id int8)", isPrepared: false)
                let division = PostgresStatement("SELECT 1 / $1", [.int64(0)])
                let skipped = await postgresError {
                    try await connection.execute(PostgresBatch([create, division, select]))
                }
                #expect(skipped?.statement == 1)
                // The second use of the text comes while its first preparation is in progress.
                _ = try await connection.execute(PostgresBatch([create, select, select]))
                #expect(try await connection.query(select.sql).isEmpty)
            }
        }

        @Test("statements beyond the cache's size are still executed")
        func manyTexts() async throws {
            try await withConnection { connection in
                for number in 0..<300 {
                    let row = try await connection.query("SELECT \(number)::int8")[0]
                    #expect(try row.decode(Int64.self, at: 0) == Int64(number))
                }
                #expect(await connection.status.calls.preparations == 256)
            }
        }

        @Test("a batch without statements, and one with too many parameters, are refused")
        func refused() async throws {
            try await withConnection { connection in
                let empty = await postgresError { try await connection.execute(PostgresBatch([])) }
                #expect(empty?.code == .invalid)
                let parameters = Array(repeating: PostgresValue.bool(true), count: 65_536)
                let many = await postgresError { try await connection.query("SELECT 1", parameters) }
                #expect(many?.code == .invalid)
                #expect(many?.message.contains("unnest") == true)
                let one: Int64 = try await connection.value("SELECT 1::int8")
                #expect(one == 1)
            }
        }

        @Test("COPY, which has no place in a pipeline, ends the connection instead of hanging")
        func copy() async throws {
            try await withConnection { connection in
                let error = await postgresError { try await connection.run("COPY (SELECT 1) TO STDOUT") }
                #expect(error?.code == .lost)
                let later = await postgresError { try await connection.query("SELECT 1") }
                #expect(later?.code == .lost)
                #expect(later?.fate == .notApplied)
            }
        }
    }
#endif
