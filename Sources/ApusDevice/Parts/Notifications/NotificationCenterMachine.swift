public import ApusBackground
public import ApusTimers

/// The pending and the shown notifications of a phone: a pure state machine.
///
/// Every request has one instant of the wall clock at which it is due next. The instant is computed only when the
/// request is added and after each delivery. If the clock is set back, a request that was due waits again, but what was
/// delivered is not delivered again.
struct NotificationCenterMachine {
    /// Returns the next due instant; `nil` if there is none.
    typealias NextInstant = @Sendable (_ laterThan: WallInstant) -> WallInstant?

    private struct Pending {
        var request: NotificationRequest
        /// The number of the request in the order of addition; it orders requests that are due at the same instant.
        var number: Int
        var added: WallInstant
        var due: WallInstant
        /// Returns the next due instant after a given one, for triggers that only the code that created them can
        /// compute.
        var next: NextInstant?
        /// The number that the icon gets when the notification is shown.
        var badge: Int?

        func isBefore(_ other: Pending) -> Bool { (due, number) < (other.due, other.number) }
    }

    private let pendingLimit: Int
    private let overflow: NotificationOverflow
    private var requests: [String: Pending] = [:]
    private var addedCount = 0
    private var unnamedCount = 0
    /// The shown notifications that were not removed, the oldest first.
    private(set) var delivered: [ShownNotification] = []
    private(set) var authorization: NotificationAuthorization
    /// Whether the app has asked for the permission to set a number on its icon.
    ///
    /// If the user refused, and allows notifications in the settings later, the app has the permission then.
    private(set) var hasAskedForBadge = false
    /// The number on the app's icon.
    private(set) var badge = 0
    private var appIsInFront = false

    init(authorization: NotificationAuthorization, pendingLimit: Int, overflow: NotificationOverflow) {
        self.authorization = authorization
        self.pendingLimit = pendingLimit
        self.overflow = overflow
    }

    /// The pending requests, in the order in which they are due.
    var pending: [NotificationRequest] { requests.values.sorted { $0.isBefore($1) }.map(\.request) }

    /// The instant at which the next request is due.
    var nextDue: WallInstant? { requests.values.map(\.due).min() }

    /// Returns the instant at which a pending request is due.
    func due(_ identifier: String) -> WallInstant? { requests[identifier]?.due }

    /// Returns the first due instant of a trigger, later than `previous` if that is given; `nil` if there is none.
    static func instant(
        of trigger: NotificationRequest.Trigger, added: WallInstant, laterThan previous: WallInstant?
    ) -> WallInstant? {
        switch (trigger, previous) {
        case (.at(let instant), nil):
            return instant
        case (.after(let interval, _), nil):
            return added.advanced(by: interval)
        case (.at, .some), (.after(_, repeats: false), .some):
            return nil
        case (.after(let interval, repeats: true), .some(let previous)):
            // The request was validated, so an interval that repeats is at least a minute.
            return added.next(every: UInt64(interval.wholeNanoseconds), after: previous)
        }
    }

    // MARK: Requests

    enum AddAction: Equatable {
        case kept
        /// The request replaced a pending one with the same identifier.
        case replaced
        /// The limit was exceeded, so the request with this identifier was dropped; it may be the new one.
        case keptInsteadOf(String)
    }

    /// Adds a valid request, and drops a request without an error if there are too many.
    mutating func add(
        _ request: NotificationRequest, badge: Int? = nil, repeating next: NextInstant? = nil, now: WallInstant
    ) -> AddAction {
        guard let due = Self.instant(of: request.trigger, added: now, laterThan: nil) else {
            fatalError("every trigger has a first instant")
        }
        addedCount += 1
        let entry = Pending(request: request, number: addedCount, added: now, due: due, next: next, badge: badge)
        let replaced = requests.updateValue(entry, forKey: request.identifier)
        if replaced != nil { return .replaced }
        guard requests.count > pendingLimit, let victim = victim else { return .kept }
        requests[victim] = nil
        return .keptInsteadOf(victim)
    }

    private var victim: String? {
        switch overflow {
        case .keepsSoonest: requests.values.max { $0.isBefore($1) }?.request.identifier
        case .keepsLast: requests.values.min { $0.number < $1.number }?.request.identifier
        }
    }

    enum ScheduleAction: Equatable {
        case added(AddAction)
        /// The user does not allow notifications.
        case refused
        /// Another request would have to be dropped.
        case full
    }

    /// Adds a valid request if the user allows notifications and no other request must be dropped to make room.
    mutating func schedule(_ request: NotificationRequest, now: WallInstant) -> ScheduleAction {
        guard authorization.allowsShowing else { return .refused }
        guard requests[request.identifier] != nil || requests.count < pendingLimit else { return .full }
        return .added(add(request, now: now))
    }

    /// Removes pending requests, and returns the identifiers of those that existed.
    mutating func removePending(_ identifiers: [String]) -> [String] {
        identifiers.filter { requests.removeValue(forKey: $0) != nil }
    }

    mutating func removeDelivered(_ identifiers: [String]) {
        delivered.removeAll { identifiers.contains($0.request.identifier) }
    }

    // MARK: Delivery

    enum Delivery: Equatable {
        /// The system shows the notification.
        case show(NotificationRequest)
        /// The app is in the foreground and decides.
        case askApp(NotificationRequest)
        /// The notification is not shown, because the app is in the foreground and has no handler that could decide.
        case withholdFromUser(NotificationRequest)
        /// The notification is not shown, because the user does not allow it.
        case suppress(NotificationRequest)
    }

