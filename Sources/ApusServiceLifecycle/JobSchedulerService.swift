#if ServiceLifecycle
    public import ApusJobs
    public import ServiceLifecycle

    /// A `JobScheduler` as a service of a `ServiceGroup`: it starts with the group, and stops at a graceful shutdown.
    ///
    /// Register the handlers before the group runs. A group shuts its services down from the last to the first: list
    /// the scheduler after the services that its handlers use.
    ///
    /// ```swift
    /// let group = ServiceGroup(
    ///     services: [database, JobSchedulerService(scheduler)], gracefulShutdownSignals: [.sigterm, .sigint],
    ///     logger: logger)
    /// try await group.run()
    /// ```
    public struct JobSchedulerService: Service {
        /// The scheduler; submit jobs there.
        public let scheduler: JobScheduler
        /// How long handlers may run after the graceful shutdown began, before they are cancelled; `nil`: for as long
        /// as they take.
        public let grace: Duration?
        private let afterStarting: @Sendable () async throws -> Void

        /// A service that runs `scheduler`. A scheduler is run once.
        ///
        /// - Parameters:
        ///   - scheduler: one that was not started.
        ///   - grace: how long handlers may run after the graceful shutdown began, on the uptime clock. They then have
        ///     `JobScheduler.Configuration.cancellationGrace` to return. The group's `maximumGracefulShutdownDuration`
        ///     has to be longer than both: when it is over the group cancels the service, and handlers are cancelled at
        ///     once.
        ///   - afterStarting: called when the scheduler runs, beside its first runs, as `JobScheduler.run` does: the
        ///     moment to declare the program's repeating jobs.
        public init(
            _ scheduler: JobScheduler, grace: Duration? = .seconds(10),
            afterStarting: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.scheduler = scheduler
            self.grace = grace
            self.afterStarting = afterStarting
        }

        /// Starts the scheduler, and runs it until graceful shutdown, or until the task is cancelled.
        ///
        /// - Throws: as `JobScheduler.run(grace:afterOpening:afterStarting:)`: what starting and `afterStarting` throw,
        ///   and the error with which the scheduler loses its store. The group's `run()` throws it too.
        public func run() async throws {
            try await withGracefulShutdownHandler {
                try await scheduler.run(grace: .zero, afterStarting: afterStarting)
            } onGracefulShutdown: {
                scheduler.requestStop(grace: grace)
            }
        }
    }
#endif
