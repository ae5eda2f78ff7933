import ApusBackground
package import ApusDevice
import ApusTimers
package import Foundation

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
    /// The phone's sessions with servers.
    package let transfers: any PhoneTransfers
    /// The app's records in the system, which outlive the process.
    package let records: any PhoneRecords
    /// The shared objects of this process.
    package let shared = SharedObjects()
    /// How much real time background tasks have whose work continues elsewhere.
    package let patience: Duration

    /// The folder of an app group; `nil` if the app does not declare it.
    package let groupContainer: @Sendable (String) -> URL?

    private let readSettings: @Sendable () -> PhoneSettings
    private let state = Locked(State())

    init(
        host: any PhoneHost, audio: any PhoneAudio, location: any PhoneLocation,
        notifications: any PhoneNotifications, jobs: any PhoneJobs, pushes: any PhonePushes,
        transfers: any PhoneTransfers, records: any PhoneRecords, patience: Duration,
        groupContainer: @escaping @Sendable (String) -> URL?, settings: @escaping @Sendable () -> PhoneSettings
    ) {
        (self.host, self.audio, self.location) = (host, audio, location)
        (self.notifications, self.jobs, self.pushes, self.records) = (notifications, jobs, pushes, records)
        self.transfers = transfers
        self.patience = patience
        self.groupContainer = groupContainer
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

/// Objects of which there is one: of a process, or of a phone. From any thread.
package final class SharedObjects: Sendable {
    private let objects = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// The object of that type. The first one that asks makes it.
    package func object<Object: AnyObject & Sendable>(of type: Object.Type, orMake make: () -> Object) -> Object {
        if let object = existing(type) { return object }
        // Outside the lock, as it may ask for other ones. Of two that are made at once, one stays.
        let new = make()
        return objects.withLock { objects in
            if let object = objects[ObjectIdentifier(type)] as? Object { return object }
            objects[ObjectIdentifier(type)] = new
            return new
        }
    }

    /// The object of that type, if it was made.
    package func existing<Object: AnyObject & Sendable>(_ type: Object.Type) -> Object? {
        objects.withLock { $0[ObjectIdentifier(type)] } as? Object
    }

    func removeAll() {
        let old = objects.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        // Released outside the lock: what they hold may do anything when it goes.
        withExtendedLifetime(old) {}
    }
}

/// The error for a program that uses a shared object although no app runs on a simulated phone.
enum MissingPhone {
    /// The message, which begins with the line of the program that asked, if it can be found.
    static var message: String {
        """
        \(CallStack.current.place.line.map { "\($0): " } ?? "")a shared object of a simulated framework was asked for (such as \
        UIApplication.shared), but no app runs on a simulated phone. \(forms)
        """
    }

    /// The two forms of a program with a phone.
    static let forms = """
        On the main actor, write

            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
                device.launch()
                device.advance(by: .seconds(60))  // virtual time, in all of the app's code
            }

        or, for an app that runs in this process and waits with Timer, Task.sleep or on threads,

            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: AppDelegate())
                device.launch()
                await device.runInRealTime(for: .seconds(60))
            }

        with `import ApusTesting` and `import SimulatedAppleCore`, and use shared objects in the app, after the launch.
        """
}
