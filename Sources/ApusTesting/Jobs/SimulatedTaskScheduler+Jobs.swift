public import ApusJobs
import ApusTimers

/// What Apus offers on every system.
extension SimulatedTaskScheduler {
    /// Says who does the work of an identifier, in the process that runs. The handler runs as a task of the process.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `invalidArgument`, `notPermitted`, `alreadyRegistered`, or
    ///   `registeredTooLate` when the app's launch is over (when the closure that `install` was given has returned).
    public func register(_ identifier: String, _ handler: @escaping BackgroundJobHandler) throws(BackgroundJobError) {
        guard !identifier.isEmpty else {
            throw BackgroundJobError(
                .invalidArgument, "`identifier` is empty; pass a name like com.example.app.refresh")
        }
        let action = enter(identifier) { [weak self] task in self?.perform(task, handler) }
        switch action {
        case .registered, nil: break
        case .notPermitted:
            throw BackgroundJobError(
                .notPermitted, "“\(identifier)” is not declared; add it to BGTaskSchedulerPermittedIdentifiers")
        case .already:
            throw BackgroundJobError(
                .alreadyRegistered, "there is a handler for “\(identifier)” already; register each one once")
        case .tooLate:
            throw BackgroundJobError(
                .registeredTooLate,
                "the handler for “\(identifier)” comes when the launch is over; register it while the app is made")
        case .noProcess:
            throw BackgroundJobError(.registeredTooLate, "no app runs; register “\(identifier)” in the app's process")
        }
    }

    /// Asks for a run, in place of a pending request with the same identifier. Nothing is awaited.
    ///
    /// - Throws: ``BackgroundJobError``: `invalidArgument`, `notRegistered`, `unavailable`, `tooManyPending`,
    ///   `notPermitted`, `cannotStartNow`.
    public func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError) {
        switch enter(request) {
        case .submitted, nil: break
        case .refused(let error), .noHandler(let error): throw error
        }
    }

    /// Withdraws a pending request; an unknown identifier is no error. A run that has begun goes on.
    public func cancel(_ identifier: String) async { cancelRequest(identifier) }

    /// Withdraws all pending requests.
    public func cancelAll() async { cancelAllRequests() }

    /// The same as ``pendingRequests()``.
    public func pending() async -> [BackgroundJobRequest] { pendingRequests() }

    /// Begins the run of a pending request soon, whatever the rules say.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notPending`.
    public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
        if !beginSimulatedSoon(identifier) {
            throw BackgroundJobError(.notPending, "no request for “\(identifier)” is pending; submit one before")
        }
    }

    /// Lets a run expire soon.
    ///
    /// - Throws: ``BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        if !expireSoon(where: { $0.identifier == identifier }) {
            throw BackgroundJobError(.notRunning, "no run of “\(identifier)” goes on; launch one before")
        }
    }

    @MainActor
    private func perform(_ task: SimulatedTask, _ handler: @escaping BackgroundJobHandler) {
        guard let host = host() else { return }
        let run = BackgroundJobRun(task.request, mainLoop: host.mainLoop, driver: SimulatedJobDriver(task: task))
        task.expirationHandler = { run.expire() }
        run.perform(handler, on: host)
    }
}

/// What a run of Apus's API does to the device's task.
private struct SimulatedJobDriver: BackgroundJobDriver {
    let task: SimulatedTask

    var timeRemaining: Duration? { task.timeRemaining }
    func completed(success: Bool) { task.setCompleted(success: success) }
    func progressed(completed: Int64, total: Int64) { task.report(completed: completed, of: total) }
    func updated(title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}
