public import ApusBackground
public import ApusTimers
import ApusVirtualTime

/// The notification center of a simulated phone. It belongs to the device: requests wait and are delivered although
/// the app is suspended or dead.
///
/// Instants follow the wall clock, as it is set: what is due waits when the clock is set back, and what was delivered
/// is not delivered again. An interval becomes an instant when its request is made. While the app is in front, the
/// system shows nothing and asks the app (``onForegroundDelivery``). Without the user's permission nothing is shown.
///
/// For the app, it is a `NotificationScheduler`, as on every system; the simulated `UNUserNotificationCenter` has the
/// real one's silence where this throws. In the log, a notification is delivered by the actor `system` when it is
/// shown, and by the actor `app` when it goes to the app that is in front.
///
/// All members may be used from any thread.
///
/// Rules: Apple, documentation/usernotifications/scheduling-a-notification-locally-from-your-app and
/// UNUserNotificationCenter.h; the limit of 64: documentation/uikit/uilocalnotification.
public final class SimulatedNotificationCenter: NotificationScheduler {
    /// Decides about a notification that comes while the app is in front.
    public typealias ForegroundHandler = @MainActor @Sendable (NotificationRequest) -> NotificationPresentation
    /// Called when the user has opened a notification.
    public typealias TapHandler = @MainActor @Sendable (NotificationRequest) -> Void

    private struct State {
        var machine: NotificationCenterMachine
        var timer: ScheduledTimer?
        var userAllows = true
        var onForegroundDelivery: ForegroundHandler?
        var onTap: TapHandler?
        var adviceInFront = Self.ownAdvice
        var shownTitles: [String] = []

        /// For users of this class.
        static let ownAdvice = "set onForegroundDelivery"
    }

    private let state: Locked<State>
    private let surroundings: PartSurroundings

    /// A center without requests.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - authorization: What the user has allowed so far.
    ///   - pendingLimit: How many requests may wait.
    ///   - overflow: Which are kept when there are more.
    init(
        _ surroundings: PartSurroundings, authorization: NotificationAuthorization,
        pendingLimit: Int = 64, overflow: NotificationOverflow = .keepsSoonest
    ) {
        self.surroundings = surroundings
        state = Locked(
            State(
                machine: NotificationCenterMachine(
                    authorization: authorization, pendingLimit: pendingLimit, overflow: overflow)))
    }

    package convenience init(_ surroundings: PartSurroundings) {
        self.init(
            surroundings, authorization: .notDetermined, pendingLimit: surroundings.policy.pendingNotificationLimit,
            overflow: surroundings.policy.notificationOverflow)
    }

    // MARK: The app's handlers

    /// Asked on the main loop about each notification that comes while the app is in front. Without it those are not
    /// shown. It goes with the app's process.
    public var onForegroundDelivery: ForegroundHandler? {
        get { state.withLock { $0.onForegroundDelivery } }
        set { state.exchange(\.onForegroundDelivery, with: newValue) }
    }

    /// Called on the main loop when the user has opened one of the app's notifications, and the app with it. It goes
    /// with the app's process; one that is set while the app starts is in time.
    public var onTap: TapHandler? {
        get { state.withLock { $0.onTap } }
        set { state.exchange(\.onTap, with: newValue) }
    }

    /// Changes the log's advice for a notification that comes in front when no handler is set: other modules have other
    /// names for the handler. It goes with the app's process.
    package func advise(inFront advice: String) { state.exchange(\.adviceInFront, with: advice) }

    // MARK: What Apus offers

    /// Shows `notification` now, under an identifier of the center's own ("notification-1").
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `notificationRefused` when the user does not allow any.
    public func notify(_ notification: UserNotification) async throws {
        guard !surroundings.isAppDead() else { return }
        let now = surroundings.time.wall()
        let delivery = state.withLock { state in
            state.machine.deliver(notification, appDecides: state.onForegroundDelivery != nil, now: now)
        }
        if case .suppress = delivery { throw Self.refused }
        perform(delivery)
    }

    /// Keeps `request` until it is due, in place of the pending one with the same identifier.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `invalidArgument` for an interval that is not accepted,
    ///   `notificationRefused` when the user does not allow any, `tooManyNotifications` when another request would have
    ///   to go; nothing has changed then.
    public func schedule(_ request: NotificationRequest) async throws {
        try request.validate()
        guard !surroundings.isAppDead() else { return }
        // The line of the log has the instant from which the interval counts, on any thread.
        let action = surroundings.time.atOneInstant {
            let now = surroundings.time.wall()
            let action = state.withLock { state in
                let action = state.machine.schedule(request, now: now)
                waitForNextDue(&state)
                return action
            }
            if case .added(let added) = action { log(added, of: request) }
            return action
        }
        switch action {
        case .added: break
        case .refused: throw Self.refused
        case .full:
            throw BackgroundError(
                code: .tooManyNotifications,
                message:
                    "the notification center keeps no more pending requests, so “\(request.identifier)” was not added; "
                    + "remove some, or schedule the later ones when earlier ones were shown")
        }
    }

