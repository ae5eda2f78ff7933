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
