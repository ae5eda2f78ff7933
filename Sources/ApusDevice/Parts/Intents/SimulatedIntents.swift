import ApusBackground
import ApusTimers
import ApusVirtualTime
package import Foundation

/// The App Intents that the user runs on a simulated phone, from Shortcuts, Siri, a widget and other places.
///
/// An app that does not run is started in the background, without a scene; a suspended one is resumed. It has 30
/// seconds for `perform()`, and is suspended afterwards. A `LongRunningIntent` has more time while it reports progress.
/// An intent whose time is over is cancelled, and the app is suspended shortly afterwards.
///
/// The intents of an alarm are run when the user stops or snoozes it. An app declares intents with the module
/// AppIntents, whose `SimulatedPhone.perform(_:from:on:)` runs one. All members may be used from any thread.
///
/// Rules: Apple, documentation/appintents/cancellableintent and documentation/appintents/longrunningintent.
public final class SimulatedIntents: Sendable {
    private struct State {
        var machine: IntentMachine
        var timer: ScheduledTimer?
        /// Whether the module AppIntents is connected with the running process.
        var isConnected = false
        var continuesInForeground = true
        /// The intents that continue when the app is active.
        var continuing: [Int] = []
    }

    private let surroundings: PartSurroundings
    private let rules: SystemPolicy.Intents
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        rules = surroundings.policy.intents
        state = Locked(State(machine: IntentMachine(IntentMachine.Limits(rules))))
    }

    // MARK: The user

    /// All executions so far, in the order in which the user began them.
    public var all: [IntentRun] { state.withLock { $0.machine.all } }

    /// Whether the user will let an intent continue in the foreground when asked; true by default.
    public var continuesInForeground: Bool {
        get { state.withLock { $0.continuesInForeground } }
        set { state.withLock { $0.continuesInForeground = newValue } }
    }

    /// Runs an intent for the user.
    @MainActor
    func perform(_ request: IntentRequest, from origin: IntentOrigin) {
        let isLocked = surroundings.scene.isLocked
        let opensFirst = request.opening == .before || request.opening == .beforeIfUnlocked && !isLocked
        let id = change { state, _ in
            state.machine.add(request, from: origin, needsForeground: opensFirst)
        }
        surroundings.note("“\(request.title)” is run from \(origin.rawValue)", by: .user)
        if !request.missingParameters.isEmpty {
            let names = request.missingParameters.joined(separator: ", ")
            return refuse(id, "it has no value for \(names), for which a phone asks the user")
        }
        if isLocked, origin.needsUnlockedDevice || request.needsUnlockedDevice {
            return refuse(id, "the device is locked")
        }
        if opensFirst {
            surroundings.bringToFront()
        } else if !surroundings.wake(.intent(request.title), origin == .alarm || rules.launchesAfterForceQuit) {
            return refuse(id, "the app could not be started")
        }
        handOver()
    }

    private func refuse(_ id: Int, _ reason: String) {
        let title = change { state, _ in
            state.machine.refuse(id, reason)
            return state.machine.title(id)
        }
        surroundings.log(.system, .warning("the intent “\(title)” was not run: \(reason)"))
    }

    fileprivate func cancelLatest() {
        let cancelled = change { state, now -> (id: Int, isPerformed: Bool)? in
            guard let id = state.machine.latest else { return nil }
            return (id, state.machine.cancel(id, now: now) != nil)
        }
        guard let cancelled else { return surroundings.log(.system, .warning("no intent runs")) }
        surroundings.note("“\(title(cancelled.id))” is cancelled", by: .user)
        if cancelled.isPerformed { surroundings.send(.cancel(cancelled.id, .userCancelled), of: Self.self) }
    }

    private func title(_ id: Int) -> String { state.withLock { $0.machine.title(id) } }

    // MARK: The app

    /// Whether the app may begin a Live Activity in the background, for an intent.
    ///
    /// Apple, documentation/appintents/liveactivityintent
    var mayBeginActivities: Bool { state.withLock { $0.machine.mayBeginActivities } }

    /// Passes the waiting intents to the app, if it is at rest, and has come to the foreground where that is required.
    private func handOver() {
        guard state.withLock({ !$0.machine.isIdle }) else { return }
        guard surroundings.scene.isAppAtRest, let host = surroundings.host, !host.process.isEnded else { return }
        let isActive = host.phase == .active
        let (requests, isConnected, continuing) = change { state, now in
            let ids = state.machine.handOver(isActive: isActive, now: now)
            let requests = ids.compactMap { id in state.machine.request(id).map { (id: id, request: $0) } }
            defer {
                if isActive { state.continuing = [] }
                if !ids.isEmpty { state.isConnected = true }
            }
            return (requests, state.isConnected, isActive ? state.continuing : [])
        }
        if !isConnected, let first = requests.first {
            surroundings.send(.connect(entry: first.request.entry), of: Self.self)
        }
        for (id, request) in requests {
            surroundings.note("“\(request.title)” is performed")
            surroundings.send(.perform(id, code: request.code), of: Self.self)
        }
        for id in continuing { surroundings.send(.continued(id, true), of: Self.self) }
    }

    private func end(_ id: Int, with outcome: IntentOutcome) {
        let opening = state.withLock { $0.machine.request(id)?.opening }
        guard change({ state, _ in state.machine.end(id, with: outcome) }) else {
            return surroundings.log(
                .system, .warning("the intent “\(title(id))” has returned, and was given up before"))
        }
        guard let run = all.first(where: { $0.id == id }) else { return }
        switch run.state {
        case .finished: surroundings.note("“\(run.title)” has finished", by: .app)
        case .failed(let error): surroundings.note("“\(run.title)” has failed: \(error)", by: .app)
        case .waiting, .running, .timedOut, .userCancelled, .refused, .processEnded:
            return surroundings.note("“\(run.title)” has returned after its cancellation", by: .app)
        }
        guard case .finished(_, _, let next) = outcome, next != nil || opening == .after else { return }
        soon { [self] in
            if opening == .after { surroundings.bringToFront() }
            if let next { perform(next, from: run.origin) }
        }
    }

    private func beginLongTask(_ id: Int) -> Bool {
        guard rules.hasLongRunning else {
            surroundings.log(
                .system,
                .warning("“\(title(id))” gets no more time, because there is no LongRunningIntent before iOS 27"))
            return false
        }
        return change { state, now in state.machine.beginLongTask(id, now: now) }
    }

    private func continueInForeground(_ id: Int, _ dialog: String?) {
        let question = dialog.map { ": “\($0)”" } ?? ""
        surroundings.note("“\(title(id))” asks to continue in the app\(question)", by: .app)
        guard continuesInForeground, state.withLock({ $0.machine.isPerformed(id) }) else {
            return surroundings.send(.continued(id, false), of: Self.self)
        }
        state.withLock { $0.continuing.append(id) }
        soon { [self] in
            surroundings.bringToFront()
            handOver()
        }
    }

    /// Calls `body` on the device's thread, as the caller may be on a thread of the app.
    private func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        surroundings.engine.schedule(after: .zero) { MainActor.assumeIsolated(body) }
    }

    // MARK: The clock

    /// Changes the machine, arms the timer for what is due next, and keeps the process running while an intent is open.
    private func change<Result>(_ body: (inout State, UInt64) -> Result) -> Result {
        let now = surroundings.time.uptime().nanoseconds
        let (result, cover) = state.withLock { state in
            let result = body(&state, now)
            surroundings.arm(&state.timer, at: state.machine.nextEnd.map(UptimeInstant.init(nanoseconds:))) {
                [weak self] in self?.expire()
            }
            return (result, state.machine.needsProcess ? ProcessCover(end: state.machine.lastEnd) : nil)
        }
        surroundings.keepRunning(cover)
        return result
    }

    private func expire() {
        for expiry in change({ state, now in state.machine.expire(now: now) }) {
            switch expiry {
            case .cancel(let id, let left):
                surroundings.log(
                    .system,
                    .warning(
                        "the intent “\(title(id))” is cancelled, because its time is over; it has "
                            + "\(Duration.nanoseconds(Int64(clamping: left))) to return"))
                surroundings.send(.cancel(id, .timeout), of: Self.self)
            case .giveUp(let id):
                surroundings.log(
                    .system, .warning("the intent “\(title(id))” has not returned after its cancellation"))
            }
        }
    }
}

