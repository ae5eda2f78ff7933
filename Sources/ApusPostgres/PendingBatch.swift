#if Postgres
    import CPostgres

    /// A submitted batch, with the meaning of its answers and the waiting caller.
    ///
    /// It is used on the connection's thread only.
    final class PendingBatch {
        /// The command to which an answer belongs.
        private enum Role {
            case begin
            case preparation(LibpqConnection.PreparationKey, name: String, statement: Int)
            case statement(Int)
        }

        /// The number by which the caller can withdraw the batch.
        let ticket: UInt64
        private let batch: PostgresBatch
        private var continuation: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>?
        private var roles: [Role] = []
        /// The name under which each statement is or will be prepared; `nil` for an unprepared one.
        private var names: [String?] = []
        private var openPreparations: [LibpqConnection.PreparationKey: String] = [:]
        private var results: [PostgresRows] = []
        private var failure: PostgresError?

        init(
            _ batch: PostgresBatch, ticket: UInt64,
            continuation: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>
        ) {
            self.batch = batch
            self.ticket = ticket
            self.continuation = continuation
        }

        /// Returns the error of an invalid batch; `nil` if the batch is valid.
        static func objection(to batch: PostgresBatch) -> PostgresError? {
            if batch.statements.isEmpty { return PostgresError(code: .invalid, message: "the batch has no statement") }
            for (index, statement) in batch.statements.enumerated() {
                if statement.sql.utf8.contains(0) {
                    return PostgresError(
                        code: .invalid,
                        message: "the text of a statement has the character U+0000; give it as a parameter, in a bytea",
                        statement: index)
                }
                if statement.parameters.count > LibpqConnection.mostParameters {
                    return PostgresError(
                        code: .invalid,
                        message:
                            "a statement has more than \(LibpqConnection.mostParameters) parameters; give arrays to unnest",
                        statement: index)
                }
            }
            return nil
        }

        // MARK: Sending

        /// Decides which statements to prepare, and returns the expected answers.
        func plan(_ libpq: LibpqConnection) -> ConnectionMachine.Shape {
            var hasCommit = false
            switch batch.transaction {
            case .implicit: break
            case .explicit:
                hasCommit = true
                roles.append(.begin)
            }
            for (index, statement) in batch.statements.enumerated() {
                names.append(name(of: statement, index, libpq))
                roles.append(.statement(index))
            }
            results.reserveCapacity(batch.statements.count)
            return ConnectionMachine.Shape(answers: roles.count, hasCommit: hasCommit)
        }

        private func name(of statement: PostgresStatement, _ index: Int, _ libpq: LibpqConnection) -> String? {
            guard statement.isPrepared else { return nil }
            let key = LibpqConnection.PreparationKey(statement)
            if let name = libpq.preparedName(key) ?? openPreparations[key] { return name }
            guard let name = libpq.reserveName(key) else { return nil }
            openPreparations[key] = name
            roles.append(.preparation(key, name: name, statement: index))
            return name
        }

        /// Passes the whole plan to libpq.
        ///
        /// - Returns: false if libpq refuses a part.
        func send(_ libpq: LibpqConnection) -> Bool {
            for role in roles {
                let isSent =
                    switch role {
                    case .begin: libpq.execute(beginning, name: nil)
                    case .preparation(let key, let name, statement: _): libpq.prepare(key, name: name)
                    case .statement(let index): libpq.execute(batch.statements[index], name: names[index])
                    }
                guard isSent else { return false }
            }
            guard libpq.sync() else { return false }
            switch batch.transaction {
            case .implicit: return true
            // COMMIT follows the sync, so that it is executed even after an error, and leaves the failed transaction.
            case .explicit: return libpq.execute(PostgresStatement("COMMIT"), name: nil) && libpq.sync()
            }
        }

        private var beginning: PostgresStatement {
            switch batch.transaction {
            case .implicit: preconditionFailure("an implicit transaction has no BEGIN")
            case .explicit(let isolation): PostgresStatement("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
            }
        }

        // MARK: Answers

        func receive(_ result: ResultHandle, _ number: Int, _ libpq: LibpqConnection) {
            switch roles[number] {
            case .begin: break
            case .preparation(let key, let name, statement: _):
                openPreparations[key] = nil
                libpq.preparationEnded(key, name: name, isPrepared: true)
            case .statement: results.append(PostgresRows(result))
            }
        }

        /// Records an error of the answer with a number, or of the commit if the number is `nil`.
        func receiveError(_ result: ResultHandle, _ number: Int?, _ libpq: LibpqConnection) {
            // Errors after the first one concern the end of the transaction or of the session.
            guard failure == nil else { return }
            let statement = number.flatMap { statementIndex(of: roles[$0]) }
            guard let message = PostgresError.ServerMessage(result.pointer) else {
                failure =
                    PQresultStatus(result.pointer) == PGRES_FATAL_ERROR
                    ? PostgresError(
                        code: .other,
                        message:
                            "libpq could not keep a result: \(String(cString: PQresultErrorMessage(result.pointer)))",
                        statement: statement)
                    : PostgresError(
                        code: .other, message: "the server has rolled the transaction back instead of committing it")
                return
            }
            failure = ServerErrors.error(message, statement: statement)
            if let statement, Self.staleStates.contains(message.sqlState) {
                libpq.forget(LibpqConnection.PreparationKey(batch.statements[statement]))
            }
        }

        /// The SQLSTATEs for a prepared statement whose result has changed with the schema (0A000), or that no longer
        /// exists (26000).
        private static let staleStates: Set = ["0A000", "26000"]

        private func statementIndex(of role: Role) -> Int? {
            switch role {
            case .begin: nil
            case .preparation(_, name: _, let statement): statement
            case .statement(let index): index
            }
        }

        // MARK: The end

        /// Ends a batch that was answered completely.
        func finish(_ fate: PostgresFate, _ libpq: LibpqConnection) {
            for (key, name) in openPreparations { libpq.preparationEnded(key, name: name, isPrepared: false) }
            end(fate: fate)
        }

        /// Ends a batch whose connection broke.
        func end(becauseOf error: PostgresError, fate: PostgresFate) {
            if failure == nil { failure = error }
            end(fate: fate)
        }

        private func end(fate: PostgresFate) {
            // If all results have arrived, an error after the commit changes nothing.
            if fate == .applied, results.count == batch.statements.count { return end(.success(results)) }
            guard var failure else { preconditionFailure("a batch that is not applied has an error") }
            failure.fate = fate
            end(.failure(failure))
        }

        func end(_ result: Result<[PostgresRows], PostgresError>) {
            continuation.take()?.resume(returning: result)
        }
    }

    extension LibpqConnection.PreparationKey {
        init(_ statement: PostgresStatement) {
            self.init(sql: statement.sql, types: statement.parameters.map(\.type))
        }
    }

    extension ConnectionMachine.Answer {
        /// Creates the meaning of a libpq result; `nil` for a result that no command in a pipeline can have.
        init?(_ result: ResultHandle) {
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                self = String(cString: PQcmdStatus(result.pointer)) == "ROLLBACK" ? .rolledBack : .succeeded
            case PGRES_PIPELINE_SYNC: self = .synced
            case PGRES_PIPELINE_ABORTED: self = .skipped
            case PGRES_FATAL_ERROR:
                guard PostgresError.ServerMessage(result.pointer) != nil else {
                    self = .unreadable
                    return
                }
                self = PostgresError.ServerMessage.endsSession(result.pointer) ? .ended : .refused
            default: return nil
            }
        }
    }
#endif
