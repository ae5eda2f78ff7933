import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

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
