import ApusBackground
import ApusDevice
import ApusTimers
import Synchronization
import Testing

/// Threads of the app, which the device does not control, use the center while time passes.
@MainActor
@Suite("Notifications that other threads request while time passes")
struct NotificationThreadTests {
    @Test("each notification is delivered one interval after the log's line of its request")
    func intervals() async throws {
        try await SimulatedDevice.run { device in
            let center = try notifications(of: device)
            for round in 1...200 {
                let isOver = Flag()
                let asking = Task.detached {
                    defer { isOver.set() }
                    for number in 1...10 {
                        try await center.schedule(request("\(round).\(number)", after: .seconds(1)))
                    }
                }
                while !isOver.isSet { advance(device, by: .milliseconds(100)) }
                try await asking.value
                advance(device, by: .seconds(1))
            }
            #expect(center.shown.count == 2_000)
            var asked: [String: WallInstant] = [:]
            var came: [String: WallInstant] = [:]
            for event in device.log {
                if case .notificationScheduled(let identifier) = event.what { asked[identifier] = event.wall }
                if case .notificationDelivered(let identifier) = event.what { came[identifier] = event.wall }
            }
            let intervals = try center.shown.map { shown in
                let identifier = shown.request.identifier
                let (asked, came) = (try #require(asked[identifier]), try #require(came[identifier]))
                #expect(came == shown.instant)
                return asked.duration(to: came)
            }
            #expect(Set(intervals) == [.seconds(1)])
        }
    }

    @Test("a notification is delivered on time while others are added and removed")
    func changesBeside() async throws {
        try await SimulatedDevice.run { device in
            let center = try notifications(of: device)
            var late: [Duration] = []
            for _ in 1...500 {
                let isOver = Flag()
                let changing = Task.detached {
                    defer { isOver.set() }
                    for _ in 1...50 {
                        center.add(request("other", after: .seconds(3_600)))
                        await center.removePending(["other"])
                    }
                }
                while !isOver.isSet {
                    center.add(request("tea", after: .seconds(1)))
                    let due = try #require(center.nextInstant(of: "tea"))
                    advance(device, by: .seconds(3))
                    // The notification is found by its identifier, because the notification of the other thread is
                    // shown too if an hour of virtual time passes before that thread removes its request.
                    let came = try #require(center.shown.first { $0.request.identifier == "tea" }?.instant)
                    if came != due { late.append(due.duration(to: came)) }
                    center.removeDelivered(["tea"])
                }
                await changing.value
            }
            #expect(late == [])
        }
    }

    private func notifications(of device: SimulatedDevice) throws -> SimulatedNotificationCenter {
        let host = try device.launchProbe()
        host.notifications.setAuthorization(.authorized)
        device.pressHome()
        return host.notifications
    }

    /// Advances the device in a synchronous call.
    ///
    /// In a synchronous call, the test does not wait for other tests. The call therefore runs at the same time as the
    /// work of the other thread.
    private func advance(_ device: SimulatedDevice, by duration: Duration) { device.advance(by: duration) }
}

/// A flag that is set once, from any thread.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

private func request(_ identifier: String, after interval: Duration) -> NotificationRequest {
    NotificationRequest(
        identifier: identifier, notification: UserNotification(title: "tea", body: ""),
        trigger: .after(interval, repeats: false))
}
