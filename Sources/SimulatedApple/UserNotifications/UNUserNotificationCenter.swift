import ApusBackground
public import ApusDevice
import ApusTimers
import ApusVirtualTime
import Dispatch
import SimulatedAppleCore

/// The app's interface to the notification center of the simulated phone.
///
/// Calls are carried out a moment later, in the order in which they were made. Completion handlers are called on a
/// thread other than the main one, while the device waits. The asynchronous forms stay on the caller's actor, so that
/// the device determines the order in which their callers continue. All members can be used on any thread.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `delegateBox` and `turns`, protected by their locks.

    private typealias Work = @Sendable (any PhoneNotifications) async -> Void

    /// The calls that wait for their turn.
    private struct Turns: Sendable {
        var waiting: [Work] = []
        var isAtWork = false
    }

    let host: any PhoneHost
    private let categories = Locked<Set<UNNotificationCategory>>([])
    private let service: any PhoneNotifications
    private let callbacks = CallbackQueue(DispatchQueue(label: "com.apple.usernotifications.call-out"))
    private let delegateBox = Locked(WeakDelegate())
    private let turns = Locked(Turns())

    private init(_ process: PhoneProcess) {
        host = process.host
        service = process.notifications
        super.init()
    }

    /// The center of the running process.
    public class func current() -> UNUserNotificationCenter {
        let process = SimulatedPhone.process
        return process.shared.object(of: UNUserNotificationCenter.self) { UNUserNotificationCenter(process) }
    }

    /// The delegate, which decides about notifications that arrive while the app is in the foreground, and receives
    /// those that the user opens.
    ///
    /// It is not retained. Set it before the app has finished launching.
    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { delegateBox.withLock { $0 }.value }
        set {
            OptionalMethods.check(newValue, of: (any UNUserNotificationCenterDelegate).self) {
                $0 is any UNUserNotificationCenterDelegate.Type
            }
            let new = WeakDelegate(value: newValue)
            delegateBox.withLock { $0 = new }
            let present: @MainActor @Sendable (DeliveredNotification) -> Void = { [weak self] in self?.present($0) }
            service.onDelivery = newValue == nil ? nil : present
            service.onOpen = { [weak self] in self?.opened($0) }
        }
    }

    // MARK: The user's permission

    /// Asks the user for permission, unless the user has already answered.
    ///
    /// The simulated user answers; the app is inactive meanwhile. The handler is called on a thread other than the main
    /// one.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Later calls do not wait for the user's answer.
        perform { [host, callbacks] center in
            let (isProvisional, badge) = (options.contains(.provisional), options.contains(.badge))
            center.askForAuthorization(provisional: isProvisional, badge: badge) { answer in
                host.mainLoop.run {
                    callbacks.call("the completion handler of requestAuthorization", on: host) {
                        completionHandler(answer.allowsShowing, nil)
                    }
                }
            }
        }
    }

    /// Asks the user for permission, unless the user has already answered.
    ///
    /// The simulated user answers; the app is inactive meanwhile.
    nonisolated(nonsending) public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool
    {
        await withUnsafeContinuation { continuation in
            requestAuthorization(options: options) { isGranted, _ in continuation.resume(returning: isGranted) }
        }
    }

    /// Calls a handler with the user's permission and settings.
    public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        perform("the completion handler of getNotificationSettings") { center in
            let settings = UNNotificationSettings(
                UNAuthorizationStatus(center.authorization), allowsBadge: center.allowsBadge)
            return { completionHandler(settings) }
        }
    }

    /// Returns the user's permission and settings.
    nonisolated(nonsending) public func notificationSettings() async -> UNNotificationSettings {
        await withUnsafeContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: Requests

    /// Adds a request, which replaces a pending one with the same identifier.
    ///
    /// When too many requests are pending, one of them, which may be the new one, is dropped without an error. A
    /// notification that the user does not allow is not shown.
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        perform("the completion handler of add") { [self] center in
            if !request.content.hasPropertyListInfo {
                host.fault(
                    Fault(
                        .notificationUserInfo,
                        "the userInfo of notification “\(request.identifier)” is not kept; its keys must be strings, "
                            + "and its values numbers, strings, dates, data, arrays or dictionaries (a property list)"))
            }
            center.add(request.kept)
            return completionHandler.map(withoutError)
        }
    }

    /// Adds a request, which replaces a pending one with the same identifier.
    nonisolated(nonsending) public func add(_ request: UNNotificationRequest) async throws {
        await withUnsafeContinuation { continuation in
            add(request) { _ in continuation.resume() }
        }
    }

    /// Calls a handler with the pending requests, earliest first.
    public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        perform("the completion handler of getPendingNotificationRequests") { center in
            let requests = center.pending.map { UNNotificationRequest($0) }
            return { completionHandler(requests) }
        }
    }

    /// Returns the pending requests, earliest first.
    nonisolated(nonsending) public func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await withUnsafeContinuation { continuation in
            getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
    }

    /// Removes pending requests; unknown identifiers are ignored.
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        perform { center in center.removePending(identifiers) }
    }

    /// Removes all pending requests.
    public func removeAllPendingNotificationRequests() {
        perform { center in center.removePending(center.pending.map(\.identifier)) }
    }

    // MARK: What is shown

    /// Calls a handler with the notifications that were shown and not removed.
    public func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        perform("the completion handler of getDeliveredNotifications") { center in
            let notifications = center.delivered.map { UNNotification($0) }
            return { completionHandler(notifications) }
        }
    }

    /// Returns the notifications that were shown and not removed.
    nonisolated(nonsending) public func deliveredNotifications() async -> [UNNotification] {
        await withUnsafeContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Removes shown notifications; unknown identifiers are ignored.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        perform { center in center.removeDelivered(identifiers) }
    }

    /// Removes all shown notifications.
    public func removeAllDeliveredNotifications() {
        perform { center in center.removeDelivered(center.delivered.map(\.notification.identifier)) }
    }

    /// Sets the number on the app's icon, which the simulated phone writes into its log.
    ///
    /// Without the user's permission for badges, the number does not change, and the log has a warning.
    public func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        perform("the completion handler of setBadgeCount") { [self] center in
            center.setBadge(newBadgeCount)
            return completionHandler.map(withoutError)
        }
    }

    /// Sets the number on the app's icon, which the simulated phone writes into its log.
    nonisolated(nonsending) public func setBadgeCount(_ newBadgeCount: Int) async throws {
        await withUnsafeContinuation { continuation in
            setBadgeCount(newBadgeCount) { _ in continuation.resume() }
        }
    }

    // MARK: Categories

    /// Sets the kinds of notifications with their buttons, which the simulated user never presses.
    ///
    /// The process keeps them for ``getNotificationCategories(completionHandler:)``.
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        self.categories.exchange(\.self, with: categories)
    }

    /// Calls a handler with the kinds of notifications that this process has set.
    public func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        perform("the completion handler of getNotificationCategories") { [self] _ in
            let present = categories.withLock { $0 }
            return { completionHandler(present) }
        }
    }

    /// Returns the kinds of notifications that this process has set.
    nonisolated(nonsending) public func notificationCategories() async -> Set<UNNotificationCategory> {
        await withUnsafeContinuation { continuation in
            getNotificationCategories { continuation.resume(returning: $0) }
        }
    }

    // MARK: Private

    /// Performs `work` in its turn, and then calls the closure that `work` returned, on a thread other than the main
    /// one.
    private func perform(
        _ name: String, _ work: @escaping @Sendable (any PhoneNotifications) async -> (@Sendable () -> Void)?
    ) {
        perform { [host, callbacks] center in
            guard let completion = await work(center) else { return }
            host.mainLoop.run { callbacks.call(name, on: host, completion) }
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
            while let work = next() { await work(service) }
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

    @MainActor
    private func present(_ delivered: DeliveredNotification) {
        guard let delegate else { return }
        delegate.userNotificationCenter(self, willPresent: UNNotification(delivered)) { [service] options in
            if !options.isDisjoint(with: [.alert, .banner, .list]) { service.show(delivered.notification) }
            if options.contains(.badge), let badge = delivered.notification.badge { service.setBadge(badge) }
        }
    }

    @MainActor
    private func opened(_ delivered: DeliveredNotification) {
        let response = UNNotificationResponse(notification: UNNotification(delivered))
        delegate?.userNotificationCenter(self, didReceive: response) {}
    }
}

extension Fault.Rule {
    /// The `userInfo` of a notification is not a property list, so the system cannot keep it.
    ///
    /// Source: Apple, documentation/usernotifications/unnotificationcontent/userinfo
    public static let notificationUserInfo = Fault.Rule("notificationUserInfo")
}

/// A weak reference to the delegate.
///
/// For `@unchecked Sendable`: the lock of its owner protects it.
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

/// The calls about an app's notifications, all of them optional as in the framework.
///
/// Implement one method of each pair: the form with a handler is called on the main thread, the asynchronous form
/// according to its isolation.
@preconcurrency
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    /// Decides how a notification that arrives while the app is in the foreground is presented.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
    /// Decides how such a notification is presented; this is the asynchronous form of the method above.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// Called when the user has opened a notification.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    /// Called when the user has opened a notification; this is the asynchronous form of the method above.
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async
}

extension UNUserNotificationCenterDelegate {
    /// Calls the asynchronous form.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let delegate = Handover<any UNUserNotificationCenterDelegate>(self)
        let handler = Handover(completionHandler)
        center.host.start {
            let options = await delegate.value.userNotificationCenter(center, willPresent: notification)
            center.host.mainLoop.run { handler.value(options) }
        }
    }

    /// Returns no options, so that nothing is shown.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Calls the asynchronous form.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let delegate = Handover<any UNUserNotificationCenterDelegate>(self)
        let handler = Handover(completionHandler)
        center.host.start {
            await delegate.value.userNotificationCenter(center, didReceive: response)
            center.host.mainLoop.run { handler.value() }
        }
    }

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}
}