/// A call of the app about an intent that it performs, with the intent's number.
package enum IntentCall: Sendable, Codable {
    case ended(Int, IntentOutcome)
    /// Asks for more time, for as long as the intent reports progress.
    case beginLongTask(Int)
    case endLongTask(Int)
    /// The part of the work that is done, from 0 to 1.
    case progress(Int, Double)
    /// Asks to bring the app to the foreground; the event `continued` follows.
    case continueInForeground(Int, dialog: String?)
}

/// An event for the app about an intent, with the intent's number.
package enum IntentEvent: Sendable, Codable {
    /// Calls the function at this position in the program, which connects the module AppIntents with the process.
    case connect(entry: UInt64)
    case perform(Int, code: Data)
    case cancel(Int, IntentCancellation)
    /// Whether the app is in the foreground now, as the intent has asked.
    case continued(Int, Bool)
}

extension SimulatedIntents: DeviceService {
    package typealias Event = IntentEvent

    /// Answers a call; the reply is false for a call that has no effect.
    package func answer(_ request: IntentCall) -> Bool {
        guard !surroundings.isAppDead() else { return false }
        switch request {
        case .ended(let id, let outcome): end(id, with: outcome)
        case .beginLongTask(let id): return beginLongTask(id)
        case .endLongTask(let id): change { state, _ in state.machine.endLongTask(id) }
        case .progress(let id, let fraction):
            change { state, now in state.machine.report(fraction, of: id, now: now) }
        case .continueInForeground(let id, let dialog): continueInForeground(id, dialog)
        }
        return true
    }

