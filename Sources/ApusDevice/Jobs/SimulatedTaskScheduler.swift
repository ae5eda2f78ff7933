public import ApusBackground

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
public final class SimulatedTaskScheduler: Sendable {
    /// What does it. This type only puts it into the words of tests and apps, and has no state of its own.
    let system: JobSystem

    package init(_ surroundings: PartSurroundings) { system = JobSystem(surroundings) }

    // MARK: What a test reads

    /// What stands in the way of a job now, the factors of the device and the user's habits included; empty when it
    /// runs at the next opportunity.
    public func whyNot(_ identifier: String) -> [BackgroundJobObstacle] {
        system.machine.whyNot(identifier, now: system.now)
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

    /// The user cancels continued work, as with the button of its Live Activity: a run expires, work that waits is
    /// withdrawn. It takes effect with the next step of time.
    public func cancelByUser(_ identifier: String) {
        system.surroundings.log(.user, .control("cancel \(identifier)"))
        let isQueued = system.machine.book.entry(identifier)?.request.isContinued == true
        if isQueued { system.withdraw(by: .user) { $0.identifier == identifier } }
        let isRunning = system.expireSoon { $0.identifier == identifier && $0.isContinued }
        if !isQueued, !isRunning { system.warn("there is no continued job \(identifier) that could be cancelled") }
    }

    /// The debugger's `_simulateLaunchForTaskWithIdentifier:`: the run of a pending request begins with the next step of
    /// time, whatever the rules say. Without such a request it is a warning in the log.
    public func makeDue(_ identifier: String) {
        if !system.beginSoon(identifier) { warnOfNoRequest(identifier) }
    }

    /// The debugger's `_simulateExpirationForTaskWithIdentifier:`: a run expires with the next step of time. Without one
    /// it is a warning in the log.
    public func expire(_ identifier: String) {
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
