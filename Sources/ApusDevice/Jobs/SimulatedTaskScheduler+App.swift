public import ApusBackground

/// For apps that use Apus: what it offers on every system, with errors.
extension SimulatedTaskScheduler: BackgroundJobScheduler {
    /// Says who does the work of an identifier, in the process that runs. The handler runs as a task of the process.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `invalidArgument`, `notPermitted`, `alreadyRegistered`, or
    ///   `registeredTooLate` when the app's launch is over (when the closure that `install` was given has returned).
    public func register(_ identifier: String, _ handler: @escaping BackgroundJobHandler) throws(BackgroundJobError) {
        guard !identifier.isEmpty else {
            throw BackgroundJobError(
                .invalidArgument, "`identifier` is empty; pass a name like com.example.app.refresh")
        }
        let action = system.register(identifier) { [weak system] task in
            guard let host = system?.surroundings.host else { return }
            let run = BackgroundJobRun(task.request, mainLoop: host.mainLoop, driver: SimulatedJobDriver(task: task))
            task.expirationHandler = { run.expire() }
            run.perform(handler, on: host)
        }
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
    /// - Throws: ``/ApusBackground/BackgroundJobError``: `invalidArgument`, `notRegistered`, `unavailable`, `tooManyPending`,
    ///   `notPermitted`, `cannotStartNow`.
    public func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError) {
        try system.submit(request)
    }

    /// Withdraws a pending request; an unknown identifier is no error. A run that has begun continues.
    public func cancel(_ identifier: String) async { cancelRequest(identifier) }

    /// Withdraws all pending requests.
    public func cancelAll() async { cancelAllRequests() }

    /// The same as ``pendingRequests()``.
    public func pending() async -> [BackgroundJobRequest] { pendingRequests() }

    /// Begins the run of a pending request soon, whatever the rules say.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `notPending`.
    public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
        if !system.beginSoon(identifier) {
            throw BackgroundJobError(.notPending, "no request for “\(identifier)” is pending; submit one before")
        }
    }

    /// Lets a run expire soon.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        if !system.expireSoon(where: { $0.identifier == identifier }) {
            throw BackgroundJobError(.notRunning, "no run of “\(identifier)” is in progress; launch one before")
        }
    }
}

/// For the simulated `BGTaskScheduler`: in its form, and with faults for what it raises exceptions for.
extension SimulatedTaskScheduler {
    /// Says who does the work of an identifier, as `BGTaskScheduler.register` does. A second handler for an identifier,
    /// and one that comes when the launch is over (when the closure that `install` was given has returned), are faults:
    /// ``Fault/Rule/duplicateLaunchHandler`` and ``Fault/Rule/lateLaunchHandler``.
    ///
    /// Handlers of continued work may come late (BGTaskScheduler.h). What a handler is for is not known here, so the
    /// manifest decides: an identifier that only a wildcard declares is for continued work, and every one is if the app
    /// declares neither of the modes `fetch` and `processing`.
    ///
    /// - Parameters:
    ///   - identifier: One that the manifest declares, by itself or with a wildcard.
    ///   - place: The calling place, as `Module/File.swift:12`, for faults.
    ///   - launchHandler: Called on the process's main loop when a run begins. It, or what it starts, has to complete
    ///     the task.
    /// - Returns: False when the manifest does not declare the identifier; also when the handler was not registered for
    ///   another reason.
    package func registerLaunchHandler(
        _ identifier: String, place: String? = nil,
        _ launchHandler: @escaping @MainActor @Sendable (SimulatedTask) -> Void
    ) -> Bool {
        switch system.register(identifier, launchHandler) {
        case .registered: return true
        case .notPermitted, nil: return false
        case .already:
            system.surroundings.fault(
                Fault(
                    .duplicateLaunchHandler,
                    "Launch handler for task with identifier \(identifier) has already been registered", place: place))
        case .tooLate:
            system.surroundings.fault(
                Fault(
                    .lateLaunchHandler,
                    "All launch handlers must be registered before application finishes launching (\(identifier))",
                    place: place))
        case .noProcess: system.warn("no app runs that could register a launch handler for \(identifier)")
        }
        return false
    }

    /// Asks for a run, in place of a pending request with the same identifier, as `BGTaskScheduler.submit` does.
    /// Without a handler for the identifier it is a fault, ``Fault/Rule/noLaunchHandler``, and nothing else happens.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError``: `invalidArgument`, `unavailable`, `notPermitted`, `tooManyPending`,
    ///   `cannotStartNow`.
    package func submitRequest(_ request: BackgroundJobRequest, place: String? = nil) throws(BackgroundJobError) {
        do { try system.submit(request) } catch {
            guard error.code == .notRegistered else { throw error }
            system.surroundings.fault(
                Fault(
                    .noLaunchHandler, "No launch handler registered for task with identifier \(request.identifier)",
                    place: place))
        }
    }

    /// Withdraws a pending request; an unknown identifier is ignored. A run that has begun continues (no source says
    /// that it is stopped).
    package func cancelRequest(_ identifier: String) { system.withdraw { $0.identifier == identifier } }

    /// Withdraws all pending requests.
    package func cancelAllRequests() { system.withdraw { _ in true } }
}

/// What a run of Apus's API does to the device's task.
private struct SimulatedJobDriver: BackgroundJobDriver {
    let task: SimulatedTask

    var timeRemaining: Duration? { task.timeRemaining }
    func completed(success: Bool) { task.setCompleted(success: success) }
    func progressed(completed: Int64, total: Int64) { task.report(completed: completed, of: total) }
    func updated(title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}
