import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// An app with a countdown and a stopwatch.
@MainActor
final class CountdownApp {
    let host: SimulatedHost
    let countdown: Countdown
    let stopwatch: Stopwatch
    private let finishes: ObservationToken

    init(_ host: SimulatedHost) throws {
        self.host = host
        countdown = try Countdown(
            host: host, store: host.storage, key: "tea", notification: UserNotification(title: "Tea is ready"),
            notificationScheduler: host.notifications)
        stopwatch = try Stopwatch(host: host, store: host.storage, key: "run")
        finishes = countdown.observeFinish { _ in host.note("finished") }
        host.notifications.onForegroundDelivery = { _ in .shown }
    }
}

extension SimulatedDevice {
    /// Installs the app, allows its notifications, and launches it.
    func launchCountdown() throws {
        install { host in
            do {
                return try CountdownApp(host)
            } catch {
                Issue.record(error)
                return Box(())
            }
        }
        notifications.setAuthorization(.authorized)
        launch()
    }

    var countdown: Countdown {
        get throws { try #require(app as? CountdownApp).countdown }
    }

    var stopwatch: Stopwatch {
        get throws { try #require(app as? CountdownApp).stopwatch }
    }

    /// The number of times that the user was shown the countdown's notification.
    var timesShown: Int {
        log.count { $0.actor == .system && $0.what == .notificationDelivered("apus.countdown.tea") }
    }
}

/// A way in which a process is ended from outside.
enum ProcessEnd: CaseIterable {
    case kill, swipeAway, purge, reboot

    @MainActor
    func happen(to device: SimulatedDevice) {
        switch self {
        case .kill: device.kill()
        case .swipeAway: device.swipeAway()
        case .purge:
            device.pressHome()
            device.advance(by: .seconds(3))
            device.applyMemoryPressure()
        case .reboot: device.reboot()
        }
    }
}
