#if !ServiceLifecycle
    /// Not there without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "ApusServiceLifecycle is empty: give the dependency on apus the trait ServiceLifecycle"
    )
    public enum JobSchedulerService {}

    /// Not there without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "ApusServiceLifecycle is empty: give the dependency on apus the trait ServiceLifecycle"
    )
    public enum LinuxHostService {}
#endif
