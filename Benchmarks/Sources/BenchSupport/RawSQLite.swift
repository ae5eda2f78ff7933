import GRDBSQLite

/// SQLite by its own C interface: what the store is compared with, and how the rows for it are made.
// One task at a time uses it; SQLite's own mutex guards the connection.
package final class RawSQLite: @unchecked Sendable {
    private let connection: OpaquePointer?

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package init(description: String) { self.description = description }
    }

    /// Opens the file with the store's own durability: WAL, and a sync for each commit.
    package init(_ path: String) throws {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
            throw Failure(description: "\(path) cannot be opened")
        }
        self.connection = connection
        try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }

    deinit { sqlite3_close(connection) }

    private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(connection))) }

    package func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// A table with a row of the size of a job's, found by number and by identifier, in the order of `wake`: the
    /// least that a store needs.
    package func makePlainTable() throws {
        try run(
            """
            CREATE TABLE plain (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wake INTEGER, body BLOB NOT NULL) STRICT;
            CREATE INDEX plain_wake ON plain (wake)
            """)
    }

    /// Inserts `count` rows by a prepared statement, each in a transaction of its own or all in one.
    package func insertPlain(_ range: Range<Int>, bodySize: Int, batch: Bool) throws {
        var statement: OpaquePointer?
        guard
            sqlite3_prepare_v3(connection, "INSERT INTO plain VALUES (?, ?, ?, ?)", -1, 1, &statement, nil) == SQLITE_OK
        else { throw failure() }
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

    /// A job in a store's file, to be read by the store and copied. Only the scheduler can make a job from nothing.
    package func insertTemplateJob() throws {
        try run(Self.jobRows(0..<1))
    }

    /// Fills a store's file with jobs that are due from 2026 on, a millisecond apart.
    package func insertJobs(_ range: Range<Int>) throws {
        try run("BEGIN")
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 500) {
            try run(Self.jobRows(start..<min(start + 500, range.upperBound)))
        }
        try run("COMMIT")
    }

    private static func jobRows(_ range: Range<Int>) -> String {
        let payload = String(repeating: "2A", count: 64)
        let rows = range.map { number in
            let due = 1_767_225_600_000_000_000 + Int64(number) * 1_000_000
            return """
                (1, 'com.example.job.\(number)', 'job \(number)', 'work', 'scheduled', \(due), \(due), \(due), 1, \(due), 0, 0, \(due),
                'at', \(due), 0, 'runOnce', 'skip', 1, 5, 1000000000, 3600000000000, 0.2, '{"team":"birds"}', X'\(payload)')
                """
        }
        return """
            INSERT INTO job (version, id, name, kind, state, created, updated, first, next_occurrence, next_due, occurrences, missed,
            wake, trigger, trigger_ns, tolerance, missed_runs, overlap, maximum_attempts, maximum_lost, initial_backoff,
            maximum_backoff, jitter, labels, payload) VALUES \(rows.joined(separator: ","))
            """
    }
}
