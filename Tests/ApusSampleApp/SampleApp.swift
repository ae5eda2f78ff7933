public import ApusBackground
public import ApusDevice
public import ApusTimers

/// A small app on a simulated device, with a countdown.
///
/// Each time the user leaves the app, it uploads something under a background task and saves something with a timer. It
/// counts its work in its records, so the counts outlive its processes.
@MainActor
public final class SampleApp {
    /// The keys of the counts in the app's records.
    public enum Count: String, Sendable, CaseIterable {
        /// The number of times that the user had the app in front.
        case uses
        /// The number of countdowns whose finish the app has noticed.
        case finished
        /// The number of chunks of work that were done under a background task.
        case uploads
        /// The number of times that the timer fired.
        case saves
    }

    /// The app's countdown.
    public let countdown: Countdown

    private let host: SimulatedHost
    private let timers: BackgroundTimers
    private let random: SeededRandom
    private var phases: ObservationToken?
    private var finishes: ObservationToken?

    /// Creates the app in a new process.
    ///
    /// - Parameters:
    ///   - host: The host of the process.
    ///   - random: The random numbers that decide how long the work of the app takes.
    public init(host: SimulatedHost, random: SeededRandom) {
        self.host = host
        self.random = random
        timers = BackgroundTimers(host: host, name: "save")
        do throws(BackgroundError) {
            countdown = try Countdown(
                host: host, store: host.storage, key: "tea", notification: UserNotification(title: "Tea is ready"),
                notificationScheduler: host.notifications)
        } catch {
            preconditionFailure("the device's records are in memory and can be read: \(error)")
        }
        host.start { [host] in _ = await host.notifications.requestAuthorization() }
        host.notifications.onForegroundDelivery = { _ in .shown }
        phases = host.observePhase { [weak self] phase in self?.entered(phase) }
        finishes = countdown.observeFinish { [weak self] _ in self?.takeNoteOfFinish() }
    }

    /// Returns a count in the app's records.
    nonisolated public static func count(_ count: Count, in records: some RecordStore) throws -> Int {
        try records.load(Int.self, for: count.rawValue) ?? 0
    }

    private func entered(_ phase: Phase) {
        switch phase {
        case .active:
            host.add(to: .uses)
            takeNoteOfFinish()
        case .background: finishWork()
        case .inactive, .suspended, .terminated: break
        }
    }

    private func takeNoteOfFinish() {
        guard case .finished(_, let unseen) = countdown.state, (try? countdown.acknowledge()) == true else { return }
        host.note(unseen ? "the tea was ready" : "the tea is ready")
        host.add(to: .finished)
    }

    private func finishWork() {
        let (upload, save) = (random.duration(in: 1...20), random.duration(in: 1...20))
        host.start { [host] in
            try? await host.withBackgroundTask(named: "upload") {
                try await host.engine.sleep(for: upload)
                host.work(for: .milliseconds(200))
                host.add(to: .uploads)
            }
        }
        _ = try? timers.schedule(after: save) { [host] in host.add(to: .saves) }
    }
}

extension SimulatedHost {
    fileprivate func add(to count: SampleApp.Count) {
        do {
            let sum = try SampleApp.count(count, in: storage) + 1
            try storage.save(sum, for: count.rawValue)
            note("\(count) \(sum)")
        } catch {
            note("\(count) is lost: \(error)")
        }
    }
}

extension SeededRandom {
    /// Returns a random duration in whole seconds.
    func duration(in seconds: ClosedRange<UInt64>) -> Duration {
        .seconds(seconds.lowerBound + next() % (seconds.upperBound - seconds.lowerBound + 1))
    }
}
