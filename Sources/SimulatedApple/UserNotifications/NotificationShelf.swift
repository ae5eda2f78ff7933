import ApusTimers

/// What the system keeps of the app's notifications beside their titles. It outlives the app's processes.
final class NotificationShelf: Sendable {
    private struct State {
        var requests: [String: UNNotificationRequest] = [:]
        var cameAt: [String: WallInstant] = [:]
        var badge = 0
    }

    private let state = Locked(State())

    func keep(_ request: UNNotificationRequest) { state.withLock { $0.requests[request.identifier] = request } }

    func came(_ identifier: String, at instant: WallInstant) { state.withLock { $0.cameAt[identifier] = instant } }

    func request(_ identifier: String) -> UNNotificationRequest? { state.withLock { $0.requests[identifier] } }

    /// When it was delivered last.
    func instant(_ identifier: String) -> WallInstant? { state.withLock { $0.cameAt[identifier] } }

    var badge: Int {
        get { state.withLock { $0.badge } }
        set { state.withLock { $0.badge = newValue } }
    }
}
