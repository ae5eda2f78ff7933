public import ApusBackground
public import ApusTimers
import ApusVirtualTime

/// The notification center of a simulated phone, which delivers requests even if the app is suspended or has no
/// process.
///
/// Instants follow the wall clock as it is set: if the clock is set back, a request that was due waits again, but what
/// was delivered is not delivered again. An interval becomes an instant when its request is added. While the app is in
/// the foreground, the system shows nothing and asks the app (``onForegroundDelivery``). Without the user's permission
/// nothing is shown.
///
/// The app uses it as a `NotificationScheduler`, as on every system. Where a method of that protocol throws an error,
/// the simulated `UNUserNotificationCenter` reports none, like the real one. In the log, a notification is delivered by
/// the actor `system` when it is shown, and by the actor `app` when it is passed to the app in the foreground.
///
/// All members may be used from any thread.
///
/// Rules: Apple, documentation/usernotifications/scheduling-a-notification-locally-from-your-app and
/// UNUserNotificationCenter.h; the limit of 64: documentation/uikit/uilocalnotification.
public final class SimulatedNotificationCenter: NotificationScheduler {
    /// Decides about a notification that is delivered while the app is in the foreground.
    public typealias ForegroundHandler = @MainActor @Sendable (NotificationRequest) -> NotificationPresentation
    /// A closure that is called when the user has opened a notification.
    public typealias TapHandler = @MainActor @Sendable (NotificationRequest) -> Void

    private struct State {
        var machine: NotificationCenterMachine
        var timer: ScheduledTimer?
        var userAllows = true
        var onForegroundDelivery: ForegroundHandler?
        var onTap: TapHandler?
        var adviceInFront = Self.ownAdvice
        var shownTitles: [String] = []

        /// The advice for users of this class; it names the property to set.
        static let ownAdvice = "set onForegroundDelivery"
    }

    private let state: Locked<State>
    private let surroundings: PartSurroundings

    /// Creates a center without requests.
    ///
    /// - Parameters:
    ///   - surroundings: The device.
    ///   - authorization: The authorization that the user has given so far.
    ///   - pendingLimit: The number of requests that may be pending.
    ///   - overflow: The rule for the requests that are kept when there are more than `pendingLimit`.
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

    /// Called on the main loop to decide about each notification that is delivered while the app is in the foreground.
    ///
    /// Without it, those notifications are not shown. It is released when the app's process ends.
    public var onForegroundDelivery: ForegroundHandler? {
        get { state.withLock { $0.onForegroundDelivery } }
        set { state.exchange(\.onForegroundDelivery, with: newValue) }
    }

    /// Called on the main loop when the user has opened one of the app's notifications, which opens the app too.
    ///
    /// It is released when the app's process ends. If the tap starts the app, a handler that is set during the launch
    /// is called.
    public var onTap: TapHandler? {
        get { state.withLock { $0.onTap } }
        set { state.exchange(\.onTap, with: newValue) }
    }

    /// Sets the advice in the log for a notification that is not shown in the foreground because there is no handler.
    ///
    /// Other interfaces have other names for the handler. The advice is reset when the app's process ends.
    package func advise(inFront advice: String) { state.exchange(\.adviceInFront, with: advice) }

    // MARK: Interface of Apus

    /// Shows a notification now, with an identifier of the center's own ("notification-1").
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `notificationRefused` if the user does not allow
    ///   notifications.
    public func notify(_ notification: UserNotification) async throws {
        guard !surroundings.isAppDead() else { return }
        let now = surroundings.time.wall()
        let delivery = state.withLock { state in
            state.machine.deliver(notification, appDecides: state.onForegroundDelivery != nil, now: now)
        }
        if case .suppress = delivery { throw Self.refused }
        perform(delivery)
    }

