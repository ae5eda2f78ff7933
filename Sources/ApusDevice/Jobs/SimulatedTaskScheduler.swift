public import ApusBackground

/// Background jobs on a simulated phone: pending requests, the rules that decide when they run, and the runs.
///
/// Requests belong to the device: they stay pending when the app's process has ended, and the system starts the app for
/// them. Handlers belong to a process: each process registers them while it is launched. The system examines the
/// pending requests at opportunities, ``SystemPolicy/Jobs/opportunitySpacing`` apart. ``obstacles(for:)`` returns the
/// reasons for which a job does not run now, and ``report`` has the past runs.
///
/// The app uses this type as a `BackgroundJobScheduler`, as on every system; its mistakes are then thrown as errors. An
/// app can also use the simulated `BGTaskScheduler`, which has the same requests and handlers. A mistake for which a
/// phone raises an exception is then a ``Fault``.
///
/// While a job runs, the app is not suspended, and the time of its background tasks does not run. That this time stops
/// is a choice, because no source mentions it. All members may be used from any thread.
public final class SimulatedTaskScheduler: Sendable {
    /// The implementation; this type only adapts it to tests and apps, and has no state of its own.
    let system: JobSystem

    package init(_ surroundings: PartSurroundings) { system = JobSystem(surroundings) }

    // MARK: Reading by a test

    /// Returns the obstacles to a job now, including the device's conditions and the user's habits.
    ///
    /// There are none if the job runs at the next opportunity.
    public func obstacles(for identifier: String) -> [BackgroundJobObstacle] {
        system.machine.obstacles(for: identifier, now: system.now)
    }

    /// Returns the requests whose runs have not begun, in the order of their submission.
    ///
    /// With ``SystemPolicy/Jobs/listsRunningAsPending``, the requests of runs in progress come first.
    public func pendingRequests() -> [BackgroundJobRequest] { system.machine.pending }

    /// The runs in progress, in the order in which they began.
    public var running: [SimulatedTask] { system.runs.all }

    /// All runs, in the order in which they began.
    public var history: [BackgroundJobRecord] { system.machine.records }

    /// The runs, the refused submissions, and the reasons for which pending requests wait.
    public var report: BackgroundJobReport { system.machine.report(now: system.now) }

    // MARK: Controls of the user and of a debugger

    /// The user cancels continued work at the next step of time; see ``SimulatedDevice/cancelJob(_:)``.
    func cancelByUser(_ identifier: String) {
        system.surroundings.log(.user, .control("cancel \(identifier)"))
        let isQueued = system.machine.book.entry(identifier)?.request.isContinued == true
        if isQueued { system.withdraw(by: .user) { $0.identifier == identifier } }
        let isRunning = system.expireSoon { $0.identifier == identifier && $0.isContinued }
        if !isQueued, !isRunning { system.warn("there is no continued job \(identifier) to cancel") }
    }

    /// Begins the run of a pending request at the next step of time, regardless of the rules.
    ///
    /// It is the debugger's `_simulateLaunchForTaskWithIdentifier:`. Without such a request, it only logs a warning.
    package func makeDue(_ identifier: String) {
        if !system.beginSoon(identifier) { warnOfNoRequest(identifier) }
    }

    /// Expires a run at the next step of time.
    ///
    /// It is the debugger's `_simulateExpirationForTaskWithIdentifier:`. Without a run, it only logs a warning.
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

/// The interface for apps that use Apus; it throws errors where a phone raises exceptions.
extension SimulatedTaskScheduler: BackgroundJobDebugging {
    /// Registers the handler for an identifier in the running process; it is called as a task of the process.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `invalidArgument`, `notPermitted`,
    ///   `alreadyRegistered`, or `registeredTooLate` if the app's launch is over (the closure that was passed to
    ///   `install` has returned).
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
                message: "“\(identifier)” has a handler already; register each identifier once")
        case .tooLate:
            throw BackgroundJobError(
                code: .registeredTooLate,
                message: "the launch is over; register the handler for “\(identifier)” while the app launches")
        case .noProcess:
            throw BackgroundJobError(
                code: .registeredTooLate, message: "no app is running; register “\(identifier)” in the app's process")
        }
    }

    /// Requests a run, and replaces a pending request with the same identifier; returns without suspension.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `invalidArgument`, `notRegistered`,
    ///   `unavailable`, `tooManyPending`, `notPermitted` or `cannotStartNow`.
    public func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError) {
        try system.submit(request)
    }

    /// Withdraws a pending request, if there is one; a run that has begun continues.
    public func cancel(_ identifier: String) async { cancelRequest(identifier) }

    /// Withdraws all pending requests.
    public func cancelAll() async { cancelAllRequests() }

    /// Returns the same as ``pendingRequests()``.
    public func pending() async -> [BackgroundJobRequest] { pendingRequests() }

    /// Begins the run of a pending request at the next step of time, regardless of the rules.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `notPending`.
    public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
        if !system.beginSoon(identifier) {
            throw BackgroundJobError(
                code: .notPending, message: "no request for “\(identifier)” is pending; submit one first")
        }
    }

    /// Expires a run at the next step of time.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `notRunning`.
    public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
        if !system.expireSoon(where: { $0.identifier == identifier }) {
            throw BackgroundJobError(
                code: .notRunning, message: "no run of “\(identifier)” is in progress; launch one first")
        }
    }
}

