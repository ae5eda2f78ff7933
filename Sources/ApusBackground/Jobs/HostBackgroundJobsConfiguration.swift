extension HostBackgroundJobs {
    /// What an ordinary host decides by. Every value has a default that suits a server.
    ///
    /// Durations below zero count as zero, and numbers of runs below one as one.
    public struct Configuration: Sendable, Hashable {
        /// The identifiers that may be registered and submitted; one that ends in `.*` stands for all that begin like
        /// it. `nil`: all.
        public var permittedIdentifiers: Set<String>?
        /// A refresh or processing job begins up to this much later than it could, by chance, so that many machines and
        /// apps do not begin at the same instant.
        public var spread: Duration
        /// How long after the begin of a refresh the next one of the same identifier may begin, on the continuous clock.
        public var refreshSpacing: Duration
        /// How long a refresh may take before it expires, on the uptime clock. Apple's systems: 30 s ("Choosing
        /// Background Strategies for Your App").
        public var refreshTimeLimit: Duration
        /// How long a processing job may take before it expires, on the uptime clock.
        public var processingTimeLimit: Duration
        /// How many processing jobs run at once.
        public var maximumProcessingRuns: Int
        /// How long continued work may go without progress before it expires, on the uptime clock. Progress is a report
        /// that differs from the one before.
        public var progressTimeout: Duration
        /// How many continued jobs run at once; `nil`: any number.
        public var maximumContinuedRuns: Int?
        /// How many refresh requests may be pending; `nil`: any number, which is at most one for each handler. Apple's
        /// systems keep one.
        public var maximumPendingRefreshes: Int?
        /// How many processing requests may be pending; `nil`: any number, which is at most one for each handler.
        /// Apple's systems keep ten.
        public var maximumPendingProcessing: Int?
        /// No refresh begins while the battery is at this level or below, from 0 to 1, and nothing charges it. Apple's
        /// systems: 0.2 (WWDC20, session 10063).
        public var lowBatteryLevel: Double
        /// Whether unknown conditions of the host count as met for a processing job: a network, external power, no user
        /// at the device. A server knows nothing of users, and would never run a job otherwise. Where it is `false`,
        /// what becomes unknown ends a run too.
        public var unknownCountsAsMet: Bool

        /// A configuration; each argument left out has its default.
        public init(
            permittedIdentifiers: Set<String>? = nil, spread: Duration = .seconds(60),
            refreshSpacing: Duration = .seconds(900), refreshTimeLimit: Duration = .seconds(30),
            processingTimeLimit: Duration = .seconds(600), maximumProcessingRuns: Int = 1,
            progressTimeout: Duration = .seconds(60), maximumContinuedRuns: Int? = nil,
            maximumPendingRefreshes: Int? = nil, maximumPendingProcessing: Int? = nil, lowBatteryLevel: Double = 0.2,
            unknownCountsAsMet: Bool = true
        ) {
            self.permittedIdentifiers = permittedIdentifiers
            self.spread = spread
            self.refreshSpacing = refreshSpacing
            self.refreshTimeLimit = refreshTimeLimit
            self.processingTimeLimit = processingTimeLimit
            self.maximumProcessingRuns = maximumProcessingRuns
            self.progressTimeout = progressTimeout
            self.maximumContinuedRuns = maximumContinuedRuns
            self.maximumPendingRefreshes = maximumPendingRefreshes
            self.maximumPendingProcessing = maximumPendingProcessing
            self.lowBatteryLevel = lowBatteryLevel
            self.unknownCountsAsMet = unknownCountsAsMet
        }

        func permits(_ identifier: String) -> Bool {
            guard let permittedIdentifiers else { return true }
            return permittedIdentifiers.contains(identifier)
                || permittedIdentifiers.contains { $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast()) }
        }
    }
}
