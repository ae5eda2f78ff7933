import Apus
import ApusTesting

/// The examples in docs/background.md of timers that are handed over.
@MainActor
enum BackgroundTimerExamples {
    static func handedOver() throws {
        try SimulatedDevice.run { device in
            device.notifications.setAuthorization(.authorized)
            device.install { host in Kept((try? schedule(host: host)) as Any) }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(1_800))
            device.open()
            for event in device.log {
                if case .notificationDelivered = event.what { print("shown after", event.wall.secondsSinceStart, "s") }
            }
        }
    }

    static func schedule(host: SimulatedHost) throws -> BackgroundTimers {
        // Shown: handover
        let timers = BackgroundTimers(host: host, name: "oven", notificationScheduler: host.notifications)
        try timers.schedule(
            after: .seconds(1_200),
            handover: .notification(UserNotification(title: "The cake is done"))
        ) {
            print("the cake is done")
        }
        // Shown: end
        return timers
    }
}

extension WallInstant {
    /// The time since the simulated device was switched on, in seconds.
    fileprivate var secondsSinceStart: Int64 {
        WallInstant(secondsSince1970: 1_767_225_600).duration(to: self).components.seconds
    }
}

/// The examples in docs/background.md of stopwatches.
@MainActor
enum StopwatchExamples {
    static func restarted() throws {
        try SimulatedDevice.run { device in
            device.install { host in Kept((try? open(host: host, records: host.storage)) as Any) }
            device.launch()
            device.advance(by: .seconds(65))
            device.reboot()  // takes thirty seconds
            device.launch()
        }
    }

    static func open(host: any BackgroundHost, records: any RecordStore) throws -> Stopwatch {
        // Shown: stopwatch
        let run = try Stopwatch(host: host, store: records, key: "run")
        print(run.state, CountdownText.elapsed(run.elapsed))
        if run.state == .idle { try run.start() }
        // Shown: end
        return run
    }
}
