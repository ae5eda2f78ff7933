#if !Postgres
    /// Not there without the package's trait `Postgres`.
    @available(*, unavailable, message: "ApusPostgres is empty: give the dependency on apus the trait Postgres")
    public enum PostgresStore {}
#endif
