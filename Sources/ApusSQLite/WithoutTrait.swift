#if !SQLite
    /// Not there without the package's trait `SQLite`.
    @available(*, unavailable, message: "ApusSQLite is empty: give the dependency on apus the trait SQLite")
    public enum SQLiteStore {}
#endif
