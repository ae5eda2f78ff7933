import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The silent pushes of a simulated phone.
///
/// While the app handles a push, it is not suspended, and the time of its background tasks does not run. All members
/// may be used from any thread.
package final class SimulatedPushes: Sendable {
    /// A closure that is called with a push; when the app has handled the push, its number is passed to
    /// ``complete(_:)``.
    package typealias Handler = @MainActor @Sendable (SilentPush) -> Void

    private struct State {
        var machine: PushMachine
        var handler: Handler?
        /// The timer for the instant by which the first push must be handled.
        var deadline: ScheduledTimer?
        /// The timer for the instant from which the held push may start the app.
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

    /// Whether the app has registered for pushes; the registration outlives the app's processes.
    package var isRegistered: Bool {
        get { state.withLock { $0.machine.isRegistered } }
        set { if !surroundings.isAppDead() { state.withLock { $0.machine.isRegistered = newValue } } }
    }

    /// Called on the main loop with each push for the app; released when the app's process ends.
    package var onPush: Handler? {
        get { state.withLock { $0.handler } }
        set { if !surroundings.isAppDead() { state.exchange(\.handler, with: newValue) } }
    }

    /// Notes that the app has handled a push.
    package func complete(_ number: Int) {
        guard !surroundings.isAppDead() else { return }
        guard state.withLock({ $0.machine.complete(number) }) else {
            return surroundings.log(.system, .warning("the silent push was already completed, or its time is over"))
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
            if replacesOther { surroundings.log(.system, .push("discarded: a newer push came")) }
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

    /// Releases the handler outside the lock, because the deinitializers of captured values may run any code.
    private func releaseHandler() { state.exchange(\.handler, with: nil) }

    // MARK: Handing over

    /// Starts the app for the held push, or passes the push to it, if that is permitted by now.
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
        // The handling begins before the app is started, because the start notifies this part, which would otherwise
        // handle the push again.
        state.withLock { $0.machine.begin(countsAsWake: isWake, now: now) }
        if isWake, !surroundings.wake(.push, false) {
            surroundings.log(.system, .push("discarded: the app could not be started"))
            _ = state.withLock { $0.machine.processEnded() }
            return
        }
        runsChanged()
        if surroundings.scene.isAppAtRest { handOver() }
    }

    /// Passes the pushes to the app; the caller has checked that the app is not changing its state.
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
            surroundings.arm(&state.deadline, at: end.map(UptimeInstant.init(nanoseconds:))) { [weak self] in
                MainActor.assumeIsolated { self?.endOverdue() }
            }
            defer { state.keepsAwake = end != nil }
            return state.keepsAwake == (end != nil) ? nil : end != nil
        }
        if let keepAwake { surroundings.keepAwake(.remoteNotification, keepAwake) }
    }

    private func waitUntilFree() {
        let now = now
        state.withLock { state in
            let free = state.machine.held == nil ? nil : state.machine.freeAgain(now: now)
            surroundings.arm(&state.free, at: free) { [weak self] in
                MainActor.assumeIsolated { self?.reconsider() }
            }
        }
    }

    // MARK: Overdue pushes

    /// Ends the process if a push was not handled in time and the app is not in the foreground.
    func endOverdue() {
        let now = now
        let overdue = state.withLock { $0.machine.takeOverdue(now: now) }
        guard !overdue.isEmpty, let host = surroundings.host, !host.process.isEnded else { return }
        runsChanged()
        guard !surroundings.scene.isAppInFront else {
            return surroundings.log(.system, .warning("a silent push was not completed in time"))
        }
        surroundings.fault(
            Fault(
                .pushNotCompleted, "a silent push was not completed in time; call its completion handler within 30 s"))
        host.end("\(TerminationCode.fetchTimeout): a silent push was not completed in time")
    }

    private var now: ClockReading { ClockReading(surroundings.time) }
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

/// A silent push, as the app receives it.
package struct SilentPush: Sendable, Hashable, Codable {
    /// The number that identifies the push on the device.
    package let number: Int
    /// The fields that the server has added to the payload.
    package let fields: [String: String]
}

/// Decides when one app receives its silent pushes: a pure state machine.
///
/// A push is *held* until the system starts or resumes the app for it, then *handed over*, and *handled* when the app
/// says so. At most one push is held, the newest. The rules for low battery, low-power mode and the user's settings are
/// from the notes on WWDC20 10063. All other rules except the limits are from Apple,
/// documentation/usernotifications/pushing-background-updates-to-your-app.
struct PushMachine {
    /// A push that the app must handle.
    struct Run: Equatable {
        let push: SilentPush
        /// The instant by which the push must be handled, in nanoseconds of uptime.
        let end: UInt64
        var isHandedOver = false
    }

    enum Action: Equatable {
        /// Hand the push over to the app, which is in the foreground.
        case deliver
        /// Start or resume the app for the push.
        case wake
        /// Keep the push, in place of an earlier one that is held.
        case hold(reasons: [String], replacesOther: Bool)
        /// Drop the push for this reason, so that the app never receives it.
        case discard(String)
    }

    private static let hour: Duration = .seconds(3_600)

    private let hourlyLimit: Int
    private let timeLimit: UInt64
    private let lowBattery: Double
    var isRegistered = false
    private var isModeDeclared = false
    private var lastNumber = 0
    private(set) var held: SilentPush?
    /// The latest instants at which a push started or resumed the app; at most as many as are permitted within an hour.
    private var wakes: [ContinuousInstant] = []
    private(set) var runs: [Run] = []

    /// Creates the machine of a device.
    ///
    /// - Parameters:
    ///   - hourlyLimit: The number of pushes that start or resume the app within an hour.
    ///   - lowBattery: The charge at or below which no push starts the app.
    ///   - timeLimit: The time for handling a push, in nanoseconds of uptime; Apple says 30 seconds.
    init(hourlyLimit: Int, lowBattery: Double, timeLimit: UInt64 = 30_000_000_000) {
        (self.hourlyLimit, self.timeLimit, self.lowBattery) = (max(0, hourlyLimit), timeLimit, lowBattery)
    }

    mutating func appInstalled(isModeDeclared: Bool) { self.isModeDeclared = isModeDeclared }

    // MARK: Receiving

    mutating func receive(_ fields: [String: String], _ scene: DeviceScene, now: ClockReading) -> Action {
        lastNumber += 1
        guard isRegistered else { return .discard("the app has not registered for remote notifications") }
        if !scene.isAppInFront {
            guard isModeDeclared else { return .discard("the app does not declare the mode remote-notification") }
            guard !scene.wasForceQuit else { return .discard("the user has removed the app from the switcher") }
        }
        let other = held
        held = SilentPush(number: lastNumber, fields: fields)
        let action = decide(scene, now: now)
        guard case .hold(let reasons, _) = action else { return action }
        return .hold(reasons: reasons, replacesOther: other != nil)
    }

    /// Returns the action for the held push; `nil` if there is none.
    func next(_ scene: DeviceScene, now: ClockReading) -> Action? {
        held == nil ? nil : decide(scene, now: now)
    }

    private func decide(_ scene: DeviceScene, now: ClockReading) -> Action {
        if scene.isAppInFront { return .deliver }
        let reasons = obstacles(scene, now: now)
        return reasons.isEmpty ? .wake : .hold(reasons: reasons, replacesOther: false)
    }

    private func obstacles(_ scene: DeviceScene, now: ClockReading) -> [String] {
        var reasons: [String] = []
        func add(_ reason: String, if isThere: Bool) { if isThere { reasons.append(reason) } }
        add("the device has not been unlocked since it was started", if: !scene.wasUnlockedSinceBoot)
        add("the app is being ended", if: scene.isAppEnding)
        add("background refresh is off", if: !scene.isBackgroundRefreshOn)
        add("the battery is low", if: scene.conditions.batteryLevel.map { $0 <= lowBattery } ?? false)
        add("low-power mode", if: scene.conditions.isLowPowerMode == true)
        add("too many pushes within an hour", if: hourlyLimit == 0 || freeAgain(now: now) != nil)
        return reasons
    }

    /// Returns the instant at which another push may start the app; `nil` if a push may start it now.
    func freeAgain(now: ClockReading) -> ContinuousInstant? {
        let recent = wakes.suffix(hourlyLimit)
        guard recent.count == hourlyLimit, let first = recent.first else { return nil }
        let free = first.advanced(by: Self.hour)
        return free > now.continuous ? free : nil
    }

    // MARK: Handling

    /// Begins the handling of the held push.
    mutating func begin(countsAsWake: Bool, now: ClockReading) {
        guard let push = held.take() else { return }
        if countsAsWake { wakes = wakes.suffix(max(0, hourlyLimit - 1)) + [now.continuous] }
        runs.append(Run(push: push, end: now.uptime.nanoseconds + timeLimit))
    }

    /// Returns the pushes that are to be handed over now, each of them once.
    mutating func handOver() -> [SilentPush] {
        defer { for index in runs.indices { runs[index].isHandedOver = true } }
        return runs.filter { !$0.isHandedOver }.map(\.push)
    }

    /// Notes that a push was handled; returns false if it was handled before, or if its time is over.
    mutating func complete(_ number: Int) -> Bool {
        guard let index = runs.firstIndex(where: { $0.push.number == number }) else { return false }
        runs.remove(at: index)
        return true
    }

    /// The instant by which the first push must be handled.
    var end: UInt64? { runs.map(\.end).min() }

    /// Removes and returns the pushes whose time is over.
    mutating func takeOverdue(now: ClockReading) -> [Run] {
        defer { runs.removeAll { $0.end <= now.uptime.nanoseconds } }
        return runs.filter { $0.end <= now.uptime.nanoseconds }
    }

    /// Drops all pushes, because the app was ended; returns true if one was held.
    mutating func processEnded() -> Bool {
        runs = []
        return held.take() != nil
    }
}
