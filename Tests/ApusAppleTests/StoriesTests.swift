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
    /// Runs, through UIKit, the scenarios that are also tested on the simulated device's own host.
    @MainActor
    @Suite("BackgroundTimers and Countdown on AppleHost")
    struct Stories {
        // MARK: BackgroundTimers

        private func launchTimers(
            _ device: SimulatedDevice, _ journal: Journal, mode: MainLoopMode = .common,
            _ durations: [(seconds: Int64, handover: BackgroundTimers.Handover)]
        ) {
            device.notifications.setAuthorization(.authorized)
            device.launchPort { host in
                let timers = BackgroundTimers(
                    host: host, mode: mode, notificationScheduler: AppleNotifications(host: host))
                let events = timers.events()
                host.start {
                    for await event in events {
                        switch event {
                        case .expired(let ids): journal.note("expired \(ids.count)")
                        case .handedOver(let ids): journal.note("handed over \(ids.count)")
                        case .executed, .cancelled: break
                        }
                    }
                }
                for (number, timer) in durations.enumerated() {
                    _ = try timers.schedule(after: .seconds(timer.seconds), handover: timer.handover) {
                        journal.note("timer \(number + 1)")
                    }
                }
                return timers
            }
        }

        @Test("timers fire in the background under one background task, and the app is then suspended")
        func withinAllowance() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                launchTimers(device, journal, [(5, .none), (20, .none)])
                device.pressHome()
                device.advance(by: .seconds(19))
                #expect(device.claims == (["timers"], []))
                device.advance(by: .seconds(4))
                #expect(journal.all == ["5 timer 1", "20 timer 2"])
                #expect(device.claims == (["timers"], ["timers"]))
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("a timer due after the expiration handlers' call expires then and fires on return")
        func expired() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                launchTimers(device, journal, [(28, .none)])
                device.pressHome()
                device.advance(by: .seconds(1_000))
                #expect(journal.all == ["26 expired 1"])
                #expect(device.ends.isEmpty)
                device.open()
                device.advance(by: .seconds(1))
                #expect(journal.all == ["26 expired 1", "1000 timer 1"])
            }
        }

        @Test(
            "a timer beyond the allowance is handed over to a notification, which is shown while the app is suspended")
        func handedOver() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                launchTimers(device, journal, [(300, .notification(UserNotification(title: "Eggs")))])
                device.pressHome()
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
                device.advance(by: .seconds(390))
                #expect(device.shown.count == 1)
                let seconds = try #require(device.shown.first)
                // A calendar trigger has whole seconds and is never early.
                #expect((300...301).contains(seconds))
                device.open()
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 handed over 1", "400 timer 1"])
            }
        }

        @Test("work in default mode waits while the user scrolls, and in common mode it does not")
        func scrolling() throws {
            for mode in MainLoopMode.allCases {
                try SimulatedDevice.run { device in
                    let journal = Journal(device)
                    launchTimers(device, journal, mode: mode, [(5, .none)])
                    device.scroll(for: .seconds(10))
                    #expect(journal.all == [mode == .common ? "5 timer 1" : "10 timer 1"])
                }
            }
        }

        // MARK: Countdown

        private func launchCountdown(_ device: SimulatedDevice, _ journal: Journal) {
            let storage = device.storage
            device.notifications.setAuthorization(.authorized)
            device.launchPort { host in
                let countdown = try Countdown(
                    host: host, store: storage, key: "tea", notification: UserNotification(title: "Tea is ready"),
                    notificationScheduler: AppleNotifications(host: host))
                UNUserNotificationCenter.current().delegate = ShowAll.shared
                return (countdown, countdown.observeFinish { _ in journal.note("finished") })
            }
        }

        private func countdown(_ device: SimulatedDevice) throws -> Countdown {
            try device.built((Countdown, ObservationToken).self).0
        }

        @Test(
            "a countdown has the right state after a relaunch and one notification, however its process ended",
            arguments: [40, 100, 1_000] as [Int64])
        func killed(delay: Int64) throws {
            let ends: [@MainActor (SimulatedDevice) -> Void] = [
                { $0.kill() }, { $0.swipeAway() },
                { device in
                    device.pressHome()
                    device.advance(by: .seconds(3))
                    device.applyMemoryPressure()
                },
                { $0.reboot() },
            ]
            for end in ends {
                try SimulatedDevice.run { device in
                    let journal = Journal(device)
                    launchCountdown(device, journal)
                    try countdown(device).start(for: .seconds(100))
                    let stop = try #require(countdown(device).stopInstant)
                    device.advance(by: .seconds(10))
                    end(device)
                    #expect(device.app == nil)
                    device.advance(by: .seconds(delay))
                    device.open()
                    let left = device.time.wall().duration(to: stop)
                    if left > .zero {
                        try #expect(countdown(device).state == .running)
                        try #expect(countdown(device).remaining == left)
                    }
                    device.advance(by: max(.zero, left) + .seconds(2))
                    let wasSeen = left > .zero
                    try #expect(countdown(device).state == .finished(at: stop, unseen: !wasSeen))
                    #expect(journal.all.count == (wasSeen ? 1 : 0))
                    device.advance(by: .seconds(1_000))
                    #expect(device.shown.count == 1, "\(device.logText)")
                }
            }
        }

        @Test("a paused or cancelled countdown shows no notification")
        func withdrawn() throws {
            for cancels in [true, false] {
                try SimulatedDevice.run { device in
                    launchCountdown(device, Journal(device))
                    try countdown(device).start(for: .seconds(100))
                    device.advance(by: .seconds(10))
                    if cancels { try countdown(device).cancel() } else { try countdown(device).pause() }
                    device.advance(by: .seconds(1))
                    device.pressHome()
                    device.advance(by: .seconds(1_000))
                    #expect(device.shown.isEmpty)
                }
            }
        }
    }
}

/// A delegate that shows notifications also while the app is in the foreground.
private final class ShowAll: NSObject, UNUserNotificationCenterDelegate, Sendable {
    static let shared = ShowAll()

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([.banner]) }
}

extension SimulatedDevice {
    /// The instants of shown notifications, in whole seconds since the first event of the log.
    var shown: [Int64] {
        let start = log.first?.wall ?? time.wall()
        return log.compactMap { event in
            guard event.actor == .system, case .notificationDelivered = event.what else { return nil }
            return start.duration(to: event.wall).wholeNanoseconds / 1_000_000_000
        }
    }
}
