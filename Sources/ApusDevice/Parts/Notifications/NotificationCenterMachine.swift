public import ApusBackground
public import ApusTimers

/// What a phone's notification center keeps, as a pure state machine.
///
/// Every request has one instant of the wall clock at which it is due next. It is computed when the request is added
/// and when it was delivered, and nowhere else: so a clock that is set back makes what is due wait, and what was
/// delivered stays delivered.
struct NotificationCenterMachine {
    /// Nil when there is none any more.
    typealias NextInstant = @Sendable (_ laterThan: WallInstant) -> WallInstant?

    private struct Pending {
        var request: NotificationRequest
        /// Orders what is due at the same instant, and says which was set last.
        var number: Int
        var added: WallInstant
        var due: WallInstant
        /// The next instant later than the given one, for triggers that only their author understands.
        var next: NextInstant?

        func isBefore(_ other: Pending) -> Bool { (due, number) < (other.due, other.number) }
    }

    private let pendingLimit: Int
    private let overflow: NotificationOverflow
    private var requests: [String: Pending] = [:]
    private var addedCount = 0
    private var unnamedCount = 0
    /// What was shown and not yet removed, the oldest first.
    private(set) var delivered: [ShownNotification] = []
    private(set) var authorization: NotificationAuthorization
    private var appIsInFront = false

    init(authorization: NotificationAuthorization, pendingLimit: Int, overflow: NotificationOverflow) {
        self.authorization = authorization
        self.pendingLimit = pendingLimit
        self.overflow = overflow
    }

    /// The pending requests, the earliest first.
    var pending: [NotificationRequest] { requests.values.sorted { $0.isBefore($1) }.map(\.request) }

    /// When the next request is due.
    var nextDue: WallInstant? { requests.values.map(\.due).min() }

    /// When a pending request is due.
    func due(_ identifier: String) -> WallInstant? { requests[identifier]?.due }

    /// The instant at which a trigger is due: the first one, or the first one later than `previous`; nil when there is
    /// none.
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
            // Validated: an interval that repeats is not shorter than a minute.
            return added.next(every: UInt64(interval.wholeNanoseconds), after: previous)
        }
    }

    // MARK: Requests

    enum AddAction: Equatable {
        case kept
        /// A pending one with the same identifier went.
        case replaced
        /// There were too many, and that one went: perhaps the new one.
        case keptInsteadOf(String)
    }

    /// Keeps a valid request, and drops another one without an error if there are too many.
    mutating func add(
        _ request: NotificationRequest, repeating next: NextInstant? = nil, now: WallInstant
    ) -> AddAction {
        guard let due = Self.instant(of: request.trigger, added: now, laterThan: nil) else {
            preconditionFailure("every trigger has a first instant")
        }
        addedCount += 1
        let entry = Pending(request: request, number: addedCount, added: now, due: due, next: next)
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
        /// The user does not allow any.
        case refused
        /// Another one would have to go.
        case full
    }

    /// Keeps a valid request, if it will be shown and no other one has to go for it.
    mutating func schedule(_ request: NotificationRequest, now: WallInstant) -> ScheduleAction {
        guard authorization.allowsShowing else { return .refused }
        guard requests[request.identifier] != nil || requests.count < pendingLimit else { return .full }
        return .added(add(request, now: now))
    }

    /// Removes pending requests and says which there were.
    mutating func removePending(_ identifiers: [String]) -> [String] {
        identifiers.filter { requests.removeValue(forKey: $0) != nil }
    }

    mutating func removeDelivered(_ identifiers: [String]) {
        delivered.removeAll { identifiers.contains($0.request.identifier) }
    }

    // MARK: Delivery

    enum Delivery: Equatable {
        /// The system has shown it.
        case show(NotificationRequest)
        /// The app is in front and decides.
        case askApp(NotificationRequest)
        /// The app is in front and has nothing that could decide.
        case withholdFromUser(NotificationRequest)
        /// The user does not allow it.
        case suppress(NotificationRequest)
    }

    /// Delivers what has come due, in the order of the instants. Of a repeating one that missed some, one delivery.
    /// `appDecides` says whether the app has set a handler for what comes while it is in front.
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
            return deliver(entry.request, appDecides: appDecides, at: now)
        }
    }

    /// Delivers a notification without an identifier of the app, at once.
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

    /// Shows a notification in place of the one with the same identifier.
    mutating func show(_ request: NotificationRequest, now: WallInstant) {
        removeDelivered([request.identifier])
        delivered.append(ShownNotification(request: request, instant: now))
    }

    /// Takes a shown notification away, because the user opens it; nil when it is not shown.
    mutating func open(_ identifier: String) -> NotificationRequest? {
        delivered.firstIndex { $0.request.identifier == identifier }.map { delivered.remove(at: $0).request }
    }

    // MARK: The user and the app

    /// The user's choice in the settings.
    mutating func setAuthorization(_ authorization: NotificationAuthorization) { self.authorization = authorization }

    /// Whether the user has to be asked for the app's wish.
    func asksUser(provisional: Bool) -> Bool {
        switch (authorization, provisional) {
        case (.notDetermined, false), (.provisional, false): true
        case (.notDetermined, true), (.provisional, true), (.authorized, _), (.denied, _): false
        }
    }

    /// The app asks. The user is asked only if that has not happened yet, and not for quiet notifications.
    mutating func requestAuthorization(provisional: Bool, userAllows: Bool) -> NotificationAuthorization {
        switch (authorization, provisional) {
        case (.notDetermined, true): authorization = .provisional
        case (.notDetermined, false), (.provisional, false): authorization = userAllows ? .authorized : .denied
        case (.provisional, true), (.authorized, _), (.denied, _): break
        }
        return authorization
    }

    mutating func appForegrounded(_ isInFront: Bool) { appIsInFront = isInFront }
}

/// What the user allows an app to show as notifications.
///
/// Apple, documentation/usernotifications/unauthorizationstatus, without the status of app clips.
public enum NotificationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user was not asked yet; nothing is shown.
    case notDetermined
    /// Nothing is shown.
    case denied
    /// Everything is shown.
    case authorized
    /// Shown quietly, without having asked.
    case provisional

    /// Whether anything is shown.
    public var allowsShowing: Bool {
        switch self {
        case .notDetermined, .denied: false
        case .authorized, .provisional: true
        }
    }
}

/// What an app in front wants to be done with a notification that has come.
public enum NotificationPresentation: Sendable, Hashable {
    /// Nothing: the app has dealt with it.
    case none
    /// Shown as if the app were not in front.
    case shown
}

/// Which requests a phone's notification center keeps when there are more than it takes.
///
/// It drops the others without an error. Sources differ about which, so it is a choice.
public enum NotificationOverflow: String, Sendable, Hashable, CaseIterable {
    /// Keeps the requests that are due soonest, and of equal ones those that were set first.
    ///
    /// Apple, documentation/uikit/uilocalnotification (the older interface)
    case keepsSoonest
    /// Keeps the requests that were set last.
    ///
    /// Tests of developers with the present interface.
    case keepsLast
}

/// A notification that a simulated phone shows.
public struct ShownNotification: Sendable, Hashable {
    /// What was asked for: the identifier and the contents.
    public var request: NotificationRequest
    /// When it was shown, on the wall clock.
    public var instant: WallInstant
}
