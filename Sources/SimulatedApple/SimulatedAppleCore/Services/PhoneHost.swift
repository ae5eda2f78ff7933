package import ApusBackground
package import ApusDevice
package import ApusTimers

/// The phone as the process of an app sees it.
///
/// The app runs either in the process of the test, where ``/ApusDevice/SimulatedHost`` is this, or in one of its own,
/// where each question goes to the device's process. All members may be used from any thread.
package protocol PhoneHost: AnyObject, Sendable {
    /// Which start of the device the process belongs to.
    var bootID: String? { get }
    /// The declarations of the installed app.
    var manifest: AppManifest { get }
    /// Why the system has started the process.
    var launchCause: LaunchCause { get }
    /// Whether continued work may use the graphics processor in the background.
    var allowsBackgroundGPU: Bool { get }
    /// The process's phase.
    var phase: Phase { get }
    /// The device's conditions as the process knows them.
    var conditions: DeviceConditions { get }
    /// A new sequence of the conditions from now on.
    func conditionChanges() -> Changes<DeviceConditions>
    /// Whether the app, while it is active, keeps the screen from locking itself.
    var keepsScreenOn: Bool { get set }
    /// How much longer the process may run in the background; `nil` when nothing limits it.
    var backgroundTimeRemaining: Duration? { get }
    /// The engine of the process's timers.
    var engine: TimerEngine { get }
    /// The process's main loop.
    var mainLoop: any MainLoop { get }

    /// Calls `observer` on the main loop whenever a phase is entered.
    func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken
    /// Starts a task of the process.
    func start(_ work: @escaping @Sendable () async -> Void)
    /// Writes a line into the device's log, in the app's name.
    func note(_ text: String)
    /// Writes a warning of the system into the device's log.
    func warn(_ text: String)
    /// Writes a sound into the device's log.
    func logSound(_ line: String)
    /// Records a fault of the app.
    func fault(_ fault: Fault)
    /// Has the calling code compute for that long.
    func work(for duration: Duration)
    /// Asks a service of the device.
    func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply
    /// Calls `handler` on the main loop with a service's events, in place of the earlier handler.
    func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void)
    /// Begins a background task; 0 is none, and no other one has the same number. The handler is called on the main
    /// loop shortly before the time is over.
    func beginBackgroundTask(_ name: String, expirationHandler: (@MainActor @Sendable () -> Void)?) -> Int
    /// Begins a background task for work that ends by itself when the handler was called, in the time that is left; `nil` if
    /// the system refuses it. The handler is called on the main loop.
    func beginActivity(_ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void) -> Int?
    /// Ends a background task.
    func endBackgroundTask(_ number: Int)
}

extension SimulatedHost: PhoneHost {
    package var allowsBackgroundGPU: Bool { policy.jobs.allowsBackgroundGPU }
    package func warn(_ text: String) { log(.system, .warning(text)) }
    package func logSound(_ line: String) { log(.app, .audio(line)) }
    package func endBackgroundTask(_ number: Int) { endBackgroundTask(BackgroundTaskID(rawValue: number)) }

    package func beginBackgroundTask(_ name: String, expirationHandler: (@MainActor @Sendable () -> Void)?) -> Int {
        beginBackgroundTask(name: name, expirationHandler: expirationHandler).rawValue
    }

    package func beginActivity(
        _ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void
    ) -> Int? {
        let id: BackgroundTaskID? = beginActivity(name, expirationHandler: expirationHandler)
        return id?.rawValue
    }
}

/// A background task as one number, for an app in the test's process, which may keep it for another device. In a
/// process of the app's own it is the number on the device, so that a note of it is the same in each run.
extension BackgroundTaskID {
    private static var bits: Int { 32 }

    init(rawValue: Int) { self.init(number: rawValue & ((1 << Self.bits) - 1), device: rawValue >> Self.bits) }

    var rawValue: Int { device << Self.bits | number }
}