    package func deviceChanged(to scene: DeviceScene) { handOver() }

    package func appSuspended() {
        for id in change({ state, _ in state.machine.appSuspended() }) {
            surroundings.fault(
                Fault(
                    .intentNotEnded,
                    "the intent “\(title(id))” has not returned after its cancellation, so the app is suspended in the "
                        + "middle of it; return when the task is cancelled, and report progress in a LongRunningIntent")
            )
        }
    }

    package func processEnded() {
        change { state, _ in
            state.machine.processEnded()
            (state.isConnected, state.continuing) = (false, [])
        }
    }

    package var limits: [ProcessLimit] {
        state.withLock { $0.machine.nextEnd }.map { [ProcessLimit(instant: $0, apply: expire)] } ?? []
    }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        guard state.withLock({ $0.machine.latest }) != nil else { return [] }
        return [StepChoice(2) { _ in .control(AppAction("device.cancelIntent()") { $0.cancelIntent() }) }]
    }
}

extension SimulatedDevice {
    /// The App Intents that the user has run.
    public var intents: SimulatedIntents { part(SimulatedIntents.self) }

    /// The user cancels the latest intent that runs, in Siri, Shortcuts or its Live Activity.
    ///
    /// If none runs, the control only logs a warning.
    public func cancelIntent() { perform("cancel intent") { intents.cancelLatest() } }

    /// The user runs an intent of the app.
    package func performIntent(_ request: IntentRequest, from origin: IntentOrigin) {
        perform("run intent “\(request.title)”") { intents.perform(request, from: origin) }
    }
}

extension Fault.Rule {
    /// An App Intent did not return after it was cancelled, so the app was suspended in the middle of it.
    ///
    /// Apple, documentation/appintents/cancellableintent: the system can suspend the process shortly after the
    /// cancellation
    public static let intentNotEnded = Fault.Rule("intentNotEnded")
}

extension LaunchCause {
    static func intent(_ title: String) -> LaunchCause { LaunchCause("App Intent “\(title)”") }
}
