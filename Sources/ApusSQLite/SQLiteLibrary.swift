#if SQLite
    import GRDBSQLite

    /// The SQLite that this program is linked with.
    package struct SQLiteLibrary: Sendable {
        /// The library itself.
        package static let linked = SQLiteLibrary(
            version: String(cString: sqlite3_libversion()), number: Int(sqlite3_libversion_number()))

        /// Such as `3.46.1`.
        package let version: String
        /// Such as 3046001.
        let number: Int

        /// Whether its version is one in which two connections that write to a file in WAL mode can lose pages of it
        /// (https://sqlite.org/wal.html#walresetbug); a distribution may have mended it without another number.
        package var mayLosePages: Bool { number < 3_051_003 }
    }
#endif
