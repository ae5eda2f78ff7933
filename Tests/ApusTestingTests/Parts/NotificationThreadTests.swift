import ApusBackground
import ApusTesting
import ApusTimers
import Testing

/// Threads of the app, which the device does not drive, use the center while time passes.
@MainActor
@Suite("Notifications that other threads ask for while time passes")
struct NotificationThreadTests {
    @Test("each comes its interval after the line of the log that says so")
    func intervals() async throws {
        try await SimulatedDevice.run { device in
            let center = try notifications(of: device)
            let count = 2_000
            let asking = Task.detached {
                for number in 1...count {
                    // More would be refused.
                    while center.waiting.count > 32 { await Task.yield() }
                    try await center.schedule(request("\(number)", after: .seconds(1)))
                }
            }
            while center.shown.count < count {
                await device.advance(by: .milliseconds(300))
                await Task.yield()
            }
            try await asking.value
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

    @Test("a due one comes in time while others are added and removed")
    func changesBeside() async throws {
        try await SimulatedDevice.run { device in
            let center = try notifications(of: device)
            let changing = Task.detached {
                while !Task.isCancelled {
                    center.add(request("other", after: .seconds(3_600)))
                    await center.removePending(["other"])
                }
            }
            for _ in 1...2_000 {
                center.add(request("tea", after: .seconds(1)))
                let due = center.nextInstant(of: "tea")
                await device.advance(by: .seconds(2))
                #expect(center.shown.map(\.instant) == [due])
                center.removeDelivered(["tea"])
            }
            changing.cancel()
            await changing.value
        }
    }

    private func notifications(of device: SimulatedDevice) throws -> SimulatedNotificationCenter {
        let host = try device.launchProbe()
        host.notifications.setAuthorization(.authorized)
        device.pressHome()
        return host.notifications
    }
}

private func request(_ identifier: String, after interval: Duration) -> NotificationRequest {
    NotificationRequest(
        identifier: identifier, notification: UserNotification(title: "tea", body: ""),
        trigger: .after(interval, repeats: false))
}