/// The interface for the simulated `BGTaskScheduler`, with faults where a phone raises an exception.
extension SimulatedTaskScheduler {
    /// Registers the handler for an identifier, as `BGTaskScheduler.register` does.
    ///
    /// A second handler for an identifier is the fault ``Fault/Rule/duplicateLaunchHandler``. A handler that is
    /// registered after the launch (the closure that was passed to `install` has returned) is the fault
    /// ``Fault/Rule/lateLaunchHandler``.
    ///
    /// Handlers of continued work may be registered later (BGTaskScheduler.h). The kind of a handler's jobs is not
    /// known here, so the manifest decides: an identifier that only a wildcard declares is for continued work, and so
    /// is every identifier if the app declares neither of the modes `fetch` and `processing`.
    ///
    /// - Parameters:
    ///   - identifier: An identifier that the manifest declares, by itself or with a wildcard.
    ///   - place: The place of the call, as `Module/File.swift:12`, for faults.
    ///   - launchHandler: Called on the process's main loop when a run begins. It must complete the task, now or later.
    /// - Returns: True if the handler was registered; otherwise false, for example if the manifest does not declare the
    ///   identifier.
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
        case .noProcess: system.warn("no app is running, so the launch handler for \(identifier) is not registered")
        }
        return false
    }

    /// Requests a run, and replaces a pending request with the same identifier, as `BGTaskScheduler.submit` does.
    ///
    /// A request without a handler for its identifier is the fault ``Fault/Rule/noLaunchHandler``, and is ignored.
    ///
    /// - Throws: ``/ApusBackground/BackgroundJobError`` with the code `invalidArgument`, `unavailable`, `notPermitted`,
    ///   `tooManyPending` or `cannotStartNow`.
    package func submitRequest(_ request: BackgroundJobRequest, place: String? = nil) throws(BackgroundJobError) {
        do { try system.submit(request) } catch {
            guard error.code == .notRegistered else { throw error }
            system.surroundings.fault(
                Fault(
                    .noLaunchHandler, "No launch handler registered for task with identifier \(request.identifier)",
                    place: place))
        }
    }

    /// Withdraws a pending request, if there is one.
    ///
    /// A run that has begun continues, because no source says that it is stopped.
    package func cancelRequest(_ identifier: String) { system.withdraw { $0.identifier == identifier } }

    /// Withdraws all pending requests.
    package func cancelAllRequests() { system.withdraw { _ in true } }
}

/// Forwards the calls of a `BackgroundJobRun` to the device's task.
private struct SimulatedJobDriver: BackgroundJobDriver {
    let task: SimulatedTask

    var timeRemaining: Duration? { task.timeRemaining }
    func completed(success: Bool) { task.setCompleted(success: success) }
    func progressed(completed: Int64, total: Int64) { task.report(completed: completed, of: total) }
    func updated(title: String, subtitle: String) { task.updateTitle(title, subtitle: subtitle) }
}

extension Fault.Rule {
    /// A handler was registered after the app's launch.
    ///
    /// NSInternalInconsistencyException, "All launch handlers must be registered before application finishes launching":
    /// github.com/microsoftconnect/ms-intune-app-sdk-ios/issues/132; BGTaskScheduler.h
    public static let lateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.lateLaunchHandler")

    /// A second handler was registered for an identifier.
    ///
    /// "Launch handler for task with identifier X has already been registered":
    /// github.com/transistorsoft/transistor-background-fetch/issues/14; BGTaskScheduler.h: the app is killed
    public static let duplicateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.duplicateLaunchHandler")

    /// A request was submitted without a handler for its identifier.
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
