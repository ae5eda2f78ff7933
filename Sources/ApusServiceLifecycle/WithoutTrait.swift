#if !ServiceLifecycle
    /// Not there without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "give the dependency on apus the trait ServiceLifecycle, without which ApusServiceLifecycle is empty"
    )
    public struct JobSchedulerService {
        /// Never.
        public init<Scheduler>(_ scheduler: Scheduler) {}
    }

    /// Not there without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "give the dependency on apus the trait ServiceLifecycle, without which ApusServiceLifecycle is empty"
    )
    public struct LinuxHostService {
        /// Never.
        public init<Host>(_ host: Host) {}
    }
#endif