    /// Keeps a request until it is due, in place of a pending one with the same identifier.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `invalidArgument` for an interval that is not
    ///   accepted, `notificationRefused` if the user does not allow notifications, or `tooManyNotifications` if another
    ///   request would have to be dropped. In all cases nothing has changed.
    public func schedule(_ request: NotificationRequest) async throws {
        try request.validate()
        guard !surroundings.isAppDead() else { return }
        // The clocks stand still here. The line in the log therefore has the instant from which the interval counts,
        // whichever thread makes the call.
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

    /// Removes pending requests; unknown identifiers, and identifiers of requests that will not be delivered again, are
    /// ignored.
    public func removePending(_ identifiers: [String]) async { removeWaiting(identifiers) }

    /// Removes pending requests, like ``removePending(_:)``.
    package func removeWaiting(_ identifiers: [String]) {
        guard !surroundings.isAppDead() else { return }
        let removed = state.withLock { state in
            let removed = state.machine.removePending(identifiers)
            waitForNextDue(&state)
            return removed
        }
        for identifier in removed { surroundings.log(.app, .notificationDropped(identifier)) }
    }

    /// Returns the pending requests, in the order in which they are due.
    public func pending() async -> [NotificationRequest] { waiting }

    /// The pending requests, in the order in which they are due.
    ///
    /// Programs and tests that show the requests can read them here without suspension, unlike with ``pending()``.
    /// ``nextInstant(of:)`` returns the instant at which a request is due.
    public var waiting: [NotificationRequest] { state.withLock { $0.machine.pending } }

    /// Returns the identifiers of the shown notifications that were not removed, the oldest first.
    public func delivered() async -> [String] { state.withLock { $0.machine.delivered.map(\.request.identifier) } }

    // MARK: Interface of the real center

    /// Adds a request like the real center, without an error.
    ///
    /// If there are too many requests, one is dropped (``NotificationOverflow``). A request that the user does not
    /// allow is kept, but not shown. An interval that is not accepted is a ``Fault`` of the rule
    /// ``Fault/Rule/notificationInterval``.
    package func add(_ request: NotificationRequest, fileID: String = #fileID, line: Int = #line) {
        add(request, repeating: nil, fileID: fileID, line: line)
    }

    /// Adds a request, which is due first at the instant of its trigger, and then at the instants that `next` returns.
    ///
    /// Without `next`, the trigger decides about the later instants too. When the notification is shown, the icon gets
    /// the number `badge`.
    package func add(
        _ request: NotificationRequest, badge: Int? = nil,
        repeating next: (@Sendable (_ laterThan: WallInstant) -> WallInstant?)?, fileID: String = #fileID,
        line: Int = #line
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
                let action = state.machine.add(request, badge: badge, repeating: next, now: now)
                waitForNextDue(&state)
                return action
            }
            log(action, of: request)
        }
    }

    /// Returns the instant at which a pending request is due, like `nextTriggerDate`; `nil` if there is none.
    public func nextInstant(of identifier: String) -> WallInstant? { state.withLock { $0.machine.due(identifier) } }

    /// Removes shown notifications; unknown identifiers are ignored.
    public func removeDelivered(_ identifiers: [String]) {
        guard !surroundings.isAppDead() else { return }
        state.withLock { $0.machine.removeDelivered(identifiers) }
    }

    /// The authorization that the user has given.
    public var authorization: NotificationAuthorization { state.withLock { $0.machine.authorization } }

    /// Requests permission from the user, who answers according to ``userAllows``, and returns the resulting
    /// authorization.
    ///
    /// The user is asked only once. The app is inactive meanwhile. If the app is not in the foreground, the user is
    /// asked when it enters the foreground. Quiet notifications (`provisional`) are allowed without a question.
    public func requestAuthorization(provisional: Bool = false) async -> NotificationAuthorization {
        // If the process ends before the answer, the continuation is never resumed, and the task is released with the
        // process.
        await withUnsafeContinuation { continuation in
            askForAuthorization(provisional: provisional) { continuation.resume(returning: $0) }
        }
    }

    /// Requests permission from the user, and calls `answered` once with the resulting authorization.
    package func askForAuthorization(
        provisional: Bool, badge: Bool = false, _ answered: @escaping @Sendable (NotificationAuthorization) -> Void
    ) {
        let asksUser = { @Sendable [self] in state.withLock { $0.machine.asksUser(provisional: provisional) } }
        surroundings.askUser(
            SystemQuestion(isOpen: asksUser) { [self] in
                let wasAsked = asksUser()
                let answer = state.withLock {
                    $0.machine.requestAuthorization(provisional: provisional, badge: badge, userAllows: $0.userAllows)
                }
                if wasAsked { surroundings.log(.user, .control("allow notifications: \(answer.rawValue)")) }
                answered(answer)
            })
    }

    /// Whether the app may set a number on its icon.
    package var allowsBadge: Bool { state.withLock { $0.machine.allowsBadge } }

    /// Whether the app has asked for the permission to set a number on its icon.
    package var hasAskedForBadge: Bool { state.withLock { $0.machine.hasAskedForBadge } }

    /// Sets the number on the app's icon; without the permission this only logs a warning.
    package func setBadge(_ number: Int) {
        guard !surroundings.isAppDead() else { return }
        guard state.withLock({ $0.machine.setBadge(number) }) else {
            return surroundings.log(
                .system,
                .warning("the badge \(number) is not set: the user has not given the permission for badges; ask for it")
            )
        }
        surroundings.log(.app, .note("badge \(number)"))
    }

    // MARK: The user

    /// The notifications that the user sees, which were neither opened nor removed, the oldest first.
    public var shown: [ShownNotification] { state.withLock { $0.machine.delivered } }

    /// The titles of all notifications that were shown so far, in order, including those that were opened or removed.
    public var shownTitles: [String] { state.withLock { $0.shownTitles } }

    /// The number on the app's icon, which outlives the app's processes.
    ///
    /// The app can set the number, and a notification can set it when it is shown; both need the permission `badge`.
    /// The log has a line for each change.
    public var badge: Int { state.withLock { $0.machine.badge } }

    /// Whether the user will allow notifications when asked; true by default.
    public var userAllows: Bool {
        get { state.withLock { $0.userAllows } }
        set { state.withLock { $0.userAllows = newValue } }
    }

    /// The user changes the authorization in the settings.
    public func setAuthorization(_ authorization: NotificationAuthorization) {
        state.withLock { $0.machine.setAuthorization(authorization) }
        surroundings.log(.user, .control("allow notifications: \(authorization.rawValue)"))
    }

    /// The user taps a shown notification: it is removed, the app comes to the foreground, and ``onTap`` is called.
    ///
    /// - Returns: False, without an effect, if no such notification is shown.
    public func tap(_ identifier: String) -> Bool {
        guard let request = state.withLock({ $0.machine.open(identifier) }) else { return false }
        surroundings.log(.user, .control("tap notification \(identifier)"))
        surroundings.openApp { [self] in
            surroundings.mainLoop()?.run { [weak self] in
                // The handler is looked up only when the main loop runs this closure, because an app that was started
                // by the tap sets it during its launch.
                self?.onTap?(request)
            }
        }
        return true
    }

    // MARK: Notifications by the device

    /// Notes that the app has entered or left the foreground.
    func appForegrounded(_ isInFront: Bool) { state.withLock { $0.machine.appForegrounded(isInFront) } }

    /// Releases the handlers of the ended process; requests stay.
    package func processEnded() {
        appForegrounded(false)
        onForegroundDelivery = nil
        onTap = nil
        advise(inFront: State.ownAdvice)
    }

    // MARK: Delivery

    /// Arms the timer for the next request.
    ///
    /// The caller holds the lock, so that the timer always belongs to the last change. The engine calls no code of
    /// users while it arms a timer.
    private func waitForNextDue(_ state: inout State) {
        surroundings.arm(&state.timer, at: state.machine.nextDue) { [weak self] in self?.deliverDue() }
    }

    private func deliverDue() {
        let now = surroundings.time.wall()
        let (deliveries, former, badge) = state.withLock { state in
            let former = state.machine.badge
            let deliveries = state.machine.deliverDue(appDecides: state.onForegroundDelivery != nil, now: now)
            waitForNextDue(&state)
            return (deliveries, former, state.machine.badge)
        }
        for delivery in deliveries { perform(delivery) }
        if badge != former { surroundings.log(.system, .note("badge \(badge)")) }
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

    /// Shows a notification that was delivered while the app was in the foreground, because the app has decided so.
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
    /// An app requested an interval for which the system raises an exception.
    ///
    /// Apple, documentation/usernotifications/untimeintervalnotificationtrigger/init(timeinterval:repeats:)
    public static let notificationInterval = Fault.Rule("NSInternalInconsistencyException.notificationInterval")
}
