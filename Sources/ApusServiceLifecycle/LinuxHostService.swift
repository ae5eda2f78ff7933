#if ServiceLifecycle
    public import ApusLinux
    public import ServiceLifecycle

    /// A `LinuxHost` as a service of a `ServiceGroup`: the group's graceful shutdown is the host's request to stop.
    ///
    /// The group keeps the signals. List the host *last*: a group shuts its services down from the last to the first,
    /// so the others continue to serve until the host's background tasks have ended or its grace period is over. A
    /// group's `maximumGracefulShutdownDuration` has to be longer than that; when it is over the group cancels the
    /// host, which lets its tasks expire and does not wait for them.
    ///
    /// ```swift
    /// let host = LinuxHost()
    /// let group = ServiceGroup(
    ///     services: [server, LinuxHostService(host)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    /// try await group.run()
    /// ```
    public struct LinuxHostService: Service {
        /// The host; begin its background tasks there.
        public let host: LinuxHost

        /// A service that runs `host`. A host is run once.
        public init(_ host: LinuxHost) { self.host = host }

        /// Waits for graceful shutdown, and then for the background tasks.
        ///
        /// - Throws: ``WorkWasCut`` when the grace period was over before everything had ended. The group's `run()`
        ///   throws it
        ///   too.
        public func run() async throws {
            let host = host
            // None: the group has them.
            let signals = AsyncStream<TerminationSignal> { $0.finish() }
            let outcome = await withGracefulShutdownHandler {
                await host.run(signals: signals)
            } onGracefulShutdown: {
                host.requestStop()
            }
            if case .cut(let names) = outcome { throw WorkWasCut(names: names) }
        }
    }

    /// Background tasks were still open when the host's grace period was over.
    public struct WorkWasCut: Error, Sendable, Hashable, CustomStringConvertible {
        /// The names of the background tasks.
        public var names: [String]

        /// Says that these were open.
        public init(names: [String]) { self.names = names }

        /// What a program exits with: 75, `EX_TEMPFAIL` of sysexits.h.
        public var exitCode: Int32 { LinuxHost.Outcome.cut(names: names).exitCode }

        /// What had to be cut.
        public var description: String {
            "the grace period was over before these had ended: \(names.joined(separator: ", "))"
        }
    }
#endif
