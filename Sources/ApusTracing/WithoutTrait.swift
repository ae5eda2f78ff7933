#if !Tracing
    /// Not there without the package's trait `Tracing`.
    @available(*, unavailable, message: "ApusTracing is empty: give the dependency on apus the trait Tracing")
    public enum TracingMiddleware {}
#endif
