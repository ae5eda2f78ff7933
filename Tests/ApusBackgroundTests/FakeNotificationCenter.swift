import ApusBackground
import ApusVirtualTime

@testable import ApusTimers

/// A notification center in virtual time that shows due notifications at the next access.
final class FakeNotificationCenter: NotificationScheduler {
    private struct State {
        var pending: [NotificationRequest] = []
        var shown: [String] = []
        var refuses = false
    }

    private let time: Locked<VirtualTime>
    private let state = Locked(State())

    init(_ time: VirtualTime) { self.time = Locked(time) }

    /// Replaces the clock by that of the restarted machine.
    func follow(_ time: VirtualTime) { self.time.withLock { $0 = time } }

    /// The pending identifiers and the instants at which they will be shown.
    var requests: [String: WallInstant] {
        look { state in
            Dictionary(
                uniqueKeysWithValues: state.pending.compactMap { request in
                    if case .at(let instant) = request.trigger { (request.identifier, instant) } else { nil }
                })
        }
    }

    /// The identifiers of all shown notifications, in order.
    var shown: [String] { look { $0.shown } }

    func refuse() { state.withLock { $0.refuses = true } }

    private func look<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result {
        let now = time.withLock { $0.wall() }
        return state.withLock { state in
            state.pending.removeAll { request in
                guard case .at(let instant) = request.trigger, instant <= now else { return false }
                state.shown.append(request.identifier)
                return true
            }
            return body(&state)
        }
    }

    func notify(_ notification: UserNotification) async throws {}

    func schedule(_ request: NotificationRequest) async throws {
        try request.validate()
        guard !state.withLock({ $0.refuses }) else {
            throw BackgroundError(code: .notificationRefused, message: "the user does not allow notifications")
        }
        look { state in
            state.pending.removeAll { $0.identifier == request.identifier }
            state.pending.append(request)
        }
    }

    func removePending(_ identifiers: [String]) async {
        look { state in state.pending.removeAll { identifiers.contains($0.identifier) } }
    }

    func pending() async -> [NotificationRequest] { look { $0.pending } }
    func delivered() async -> [String] { look { $0.shown } }
}
