#if SQLite
    import ApusJobs
    import GRDB
    import GRDBSQLite

    /// An error of SQLite: its extended code, its message, and the code of the operating system.
    struct SQLiteFailure: Error, CustomStringConvertible {
        var code: Int32
        var systemCode: Int32
        var message: String

        /// Creates a description of the last error of a connection.
        init(connection: OpaquePointer) {
            code = sqlite3_extended_errcode(connection)
            systemCode = sqlite3_system_errno(connection)
            message = String(cString: sqlite3_errmsg(connection))
        }

        init(_ error: DatabaseError) {
            code = error.extendedResultCode.rawValue
            systemCode = 0
            message = error.message ?? "no message"
        }

        var description: String { "SQLite error \(code): \(message)" }

        /// Whether a sync failed.
        ///
        /// The kernel may have dropped the pages that it could not write and report success for the next sync, so this
        /// process can no longer trust the file.
        var isFailedSync: Bool { code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8) }
    }

    /// The only place that converts SQLite's errors to ``JobError``s.
    enum SQLiteErrors {
        /// The extended code of a violated CHECK constraint.
        ///
        /// This and the following codes are macros that Swift cannot import. Each is a primary code with a number in
        /// the higher bits.
        private static let constraintCheck = SQLITE_CONSTRAINT | (1 << 8)
        private static let constraintPrimaryKey = SQLITE_CONSTRAINT | (6 << 8)
        private static let constraintUnique = SQLITE_CONSTRAINT | (8 << 8)
        private static let constraintRowID = SQLITE_CONSTRAINT | (10 << 8)
        private static let sharedMemorySize = SQLITE_IOERR | (19 << 8)
        /// The numbers of ENOSPC, and of EDQUOT on Darwin and on Linux.
        private static let noSpace: Set<Int32> = [28, 69, 122]

        /// Returns the error for anything that was thrown while using the database at `path`.
        static func jobError(_ error: any Error, path: String) -> JobError {
            switch error {
            case let error as JobError: error
            case let error as SQLiteFailure: jobError(error, path: path)
            case let error as DatabaseError: jobError(SQLiteFailure(error), path: path)
            default: JobError(code: .unavailable, message: "the database \(path) cannot be used", cause: error)
            }
        }

        private static func jobError(_ failure: SQLiteFailure, path: String) -> JobError {
            switch failure.code & 0xFF {
            case SQLITE_FULL: full(failure, path)
            case SQLITE_IOERR where failure.code == sharedMemorySize || noSpace.contains(failure.systemCode):
                full(failure, path)
            case SQLITE_CORRUPT, SQLITE_NOTADB: damaged(path, cause: failure)
            case SQLITE_BUSY, SQLITE_LOCKED:
                JobError(
                    code: .unavailable,
                    message: "another program holds a lock on the database \(path); close that program, and try again",
                    cause: failure)
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
                JobError(
                    code: .unavailable,
                    message:
                        "the database \(path) cannot be written; check the permissions of the file and its directory",
                    cause: failure)
            case SQLITE_CANTOPEN:
                JobError(
                    code: .unavailable,
                    message:
                        "the database \(path) cannot be opened; check that its directory exists and can be written",
                    cause: failure)
            case SQLITE_IOERR:
                JobError(
                    code: .unavailable, message: "reading or writing the database \(path) failed; check the disk",
                    cause: failure)
            case SQLITE_CONSTRAINT: constraint(failure)
            case SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE:
                JobError(code: .invalid, message: "a value does not fit into the database \(path)", cause: failure)
            default: JobError(code: .unavailable, message: "the database \(path) cannot be used", cause: failure)
            }
        }

        private static func constraint(_ failure: SQLiteFailure) -> JobError {
            switch failure.code {
            case constraintUnique, constraintPrimaryKey, constraintRowID:
                JobError(code: .conflict, message: "the job or run exists already; read it again", cause: failure)
            case constraintCheck:
                JobError(
                    code: .invalid, message: "the change breaks the rule \"\(failure.message)\" of the store",
                    cause: failure)
            default: JobError(code: .invalid, message: "the change breaks a rule of the store", cause: failure)
            }
        }

        private static func full(_ failure: SQLiteFailure, _ path: String) -> JobError {
            JobError(
                code: .full,
                message:
                    "no space is left for the database \(path); nothing of the change was written: free some space and try again",
                cause: failure)
        }

        /// Returns the error for a file that is not an intact database of Apus.
        static func damaged(
            _ path: String, _ what: String = "is not an intact SQLite database", cause: (any Error)? = nil
        )
            -> JobError
        {
            JobError(
                code: .damaged,
                message: """
                    \(path) \(what). To start with an empty one, move it aside together with \(path)-wal and \(path)-shm; \
                    to save what is left, run: sqlite3 '\(path)' .recover | sqlite3 recovered.db
                    """, cause: cause)
        }
    }
#endif
