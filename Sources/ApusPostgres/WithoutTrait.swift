#if !Postgres
    /// Not there without the package's trait `Postgres`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait Postgres, without which ApusPostgres is empty"
    )
    public struct PostgresStore {
        /// Never.
        public init<Configuration>(_ configuration: Configuration) {}
    }

    /// Not there without the package's trait `Postgres`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait Postgres, without which ApusPostgres is empty"
    )
    public struct PostgresConfiguration {
        /// Never.
        public init(_ text: String) {}
    }
#endif
