#if ServiceLifecycle
    public import ApusJobs
    public import ServiceLifecycle

    /// A service that runs a `JobScheduler`: it starts with its `ServiceGroup`, and stops at the group's graceful
    /// shutdown.
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
        /// The scheduler, to which jobs are submitted.
        public let scheduler: JobScheduler
        /// The time, on the uptime clock, that active handlers have after the graceful shutdown begins, before they are
        /// cancelled; `nil` for no limit.
        public let grace: Duration?
        private let afterStarting: @Sendable () async throws -> Void

        /// Creates a service that runs `scheduler`.
        ///
        /// A scheduler can run only once.
        ///
        /// - Parameters:
        ///   - scheduler: A scheduler that has not been started.
        ///   - grace: The time that active handlers have after the graceful shutdown begins, on the uptime clock;
        ///     `nil` for no limit. After that time, the handlers are cancelled, and have
        ///     `JobScheduler.Configuration.cancellationGrace` to return. The group's `maximumGracefulShutdownDuration`
        ///     must be longer than both together: at its end the group cancels the service, which cancels handlers
        ///     immediately.
        ///   - afterStarting: A closure that the service calls when the scheduler has started, concurrently with the
        ///     first runs, as `JobScheduler.run` does. Declare the program's repeating jobs in it.
        public init(
            _ scheduler: JobScheduler, grace: Duration? = .seconds(10),
            afterStarting: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.scheduler = scheduler
            self.grace = grace
            self.afterStarting = afterStarting
        }

        /// Starts the scheduler, and runs it until the graceful shutdown or until the task is cancelled.
        ///
        /// - Throws: The errors of `JobScheduler.run(grace:afterOpening:afterStarting:)`: those of starting and of
        ///   `afterStarting`, and the error because of which the scheduler loses its store. The group's `run()` throws
        ///   the same error.
        public func run() async throws {
            try await withGracefulShutdownHandler {
                try await scheduler.run(grace: .zero, afterStarting: afterStarting)
            } onGracefulShutdown: {
                scheduler.requestStop(grace: grace)
            }
        }
    }
#endif
