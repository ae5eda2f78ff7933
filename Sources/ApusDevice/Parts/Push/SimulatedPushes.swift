import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The silent pushes of a simulated phone. While the app handles one, it is not suspended, and the time of its
/// background tasks stands still. From any thread.
package final class SimulatedPushes: Sendable {
    /// Gets a push, and the number with which ``complete(_:)`` says that it was handled.
    package typealias Handler = @MainActor @Sendable (SilentPush) -> Void

    private struct State {
        var machine: PushMachine
        var handler: Handler?
        /// When a run's time is over.
        var deadline: ScheduledTimer?
        /// When what is held may start the app.
        var free: ScheduledTimer?
        var keepsAwake = false
    }

    private let surroundings: PartSurroundings
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        let policy = surroundings.policy
        let machine = PushMachine(hourlyLimit: policy.pushesPerHour, lowBattery: policy.jobs.lowBattery)
        state = Locked(State(machine: machine))
    }

    // MARK: The app

    /// Whether the app wants pushes. It outlives the app's processes.
    package var isRegistered: Bool {
        get { state.withLock { $0.machine.isRegistered } }
        set { if !surroundings.isAppDead() { state.withLock { $0.machine.isRegistered = newValue } } }
    }

    /// What handles a push, on the main loop. It goes with the app's process.
    package var onPush: Handler? {
        get { state.withLock { $0.handler } }
        set { if !surroundings.isAppDead() { state.exchange(\.handler, with: newValue) } }
    }

    /// The app has handled a push.
    package func complete(_ number: Int) {
        guard !surroundings.isAppDead() else { return }
        guard state.withLock({ $0.machine.complete(number) }) else {
            return surroundings.log(.system, .warning("the silent push was completed before, or is over"))
        }
        surroundings.log(.app, .push("completed"))
        runsChanged()
    }

    // MARK: The device

    @MainActor
    func receive(_ fields: [String: String]) {
        let (now, scene) = (now, surroundings.scene)
        let action = state.withLock { $0.machine.receive(fields, scene, now: now) }
        switch action {
        case .discard(let why): surroundings.log(.system, .push("discarded: \(why)"))
        case .hold(let reasons, let replacesOther):
            if replacesOther { surroundings.log(.system, .push("discarded: a newer one came")) }
            surroundings.log(.system, .push("held: \(reasons.joined(separator: ", "))"))
            waitUntilFree()
        case .deliver, .wake: perform(action)
        }
    }

    private func discardAll() {
        if state.withLock({ $0.machine.processEnded() }) {
            surroundings.log(.system, .push("discarded: the app was ended"))
        }
        runsChanged()
    }

    /// Outside the lock: what the handler captured may do anything when it goes.
    private func releaseHandler() { state.exchange(\.handler, with: nil) }

    // MARK: Handing over

    /// Looks at the push that is held.
    @MainActor
    private func reconsider() {
        let (now, scene) = (now, surroundings.scene)
        guard let action = state.withLock({ $0.machine.next(scene, now: now) }) else { return }
        if case .hold = action { waitUntilFree() } else { perform(action) }
    }

    @MainActor
    private func perform(_ action: PushMachine.Action) {
        let isWake = action == .wake
        let now = now
        // First, because what follows from a start of the app comes back here.
        state.withLock { $0.machine.begin(countsAsWake: isWake, now: now) }
        if isWake, !surroundings.wake(.push, false) {
            surroundings.log(.system, .push("discarded: the app could not be started"))
            _ = state.withLock { $0.machine.processEnded() }
            return
        }
        runsChanged()
        if surroundings.scene.isAppAtRest { handOver() }
    }

    /// The app has arrived where it was going.
    @MainActor
    private func handOver() {
        guard let mainLoop = surroundings.mainLoop() else { return }
        for push in state.withLock({ $0.machine.handOver() }) {
            surroundings.log(.system, .push("handed over"))
            mainLoop.run { [weak self] in
                guard let self else { return }
                if let handler = onPush {
                    handler(push)
                } else {
                    surroundings.log(.system, .warning("the app does not handle silent pushes"))
                    complete(push.number)
                }
            }
        }
    }

    private func runsChanged() {
        let keepAwake: Bool? = state.withLock { state in
            let end = state.machine.end
            let next = end.map { end in
                surroundings.engine.schedule(at: UptimeInstant(nanoseconds: end)) { [weak self] in
                    MainActor.assumeIsolated { self?.endOverdue() }
                }
            }
            state.deadline.replace(with: next)
            defer { state.keepsAwake = end != nil }
            return state.keepsAwake == (end != nil) ? nil : end != nil
        }
        if let keepAwake { surroundings.keepAwake(.remoteNotification, keepAwake) }
    }

    private func waitUntilFree() {
        let now = now
        state.withLock { state in
            let free = state.machine.held == nil ? nil : state.machine.freeAgain(now: now)
            let next = free.map { free in
                surroundings.engine.schedule(at: free) { [weak self] in
                    MainActor.assumeIsolated { self?.reconsider() }
                }
            }
            state.free.replace(with: next)
        }
    }

    // MARK: Too late

    /// Ends the process if a push was not handled in time and the app is not in front.
    func endOverdue() {
        let now = now
        let overdue = state.withLock { $0.machine.takeOverdue(now: now) }
        guard !overdue.isEmpty, let host = surroundings.host, !host.process.isEnded else { return }
        runsChanged()
        guard !surroundings.scene.isAppInFront else {
            return surroundings.log(.system, .warning("a silent push was not completed in time"))
        }
        surroundings.fault(
            Fault(.pushNotCompleted, "call the completion handler of a silent push within 30 s"))
        host.end("\(TerminationCode.fetchTimeout): a silent push was not completed in time")
    }

    private var now: DeviceMoment { DeviceMoment(surroundings.time) }
}

extension SimulatedPushes: DevicePart {
    package func appInstalled(_ app: InstalledApp) {
        let isDeclared = app.manifest.backgroundModes.contains(.remoteNotification)
        state.withLock { $0.machine.appInstalled(isModeDeclared: isDeclared) }
    }

    package func appSettled() { handOver() }
    package func appForceQuit() { discardAll() }

    package func processEnded() {
        releaseHandler()
        discardAll()
    }

    package func deviceChanged(to scene: DeviceScene) { reconsider() }
    package func deviceGone() { releaseHandler() }

    package var limits: [ProcessLimit] {
        state.withLock { $0.machine.end }.map { [ProcessLimit(instant: $0, apply: endOverdue)] } ?? []
    }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        isRegistered ? [StepChoice(3, .receivePush)] : []
    }
}

extension Fault.Rule {
    /// A silent push was not handled in time.
    ///
    /// Apple, documentation/usernotifications/pushing-background-updates-to-your-app: within 30 seconds
    public static let pushNotCompleted = Fault.Rule("pushNotCompleted")
}
