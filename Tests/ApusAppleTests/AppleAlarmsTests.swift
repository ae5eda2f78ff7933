import AlarmKit
import ApusApple
import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit
import UserNotifications

extension ApusAppleTests {
    @MainActor
    @Suite("AppleAlarms")
    struct Alarms {
        /// Runs an app whose countdown has an alarm.
        private func run(
            alarms: Bool = true, notifications: Bool = true, _ body: (SimulatedDevice) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                device.alarms.userAllows = alarms
                device.notifications.setAuthorization(notifications ? .authorized : .denied)
                device.launchPort { host in
                    try Countdown(
                        host: host, store: device.storage, key: "tea", notification: UserNotification(title: "Tea"),
                        notificationScheduler: AppleAlarms(host: host))
                }
                try body(device)
            }
        }

        private func countdown(_ device: SimulatedDevice) throws -> Countdown { try device.built() }

        private func start(_ device: SimulatedDevice) throws {
            try countdown(device).start(for: .seconds(300))
            device.advance(by: .zero)
        }

        @Test("a countdown alerts as an alarm after a force quit and a restart of the device, and as nothing else")
        func forceQuit() throws {
            try run { device in
                try start(device)
                device.advance(by: .seconds(60))
                device.swipeAway()
                device.reboot()
                device.advance(by: .seconds(209))
                #expect(device.alarms.alertTitles.isEmpty)
                device.advance(by: .seconds(1))
                #expect(device.alarms.alertTitles == ["Tea"])
                #expect(device.notifications.shownTitles.isEmpty && device.launchCount == 1)
            }
        }

        @Test("if the user does not allow alarms, a countdown ends with a notification")
        func refused() throws {
            try run(alarms: false) { device in
                try start(device)
                device.swipeAway()
                device.advance(by: .seconds(301))
                #expect(device.alarms.alertTitles.isEmpty)
                #expect(device.notifications.shownTitles == ["Tea"])
            }
        }

        @Test("a pause and a cancellation delete the alarm, and an extension moves it")
        func changes() throws {
            try run { device in
                try start(device)
                #expect(device.alarms.all.count == 1)
                try countdown(device).pause()
                device.advance(by: .seconds(1_000))
                #expect(device.alarms.all.isEmpty)
                try countdown(device).resume()
                try countdown(device).extend(by: .seconds(60))
                device.advance(by: .seconds(1))
                let left = device.alarms.all.first?.alertInstant.map { device.time.wall().duration(to: $0) }
                #expect(left == .seconds(359))
                try countdown(device).cancel()
                device.advance(by: .seconds(1_000))
                #expect(device.alarms.all.isEmpty && device.alarms.alertTitles.isEmpty)
            }
        }

        @Test("an app that is opened again keeps the alarm of its countdown, and does not stop one that alerts")
        func relaunch() throws {
            try run { device in
                try start(device)
                device.kill()
                device.open()
                device.advance(by: .seconds(1))
                #expect(device.alarms.all.map(\.state) == [.scheduled])
                device.kill()
                device.advance(by: .seconds(300))
                device.open()
                device.advance(by: .seconds(1))
                #expect(device.alarms.all.map(\.state) == [.alerting])
                try countdown(device).acknowledge()
                device.advance(by: .seconds(1))
                #expect(device.alarms.all.map(\.state) == [.alerting])
                #expect(device.alarms.alertTitles == ["Tea"])
            }
        }

        @Test("requests other than a future instant are notifications, and alarms are listed with them")
        func requests() throws {
            try SimulatedDevice.run { device in
                device.notifications.setAuthorization(.authorized)
                device.launchPort { AppleAlarms(host: $0) }
                let center: AppleAlarms = try device.built()
                let now = device.time.wall()
                func request(_ identifier: String, _ trigger: NotificationRequest.Trigger) -> NotificationRequest {
                    NotificationRequest(
                        identifier: identifier, notification: UserNotification(title: identifier), trigger: trigger)
                }
                let requests = [
                    request("past", .at(now.advanced(by: .seconds(-60)))),
                    request("alarm", .at(now.advanced(by: .seconds(60)))),
                    request("later", .at(now.advanced(by: .seconds(600)))), request("after", .after(.seconds(90))),
                ]
                try device.perform {
                    for request in requests { try await center.schedule(request) }
                    try await center.notify(UserNotification(title: "now"))
                }
                #expect(device.alarms.all.map(\.title) == ["alarm", "later"])
                try #expect(device.perform { await center.pending().map(\.identifier) } == ["alarm", "after", "later"])
                device.advance(by: .seconds(61))
                try #expect(device.perform { await center.pending().map(\.identifier) } == ["after", "later"])
                try #expect(device.perform { await center.delivered() } == ["alarm"])
                try device.perform { await center.removePending(["alarm", "later", "after", "unknown"]) }
                #expect(device.alarms.all.map(\.title) == ["alarm"])
                try #expect(device.perform { await center.pending() } == [])
            }
        }

        @Test("without the permission for either, a request is refused")
        func nothing() throws {
            try run(alarms: false, notifications: false) { device in
                let center = AppleAlarms(host: try device.port)
                let due = device.time.wall().advanced(by: .seconds(60))
                let error = #expect(throws: BackgroundError.self) {
                    try device.perform {
                        try await center.schedule(
                            NotificationRequest(
                                identifier: "tea", notification: UserNotification(title: "Tea"), trigger: .at(due)))
                    }
                }
                #expect(error?.code == .notificationRefused)
            }
        }
    }
}
