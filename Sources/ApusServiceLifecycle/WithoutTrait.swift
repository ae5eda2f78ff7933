#if !ServiceLifecycle
    /// Unavailable without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "give the dependency on apus the trait ServiceLifecycle, without which ApusServiceLifecycle is empty"
    )
    public struct JobSchedulerService {
        /// Unavailable without the package's trait `ServiceLifecycle`.
        public init<Scheduler>(_ scheduler: Scheduler) {}
    }

    /// Unavailable without the package's trait `ServiceLifecycle`.
    @available(
        *, unavailable,
        message: "give the dependency on apus the trait ServiceLifecycle, without which ApusServiceLifecycle is empty"
    )
    public struct LinuxHostService {
        /// Unavailable without the package's trait `ServiceLifecycle`.
        public init<Host>(_ host: Host) {}
    }
#endif
