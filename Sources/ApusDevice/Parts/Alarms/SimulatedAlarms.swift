import ApusTimers
import ApusVirtualTime
public import Foundation

/// The alarms of a simulated phone, which alert even if the app is suspended or has no process, and after a restart of
/// the device.
///
/// An alarm alerts until the user or the app stops it, because no source says how long a phone lets it ring. The app is
/// not started for an alert, and when the user stops or snoozes one only if the alarm has an intent for that. A running
/// app is notified of changes at once, and a suspended app when it is resumed.
///
/// An app schedules alarms with the module AlarmKit. All members may be used from any thread.
///
/// Rules: Apple, documentation/alarmkit/alarmmanager.
public final class SimulatedAlarms: Sendable {
    private struct State {
        var machine: AlarmMachine
        var beginTimer: ScheduledTimer?
        var endTimer: ScheduledTimer?
        var authorization = AlarmAuthorization.notDetermined
        var userAllows = true
        /// The app's text for the question to the user; without one, the user is not asked.
        var usage: String?
        var alertTitles: [String] = []
    }

    private let surroundings: PartSurroundings
    private let intents: SimulatedIntents
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        intents = surroundings.part(SimulatedIntents.self)
        state = Locked(State(machine: AlarmMachine(limit: surroundings.policy.alarmLimit, zone: .gmt)))
    }

    // MARK: The user

    /// The alarms of the app, in the order in which they were scheduled.
    public var all: [DeviceAlarm] {
        let now = ClockReading(surroundings.time)
        return state.withLock { $0.machine.alarms(now: now) }
    }

    /// The titles of all alerts so far, in order, including those that were stopped.
    public var alertTitles: [String] { state.withLock { $0.alertTitles } }

    /// The user's permission for the app to schedule alarms.
    public var authorization: AlarmAuthorization { state.withLock { $0.authorization } }

    /// Whether the user will allow alarms when asked; true by default.
    public var userAllows: Bool {
        get { state.withLock { $0.userAllows } }
        set { state.withLock { $0.userAllows = newValue } }
    }

    /// The user changes the permission in the settings; alarms that are scheduled stay, which is a choice.
    public func setAuthorization(_ authorization: AlarmAuthorization) {
        state.withLock { $0.authorization = authorization }
        surroundings.log(.user, .control("allow alarms: \(authorization.rawValue)"))
        surroundings.send(.authorization(authorization), of: Self.self)
    }

    /// The time zone for the times of day of alarms: GMT on a new device.
    ///
    /// ``SimulatedDevice/setTimeZone(_:)`` changes it. The app's `TimeZone.current` is that of the machine.
    public var timeZone: TimeZone { state.withLock { $0.machine.zone } }

    fileprivate func setTimeZone(_ zone: TimeZone) {
        change { state, now in state.machine.setZone(zone, now: now) }
    }

    @MainActor
    fileprivate func stopAlert() { endAlert { ($0.stopIntent, .stop($0.id)) } }

    @MainActor
    fileprivate func snoozeAlert() {
        endAlert { alarm in
            guard !alarm.isSnoozable else { return (alarm.secondaryIntent, .snooze(alarm.id)) }
            surroundings.log(.system, .warning("the alert “\(alarm.title)” has no button that snoozes it"))
            return nil
        }
    }

    @MainActor
    fileprivate func pressSecondButton() {
        endAlert { alarm in
            if !alarm.isSnoozable, let intent = alarm.secondaryIntent { return (intent, .stop(alarm.id)) }
            surroundings.log(.system, .warning("the alert “\(alarm.title)” has no second button with an intent"))
            return nil
        }
    }

    /// Ends the alert in front by a call, and then runs an intent of the app.
    @MainActor
    private func endAlert(by button: (AlarmRequest) -> (IntentRequest?, AlarmCall)?) {
        guard let alarm = state.withLock({ $0.machine.alertInFront }) else { return noAlert() }
        guard let (intent, call) = button(alarm) else { return }
        _ = answer(call, by: .user)
        if let intent { intents.perform(intent, from: .alarm) }
    }

    private func noAlert() { surroundings.log(.system, .warning("no alarm alerts")) }

    // MARK: The app

    private func ask() -> AlarmReply {
        guard let usage = state.withLock({ $0.usage }), !usage.isEmpty else {
            let message =
                "the app's Info.plist has no text for NSAlarmKitUsageDescription, so the user is not asked, and no alarm "
                + "is scheduled"
            surroundings.log(.system, .warning(message))
            return .refused(AlarmRefusal(message: message))
        }
        let asksUser = { @Sendable [self] in authorization == .notDetermined }
        surroundings.askUser(
            SystemQuestion(isOpen: asksUser) { [self] in
                if asksUser() {
                    surroundings.note("asks the user: “\(usage)”")
                    setAuthorization(state.withLock { $0.userAllows } ? .authorized : .denied)
                }
                surroundings.send(.answered, of: Self.self)
            })
        return .done
    }

    private func schedule(_ request: AlarmRequest) throws(AlarmRefusal) {
        let authorization = authorization
        guard authorization == .authorized else {
            throw AlarmRefusal(
                message: "alarm “\(request.title)” was not scheduled, because the user does not allow alarms")
        }
        try change { state, now throws(AlarmRefusal) in try state.machine.schedule(request, now: now) }
    }

    fileprivate func answer(_ request: AlarmCall, by actor: DeviceEvent.Actor) -> AlarmReply {
        do throws(AlarmRefusal) {
            switch request {
            case .authorization: return .authorization(authorization)
            case .ask: return ask()
            case .alarms: return .alarms(all)
            case .schedule(let request):
                try schedule(request)
                surroundings.note("“\(request.title)” is scheduled", by: actor)
            case .stop(let id):
                let title = try change { state, now throws(AlarmRefusal) in try state.machine.stop(id, now: now) }
                surroundings.note("“\(title)” is stopped", by: actor)
            case .cancel(let id):
                let title = try change { state, _ throws(AlarmRefusal) in try state.machine.cancel(id) }
                surroundings.note("“\(title)” is cancelled", by: actor)
            case .snooze(let id):
                let title = try change { state, now throws(AlarmRefusal) in try state.machine.snooze(id, now: now) }
                surroundings.note("“\(title)” is snoozed", by: actor)
            case .pause(let id):
                let title = try change { state, now throws(AlarmRefusal) in try state.machine.pause(id, now: now) }
                surroundings.note("“\(title)” is paused", by: actor)
            case .resume(let id):
                let title = try change { state, now throws(AlarmRefusal) in try state.machine.resume(id, now: now) }
                surroundings.note("“\(title)” is resumed", by: actor)
            }
        } catch {
            surroundings.log(.system, .warning(error.message))
            return .refused(error)
        }
        sendAlarms()
        return .done
    }

    private func sendAlarms() { surroundings.send(.alarms(all), of: Self.self) }

    // MARK: The clocks

    /// Changes the machine, and arms the timers for what is due next.
    private func change<Result, Failure: Error>(
        _ body: (inout State, ClockReading) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = ClockReading(surroundings.time)
        return try state.withLock { state throws(Failure) in
            let result = try body(&state, now)
            surroundings.arm(&state.beginTimer, at: state.machine.nextBegin) { [weak self] in self?.advance() }
            surroundings.arm(&state.endTimer, at: state.machine.nextEnd) { [weak self] in self?.advance() }
            return result
        }
    }

    private func advance() {
        let events = change { state, now in
            let events = state.machine.advance(to: now)
            state.alertTitles += events.filter(\.alerts).map(\.title)
            return events
        }
        for event in events { surroundings.note("“\(event.title)” \(event.alerts ? "alerts" : "counts down")") }
        if !events.isEmpty { sendAlarms() }
    }
}

