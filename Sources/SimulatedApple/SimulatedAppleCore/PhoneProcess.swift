import ApusBackground
package import ApusDevice
import ApusTimers

/// The process that the frameworks' shared objects belong to.
///
/// It has the shared objects of one start of the app, and forgets them when the process has ended. What is left of its
/// code on other threads still finds a process then, until the next one is started, but nothing that it does there has
/// an effect.
package final class PhoneProcess: Sendable {
    private struct State: Sendable {
        var observers: [@MainActor @Sendable (SystemEvent) -> Void] = []
        var onMediaCommand: (@MainActor @Sendable (String) -> Void)?
        var screen: (any PhoneScreen)?
        var cleaners: [@MainActor @Sendable () -> Void] = []
    }

    /// The host of this process.
    package let host: any PhoneHost
    /// The phone's sound.
    package let audio: any PhoneAudio
    /// The phone's location service.
    package let location: any PhoneLocation
    /// The phone's notification center.
    package let notifications: any PhoneNotifications
    /// The phone's background jobs.
    package let jobs: any PhoneJobs
    /// The phone's silent pushes.
    package let pushes: any PhonePushes
    /// The phone's background sessions.
    package let transfers: any PhoneTransfers
    /// The app's records in the system, which outlive the process.
    package let records: any PhoneRecords
    /// The shared objects of this process.
    package let shared = SharedObjects()
    /// How much real time background tasks have whose work continues elsewhere.
    package let patience: Duration

    private let readSettings: @Sendable () -> PhoneSettings
    private let state = Locked(State())

    init(
        host: any PhoneHost, audio: any PhoneAudio, location: any PhoneLocation,
        notifications: any PhoneNotifications, jobs: any PhoneJobs, pushes: any PhonePushes,
        transfers: any PhoneTransfers, records: any PhoneRecords, patience: Duration,
        settings: @escaping @Sendable () -> PhoneSettings
    ) {
        (self.host, self.audio, self.location) = (host, audio, location)
        (self.notifications, self.jobs, self.pushes, self.records) = (notifications, jobs, pushes, records)
        self.transfers = transfers
        self.patience = patience
        readSettings = settings
    }

    /// The present settings of the user and the device.
    package var settings: PhoneSettings { readSettings() }

    /// Calls `observer` on the main loop with what happens to the device: memory, clock and data protection, not the phases.
    package func observe(_ observer: @escaping @MainActor @Sendable (SystemEvent) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Calls `cleaner` when the process has ended, before the shared objects go.
    package func atEnd(_ cleaner: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.cleaners.append(cleaner) }
    }

    /// Calls `handler` on the main loop with the names of commands on the lock screen, in place of the one before.
    package func onMediaCommand(_ handler: @escaping @MainActor @Sendable (String) -> Void) {
        state.withLock { $0.onMediaCommand = handler }
    }

    /// The app's screen is made with that framework from now on.
    package func show(_ screen: any PhoneScreen) { state.exchange(\.screen, with: screen) }

    /// The app's screen.
    var screen: (any PhoneScreen)? { state.withLock { $0.screen } }

    /// The user gives a command on the lock screen.
    @MainActor
    func perform(mediaCommand name: String) { state.withLock { $0.onMediaCommand }?(name) }

    /// Something happened to the device.
    func report(_ event: SystemEvent) {
        for observer in state.withLock({ $0.observers }) { host.mainLoop.run { observer(event) } }
    }

    @MainActor
    func end() {
        let cleaners = state.withLock { state in
            defer { (state.cleaners, state.observers, state.onMediaCommand, state.screen) = ([], [], nil, nil) }
            return state.cleaners
        }
        for cleaner in cleaners { cleaner() }
        shared.removeAll()
    }
}