    private static var refused: BackgroundError {
        BackgroundError(
            code: .notificationRefused,
            message: "the user does not allow notifications; ask with requestAuthorization, or do without them")
    }

    /// Removes pending requests; unknown identifiers, and those of requests that were delivered for the last time, are
    /// ignored.
    public func removePending(_ identifiers: [String]) async { removeWaiting(identifiers) }

    /// The same at once.
    package func removeWaiting(_ identifiers: [String]) {
        guard !surroundings.isAppDead() else { return }
        let removed = state.withLock { state in
            let removed = state.machine.removePending(identifiers)
            waitForNextDue(&state)
            return removed
        }
        for identifier in removed { surroundings.log(.app, .notificationDropped(identifier)) }
    }

    /// The pending requests, the earliest first.
    public func pending() async -> [NotificationRequest] { waiting }

    /// The pending requests, the earliest first, without waiting for them: for programs and tests that show them. When
    /// each is due says ``nextInstant(of:)``.
    public var waiting: [NotificationRequest] { state.withLock { $0.machine.pending } }

    /// The identifiers of the notifications that were shown and not yet removed, the oldest first.
    public func delivered() async -> [String] { state.withLock { $0.machine.delivered.map(\.request.identifier) } }

    // MARK: What the real center does besides

    /// Adds a request as the real center does: without an error. One too many makes another one go
    /// (``NotificationOverflow``), a request that the user does not allow waits and is not shown, and an interval that
    /// is not accepted is a ``Fault`` of the rule ``Fault/Rule/notificationInterval``.
    package func add(_ request: NotificationRequest, fileID: String = #fileID, line: Int = #line) {
        add(request, repeating: nil, fileID: fileID, line: line)
    }

    /// Adds a request that is due repeatedly, when `next` says; without it the request's trigger decides.
    package func add(
        _ request: NotificationRequest, repeating next: (@Sendable (_ laterThan: WallInstant) -> WallInstant?)?,
        fileID: String = #fileID, line: Int = #line
    ) {
        guard !surroundings.isAppDead() else { return }
        do {
            try request.validate()
        } catch {
            surroundings.fault(Fault(.notificationInterval, error.message, place: "\(fileID):\(line)"))
            return
        }
        surroundings.time.atOneInstant {
            let now = surroundings.time.wall()
            let action = state.withLock { state in
                let action = state.machine.add(request, repeating: next, now: now)
                waitForNextDue(&state)
                return action
            }
            log(action, of: request)
        }
    }

    /// When a pending request is due; nil when there is none. The real trigger's `nextTriggerDate`.
    public func nextInstant(of identifier: String) -> WallInstant? { state.withLock { $0.machine.due(identifier) } }

    /// Takes shown notifications away; unknown identifiers are ignored.
    public func removeDelivered(_ identifiers: [String]) {
        guard !surroundings.isAppDead() else { return }
        state.withLock { $0.machine.removeDelivered(identifiers) }
    }

    /// The authorization that the user has given.
    public var authorization: NotificationAuthorization { state.withLock { $0.machine.authorization } }

    /// Asks the user, who answers as ``userAllows`` says, if that has not happened yet. The app is inactive meanwhile;
    /// if it is not in front, the user is asked when it is. Quiet notifications (`provisional`) are allowed without
    /// asking.
    public func requestAuthorization(provisional: Bool = false) async -> NotificationAuthorization {
        // Never resumed in a process that ends before the answer: then the task is gone with it.
        await withUnsafeContinuation { continuation in
            askForAuthorization(provisional: provisional) { continuation.resume(returning: $0) }
        }
    }

    /// The same. `answered` is called once, with what is allowed then.
    package func askForAuthorization(
        provisional: Bool, _ answered: @escaping @Sendable (NotificationAuthorization) -> Void
    ) {
        let asksUser = { @Sendable [self] in state.withLock { $0.machine.asksUser(provisional: provisional) } }
        surroundings.askUser(
            SystemQuestion(isOpen: asksUser) { [self] in
                let wasAsked = asksUser()
                let answer = state.withLock {
                    $0.machine.requestAuthorization(provisional: provisional, userAllows: $0.userAllows)
                }
                if wasAsked { surroundings.log(.user, .control("allow notifications: \(answer.rawValue)")) }
                answered(answer)
            })
    }

    // MARK: The user

    /// The notifications that the user sees: shown, and neither opened nor removed. The oldest first.
    public var shown: [ShownNotification] { state.withLock { $0.machine.delivered } }

