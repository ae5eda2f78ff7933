public import ApusTimers

/// Work that the system starts when it suits the device: the app says what it wants, and the host decides when.
///
/// A host keeps one request for each identifier; a later one takes the place of the earlier. A request is used up when
/// its run begins: a handler that wants to run again submits the next one.
public struct BackgroundJobRequest: Sendable, Hashable, Codable {
    /// What the work needs, and how long it may take.
    public enum Kind: Sendable, Hashable, Codable {
        /// Short work that keeps the app's content fresh. It has about 30 s (Apple, "Choosing Background Strategies for
        /// Your App"), and is postponed while the battery is low.
        case refresh
        /// Longer work for when the user does not use the device: minutes.
        case processing(requiresNetwork: Bool = false, requiresExternalPower: Bool = false)
        /// Work that the user has just begun in the foreground and wants to see finished, with progress and a way to
        /// cancel it.
        case continued(ContinuedJob)
    }

    /// Names the handler. On Apple's systems it has to be declared in the app's `Info.plist`.
    public var identifier: String
    /// What the work needs.
    public var kind: Kind
    /// The run does not begin before the wall clock shows this; `nil` puts nothing off. Ignored for continued work,
    /// which begins at once or not at all.
    public var earliestBegin: WallInstant?

    /// A request.
    public init(_ identifier: String, _ kind: Kind, earliestBegin: WallInstant? = nil) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
    }

    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument` when the identifier is empty, or continued work
    ///   has no title.
    public func validate() throws(BackgroundJobError) {
        if identifier.isEmpty {
            throw BackgroundJobError(
                code: .invalidArgument, message: "`identifier` is empty; pass a name like com.example.app.refresh")
        }
        if case .continued(let job) = kind, job.title.isEmpty {
            throw BackgroundJobError(
                code: .invalidArgument,
                message: "`title` of the continued job “\(identifier)” is empty; pass what the user has begun")
        }
    }
}

/// What the user sees of continued work, and what becomes of it when the system is busy.
public struct ContinuedJob: Sendable, Hashable, Codable {
    /// What happens when the work cannot begin at once.
    public enum Strategy: Sendable, Hashable, Codable, CaseIterable {
        /// It waits in a queue, after the earlier requests.
        case queue
        /// The submission fails.
        case fail
    }

    /// What the user has begun.
    public var title: String
    /// Its current state; may change with ``BackgroundJobRun/update(title:subtitle:)``.
    public var subtitle: String
    /// What happens when it cannot begin at once.
    public var strategy: Strategy
    /// Whether it needs the graphics processor in the background.
    public var requiresGPU: Bool

    /// Continued work with a title.
    public init(title: String, subtitle: String = "", strategy: Strategy = .queue, requiresGPU: Bool = false) {
        self.title = title
        self.subtitle = subtitle
        self.strategy = strategy
        self.requiresGPU = requiresGPU
    }
}