    /// Delivers the requests that are due, in the order of their instants.
    ///
    /// A repeating request that has missed several instants is delivered once. `appDecides` is true if the app has a
    /// handler that decides about notifications in the foreground.
    mutating func deliverDue(appDecides: Bool, now: WallInstant) -> [Delivery] {
        let due = requests.values.filter { $0.due <= now }.sorted { $0.isBefore($1) }
        return due.map { entry in
            var next = entry
            let instant =
                if let next = entry.next { next(now) } else {
                    Self.instant(of: entry.request.trigger, added: entry.added, laterThan: now)
                }
            if let instant {
                next.due = instant
                requests[entry.request.identifier] = next
            } else {
                requests[entry.request.identifier] = nil
            }
            let delivery = deliver(entry.request, appDecides: appDecides, at: now)
            if case .show = delivery, let badge = entry.badge { _ = setBadge(badge) }
            return delivery
        }
    }

    /// Delivers a notification at once, with an identifier of the center's own.
    mutating func deliver(_ notification: UserNotification, appDecides: Bool, now: WallInstant) -> Delivery {
        unnamedCount += 1
        let request = NotificationRequest(
            identifier: "notification-\(unnamedCount)", notification: notification, trigger: .at(now))
        return deliver(request, appDecides: appDecides, at: now)
    }

    private mutating func deliver(
        _ request: NotificationRequest, appDecides: Bool, at now: WallInstant
    ) -> Delivery {
        guard authorization.allowsShowing else { return .suppress(request) }
        guard !appIsInFront else { return appDecides ? .askApp(request) : .withholdFromUser(request) }
        show(request, now: now)
        return .show(request)
    }

    /// Shows a notification, in place of one with the same identifier.
    mutating func show(_ request: NotificationRequest, now: WallInstant) {
        removeDelivered([request.identifier])
        delivered.append(ShownNotification(request: request, instant: now))
    }

    /// Removes a shown notification because the user opens it, and returns its request; `nil` if it is not shown.
    mutating func open(_ identifier: String) -> NotificationRequest? {
        delivered.firstIndex { $0.request.identifier == identifier }.map { delivered.remove(at: $0).request }
    }

    // MARK: The user and the app

    /// Whether the app may set a number on its icon; quiet notifications do not include this permission.
    var allowsBadge: Bool { authorization == .authorized && hasAskedForBadge }

    /// Sets the number on the app's icon; returns false, without a change, if the app may not.
    mutating func setBadge(_ number: Int) -> Bool {
        if allowsBadge { badge = number }
        return allowsBadge
    }

    /// Sets the authorization as the user does in the settings.
    mutating func setAuthorization(_ authorization: NotificationAuthorization) { self.authorization = authorization }

    /// Returns whether the user must be asked for an authorization.
    func asksUser(provisional: Bool) -> Bool {
        switch (authorization, provisional) {
        case (.notDetermined, false), (.provisional, false): true
        case (.notDetermined, true), (.provisional, true), (.authorized, _), (.denied, _): false
        }
    }

    /// Applies a request of the app for an authorization, and returns the result.
    ///
    /// The user is asked only once, and not for quiet notifications.
    mutating func requestAuthorization(
        provisional: Bool, badge: Bool = false, userAllows: Bool
    ) -> NotificationAuthorization {
        switch (authorization, provisional) {
        case (.notDetermined, true): authorization = .provisional
        case (.notDetermined, false), (.provisional, false): authorization = userAllows ? .authorized : .denied
        case (.provisional, true), (.authorized, _), (.denied, _): break
        }
        if badge { hasAskedForBadge = true }
        return authorization
    }

    mutating func appForegrounded(_ isInFront: Bool) { appIsInFront = isInFront }
}

/// The user's permission for an app to show notifications.
///
/// Apple, documentation/usernotifications/unauthorizationstatus, without the status of app clips.
public enum NotificationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user has not been asked; nothing is shown.
    case notDetermined
    /// The user does not allow notifications; nothing is shown.
    case denied
    /// The user allows notifications, and all are shown.
    case authorized
    /// Notifications are shown quietly, and the user has not been asked.
    case provisional

    /// Whether notifications are shown.
    public var allowsShowing: Bool {
        switch self {
        case .notDetermined, .denied: false
        case .authorized, .provisional: true
        }
    }
}

/// The decision of an app in the foreground about a notification that is delivered.
public enum NotificationPresentation: Sendable, Hashable {
    /// The notification is not shown; the app has handled it.
    case none
    /// The notification is shown as if the app were in the background.
    case shown
}

/// The rule for the requests that a notification center keeps when there are more than its limit allows.
///
/// The center drops the other requests without an error. Sources differ on which requests it keeps, so this is a
/// choice.
public enum NotificationOverflow: String, Sendable, Hashable, CaseIterable {
    /// Keeps the requests that are due first; of requests with the same instant, those that were added first are kept.
    ///
    /// Apple, documentation/uikit/uilocalnotification (the older interface)
    case keepsSoonest
    /// Keeps the requests that were added last.
    ///
    /// Tests of developers with the current interface show this.
    case keepsLast
}

/// A notification that a simulated phone shows.
public struct ShownNotification: Sendable, Hashable {
    /// The request with the identifier and the content.
    public var request: NotificationRequest
    /// The wall clock when the notification was shown.
    public var instant: WallInstant
}
