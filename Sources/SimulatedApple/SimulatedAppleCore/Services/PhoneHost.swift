package import ApusBackground
package import ApusDevice
package import ApusTimers

/// The phone, as a process of the app uses it; all members may be used on any thread.
///
/// For an app in the test's process, the ``/ApusDevice/SimulatedHost`` itself conforms. For an app in a process of its
/// own, the calls go to the device's process.
package protocol PhoneHost: AnyObject, Sendable {
    /// The identifier of the device's start to which the process belongs.
    var bootID: String? { get }
    /// The declarations of the installed app.
    var manifest: AppManifest { get }
    /// The reason for which the system started the process.
    var launchCause: LaunchCause { get }
    /// Whether continued jobs may use the graphics processor in the background.
    var allowsBackgroundGPU: Bool { get }
    var phase: Phase { get }
    /// The device's conditions, as the process knows them.
    var conditions: DeviceConditions { get }
    /// Returns a new sequence of the conditions from now on.
    func conditionChanges() -> Changes<DeviceConditions>
    /// Whether the app keeps the screen from locking itself while the app is active.
    var keepsScreenOn: Bool { get set }
    /// The time for which the process may still run in the background; `nil` without a limit.
    var backgroundTimeRemaining: Duration? { get }
    /// The engine of the process's timers.
    var engine: TimerEngine { get }
    var mainLoop: any MainLoop { get }

    /// Calls `observer` on the main loop whenever the process enters a phase.
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
    /// Lets the calling code compute for this duration.
    func work(for duration: Duration)
    /// Sends a request to a service of the device, and returns the reply.
    func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply
    /// Calls `handler` on the main loop with the events of a service, and replaces the earlier handler.
    func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void)
    /// Begins a background task, and returns its number, which is never reused; returns 0 if the task was not begun.
    ///
    /// The handler is called on the main loop shortly before the time is over.
    func beginBackgroundTask(_ name: String, expirationHandler: (@MainActor @Sendable () -> Void)?) -> Int
    /// Begins a background task for work that ends by itself in the time that remains after the handler was called.
    ///
    /// Returns `nil` if the system refuses the task. The handler is called on the main loop.
    func beginActivity(_ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void) -> Int?
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

/// A background task's identifier as a single number.
///
/// It contains the device's number, because an app in the test's process may keep an identifier after its device has
/// ended. An app in a process of its own uses only the number on the device, so that its notes are the same in each
/// run.
extension BackgroundTaskID {
    private static var bits: Int { 32 }

    init(rawValue: Int) { self.init(number: rawValue & ((1 << Self.bits) - 1), device: rawValue >> Self.bits) }

    var rawValue: Int { device << Self.bits | number }
}
