#if ServiceLifecycle
    public import ApusLinux
    public import ServiceLifecycle

    /// A `LinuxHost` as a service of a `ServiceGroup`, whose graceful shutdown asks the host to stop.
    ///
    /// The group handles the signals. List the host *last*: a group shuts its services down from the last to the first,
    /// so the other services are available until the host's background tasks have ended or its grace period is over.
    /// The group's `maximumGracefulShutdownDuration` must be longer than the grace period: at its end the group cancels
    /// the host, which then expires its background tasks and does not wait for them.
    ///
    /// ```swift
    /// let host = LinuxHost()
    /// let group = ServiceGroup(
    ///     services: [server, LinuxHostService(host)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    /// try await group.run()
    /// ```
    public struct LinuxHostService: Service {
        /// The host, on which background tasks are begun.
        public let host: LinuxHost

        /// Creates a service that runs `host`.
        ///
        /// A host can run only once.
        public init(_ host: LinuxHost) { self.host = host }

        /// Waits for the graceful shutdown, and then for the background tasks.
        ///
        /// - Throws: ``WorkWasCut`` if background tasks are still open at the end of the grace period. The group's
        ///   `run()` throws the same error.
        public func run() async throws {
            let host = host
            // The host gets no signals, because the group handles them.
            let signals = AsyncStream<TerminationSignal> { $0.finish() }
            let outcome = await withGracefulShutdownHandler {
                await host.run(signals: signals)
            } onGracefulShutdown: {
                host.requestStop()
            }
            if case .cut(let names) = outcome { throw WorkWasCut(names: names) }
        }
    }

    /// The error of a host whose grace period ended while background tasks were open.
    public struct WorkWasCut: Error, Sendable, Hashable, CustomStringConvertible {
        /// The names of the background tasks.
        public var names: [String]

        /// Creates an error with the names of the open background tasks.
        public init(names: [String]) { self.names = names }

        /// The exit status for the program: 75, `EX_TEMPFAIL` of sysexits.h.
        public var exitCode: Int32 { LinuxHost.Outcome.cut(names: names).exitCode }

        /// A message with the names of the open background tasks.
        public var description: String {
            "the grace period ended before these background tasks: \(names.joined(separator: ", "))"
        }
    }
#endif
