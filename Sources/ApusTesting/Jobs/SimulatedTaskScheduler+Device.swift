import ApusBackground
import ApusJobs
import ApusTimers

/// What the device tells the scheduler.
extension SimulatedTaskScheduler {
    func policyChanged(_ policy: SystemPolicy.Jobs) { state.withLock { $0.machine.policy = policy } }

    /// An app takes the place of the one that was there. Its requests stay, as with an update.
    func appInstalled(_ manifest: AppManifest) { state.withLock { $0.machine.manifest = manifest } }

    @MainActor
    func device(did event: DeviceSceneEvent, _ scene: DeviceScene) {
        let now = now.wall
        let isPickedUp = state.withLock { state in
            let old = state.machine.scene
            state.machine.scene = scene
            if scene.isAppInFront, !old.isAppInFront { state.machine.habits.opened(at: now) }
            if old.isAppInFront { state.machine.habits.used(at: now) }
            return old.conditions.isIdle == true && scene.conditions.isIdle != true
        }
        if isPickedUp { expireProcessing() }
        switch event {
        case .launched: state.withLock { $0.machine.registrations.launched() }
        case .finishedLaunching: warnOfMissingHandlers()
        case .settled: for task in state.withLock({ $0.runs }) { handOver(task) }
        case .changed: break
        case .forceQuit: dropContinued()
        case .ended: processEnded()
        // Choice: no source says what becomes of it.
        case .rebooting:
            state.withLock { $0.restarts += 1 }
            withdraw(by: .system, where: \.isContinued)
        }
    }

    /// Nothing of the app's may outlive the device.
    func deviceGone() {
        let (runs, handlers) = state.withLock { state in
            defer { state.runs = [] }
            return (state.runs, state.machine.registrations.ended())
        }
        for task in runs { task.abandon() }
        withExtendedLifetime(handlers) {}
    }

    /// Processing is for when nobody uses the device (Apple, documentation/backgroundtasks/bgprocessingtask: the system
    /// terminates it when the user starts using the device; refresh is not affected).
    @MainActor
    private func expireProcessing() {
        for task in state.withLock({ $0.runs }) where task.request.kind.isProcessing { expire(task) }
    }

    private func warnOfMissingHandlers() {
        let missing = state.withLock { $0.machine.registrations.finishedLaunching($0.machine.manifest) }
        for identifier in missing {
            surroundings.log(
                .system,
                .warning("\(identifier) is declared and has no launch handler; each one needs one in every launch"))
        }
    }

    /// Closing the app in the switcher ends continued work without any callback (Apple,
    /// documentation/backgroundtasks/performing-long-running-tasks-on-ios-and-ipados).
    private func dropContinued() {
        withdraw(by: .system, where: \.isContinued)
        for task in state.withLock({ $0.runs }) where task.request.isContinued {
            task.abandon()
            log(.system, task.identifier, .ended("force quit"))
            over(task, .killed("force quit"))
        }
    }

    private func processEnded() {
        let why = host()?.endReason ?? "the process ended"
        let (runs, handlers) = state.withLock { ($0.runs, $0.machine.registrations.ended()) }
        for task in runs {
            task.abandon()
            log(.system, task.identifier, .ended("the process ended"))
            over(task, .killed(why))
        }
        // Released outside the lock: what they captured may do anything when it goes.
        withExtendedLifetime(handlers) {}
    }
}
