#if Postgres
    /// A transaction of several round trips, on a connection of its own.
    ///
    /// A refused batch leaves no changes, and the transaction continues.
    struct ServerTransaction: Sendable {
        private let connection: PostgresConnection

        /// Begins a transaction with these statements; if they are refused, no transaction remains.
        init(_ statements: [PostgresStatement], on link: ServerLink) async throws {
            connection = try await link.anotherConnection()
            do { _ = try await connection.execute(PostgresBatch([Self.begin] + statements)) } catch {
                await connection.close()
                throw error
            }
        }

        private static let begin = plain("BEGIN ISOLATION LEVEL READ COMMITTED")

        private static func plain(_ sql: String) -> PostgresStatement { PostgresStatement(sql, isPrepared: false) }

        /// Executes statements in a savepoint.
        ///
        /// - Throws: ``PostgresError``: the first error, with the number of its statement in `statements`.
        func attempt(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
            do {
                let rows = try await connection.execute(
                    PostgresBatch(
                        [Self.plain("SAVEPOINT attempt")] + statements + [Self.plain("RELEASE SAVEPOINT attempt")]))
                return Array(rows.dropFirst().dropLast())
            } catch {
                guard error.server != nil, error.fate == .notApplied, !error.endsConnection else { throw error }
                _ = try await connection.execute(
                    PostgresBatch([
                        Self.plain("ROLLBACK TO SAVEPOINT attempt"), Self.plain("RELEASE SAVEPOINT attempt"),
                    ]))
                var refusal = error
                refusal.statement = error.statement.map { $0 - 1 }
                throw refusal
            }
        }

        /// Executes a last statement and commits, and returns the result of the statement.
        func commit(after statement: PostgresStatement) async throws -> PostgresRows {
            let rows = try await connection.execute(PostgresBatch([statement, Self.plain("COMMIT")]))
            await connection.close()
            return rows[0]
        }

        /// Closes the connection, so that the server rolls back.
        func abandon() async { await connection.close() }
    }
#endif
