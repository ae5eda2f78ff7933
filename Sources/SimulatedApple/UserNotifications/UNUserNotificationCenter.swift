import ApusBackground
import ApusTesting
import ApusTimers
import Dispatch
import SimulatedPhone

/// The app's door to the phone's notification center: the simulated one.
///
/// Everything that an app asks for is done in the order in which it was asked, a moment later. Completion handlers are
/// called on a thread that is not the main one, while the device waits. The asynchronous forms stay on the caller's
/// actor, so that they follow the device's order. All members may be used from any thread.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `delegateBox` and `turns`, behind their locks.

    private typealias Work = @Sendable (SimulatedNotificationCenter) async -> Void

    /// What was asked for, one after the other.
    private struct Turns: Sendable {
        var waiting: [Work] = []
        var isAtWork = false
    }

    let host: SimulatedHost
    private let shelf: NotificationShelf
    private let callOut = CallOut(on: DispatchQueue(label: "com.apple.usernotifications.call-out"))
    private let delegateBox = Locked(WeakDelegate())
    private let turns = Locked(Turns())

    private init(_ process: PhoneProcess) {
        host = process.host
        shelf = process.kept.object(of: NotificationShelf.self) { NotificationShelf() }
        super.init()
    }

    /// The center of the running process.
    public class func current() -> UNUserNotificationCenter {
        let process = SimulatedPhone.process
        return process.shared.object(of: UNUserNotificationCenter.self) { UNUserNotificationCenter(process) }
    }

    /// Decides about notifications that come while the app is in front, and hears which ones the user opens. Not kept.
    /// Set it before the app has finished launching.
    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { delegateBox.withLock { $0 }.value }
        set {
            let new = WeakDelegate(value: newValue)
            delegateBox.withLock { $0 = new }
            let center = host.notifications
            let decide: SimulatedNotificationCenter.ForegroundHandler = { [weak self] request in
                self?.present(request)
                return .none
            }
            center.onForegroundDelivery = newValue == nil ? nil : decide
            center.onTap = { [weak self] request in self?.opened(request) }
        }
    }

    // MARK: The user's permission

    /// Asks the user, if that has not happened yet. The answer is that of the simulated user.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        perform("the completion handler of requestAuthorization") { center in
            let answer = await center.requestAuthorization(provisional: options.contains(.provisional))
            return { completionHandler(answer.allowsShowing, nil) }
        }
    }

    /// Asks the user, if that has not happened yet. The answer is that of the simulated user.
    nonisolated(nonsending) public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool
    {
        await withUnsafeContinuation { continuation in
            requestAuthorization(options: options) { isGranted, _ in continuation.resume(returning: isGranted) }
        }
    }

    /// What the user allows.
    public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        perform("the completion handler of getNotificationSettings") { center in
            let settings = UNNotificationSettings(UNAuthorizationStatus(center.authorization))
            return { completionHandler(settings) }
        }
    }

    /// What the user allows.
    nonisolated(nonsending) public func notificationSettings() async -> UNNotificationSettings {
        await withUnsafeContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: Requests

    /// Adds a request, in place of the pending one with the same identifier. One too many makes another one go without
    /// an error, and what the user does not allow is not shown.
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        perform("the completion handler of add") { [self] center in
            add(request, to: center)
            return completionHandler.map(withoutError)
        }
    }

    /// Adds a request, in place of the pending one with the same identifier.
    nonisolated(nonsending) public func add(_ request: UNNotificationRequest) async throws {
        await withUnsafeContinuation { continuation in
            add(request) { _ in continuation.resume() }
        }
    }

    /// The pending requests, the earliest first.
    public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        perform("the completion handler of getPendingNotificationRequests") { [shelf] center in
            let requests = await center.pending().compactMap { shelf.request($0.identifier) }
            return { completionHandler(requests) }
        }
    }

    /// The pending requests, the earliest first.
    nonisolated(nonsending) public func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await withUnsafeContinuation { continuation in
            getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
    }

    /// Removes pending requests; unknown identifiers are ignored.
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        perform { center in await center.removePending(identifiers) }
    }

    /// Removes all pending requests.
    public func removeAllPendingNotificationRequests() {
        perform { center in await center.removePending(center.pending().map(\.identifier)) }
    }

    // MARK: What is shown

    /// The notifications that were shown and not yet removed.
    public func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        perform("the completion handler of getDeliveredNotifications") { [self] center in
            let notifications = await center.delivered().compactMap(notification)
            return { completionHandler(notifications) }
        }
    }

    /// The notifications that were shown and not yet removed.
    nonisolated(nonsending) public func deliveredNotifications() async -> [UNNotification] {
        await withUnsafeContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Takes shown notifications away; unknown identifiers are ignored.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        perform { center in center.removeDelivered(identifiers) }
    }

    /// Takes all shown notifications away.
    public func removeAllDeliveredNotifications() {
        perform { center in center.removeDelivered(await center.delivered()) }
    }

    /// Sets the number on the app's icon. The simulated phone notes it in its log.
    public func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        perform("the completion handler of setBadgeCount") { [self] _ in
            shelf.badge = newBadgeCount
            host.note("badge \(newBadgeCount)")
            return completionHandler.map(withoutError)
        }
    }

    /// Sets the number on the app's icon. The simulated phone notes it in its log.
    nonisolated(nonsending) public func setBadgeCount(_ newBadgeCount: Int) async throws {
        await withUnsafeContinuation { continuation in
            setBadgeCount(newBadgeCount) { _ in continuation.resume() }
        }
    }

    // MARK: Private

    /// Does something in its turn, and then calls what that has returned, on another thread.
    private func perform(
        _ name: String, _ work: @escaping @Sendable (SimulatedNotificationCenter) async -> (@Sendable () -> Void)?
    ) {
        perform { [host, callOut] center in
            guard let completion = await work(center) else { return }
            host.mainLoop.run { callOut.call(name, on: host, completion) }
        }
    }

    private func withoutError(_ handler: @escaping @Sendable ((any Error)?) -> Void) -> @Sendable () -> Void {
        { handler(nil) }
    }

    private func perform(_ work: @escaping Work) {
        let isFirst = turns.withLock { turns in
            defer { turns.isAtWork = true }
            turns.waiting.append(work)
            return !turns.isAtWork
        }
        guard isFirst else { return }
        host.start { [self] in
            while let work = next() { await work(host.notifications) }
        }
    }

    private func next() -> Work? {
        turns.withLock { turns in
            guard !turns.waiting.isEmpty else {
                turns.isAtWork = false
                return nil
            }
            return turns.waiting.removeFirst()
        }
    }

    private func add(_ request: UNNotificationRequest, to center: SimulatedNotificationCenter) {
        let identifier = request.identifier
        let now = host.engine.time.wall()
        // Without a trigger it is due now; one that never is due is not kept.
        guard let due = request.trigger.map({ $0.first(now: now) }) ?? now else { return }
        let trigger: NotificationRequest.Trigger =
            if let interval = request.trigger as? UNTimeIntervalNotificationTrigger {
                .after(.seconds(interval.timeInterval), repeats: interval.repeats)
            } else {
                .at(due)
            }
        shelf.keep(request)
        let what = UserNotification(title: request.content.title, body: request.content.body)
        center.add(
            NotificationRequest(identifier: identifier, notification: what, trigger: trigger),
            repeating: { [shelf] delivered in
                shelf.came(identifier, at: delivered)
                return request.trigger?.next(after: delivered, added: now)
            })
    }

    private func notification(_ identifier: String) -> UNNotification? {
        guard let request = shelf.request(identifier), let instant = shelf.instant(identifier) else { return nil }
        return UNNotification(date: SimulatedPhone.date(of: instant), request: request)
    }

    @MainActor
    private func present(_ request: NotificationRequest) {
        guard let delegate, let notification = notification(request.identifier) else { return }
        let center = host.notifications
        delegate.userNotificationCenter(self, willPresent: notification) { options in
            if !options.isDisjoint(with: [.alert, .banner, .list]) { center.show(request) }
        }
    }

    @MainActor
    private func opened(_ request: NotificationRequest) {
        guard let delegate, let notification = notification(request.identifier) else { return }
        delegate.userNotificationCenter(self, didReceive: UNNotificationResponse(notification: notification)) {}
    }
}

/// For `@unchecked Sendable`: it is behind its owner's lock.
private struct WeakDelegate: @unchecked Sendable {
    weak var value: (any UNUserNotificationCenterDelegate)?
}

extension UNAuthorizationStatus {
    fileprivate init(_ authorization: NotificationAuthorization) {
        self =
            switch authorization {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .authorized: .authorized
            case .provisional: .provisional
            }
    }
}
