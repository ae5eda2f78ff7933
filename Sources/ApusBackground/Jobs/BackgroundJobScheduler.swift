public import ApusTimers

/// Does the work of a background job. When it returns, the job has succeeded; when it throws, it has failed; when the
/// run expires, its Swift task is cancelled.
public typealias BackgroundJobHandler = @Sendable (BackgroundJobRun) async throws -> Void

/// A host's scheduler of work that it starts when it suits the device. The same API on every host, with the host's
/// rules.
///
/// All members may be used from any thread. The handler runs where the host runs asynchronous work, not on the main
/// actor.
public protocol BackgroundJobScheduler: Sendable {
    /// Says who does the work of an identifier. Handlers of refresh and processing jobs are registered while the app is
    /// launched, in every launch, because the system may have launched it for the job.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notPermitted`, `alreadyRegistered` or
    ///   `registeredTooLate`.
    func register(_ identifier: String, handler: @escaping BackgroundJobHandler) throws(BackgroundJobError)

    /// Asks for a run, in place of a pending request with the same identifier.
    ///
    /// - Throws: ``BackgroundJobError``: `invalidArgument`, `notRegistered`, `unavailable`, `tooManyPending`,
    ///   `notPermitted`, `cannotStartNow`.
    func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError)

    /// Withdraws a pending request; an unknown identifier is no error. A run that has begun continues.
    func cancel(_ identifier: String) async

    /// Withdraws all pending requests.
    func cancelAll() async

    /// The requests whose runs have not begun, in the order of their submission.
    func pending() async -> [BackgroundJobRequest]
}

/// A scheduler of background jobs whose runs can be begun and ended by hand, as a debugger does on Apple's systems.
///
/// For tests and development: an app that calls it in the App Store is rejected.
public protocol BackgroundJobDebugging: BackgroundJobScheduler {
    /// Begins the run of a pending request now, whatever the rules say.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notPending`; `unavailable` where the system has no such
    ///   interface.
    func simulateLaunch(_ identifier: String) async throws(BackgroundJobError)

    /// Lets a run expire now.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notRunning`; `unavailable` where the system has no such
    ///   interface.
    func simulateExpiration(_ identifier: String) async throws(BackgroundJobError)
}

/// A request whose run has not begun.
struct PendingBackgroundJob: Sendable {
    /// When its own time has come.
    enum Gate: Sendable {
        /// Now: continued work.
        case open
        /// It named an instant that is still to come; that, and the spread.
        case wall(WallInstant)
        /// It named none, or one that had passed: the spread.
        case continuous(ContinuousInstant)
    }

    /// In the order of submission.
    let number: Int
    let request: BackgroundJobRequest
    let gate: Gate
    /// The obstacles that were logged last, so that each change is logged once.
    var logged: [BackgroundJobObstacle] = []
}

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

/// Why a background job was not accepted.
public struct BackgroundJobError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, Codable, CustomStringConvertible {
        private enum Name: String, Codable {
            case unavailable, tooManyPending, notPermitted, cannotStartNow
            case notRegistered, alreadyRegistered, registeredTooLate, notPending, notRunning, invalidArgument
            case storeFailed
        }

        private let name: Name

        /// The host runs no such jobs now: the user has switched background refresh off, or the system is a simulator.
        public static let unavailable = Code(name: .unavailable)
        /// As many requests of this kind are pending as the host keeps.
        public static let tooManyPending = Code(name: .tooManyPending)
        /// The app did not declare the identifier, the mode or the resource, or the user does not allow it.
        public static let notPermitted = Code(name: .notPermitted)
        /// Continued work that does not queue cannot begin now.
        public static let cannotStartNow = Code(name: .cannotStartNow)
        /// There is no handler for the identifier.
        public static let notRegistered = Code(name: .notRegistered)
        /// There is a handler for the identifier already.
        public static let alreadyRegistered = Code(name: .alreadyRegistered)
        /// The app's launch is over; handlers of refresh and processing jobs have to be there before.
        public static let registeredTooLate = Code(name: .registeredTooLate)
        /// The launch of a job was simulated that was not submitted.
        public static let notPending = Code(name: .notPending)
        /// An expiration was to be simulated of a job that does not run.
        public static let notRunning = Code(name: .notRunning)
        /// An argument is outside what is accepted; the message names it and the accepted forms.
        public static let invalidArgument = Code(name: .invalidArgument)
        /// The requests cannot be stored, or those that were stored cannot be read.
        public static let storeFailed = Code(name: .storeFailed)

        /// The name of the code.
        public var description: String { name.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it.
    public var message: String
    /// The error underneath, if there is one.
    public var cause: (any Error)?

    /// An error with a message that says what to do.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause in one line.
    public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
