public import ApusJobs
import ApusTimers

/// What the user, a developer with a debugger, and a test do and see.
extension SimulatedTaskScheduler {
    /// The user cancels continued work, as with the button of its Live Activity: a run expires, work that waits is
    /// withdrawn. It takes effect with the next step of time.
    public func cancelByUser(_ identifier: String) {
        surroundings.log(.user, .control("cancel \(identifier)"))
        let isQueued = state.withLock { $0.machine.book.entry(identifier)?.request.isContinued == true }
        if isQueued { withdraw(by: .user) { $0.identifier == identifier } }
        let isRunning = expireSoon { $0.identifier == identifier && $0.request.isContinued }
        if !isQueued, !isRunning {
            surroundings.log(.system, .warning("there is no continued job \(identifier) that could be cancelled"))
        }
    }

    /// The debugger's `_simulateLaunchForTaskWithIdentifier:`: the run of a pending request begins with the next step of
    /// time, whatever the rules say. Without such a request it is a warning in the log.
    public func makeDue(_ identifier: String) {
        if !beginSimulatedSoon(identifier) { warnOfNoRequest(identifier) }
    }

    /// The debugger's `_simulateExpirationForTaskWithIdentifier:`: a run expires with the next step of time. Without one
    /// it is a warning in the log.
    public func expire(_ identifier: String) {
        if !expireSoon(where: { $0.identifier == identifier }) { warnOfNoRequest(identifier) }
    }

    private func warnOfNoRequest(_ identifier: String) {
        surroundings.log(.system, .warning("No task request with identifier \(identifier) has been scheduled"))
    }

    /// What stands in the way of a job now, the factors of the device and the user's habits included; empty when it
    /// runs at the next opportunity.
    public func whyNot(_ identifier: String) -> [BackgroundJobObstacle] {
        let now = now
        return state.withLock { state in
            guard let entry = state.machine.book.entry(identifier) else {
                return state.running.contains { $0.identifier == identifier } ? [.running] : [.notPending]
            }
            return state.machine.obstacles(to: entry, running: state.running, now: now)
        }
    }

    /// The runs that go on, in the order of their beginning.
    public var running: [SimulatedTask] { state.withLock { $0.runs } }

    /// All runs, in the order of their beginning.
    public var history: [BackgroundJobRecord] { state.withLock { $0.machine.records } }

    /// How many jobs ran, when, and why the others did not.
    public var report: BackgroundJobReport {
        let now = now
        return state.withLock { state in
            let waiting = state.machine.book.entries.map { entry in
                BackgroundJobReport.Waiting(
                    request: entry.request,
                    obstacles: state.machine.obstacles(to: entry, running: state.running, now: now))
            }
            return BackgroundJobReport(
                runs: state.machine.records, waiting: waiting, deferrals: state.machine.deferrals)
        }
    }
}