/// A call of the app about its alarms.
package enum AlarmCall: Sendable, Codable {
    case authorization
    /// Asks the user for the permission, unless the user has answered before; in both cases, the event `answered`
    /// follows.
    case ask
    case alarms
    case schedule(AlarmRequest)
    case stop(String)
    case cancel(String)
    /// Begins the countdown after an alert.
    case snooze(String)
    case pause(String)
    case resume(String)
}

package enum AlarmReply: Sendable, Codable {
    case done
    case authorization(AlarmAuthorization)
    case alarms([DeviceAlarm])
    case refused(AlarmRefusal)
}

/// A change of which a running app is notified.
package enum AlarmEvent: Sendable, Codable {
    case alarms([DeviceAlarm])
    case authorization(AlarmAuthorization)
    /// The user has answered the question for the permission, or need not be asked.
    case answered
}

extension SimulatedAlarms: DeviceService {
    package typealias Event = AlarmEvent

    package func appInstalled(_ app: InstalledApp) { state.withLock { $0.usage = app.manifest.alarmUsage } }

    package func appNotified(of event: SystemEvent) {
        guard event == .wallClockSet else { return }
        change { state, now in state.machine.wallClockChanged(now: now) }
    }

    package func answer(_ request: AlarmCall) -> AlarmReply {
        guard !surroundings.isAppDead() else {
            return .refused(AlarmRefusal(message: "the process has ended"))
        }
        return answer(request, by: .app)
    }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        guard state.withLock({ $0.machine.alertInFront }) != nil else { return [] }
        return [
            StepChoice(2) { _ in .control(AppAction("device.stopAlarm()") { $0.stopAlarm() }) },
            StepChoice(1) { _ in .control(AppAction("device.snoozeAlarm()") { $0.snoozeAlarm() }) },
        ]
    }
}

extension SimulatedDevice {
    /// The alarms, which outlive the app's processes.
    public var alarms: SimulatedAlarms { part(SimulatedAlarms.self) }

    /// The user stops the alert in front, with its button or one of the device's buttons, and the alarm's `stopIntent`
    /// is run.
    ///
    /// An alarm that repeats then waits for its next time, and any other alarm is deleted. Without an alert, the
    /// control only logs a warning. If several alarms alert, the first one is in front.
    public func stopAlarm() { perform("stop alarm") { alarms.stopAlert() } }

    /// The user snoozes the alert in front, with its second button, and the alarm's `secondaryIntent` is run.
    ///
    /// Without an alert, or a button that snoozes it, the control only logs a warning.
    public func snoozeAlarm() { perform("snooze alarm") { alarms.snoozeAlert() } }

    /// The user presses the second button of the alert in front, if its behavior is `custom`: the alert stops, which is
    /// a choice, and the alarm's `secondaryIntent` is run.
    ///
    /// Without an alert, or such a button, the control only logs a warning.
    public func pressAlarmButton() { perform("press alarm button") { alarms.pressSecondButton() } }

    /// The user travels, so that alarms for a time of day follow the clock of another time zone.
    ///
    /// Nothing else on the device has a time zone.
    public func setTimeZone(_ zone: TimeZone) {
        perform("time zone \(zone.identifier)") { alarms.setTimeZone(zone) }
    }
}
