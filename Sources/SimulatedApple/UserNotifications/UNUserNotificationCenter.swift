import ApusBackground
public import ApusDevice
import ApusTimers
import ApusVirtualTime
import Dispatch
import SimulatedAppleCore

/// The app's interface to the phone's notification center: the simulated one.
///
/// Everything that an app asks for is done in the order in which it was asked, a moment later. Completion handlers are
/// called on a thread that is not the main one, while the device waits. The asynchronous forms stay on the caller's
/// actor, so that they follow the device's order. All members may be used from any thread.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `delegateBox` and `turns`, protected by their locks.

    private typealias Work = @Sendable (any PhoneNotifications) async -> Void

    /// What was asked for, one after the other.
    private struct Turns: Sendable {
        var waiting: [Work] = []
        var isAtWork = false
    }

    let host: any PhoneHost
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

    /// Decides about notifications that come while the app is in front, and gets those that the user opens. Not kept.
    /// Set it before the app has finished launching.
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

    /// Asks the user, if that has not happened yet. The answer is that of the simulated user; the app is inactive meanwhile.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Nothing else waits for the user's answer.
        perform { [host, callbacks] center in
            center.askForAuthorization(provisional: options.contains(.provisional)) { answer in
                host.mainLoop.run {
                    callbacks.call("the completion handler of requestAuthorization", on: host) {
                        completionHandler(answer.allowsShowing, nil)
                    }
                }
            }
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
            if !request.content.hasPropertyListInfo {
                host.fault(
                    Fault(
                        .notificationUserInfo,
                        "the userInfo of notification “\(request.identifier)” is not kept: its keys are strings, and its "
                            + "values those of a property list (numbers, strings, dates, data, arrays, dictionaries)"))
            }
            center.add(request.kept)
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
        perform("the completion handler of getPendingNotificationRequests") { center in
            let requests = center.pending.map { UNNotificationRequest($0) }
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
        perform { center in center.removePending(identifiers) }
    }

    /// Removes all pending requests.
    public func removeAllPendingNotificationRequests() {
        perform { center in center.removePending(center.pending.map(\.identifier)) }
    }

    // MARK: What is shown

    /// The notifications that were shown and not yet removed.
    public func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        perform("the completion handler of getDeliveredNotifications") { center in
            let notifications = center.delivered.map { UNNotification($0) }
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
        perform { center in center.removeDelivered(center.delivered.map(\.notification.identifier)) }
    }

    /// Sets the number on the app's icon. The simulated phone notes it in its log.
    public func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        perform("the completion handler of setBadgeCount") { [self] _ in
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
        }
    }

    @MainActor
    private func opened(_ delivered: DeliveredNotification) {
        let response = UNNotificationResponse(notification: UNNotification(delivered))
        delegate?.userNotificationCenter(self, didReceive: response) {}
    }
}

extension Fault.Rule {
    /// A notification whose `userInfo` is not a property list, which the system cannot keep.
    ///
    /// Apple, documentation/usernotifications/unnotificationcontent/userinfo
    public static let notificationUserInfo = Fault.Rule("notificationUserInfo")
}

/// For `@unchecked Sendable`: it is protected by its owner's lock.
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

/// The calls about an app's notifications. All methods are optional, as in the framework; of each pair, the implemented
/// one is called: the form with a handler on the main thread, the asynchronous one where its isolation says.
@preconcurrency
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    /// A notification comes while the app is in front: the app decides what is shown.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
    /// The same, asynchronously.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// The user has opened a notification.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    /// The same, asynchronously.
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async
}

extension UNUserNotificationCenterDelegate {
    /// Asks the asynchronous form.
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

    /// Shows nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Identifies the asynchronous form.
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