    /// The titles of all notifications that the user has seen so far, in order, those that were opened or removed included.
    public var shownTitles: [String] { state.withLock { $0.shownTitles } }

    /// Whether the user will allow notifications when asked: yes, unless it is set.
    public var userAllows: Bool {
        get { state.withLock { $0.userAllows } }
        set { state.withLock { $0.userAllows = newValue } }
    }

    /// The user changes in the settings what is allowed.
    public func setAuthorization(_ authorization: NotificationAuthorization) {
        state.withLock { $0.machine.setAuthorization(authorization) }
        surroundings.log(.user, .control("allow notifications: \(authorization.rawValue)"))
    }

    /// The user taps a notification that is shown: it goes, the app comes to the front, and ``onTap`` is called.
    ///
    /// - Returns: False, and nothing happens, when no such notification is shown.
    public func tap(_ identifier: String) -> Bool {
        guard let request = state.withLock({ $0.machine.open(identifier) }) else { return false }
        surroundings.log(.user, .control("tap notification \(identifier)"))
        surroundings.openApp { [self] in
            surroundings.mainLoop()?.run { [weak self] in
                // Looked up when it runs: an app that was only just started has set it by then.
                self?.onTap?(request)
            }
        }
        return true
    }

    // MARK: What the device says

    /// The app came to the front, or left it.
    func appForegrounded(_ isInFront: Bool) { state.withLock { $0.machine.appForegrounded(isInFront) } }

    /// The app's process is gone, and its handlers with it; requests stay.
    package func processEnded() {
        appForegrounded(false)
        onForegroundDelivery = nil
        onTap = nil
        advise(inFront: State.ownAdvice)
    }

    // MARK: Delivery

    /// Under the lock on purpose, so that the timer is that of the last change; the engine calls no user code there.
    private func waitForNextDue(_ state: inout State) {
        // Weak, because the engine is kept by this, and keeps its timers.
        let next = state.machine.nextDue.map { due in
            surroundings.engine.schedule(at: due) { [weak self] in self?.deliverDue() }
        }
        state.timer.replace(with: next)
    }

    private func deliverDue() {
        let now = surroundings.time.wall()
        let deliveries = state.withLock { state in
            let deliveries = state.machine.deliverDue(appDecides: state.onForegroundDelivery != nil, now: now)
            waitForNextDue(&state)
            return deliveries
        }
        for delivery in deliveries { perform(delivery) }
    }

    private func perform(_ delivery: NotificationCenterMachine.Delivery) {
        switch delivery {
        case .show(let request): noteShown(request)
        case .askApp(let request):
            surroundings.log(.app, .notificationDelivered(request.identifier))
            surroundings.mainLoop()?.run { [weak self] in
                if let self, onForegroundDelivery?(request) == .shown { show(request) }
            }
        case .withholdFromUser(let request):
            let advice = state.withLock { $0.adviceInFront }
            surroundings.log(
                .system,
                .warning(
                    "notification \(request.identifier) came while the app was in front and is not shown; \(advice)"))
        case .suppress(let request):
            surroundings.log(.system, .notificationDropped(request.identifier))
        }
    }

    /// Shows a notification that came while the app was in front, because the app has decided so.
    package func show(_ request: NotificationRequest) {
        let now = surroundings.time.wall()
        state.withLock { $0.machine.show(request, now: now) }
        noteShown(request)
    }

    private func noteShown(_ request: NotificationRequest) {
        state.withLock { $0.shownTitles.append(request.notification.title) }
        surroundings.log(.system, .notificationDelivered(request.identifier))
    }

    private func log(_ action: NotificationCenterMachine.AddAction, of request: NotificationRequest) {
        if action == .replaced { surroundings.log(.app, .notificationDropped(request.identifier)) }
        surroundings.log(.app, .notificationScheduled(request.identifier))
        if case .keptInsteadOf(let other) = action { surroundings.log(.system, .notificationDropped(other)) }
    }
}

extension SimulatedNotificationCenter: DevicePart {
    package func appLaunched(toForeground: Bool) { appForegrounded(toForeground) }
    package func appEntered(_ phase: Phase) { appForegrounded(phase == .active || phase == .inactive) }

    package func steps(on device: SimulatedDevice) -> [StepChoice] {
        guard authorization != .notDetermined else { return [] }
        return [StepChoice(1) { .setNotificationAuthorization($0.element(of: [.authorized, .denied, .provisional])) }]
    }
}

extension Fault.Rule {
    /// A notification's interval that the system raises an exception for.
    ///
    /// Apple, documentation/usernotifications/untimeintervalnotificationtrigger/init(timeinterval:repeats:)
    public static let notificationInterval = Fault.Rule("NSInternalInconsistencyException.notificationInterval")
}
