public import ApusBackground
public import ApusTimers
public import ApusVirtualTime

/// Runs one app on a simulated phone in virtual time, under the system's documented rules and the controls of a test.
///
/// One seed decides everything that is left to chance: the same seed and the same calls give the same ``log``, byte for
/// byte. Everything runs on the main actor's thread, during the test's calls of the device. At each instant, the
/// system's work runs before the app's.
///
/// ```swift
/// @MainActor @Test func keepsItsBackgroundTask() throws {
///     try SimulatedDevice.run { device in
///         device.install { host in MyApp(host: host) }
///         device.launch()
///         device.pressHome()
///         device.advance(by: .seconds(60))
///     }
/// }
/// ```
///
/// The device controls only what uses the ``SimulatedHost``: its engine, its main loop and its tasks. Sleeps by other
/// means, and tasks that the app starts by itself, do not follow the device's time; see the asynchronous
/// ``advance(by:)-6pb81``.
@MainActor
public final class SimulatedDevice {
    /// The content of the screen when the device is not locked.
    enum Screen { case home, app, switcher }

    struct Installation {
        let manifest: AppManifest
        /// Runs the code that comes before the launch.
        let prewarm: (@MainActor (SimulatedHost) throws -> Void)?
        let make: @MainActor (SimulatedHost) throws -> AnyObject
    }

    /// The remains of an ended process, for the leak check.
    struct Remains {
        weak var app: AnyObject?
        let process: VirtualProcess
    }

    /// The device of the running test, if the test has the trait `.simulatedPhone` of the module ApusTestTraits.
    @TaskLocal public static var current: SimulatedDevice?

    /// The seed of everything that is left to chance.
    public let seed: UInt64
    /// The device's clocks and the system's engine; to move the clocks, use the device's controls.
    public let time: VirtualTime
    /// The rules of the system.
    ///
    /// A process follows the rules that were set when it was started. Background jobs, restarts and the protection of
    /// files follow the current rules. The rules of the other parts, such as pushes, alarms and the keychain, are read
    /// when the device is created. ``SystemPolicy`` says to which range durations are limited.
    public var policy: SystemPolicy {
        didSet {
            policy = policy.bounded
            for part in parts.all { part.policyChanged(policy) }
        }
    }
    /// The records of the installed app, which survive its processes, restarts, and another
    /// ``install(_:trackDurations:_:)``.
    public let storage = MemoryRecordStore()
    /// The battery, network, temperature and use of the device.
    public internal(set) var conditions = DeviceConditions(
        network: .available, isOnExternalPower: false, batteryLevel: 1, isLowPowerMode: false, isIdle: false,
        thermalState: .nominal)
    /// Whether the user lets apps refresh in the background; if not, neither refresh nor processing jobs run.
    public internal(set) var isBackgroundRefreshOn = true
    /// Whether the screen is locked.
    public internal(set) var isLocked = false
    /// Whether the user is in a call.
    public internal(set) var isInCall = false
    /// The number of times that the device was started; 1 for a new device.
    public internal(set) var bootNumber = 1
    /// The number of processes that the app has had.
    public internal(set) var launchCount = 0
    /// Called when the app's process has entered a phase, including suspension, before the app is notified of it.
    ///
    /// The closure may read everything, but must not let time pass. When the phase is `suspended`, it can, for example,
    /// take the app's picture for the switcher.
    public var onPhase: (@MainActor (Phase) -> Void)?

    /// The number of this device in the program, from 1.
    let number: Int
    private static var count = 0
    /// The number of the latest background task of the app's processes that have ended.
    var lastBackgroundTaskNumber = 0
    let random: SeededRandom
    let deviceLog: DeviceLog
    var expectedRules: Set<Fault.Rule> = []
    var installation: Installation?
    var runningHost: SimulatedHost?
    var runningApp: AnyObject?
    var remains: [Remains] = []
    var life = AppLifeMachine()
    var screen = Screen.home
    /// Whether the user has unlocked the device since its start.
    ///
    /// Before that, the system starts the app by itself only to prewarm it, or for a significant change of the
    /// location.
    var wasUnlockedSinceBoot = true
    var boot = BootReading()
    let parts = DeviceParts()
    var questions = SystemQuestions()
    var timers = SystemTimers()
    var dataProtection = DataProtection.open
    var autoLocking = AutoLock()

