import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The Live Activities of a simulated phone, which outlive the app's processes.
///
/// An app can begin an activity only while the app is active, or in a `LiveActivityIntent`, and can update and end it
/// in the background too. The system ends an activity after eight hours, and then shows it for four more hours at most.
/// A running app is notified of changes at once, and a suspended app when it is resumed.
///
/// An app begins activities with the module ActivityKit. All members may be used from any thread.
///
/// Rules: Apple, documentation/activitykit/displaying-live-data-with-live-activities.
public final class SimulatedActivities: Sendable {
    private struct State {
        var machine: ActivityMachine
        var limitTimer: ScheduledTimer?
        var staleTimer: ScheduledTimer?
        var isOn = true
        /// Whether the app declares that it has Live Activities.
        var isDeclared = true
    }

    private let surroundings: PartSurroundings
    private let intents: SimulatedIntents
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        intents = surroundings.part(SimulatedIntents.self)
        state = Locked(State(machine: ActivityMachine(limit: surroundings.policy.liveActivityLimit)))
    }

    /// The activities that the user sees on the lock screen, in the order of their beginning.
    public var shown: [DeviceActivity] { all.filter { $0.state != .dismissed } }

    /// All activities so far, in the order of their beginning, including those that were dismissed.
    public var all: [DeviceActivity] { state.withLock { $0.machine.all } }

    /// Whether the user lets the app begin activities; true on a new device.
    ///
    /// ``SimulatedDevice/setLiveActivities(_:)`` changes it.
    public var isOn: Bool { state.withLock { $0.isOn } }

    // MARK: The user

    fileprivate func set(isOn: Bool) {
        let wasOn = state.withLock { state in
            defer { state.isOn = isOn }
            return state.isOn
        }
        if wasOn != isOn { surroundings.send(.enabled(isEnabled), of: Self.self) }
    }

    fileprivate func dismiss(_ id: String) {
        guard let activity = change({ state, _ in state.machine.dismiss(id) }) else {
            return surroundings.log(.system, .warning("the lock screen shows no activity \(id)"))
        }
        report(activity, by: .user)
    }

    // MARK: The app

    private var isEnabled: Bool { state.withLock { $0.isOn && $0.isDeclared } }

    private func begin(_ request: ActivityRequest) -> ActivityReply {
        let isActive = surroundings.host?.phase == .active || intents.mayBeginActivities
        do throws(ActivityRefusal) {
            let activity = try change { state, now throws(ActivityRefusal) in
                guard state.isDeclared else { throw .unsupportedTarget }
                guard state.isOn else { throw .denied }
                return try state.machine.begin(request, isAppActive: isActive, now: now)
            }
            surroundings.note("\(activity.id), \(activity.kind), begins", by: .app)
            surroundings.send(.began(activity), of: Self.self)
            return .activity(activity)
        } catch {
            surroundings.log(.system, .warning("no Live Activity begins: \(error.message)"))
            return .refused(error)
        }
    }

    private func update(_ id: String, with request: ActivityRequest, alert: String?) {
        let update = attempt("\(id) is not updated") { state, _ throws(ActivityRefusal) in
            try state.machine.update(id, with: request)
        }
        guard let (activity, wasStale) = update else { return }
        surroundings.note("\(id) is updated", by: .app)
        surroundings.send(.updated(activity), of: Self.self)
        if wasStale { report(activity, by: .app) }
        if let alert { surroundings.log(.app, .note("Live Activity alerts: \(alert)")) }
        advance()
    }

    private func end(_ id: String, with request: ActivityRequest?, _ dismissal: ActivityDismissal) {
        let activity = attempt("\(id) is not ended") { state, now throws(ActivityRefusal) in
            try state.machine.end(id, with: request, dismissal, now: now)
        }
        guard let activity else { return }
        if request != nil { surroundings.send(.updated(activity), of: Self.self) }
        report(activity, by: .app)
        advance()
    }

    /// Changes a running activity; logs a warning if the activity has ended, or if the content is refused.
    private func attempt<Result>(
        _ failure: String, _ body: (inout State, ClockReading) throws(ActivityRefusal) -> Result?
    ) -> Result? {
        do throws(ActivityRefusal) {
            if let result = try change(body) { return result }
            surroundings.log(.system, .warning("\(failure): it has ended"))
        } catch {
            surroundings.log(.system, .warning("\(failure): \(error.message)"))
        }
        return nil
    }

    private func report(_ activity: DeviceActivity, by actor: DeviceEvent.Actor) {
        let what =
            switch activity.state {
            case .active: "is active"
            case .stale: "is stale"
            case .ended: "has ended"
            case .dismissed: "is dismissed"
            }
        surroundings.note("\(activity.id) \(what)", by: actor)
        surroundings.send(.changed(activity), of: Self.self)
    }

    // MARK: The clocks

    /// Changes the machine, and arms the timers for what is due next.
    private func change<Result, Failure: Error>(
        _ body: (inout State, ClockReading) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = ClockReading(surroundings.time)
        return try state.withLock { state throws(Failure) in
            let result = try body(&state, now)
            surroundings.arm(&state.limitTimer, at: state.machine.nextLimit) { [weak self] in self?.advance() }
            surroundings.arm(&state.staleTimer, at: state.machine.nextStale) { [weak self] in self?.advance() }
            return result
        }
    }

    private func advance() {
        for activity in change({ state, now in state.machine.advance(to: now) }) { report(activity, by: .system) }
    }
}

