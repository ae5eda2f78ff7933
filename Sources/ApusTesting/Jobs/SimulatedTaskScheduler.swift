public import ApusJobs
import ApusTimers

/// Background jobs on a simulated phone: requests that wait, the rules that decide when they run, and the runs.
///
/// Requests belong to the device: they wait although the app's process has ended, which is started for them. Handlers
/// belong to a process: each one registers them while it is launched. The system looks at the pending requests at
/// opportunities, ``SystemPolicy/Jobs/opportunitySpacing`` apart; ``whyNot(_:)`` says what stands in the way, and
/// ``report`` what has happened.
///
/// For the app, it is a `BackgroundJobScheduler`, as on every system, with errors. The simulated `BGTaskScheduler` is
/// about the same requests and handlers; what a phone raises an exception for is a ``Fault`` there.
///
/// While a job runs, the app is not suspended, and the time of its background tasks stands still; about the latter the
/// sources are silent. All members may be used from any thread.
public final class SimulatedTaskScheduler: BackgroundJobScheduler {
    struct State {
        var machine: TaskSchedulerMachine
        /// The runs that go on, in the order of their beginning.
        var runs: [SimulatedTask] = []
        /// The next look at the requests that are due.
        var opportunity: ScheduledTimer?
        /// When the first request falls due, if none is.
        var firstDue: ScheduledTimer?
        /// When something happens to a run.
        var nextDeadline: ScheduledTimer?
        /// How often the device was restarted.
        var restarts = 0

        var running: [BackgroundJobRequest] { runs.map(\.request) }
    }

    let state: Locked<State>
    let surroundings: PartSurroundings
    let host: @Sendable () -> SimulatedHost?
    let random: SeededRandom

    /// A scheduler without requests.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - policy: The rules.
    ///   - random: The device's.
    ///   - host: The host of the app's process, if there is one.
    init(
        _ surroundings: PartSurroundings, policy: SystemPolicy.Jobs, random: SeededRandom,
        host: @escaping @Sendable () -> SimulatedHost?
    ) {
        self.surroundings = surroundings
        self.random = random
        self.host = host
        state = Locked(State(machine: TaskSchedulerMachine(policy: policy)))
    }

    var now: DeviceMoment { DeviceMoment(surroundings.time) }

    func log(_ actor: DeviceEvent.Actor, _ identifier: String, _ what: BackgroundJobEvent.What) {
        surroundings.log(actor, .job(BackgroundJobEvent(identifier, what)))
    }

    // MARK: In the form of BGTaskScheduler

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
        switch enter(identifier, launchHandler) {
        case .registered: return true
        case .notPermitted, nil: return false
        case .already:
            surroundings.fault(
                Fault(
                    .duplicateLaunchHandler,
                    "Launch handler for task with identifier \(identifier) has already been registered", place: place))
        case .tooLate:
            surroundings.fault(
                Fault(
                    .lateLaunchHandler,
                    "All launch handlers must be registered before application finishes launching (\(identifier))",
                    place: place))
        case .noProcess:
            surroundings.log(
                .system, .warning("no app runs that could register a launch handler for \(identifier)"))
        }
        return false
    }

    /// Asks for a run, in place of a pending request with the same identifier, as `BGTaskScheduler.submit` does.
    /// Without a handler for the identifier it is a fault, ``Fault/Rule/noLaunchHandler``, and nothing else happens.
    ///
    /// - Throws: ``BackgroundJobError``: `invalidArgument`, `unavailable`, `notPermitted`, `tooManyPending`,
    ///   `cannotStartNow`.
    package func submitRequest(_ request: BackgroundJobRequest, place: String? = nil) throws(BackgroundJobError) {
        switch enter(request) {
        case .submitted, nil: break
        case .refused(let error): throw error
        case .noHandler:
            surroundings.fault(
                Fault(
                    .noLaunchHandler, "No launch handler registered for task with identifier \(request.identifier)",
                    place: place))
        }
    }

    /// Withdraws a pending request; an unknown identifier is ignored. A run that has begun goes on (no source says that
    /// it is stopped).
    package func cancelRequest(_ identifier: String) { withdraw { $0.identifier == identifier } }

    /// Withdraws all pending requests.
    package func cancelAllRequests() { withdraw { _ in true } }

    /// The requests whose runs have not begun, in the order of their submission; with
    /// ``SystemPolicy/Jobs/listsRunningAsPending`` those whose runs go on come first.
    public func pendingRequests() -> [BackgroundJobRequest] {
        state.withLock { state in
            let waiting = state.machine.book.entries.map(\.request)
            return state.machine.policy.listsRunningAsPending ? state.running + waiting : waiting
        }
    }

    // MARK: Entering

    /// Nil when the process has ended: what the rest of a function says has no effect.
    func enter(_ identifier: String, _ handler: @escaping JobRegistrations.Handler) -> JobRegistrations.RegisterAction?
    {
        guard !surroundings.isAppDead() else { return nil }
        return state.withLock { $0.machine.registrations.register(identifier, $0.machine.manifest, handler) }
    }

    /// Nil when the process has ended.
    func enter(_ request: BackgroundJobRequest) -> TaskSchedulerMachine.SubmitAction? {
        guard !surroundings.isAppDead() else { return nil }
        let now = now
        let action = state.withLock { state in
            let action = state.machine.submit(request, running: state.running, now: now)
            waitForOpportunity(&state)
            return action
        }
        switch action {
        case .submitted(let replaced):
            if replaced { log(.app, request.identifier, .replaced) }
            log(.app, request.identifier, .submitted)
            if request.isContinued { beginContinuedSoon() }
        case .refused(let error): log(.system, request.identifier, .refused("\(error.code)"))
        case .noHandler: break
        }
        return action
    }

    func withdraw(by actor: DeviceEvent.Actor = .app, where isWithdrawn: (BackgroundJobRequest) -> Bool) {
        guard actor != .app || !surroundings.isAppDead() else { return }
        let withdrawn = state.withLock { state in
            let withdrawn = state.machine.book.removeAll(where: isWithdrawn)
            waitForOpportunity(&state)
            return withdrawn
        }
        for identifier in withdrawn { log(actor, identifier, .cancelled) }
    }
}
