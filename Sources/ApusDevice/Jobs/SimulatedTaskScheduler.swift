public import ApusBackground

/// Background jobs on a simulated phone: requests that wait, the rules that decide when they run, and the runs.
///
/// Requests belong to the device: they wait although the app's process has ended, which is started for them. Handlers
/// belong to a process: each one registers them while it is launched. The system examines the pending requests at
/// opportunities, ``SystemPolicy/Jobs/opportunitySpacing`` apart; ``obstacles(for:)`` says what stands in the way, and
/// ``report`` what has happened.
///
/// For the app, it is a `BackgroundJobScheduler`, as on every system, with errors. The simulated `BGTaskScheduler` is
/// about the same requests and handlers; what a phone raises an exception for is a ``Fault`` there.
///
/// While a job runs, the app is not suspended, and the time of its background tasks stands still; about the latter the
/// sources are silent. All members may be used from any thread.
public final class SimulatedTaskScheduler: Sendable {
    /// Does the work. This type translates for tests and apps, and has no state of its own.
    let system: JobSystem

    package init(_ surroundings: PartSurroundings) { system = JobSystem(surroundings) }

    // MARK: What a test reads

    /// The obstacles to a job now, the factors of the device and the user's habits included; empty when it
    /// runs at the next opportunity.
    public func obstacles(for identifier: String) -> [BackgroundJobObstacle] {
        system.machine.obstacles(for: identifier, now: system.now)
    }

    /// The requests whose runs have not begun, in the order of their submission; with
    /// ``SystemPolicy/Jobs/listsRunningAsPending`` those whose runs are in progress come first.
    public func pendingRequests() -> [BackgroundJobRequest] { system.machine.pending }

    /// The runs in progress, in the order of their beginning.
    public var running: [SimulatedTask] { system.runs.all }

    /// All runs, in the order of their beginning.
    public var history: [BackgroundJobRecord] { system.machine.records }

    /// How many jobs ran, when, and why the others did not.
    public var report: BackgroundJobReport { system.machine.report(now: system.now) }

    // MARK: What the user and a debugger do

    /// The user cancels continued work, soon; see ``SimulatedDevice/cancelJob(_:)``.
    func cancelByUser(_ identifier: String) {
        system.surroundings.log(.user, .control("cancel \(identifier)"))
        let isQueued = system.machine.book.entry(identifier)?.request.isContinued == true
        if isQueued { system.withdraw(by: .user) { $0.identifier == identifier } }
        let isRunning = system.expireSoon { $0.identifier == identifier && $0.isContinued }
        if !isQueued, !isRunning { system.warn("there is no continued job \(identifier) that could be cancelled") }
    }

    /// The debugger's `_simulateLaunchForTaskWithIdentifier:`: the run of a pending request begins with the next step of
    /// time, whatever the rules say. Without such a request it is a warning in the log.
    package func makeDue(_ identifier: String) {
        if !system.beginSoon(identifier) { warnOfNoRequest(identifier) }
    }

    /// The debugger's `_simulateExpirationForTaskWithIdentifier:`: a run expires with the next step of time. Without one
    /// it is a warning in the log.
    package func expire(_ identifier: String) {
        if !system.expireSoon(where: { $0.identifier == identifier }) { warnOfNoRequest(identifier) }
    }

    private func warnOfNoRequest(_ identifier: String) {
        system.warn("No task request with identifier \(identifier) has been scheduled")
    }
}

