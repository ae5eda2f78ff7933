import Apus
import ApusFoundation
import Dispatch

/// The right column of docs/migration.md.
@MainActor
enum MigrationExamples {
    static func delayed(
        host: any BackgroundHost, save: @escaping @MainActor @Sendable () -> Void,
        poll: @escaping @MainActor @Sendable () -> Void
    ) throws -> BackgroundTimers {
        // Shown: migration-polling
        let timers = BackgroundTimers(host: host, name: "editor")
        let saving = try timers.schedule(after: .seconds(3)) { save() }
        let polling = try timers.schedule(after: .seconds(5), every: .seconds(5)) { poll() }

        timers.cancel([saving, polling])  // from any thread; gives those that were still pending
        // Shown: end
        return timers
    }

    static func repeating(sample: @escaping @Sendable () -> Void) throws {
        // Shown: migration-repeating
        let timer = try RepeatingTimer(every: .seconds(5), on: .queue(DispatchQueue(label: "samples"))) { tick in
            if tick.missedCount > 0 { print("\(tick.missedCount) were missed") }
            sample()
        }
        timer.resume()
        timer.resume()  // does nothing
        timer.pause()  // and so may the last reference go, now or in any other state
        // Shown: end
    }

    static func countdown(
        host: any BackgroundHost, notifications: any NotificationScheduler,
        show: @escaping @MainActor @Sendable (String) -> Void
    ) throws -> (Countdown, ObservationToken) {
        // Shown: migration-countdown
        let tea = try Countdown(
            host: host, store: UserDefaultsRecordStore(), key: "tea",
            notification: UserNotification(title: "Tea is ready"), notificationScheduler: notifications)
        if tea.state == .idle { try tea.start(for: .seconds(300)) }

        let display = tea.observeDisplay { left in show(CountdownText.remaining(left)) }
        // Shown: end
        return (tea, display)
    }

    static func computation(host: any BackgroundHost, step: @escaping @Sendable () -> Bool) {
        // Shown: migration-claim
        host.start {
            do {
                try await host.withBackgroundTask(named: "computation") {
                    while !step() { try Task.checkCancellation() }
                }
            } catch {
                print("not finished: \(error)")
            }
        }
        // Shown: end
    }

    static func refresh(
        jobs: any BackgroundJobScheduler, time: any TimeSource, loadNews: @escaping @Sendable () async throws -> Void
    ) throws {
        // Shown: migration-refresh
        let identifier = "com.example.news.refresh"

        @Sendable func submitNext() async throws {
            let earliest = time.wall().advanced(by: .seconds(15 * 60))
            try await jobs.submit(BackgroundJobRequest(identifier, .refresh, earliestBegin: earliest))
        }

        // While the app is launched, in every launch.
        try jobs.register(identifier) { _ in
            try await submitNext()
            try await loadNews()  // cancelled when the time is over
        }
        // Shown: end
    }
}