    /// Creates a device that is switched on and unlocked, and shows its home screen; no app is installed.
    ///
    /// - Parameters:
    ///   - seed: The seed of everything that is left to chance.
    ///   - policy: The rules of the system.
    ///   - uptime: The time since the device was switched on; an hour by default.
    ///   - wall: The wall clock; 2026-01-01T00:00:00Z by default.
    public init(
        seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy(),
        uptime: UptimeInstant = UptimeInstant(nanoseconds: 3_600_000_000_000),
        wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600)
    ) {
        Self.count += 1
        number = Self.count
        self.seed = seed
        self.policy = policy.bounded
        time = VirtualTime(uptime: uptime, wall: wall)
        random = SeededRandom(seed: seed)
        deviceLog = DeviceLog(time: time)
        for type in Self.standardParts { add(type) }
        parts.scene = DeviceScene(self)
    }

    deinit { parts.deviceGone() }

    // MARK: Parts

    /// The notification center, whose requests outlive the app's processes.
    public var notifications: SimulatedNotificationCenter { part(SimulatedNotificationCenter.self) }
    /// The audio player, whose rights depend on the declarations of the installed app.
    public var audio: SimulatedAudio { part(SimulatedAudio.self) }
    /// The location service, whose rights depend on the declarations of the installed app.
    public var location: SimulatedLocation { part(SimulatedLocation.self) }

    /// The background jobs: their requests, the rules that decide when they run, and their past runs.
    ///
    /// Requests outlive the app's processes.
    public var jobs: SimulatedTaskScheduler { part(SimulatedTaskScheduler.self) }
    /// The background downloads and uploads, which outlive the app's processes.
    public var transfers: SimulatedTransfers { part(SimulatedTransfers.self) }
    var pushes: SimulatedPushes { part(SimulatedPushes.self) }

    // MARK: Reading

    /// The app object of the running process; `nil` if there is none.
    public var app: AnyObject? { runningApp }
    /// The host of the running process; `nil` if none runs.
    public var host: SimulatedHost? { runningHost }
    /// The events so far, in order.
    public var log: [DeviceEvent] { deviceLog.events }
    /// The log as text, one event on each line.
    public var logText: String { log.map { "\($0)\n" }.joined() }
    /// The faults so far, including expected ones.
    public var faults: [Fault] { deviceLog.faults }
    /// The texts of the system's warnings so far.
    public var warnings: [String] { log.compactMap { if case .warning(let text) = $0.what { text } else { nil } } }
    /// The lines that the app has written into the log so far, with ``SimulatedHost/note(_:)`` or an interface that
    /// uses it.
    public var notes: [String] { log.compactMap { if case .note(let text) = $0.what { text } else { nil } } }

    /// The lines that the app's own process has printed so far, to its standard output and standard error.
    public var output: [String] { log.compactMap { if case .printed(let line) = $0.what { line } else { nil } } }
    /// Whether the lines that the app's own process prints appear in the standard output of the test too.
    ///
    /// Each line begins with the time since the device was created, as in `[12.500 s] saved`. The default is true,
    /// except for the devices of an exploration.
    public var showsOutput: Bool {
        get { deviceLog.showsOutput }
        set { deviceLog.showsOutput = newValue }
    }
    /// The time since the device was created, including sleep and restarts.
    public var elapsed: Duration { deviceLog.elapsed }

    // MARK: The app

    /// Installs an app in place of the earlier one.
    ///
    /// The process of the earlier app is ended; its records and the user's permissions are kept, as with an update.
    ///
    /// - Parameters:
    ///   - manifest: The declarations of the app.
    ///   - trackDurations: The durations of audio items; all others last three minutes.
    ///   - make: Called on the app's main loop in each new process, to create the app's objects within
    ///     ``SystemPolicy/launchLimit``. If it throws, the app has crashed.
    public func install(
        _ manifest: AppManifest = AppManifest(), trackDurations: [AudioItem.ID: Duration] = [:],
        _ make: @escaping @MainActor (SimulatedHost) throws -> AnyObject
    ) { install(manifest, trackDurations: trackDurations, prewarm: nil, make) }

    /// Installs an app; `prewarm` is the code that a prewarmed process runs before its launch, or `nil` if there is
    /// none.
    package func install(
        _ manifest: AppManifest, trackDurations: [AudioItem.ID: Duration],
        prewarm: (@MainActor (SimulatedHost) throws -> Void)?,
        _ make: @escaping @MainActor (SimulatedHost) throws -> AnyObject
    ) {
        control("install")
        runningHost?.end("replaced")
        time.settle()
        let app = InstalledApp(manifest: manifest, trackDurations: trackDurations)
        for part in parts.all { part.appInstalled(app) }
        installation = Installation(manifest: manifest, prewarm: prewarm, make: make)
    }

    // MARK: Verifying

    /// Declares that the test expects faults of this rule; at least one must occur.
    public func expect(_ rule: Fault.Rule) { expectedRules.insert(rule) }

    /// Checks that all faults so far were expected, and that all expected faults occurred.
    ///
    /// The app object of an ended process is not checked if tasks of the process have not returned, because these may
    /// retain it forever.
    ///
    /// - Throws: ``DeviceError`` if a fault was not expected, such as that of an app object that outlives its process,
    ///   or an expected fault did not occur.
    public func verify() throws {
        reportLeaks()
        let faults = faults
        let unexpected = faults.filter { !expectedRules.contains($0.rule) }
        let missing = expectedRules.subtracting(faults.map(\.rule)).sorted { $0.name < $1.name }
        guard unexpected.isEmpty, missing.isEmpty else {
            throw DeviceError(unexpectedFaults: unexpected, missingFaults: missing, seed: seed)
        }
    }

    /// Runs a test on a new device, then ends the app's process and verifies the device.
    ///
    /// - Throws: The error of `body`; ``DeviceError``, see ``verify()``.
    public static func run<Success>(
        seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Success
    ) throws -> Success {
        let device = SimulatedDevice(seed: seed, policy: policy)
        let result = try body(device)
        device.switchOff()
        try device.verify()
        return result
    }

    /// Runs an asynchronous test on a new device, then ends the app's process and verifies the device.
    ///
    /// It is for apps that use `Task { @MainActor in … }`; see the asynchronous ``advance(by:)-6pb81``.
    ///
    /// - Throws: The error of `body`; ``DeviceError``, see ``verify()``.
    public static func run<Success>(
        seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy(),
        _ body: @MainActor (SimulatedDevice) async throws -> Success
    ) async throws -> Success {
        let device = SimulatedDevice(seed: seed, policy: policy)
        let result = try await body(device)
        await device.settle()
        device.switchOff()
        await device.settle()
        try device.verify()
        return result
    }

    /// Reports a fault for each app object that still exists although its process has ended.
    ///
    /// An app object is left out while tasks of its process have not returned, because they may retain it.
    func reportLeaks() {
        for remains in remains where remains.process.unfinishedTasks == 0 {
            guard let app = remains.app else { continue }
            let message =
                "\(type(of: app)) is still in memory although its process has ended; look for a reference cycle, and "
                + "for a reference that the test holds"
            deviceLog.add(.system, .fault(Fault(.leakedApp, message)))
        }
        remains = remains.filter { $0.process.unfinishedTasks > 0 && $0.app != nil }
    }
}

/// The device as a person sees it, for tests and for programs that show it.
extension SimulatedDevice {
    /// The content of the screen.
    public enum Showing: String, Sendable, Hashable, CaseIterable {
        /// The home screen.
        case home
        /// The app, which is inactive while a call covers it.
        case app
        /// The app switcher.
        case switcher
        /// The lock screen.
        case lock
    }

    /// The current content of the screen.
    public var showing: Showing {
        guard !isLocked else { return .lock }
        return switch screen {
        case .home: .home
        case .app: .app
        case .switcher: .switcher
        }
    }

    /// The phase of the app's process, including suspension; `nil` if there is none.
    public var appPhase: Phase? { runningHost?.phase }

    /// Whether the app's picture is in the switcher, with or without a process.
    public var isInSwitcher: Bool { life.isInSwitcher }

    /// Whether the user scrolls in the app.
    public var isScrolling: Bool { runningHost?.process.mainLoop.isTracking == true }
}
