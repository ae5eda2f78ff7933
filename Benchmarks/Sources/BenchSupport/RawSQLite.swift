import GRDBSQLite

/// SQLite through its C interface, with which durable jobs are compared.
// For `@unchecked Sendable`: one task at a time uses it; SQLite's own mutex protects the connection.
package final class RawSQLite: @unchecked Sendable {
    private var connection: OpaquePointer?

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package init(description: String) { self.description = description }
    }

    /// Opens the file with the durability of a store: WAL, and a sync for each commit unless `relaxed`.
    package init(_ path: String, relaxed: Bool = false) throws {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
            throw Failure(description: "the database \(path) cannot be opened")
        }
        self.connection = connection
        try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(relaxed ? "NORMAL" : "FULL")")
    }

    deinit { close() }

    /// Closes the connection; no other method may be called afterwards.
    package func close() {
        sqlite3_close(connection)
        connection = nil
    }

    private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(connection))) }

    package func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Creates a table whose rows are as large as a job's, with only the indexes that every store needs.
    ///
    /// The rows are found by number and by identifier, and are also ordered by `wake`.
    package func makePlainTable() throws {
        try run(
            """
            CREATE TABLE plain (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wake INTEGER, body BLOB NOT NULL) STRICT;
            CREATE INDEX plain_wake ON plain (wake)
            """)
    }

    /// Inserts a row for each number with a prepared statement.
    ///
    /// Each row has its own transaction, or all rows share one if `batch` is set.
    package func insertPlain(_ range: Range<Int>, bodySize: Int, batch: Bool) throws {
        let statement = try prepare("INSERT INTO plain VALUES (?, ?, ?, ?)")
        defer { sqlite3_finalize(statement) }
        let body = [UInt8](repeating: 7, count: bodySize)
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        if batch { try run("BEGIN IMMEDIATE") }
        for number in range {
            let id = "com.example.job.\(number)"
            sqlite3_bind_int64(statement, 1, Int64(number + 1))
            sqlite3_bind_text(statement, 2, id, -1, copied)
            sqlite3_bind_int64(statement, 3, 1_767_225_600_000_000_000 + Int64(number) * 1_000_000)
            sqlite3_bind_blob(statement, 4, body, Int32(body.count), copied)
            guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
            sqlite3_reset(statement)
        }
        if batch { try run("COMMIT") }
    }

    // MARK: Runs

    /// Creates a table for the runs of the plain table's rows, which has only what every store must keep of a run.
    package func makeRunTable() throws {
        try run(
            """
            CREATE TABLE plain_run (
                job INTEGER NOT NULL, occurrence INTEGER NOT NULL, state TEXT NOT NULL, started INTEGER NOT NULL,
                ended INTEGER, PRIMARY KEY (job, occurrence)
            ) STRICT, WITHOUT ROWID
            """)
    }

    /// Claims and ends one run of each row of the plain table, in groups.
    ///
    /// All claims of a group are one commit, and all its outcomes are the next one. A row with an outcome is removed
    /// from the order of `wake`.
    package func claimAndEnd(_ range: Range<Int>, group: Int) throws {
        let claim = try prepare("INSERT INTO plain_run VALUES (?, 1, 'claimed', 1767225600000000000, NULL)")
        let end = try prepare("UPDATE plain_run SET state = 'succeeded', ended = 1767225600000000000 WHERE job = ?")
        let finish = try prepare("UPDATE plain SET wake = NULL WHERE key = ?")
        defer { for statement in [claim, end, finish] { sqlite3_finalize(statement) } }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: group) {
            let keys = start + 1...min(start + group, range.upperBound)
            for statements in [[claim], [end, finish]] {
                try run("BEGIN IMMEDIATE")
                for key in keys {
                    for statement in statements {
                        sqlite3_bind_int64(statement, 1, Int64(key))
                        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
                        sqlite3_reset(statement)
                    }
                }
                try run("COMMIT")
            }
        }
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(connection, sql, -1, 1, &statement, nil) == SQLITE_OK else { throw failure() }
        return statement
    }
}