extension ActivityRefusal {
    /// The reason for the refusal, and the remedy if there is one.
    fileprivate var message: String {
        switch self {
        case .attributesTooLarge: "the attributes and the content have more than \(ActivityMachine.sizeLimit) bytes"
        case .denied: "the user does not allow it (areActivitiesEnabled)"
        case .targetMaximumExceeded: "the app has as many as the device allows"
        case .unsupportedTarget: "the app's Info.plist does not have NSSupportsLiveActivities"
        case .visibility: "the app is not active; request it in the foreground, and only update it in the background"
        }
    }
}

/// A call of the app about its Live Activities.
package enum ActivityCall: Sendable, Codable {
    case isEnabled
    case all
    case begin(ActivityRequest)
    /// Replaces the content, and alerts the user with this text.
    case update(String, ActivityRequest, alert: String?)
    case end(String, ActivityRequest?, ActivityDismissal)
}

package enum ActivityReply: Sendable, Codable {
    case done
    case isEnabled(Bool)
    case activities([DeviceActivity])
    case activity(DeviceActivity)
    case refused(ActivityRefusal)
}

/// A change of which a running app is notified.
package enum ActivityEvent: Sendable, Codable, Hashable {
    case began(DeviceActivity)
    /// The content has changed.
    case updated(DeviceActivity)
    /// The state has changed.
    case changed(DeviceActivity)
    case enabled(Bool)
}

extension SimulatedActivities: DeviceService {
    package typealias Event = ActivityEvent

    package func appInstalled(_ app: InstalledApp) {
        state.withLock { $0.isDeclared = app.manifest.supportsLiveActivities }
    }

    package func answer(_ request: ActivityCall) -> ActivityReply {
        guard !surroundings.isAppDead() else { return .refused(.visibility) }
        switch request {
        case .isEnabled: return .isEnabled(isEnabled)
        case .all: return .activities(all)
        case .begin(let request): return begin(request)
        case .update(let id, let request, let alert): update(id, with: request, alert: alert)
        case .end(let id, let request, let dismissal): end(id, with: request, dismissal)
        }
        return .done
    }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        let ids = shown.map(\.id)
        guard !ids.isEmpty else { return [] }
        return [
            StepChoice(1) { random in
                let id = random.element(of: ids)
                return .control(AppAction("device.dismissActivity(\"\(id)\")") { $0.dismissActivity(id) })
            }
        ]
    }
}

extension SimulatedDevice {
    /// The Live Activities, which outlive the app's processes.
    public var activities: SimulatedActivities { part(SimulatedActivities.self) }

    /// The user removes a Live Activity from the lock screen.
    ///
    /// If the activity is not shown, the control only logs a warning.
    public func dismissActivity(_ id: String) {
        perform("dismiss \(id)") { activities.dismiss(id) }
    }

    /// The user switches the app's Live Activities on or off in the settings.
    ///
    /// Activities that are shown stay, which is a choice.
    public func setLiveActivities(_ isOn: Bool) {
        perform("Live Activities \(isOn ? "on" : "off")") { activities.set(isOn: isOn) }
    }
}
