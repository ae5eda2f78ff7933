import ApusBackground
import ApusTimers

@testable import ApusDevice

extension PartsHarness {
    func center(
        _ authorization: NotificationAuthorization = .authorized, overflow: NotificationOverflow = .keepsSoonest,
        openApp: @escaping @Sendable (_ notify: @Sendable () -> Void) -> Void = { notify in notify() }
    ) -> SimulatedNotificationCenter {
        var surroundings = surroundings
        surroundings.openApp = openApp
        return SimulatedNotificationCenter(surroundings, authorization: authorization, overflow: overflow)
    }

    /// The log's lines about deliveries.
    var deliveries: [String] { log.filter { $0.contains("notification delivered") } }
}

extension NotificationRequest {
    init(_ identifier: String, _ trigger: Trigger) {
        self.init(identifier: identifier, notification: UserNotification(title: "T"), trigger: trigger)
    }
}
