import Apus
import ApusFoundation
import ApusTesting
import Foundation

// Shown: countdown-app
@MainActor
final class TeaApp {
    let tea: Countdown

    init(host: any BackgroundHost, records: any RecordStore, notifications: (any NotificationScheduler)?) throws {
        tea = try Countdown(
            host: host, store: records, key: "tea",
            notification: UserNotification(title: "Tea is ready"), notificationScheduler: notifications)

        switch tea.state {
        case .idle:
            print("no tea")
        case .running, .paused:
            print(CountdownText.remaining(tea.remaining), "left")
        case .finished(let instant, let unseen):
            let ago = CountdownText.elapsed(instant.duration(to: host.engine.time.wall()))
            print("finished \(ago) ago" + (unseen ? " while you were away" : ""))
            try tea.acknowledge()
        }
    }
}
// Shown: end

@MainActor
enum CountdownExamples {
    static func killed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-tea-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Shown: countdown-killed
        let records = try FileRecordStore(path: folder)  // a file for each key, written whole or not at all

        try SimulatedDevice.run { device in
            device.notifications.setAuthorization(.authorized)
            device.install { host in
                try TeaApp(host: host, records: records, notifications: host.notifications)
            }

            device.launch()
            try (device.app as? TeaApp)?.tea.start(for: .seconds(300))

            device.advance(by: .seconds(60))
            device.kill()
            device.launch()

            device.kill()
            device.advance(by: .seconds(420))
            device.launch()
            for event in device.log {
                if case .notificationDelivered = event.what { print(event) }
            }
        }
        // Shown: end
    }
}
