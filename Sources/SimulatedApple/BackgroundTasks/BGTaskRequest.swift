import ApusBackground
import SimulatedAppleCore

/// A wish for a background task. Use one of the subclasses.
open class BGTaskRequest: NSObject, NSCopying {
    /// Names the launch handler.
    public let identifier: String
    /// Not before; `nil` puts nothing off. On the simulated phone it counts by its distance from now (see
    /// `SimulatedPhone.instant(of:)`).
    open var earliestBeginDate: Date?

    init(identifier: String) {
        self.identifier = identifier
        super.init()
    }

    /// The same wish.
    open func copy(with zone: NSZone? = nil) -> Any { BGTaskRequest.make(from: job) }

    /// What the simulated scheduler needs.
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

/// A wish to refresh the app's content, for up to 30 s.
open class BGAppRefreshTaskRequest: BGTaskRequest {
    /// A wish for the handler of that identifier.
    override public init(identifier: String) { super.init(identifier: identifier) }
}

/// A request for minutes of work while the phone is not in use.
open class BGProcessingTaskRequest: BGTaskRequest {
    /// Whether it needs a connection.
    open var requiresNetworkConnectivity = false
    /// Whether it needs the charger; then it may compute without a limit.
    open var requiresExternalPower = false

    /// A wish for the handler of that identifier.
    override public init(identifier: String) { super.init(identifier: identifier) }

    override var kind: BackgroundJobRequest.Kind {
        .processing(requiresNetwork: requiresNetworkConnectivity, requiresExternalPower: requiresExternalPower)
    }
}

/// A wish for work of a health study. On the simulated phone it has the rules of processing.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// How the data that it needs is protected. Without effect here: the files of a simulated phone are not encrypted.
    open var protectionTypeOfRequiredData = FileProtectionType.completeUntilFirstUserAuthentication
}

/// A wish to finish, in the background, what the user has begun in the foreground.
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// What becomes of it when it cannot begin at once.
    public enum SubmissionStrategy: Int, Sendable {
        /// The submission fails.
        case fail = 0
        /// It waits.
        case queue = 1
    }

    /// What a task needs beside time.
    public struct Resources: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Resources with these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// The graphics processor.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    /// What the user has begun.
    open var title: String
    /// Its current state.
    open var subtitle: String
    /// What becomes of it when it cannot begin at once.
    open var strategy = SubmissionStrategy.queue
    /// What it needs.
    open var requiredResources: Resources = []

    /// A wish for the handler of that identifier, with what the user reads.
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

/// Which processing requests are those of a health study: the scheduler has one kind for both.
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