extension SimulatedTaskScheduler: DevicePart {
    package func appInstalled(_ app: InstalledApp) { system.appInstalled(app.manifest) }
    package func appLaunched(toForeground: Bool) { system.appLaunched() }
    package func appFinishedLaunching() { system.appFinishedLaunching() }
    package func appSettled() { system.appSettled() }
    package func appForceQuit() { system.appForceQuit() }
    package func processEnded() { system.processEnded() }
    package func deviceRebooting() { system.deviceRebooting() }
    package func deviceChanged(to scene: DeviceScene) { system.deviceChanged(to: scene) }
    package func policyChanged(_ policy: SystemPolicy) { system.policyChanged(policy.jobs) }
    package func deviceGone() { system.deviceGone() }
    package var limits: [ProcessLimit] { system.runs.limits }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        pendingRequests().map { StepChoice(4, .launchJob($0.identifier)) }
            + running.map { StepChoice(4, .expireJob($0.identifier)) }
    }
}

/// For apps that use Apus: what it offers on every system, with errors.
extension SimulatedTaskScheduler: BackgroundJobDebugging {
    /// Says who does the work of an identifier, in the process that runs. The handler runs as a task of the process.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `invalidArgument`, `notPermitted`, `alreadyRegistered`, or
    ///   `registeredTooLate` when the app's launch is over (when the closure that `install` was given has returned).
    public func register(_ identifier: String, handler: @escaping BackgroundJobHandler) throws(BackgroundJobError) {
        guard !identifier.isEmpty else {
            throw BackgroundJobError(
                code: .invalidArgument, message: "`identifier` is empty; pass a name like com.example.app.refresh")
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
                code: .notPermitted,
                message: "“\(identifier)” is not declared; add it to BGTaskSchedulerPermittedIdentifiers")
        case .already:
            throw BackgroundJobError(
                code: .alreadyRegistered,
                message: "there is a handler for “\(identifier)” already; register each one once")
        case .tooLate:
            throw BackgroundJobError(
                code: .registeredTooLate,
                message:
                    "the handler for “\(identifier)” comes when the launch is over; register it while the app is made")
        case .noProcess:
            throw BackgroundJobError(
                code: .registeredTooLate, message: "no app runs; register “\(identifier)” in the app's process")
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
            throw BackgroundJobError(
                code: .notPending, message: "no request for “\(identifier)” is pending; submit one before")
        }
    }

    /// Lets a run expire soon.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        if !system.expireSoon(where: { $0.identifier == identifier }) {
            throw BackgroundJobError(
                code: .notRunning, message: "no run of “\(identifier)” is in progress; launch one before")
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

/// Forwards a run of Apus's API to the device's task.
private struct SimulatedJobDriver: BackgroundJobDriver {
    let task: SimulatedTask

    var timeRemaining: Duration? { task.timeRemaining }
    func completed(success: Bool) { task.setCompleted(success: success) }
    func progressed(completed: Int64, total: Int64) { task.report(completed: completed, of: total) }
    func updated(title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}

extension Fault.Rule {
    /// A handler was registered when the app's launch was over.
    ///
    /// NSInternalInconsistencyException, "All launch handlers must be registered before application finishes launching":
    /// github.com/microsoftconnect/ms-intune-app-sdk-ios/issues/132; BGTaskScheduler.h
    public static let lateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.lateLaunchHandler")

    /// A second handler was registered for an identifier.
    ///
    /// "Launch handler for task with identifier X has already been registered":
    /// github.com/transistorsoft/transistor-background-fetch/issues/14; BGTaskScheduler.h: the app is killed
    public static let duplicateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.duplicateLaunchHandler")

    /// A request was submitted for whose identifier there is no handler.
    ///
    /// "No launch handler registered for task with identifier X":
    /// github.com/wordpress-mobile/WordPress-iOS/issues/18156
    public static let noLaunchHandler = Fault.Rule("NSInternalInconsistencyException.noLaunchHandler")

    /// A background job was not completed when its time was over.
    ///
    /// Apple, documentation/backgroundtasks/bgtask/settaskcompleted(success:)
    public static let jobNotCompleted = Fault.Rule("jobNotCompleted")

    /// The app computed for too long in the background.
    ///
    /// github.com/transistorsoft/react-native-background-fetch/issues/323
    public static let tooMuchCPU = Fault.Rule("tooMuchCPU")
}
