#if !SQLite
    /// Unavailable without the package's trait `SQLite`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait SQLite, without which ApusSQLite is empty"
    )
    public struct SQLiteStore {
        /// Unavailable without the package's trait `SQLite`.
        public init(path: String) {}
    }
#endif
