#if !Tracing
    /// Unavailable without the package's trait `Tracing`.
    @available(
        *, unavailable, message: "give the dependency on apus the trait Tracing, without which ApusTracing is empty"
    )
    public struct TracingMiddleware {
        /// Unavailable without the package's trait `Tracing`.
        public init() {}
    }
#endif
