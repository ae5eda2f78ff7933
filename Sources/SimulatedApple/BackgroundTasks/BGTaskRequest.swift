import ApusBackground
import SimulatedAppleCore

/// A request for a background task; apps submit instances of its subclasses.
open class BGTaskRequest: NSObject, NSCopying {
    /// The identifier, which selects the launch handler.
    public let identifier: String
    /// The date before which the task does not begin; `nil` for no delay.
    ///
    /// The simulated phone translates the date with `SimulatedPhone.instant(of:)`.
    open var earliestBeginDate: Date?

    init(identifier: String) {
        self.identifier = identifier
        super.init()
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any { BGTaskRequest.make(from: job) }

    /// The kind of request in the form of the simulated scheduler.
    var kind: BackgroundJobRequest.Kind { .refresh }

    var job: BackgroundJobRequest {
        BackgroundJobRequest(identifier, kind, earliestBegin: earliestBeginDate.map(SimulatedPhone.instant))
    }

    static func make(from job: BackgroundJobRequest) -> BGTaskRequest {
        let request: BGTaskRequest
        switch job.kind {
        case .refresh:
            request = BGAppRefreshTaskRequest(identifier: job.identifier)
        case .processing(let requiresNetwork, let requiresExternalPower):
            let processing =
                HealthIdentifiers.contains(job.identifier)
                ? BGHealthResearchTaskRequest(identifier: job.identifier)
                : BGProcessingTaskRequest(identifier: job.identifier)
            processing.requiresNetworkConnectivity = requiresNetwork
            processing.requiresExternalPower = requiresExternalPower
            request = processing
        case .continued(let work):
            let continued = BGContinuedProcessingTaskRequest(
                identifier: job.identifier, title: work.title, subtitle: work.subtitle)
            continued.strategy = work.strategy == .fail ? .fail : .queue
            continued.requiredResources = work.requiresGPU ? .gpu : []
            request = continued
        }
        request.earliestBeginDate = job.earliestBegin.map(SimulatedPhone.date)
        return request
    }
}

/// A request to refresh the app's content, for up to 30 s.
open class BGAppRefreshTaskRequest: BGTaskRequest {
    /// Creates a request for the launch handler with this identifier.
    override public init(identifier: String) { super.init(identifier: identifier) }
}

/// A request for minutes of work while the phone is not in use.
open class BGProcessingTaskRequest: BGTaskRequest {
    /// Whether the task needs a network.
    open var requiresNetworkConnectivity = false
    /// Whether the task needs external power; it may then use the CPU without a limit.
    open var requiresExternalPower = false

    /// Creates a request for the launch handler with this identifier.
    override public init(identifier: String) { super.init(identifier: identifier) }

    override var kind: BackgroundJobRequest.Kind {
        .processing(requiresNetwork: requiresNetworkConnectivity, requiresExternalPower: requiresExternalPower)
    }
}

/// A request for the work of a health study, to which the simulated phone applies the rules of processing tasks.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// The protection of the data that the task needs.
    ///
    /// It has no effect here, so the task also begins while such data cannot be read.
    open var protectionTypeOfRequiredData = FileProtectionType.completeUntilFirstUserAuthentication
}

/// A request to finish, in the background, work that the user has started in the foreground.
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// The treatment of a task that cannot begin at once.
    public enum SubmissionStrategy: Int, Sendable {
        /// The submission fails.
        case fail = 0
        /// The task waits.
        case queue = 1
    }

    /// The resources that a task needs.
    public struct Resources: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Creates a set with these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// The graphics processor.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    /// The title that the user reads.
    open var title: String
    /// The subtitle that the user reads.
    open var subtitle: String
    /// The treatment of the task if it cannot begin at once.
    open var strategy = SubmissionStrategy.queue
    /// The resources that the task needs.
    open var requiredResources: Resources = []

    /// Creates a request for the launch handler with this identifier.
    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(identifier: identifier)
    }

    override var kind: BackgroundJobRequest.Kind {
        .continued(
            ContinuedJob(
                title: title, subtitle: subtitle, strategy: strategy == .fail ? .fail : .queue,
                requiresGPU: requiredResources.contains(.gpu)))
    }
}

/// The identifiers of the requests for health studies.
///
/// They are kept here, because the scheduler has only one kind for these and all other processing requests.
enum HealthIdentifiers {
    private static let name = "health studies"

    private static var all: Set<String> {
        SimulatedPhone.process.records[name].flatMap { try? JSONDecoder().decode(Set<String>.self, from: $0) } ?? []
    }

    static func contains(_ identifier: String) -> Bool { all.contains(identifier) }

    static func note(_ request: BGTaskRequest) {
        var identifiers = all
        let isNew =
            request is BGHealthResearchTaskRequest
            ? identifiers.insert(request.identifier).inserted : identifiers.remove(request.identifier) != nil
        if isNew { SimulatedPhone.process.records[name] = try? JSONEncoder().encode(identifiers) }
    }
}
