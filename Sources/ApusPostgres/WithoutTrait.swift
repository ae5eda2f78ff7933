#if !Postgres
    /// Unavailable without the package's trait `Postgres`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait Postgres, without which ApusPostgres is empty"
    )
    public struct PostgresStore {
        /// Unavailable without the package's trait `Postgres`.
        public init<Configuration>(_ configuration: Configuration) {}
    }

    /// Unavailable without the package's trait `Postgres`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait Postgres, without which ApusPostgres is empty"
    )
    public struct PostgresConfiguration {
        /// Unavailable without the package's trait `Postgres`.
        public init(_ text: String) {}
    }
#endif
