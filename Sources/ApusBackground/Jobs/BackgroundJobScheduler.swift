public import ApusTimers

/// Performs the work of a background job.
///
/// The job succeeds when the closure returns, and fails when it throws. When the run expires, its Swift task is
/// cancelled.
public typealias BackgroundJobHandler = @Sendable (BackgroundJobRun) async throws -> Void

/// A scheduler of work that the host begins when it suits the device, with the same API on every host.
///
/// All members may be used from any thread. Handlers run where the host runs asynchronous work, not on the main actor.
public protocol BackgroundJobScheduler: Sendable {
    /// Registers the handler of an identifier.
    ///
    /// Handlers of refresh and processing jobs are registered during each launch of the app, because the system may
    /// have launched it for the job.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notPermitted`, `alreadyRegistered` or
    ///   `registeredTooLate`.
    func register(_ identifier: String, handler: @escaping BackgroundJobHandler) throws(BackgroundJobError)

    /// Submits a request, in place of a pending one with the same identifier.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notRegistered`, `unavailable`,
    ///   `tooManyPending`, `notPermitted` or `cannotStartNow`.
    func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError)

    /// Withdraws a pending request and ignores an unknown identifier.
    ///
    /// An active run continues.
    func cancel(_ identifier: String) async

    /// Withdraws all pending requests.
    func cancelAll() async

    /// Returns the requests whose runs have not begun, in the order of their submission.
    func pending() async -> [BackgroundJobRequest]
}

/// A scheduler of background jobs whose runs can be started and expired manually, as with a debugger on Apple's
/// systems.
///
/// Use it for tests and development only. On Apple's systems, the methods throw an error, because the App Store rejects
/// an app that calls the debugger's functions.
public protocol BackgroundJobDebugging: BackgroundJobScheduler {
    /// Begins the run of a pending request now, regardless of the rules.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notPending`, or `unavailable` if the system has no such
    ///   interface.
    func simulateLaunch(_ identifier: String) async throws(BackgroundJobError)

    /// Expires an active run now.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notRunning`, or `unavailable` if the system has no such
    ///   interface.
    func simulateExpiration(_ identifier: String) async throws(BackgroundJobError)
}

struct PendingBackgroundJob: Sendable {
    /// The instant before which the request does not begin.
    enum Gate: Sendable {
        /// Continued work begins immediately.
        case open
        /// The request has an `earliestBegin` in the future; the associated value is `earliestBegin` plus the spread.
        case wall(WallInstant)
        /// The request has no `earliestBegin`, or a past one; the associated value is the instant of the submission
        /// plus the spread.
        case continuous(ContinuousInstant)
    }

    /// The number of the request in the order of submission.
    let number: Int
    let request: BackgroundJobRequest
    let gate: Gate
    /// The obstacles that were last logged, so that each change is logged once.
    var logged: [BackgroundJobObstacle] = []
}

/// A request for work that the host begins when it suits the device.
///
/// A host keeps one request for each identifier, and a later request replaces it. The request is consumed when its run
/// begins, so a handler that must run again submits another request.
public struct BackgroundJobRequest: Sendable, Hashable, Codable {
    /// The kind of work, with its requirements.
    public enum Kind: Sendable, Hashable, Codable {
        /// Short work that keeps the app's content up to date.
        ///
        /// It has about 30 s (Apple, "Choosing Background Strategies for Your App"), and waits while the battery is
        /// low.
        case refresh
        /// Work that takes minutes, and runs while the user does not use the device.
        case processing(requiresNetwork: Bool = false, requiresExternalPower: Bool = false)
        /// Work that the user has just begun in the foreground, shown with its progress and a way to cancel it.
        case continued(ContinuedJob)
    }

    /// The identifier of the handler; on Apple's systems, the app's `Info.plist` must declare it.
    public var identifier: String
    /// The kind of work, with its requirements.
    public var kind: Kind
    /// The instant of the wall clock before which the run does not begin; `nil` for no such limit.
    ///
    /// It is ignored for continued work.
    public var earliestBegin: WallInstant?

    /// Creates a request.
    public init(_ identifier: String, _ kind: Kind, earliestBegin: WallInstant? = nil) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
    }

    /// Checks the identifier and the title.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument` if the identifier is empty, or continued work
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

/// The texts of continued work, and its treatment while the system is busy.
public struct ContinuedJob: Sendable, Hashable, Codable {
    /// The treatment of work that cannot begin immediately.
    public enum Strategy: Sendable, Hashable, Codable, CaseIterable {
        /// The work waits in a queue, after the earlier requests.
        case queue
        /// The submission fails.
        case fail
    }

    /// The work, as the user knows it.
    public var title: String
    /// The current state of the work, which ``BackgroundJobRun/update(title:subtitle:)`` can change.
    public var subtitle: String
    /// The treatment of work that cannot begin immediately.
    public var strategy: Strategy
    /// Whether the work requires the graphics processor in the background.
    public var requiresGPU: Bool

    /// Creates continued work with a title.
    public init(title: String, subtitle: String = "", strategy: Strategy = .queue, requiresGPU: Bool = false) {
        self.title = title
        self.subtitle = subtitle
        self.strategy = strategy
        self.requiresGPU = requiresGPU
    }
}

/// An error of a background job scheduler.
public struct BackgroundJobError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, Codable, CustomStringConvertible {
        private enum Name: String, Codable {
            case unavailable, tooManyPending, notPermitted, cannotStartNow
            case notRegistered, alreadyRegistered, registeredTooLate, notPending, notRunning, invalidArgument
            case storeFailed
        }

        private let name: Name

        /// The host cannot do this now, for example because the user has turned off background refresh, the system is a
        /// simulator, or the system is too old for continued work.
        public static let unavailable = Code(name: .unavailable)
        /// The host accepts no more pending requests of this kind.
        public static let tooManyPending = Code(name: .tooManyPending)
        /// The app did not declare the identifier, the mode or the resource, or the user does not allow it.
        public static let notPermitted = Code(name: .notPermitted)
        /// Continued work that does not queue cannot begin now.
        public static let cannotStartNow = Code(name: .cannotStartNow)
        /// The identifier has no handler.
        public static let notRegistered = Code(name: .notRegistered)
        /// The identifier already has a handler.
        public static let alreadyRegistered = Code(name: .alreadyRegistered)
        /// The app's launch is over, and handlers of refresh and processing jobs must be registered before its end.
        public static let registeredTooLate = Code(name: .registeredTooLate)
        /// The job whose launch is simulated is not pending.
        public static let notPending = Code(name: .notPending)
        /// The job whose expiration is simulated is not running.
        public static let notRunning = Code(name: .notRunning)
        /// An argument is not accepted; the message names it and the accepted forms.
        public static let invalidArgument = Code(name: .invalidArgument)
        /// The requests cannot be stored, or stored requests cannot be read.
        public static let storeFailed = Code(name: .storeFailed)

        /// The name of the code.
        public var description: String { name.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause in one line.
    public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
