import ApusBackground
package import ApusDevice
import ApusTimers
package import Foundation

/// A process of the app, to which the frameworks' shared objects belong.
///
/// The shared objects of one start of the app are dropped when the process has ended. Remaining code of the app on
/// other threads still finds this process until the next one is started, but its calls have no effect.
package final class PhoneProcess: Sendable {
    private struct State: Sendable {
        var observers: [@MainActor @Sendable (SystemEvent) -> Void] = []
        var onMediaCommand: (@MainActor @Sendable (String) -> Void)?
        var screen: (any PhoneScreen)?
        var cleaners: [@MainActor @Sendable () -> Void] = []
    }

    package let host: any PhoneHost
    package let audio: any PhoneAudio
    package let location: any PhoneLocation
    package let notifications: any PhoneNotifications
    package let jobs: any PhoneJobs
    package let pushes: any PhonePushes
    package let transfers: any PhoneTransfers
    /// The app's records in the system, which outlive the process.
    package let records: any PhoneRecords
    package let shared = SharedObjects()
    /// The longest real time that the device waits for a background task that is not completed when its launch handler
    /// returns.
    package let patience: Duration

    /// Returns the folder of an app group; `nil` if the app does not declare it.
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

    /// Calls `observer` on the main loop with events of the device: memory, clock, scenes and data protection, but not
    /// phases.
    package func observe(_ observer: @escaping @MainActor @Sendable (SystemEvent) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Calls `cleaner` when the process has ended, before the shared objects are dropped.
    package func atEnd(_ cleaner: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.cleaners.append(cleaner) }
    }

    /// Calls `handler` on the main loop with the names of commands on the lock screen, and replaces the earlier
    /// handler.
    package func onMediaCommand(_ handler: @escaping @MainActor @Sendable (String) -> Void) {
        state.withLock { $0.onMediaCommand = handler }
    }

    /// Sets the screen, which a framework provides.
    package func show(_ screen: any PhoneScreen) { state.exchange(\.screen, with: screen) }

    /// The app's screen; `nil` while the app shows nothing.
    var screen: (any PhoneScreen)? { state.withLock { $0.screen } }

    /// Gives a command on the lock screen to the app, as the user does.
    @MainActor
    func perform(mediaCommand name: String) { state.withLock { $0.onMediaCommand }?(name) }

    /// Notifies the observers of an event of the device.
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

/// Shared objects, one of each type, of a process or a phone; they can be used on any thread.
package final class SharedObjects: Sendable {
    private let objects = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Returns the object of this type, which the first call creates.
    package func object<Object: AnyObject & Sendable>(of type: Object.Type, orMake make: () -> Object) -> Object {
        if let object = existing(type) { return object }
        // The object is created outside the lock, because `make` may ask for other objects. If two threads create one
        // at the same time, only one of them is kept.
        let new = make()
        return objects.withLock { objects in
            if let object = objects[ObjectIdentifier(type)] as? Object { return object }
            objects[ObjectIdentifier(type)] = new
            return new
        }
    }

    /// Returns the object of this type if it was created.
    package func existing<Object: AnyObject & Sendable>(_ type: Object.Type) -> Object? {
        objects.withLock { $0[ObjectIdentifier(type)] } as? Object
    }

    func removeAll() {
        let old = objects.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        // The objects are released outside the lock, because the release can run any code of the app.
        withExtendedLifetime(old) {}
    }
}

/// The message for a program that uses a shared object although no app runs on a simulated phone.
enum MissingPhone {
    /// The message; it begins with the line of the program that used the object, if that line is found.
    static var message: String {
        """
        \(CallStack.current.place.line.map { "\($0): " } ?? "")a shared object of a simulated framework (such as \
        UIApplication.shared) was used, but no app is running on a simulated phone. \(forms)
        """
    }

    /// The two ways to run an app on a phone, as code.
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

        with `import ApusTesting` and `import SimulatedAppleCore`, and use shared objects in the app after the launch.
        """
}
