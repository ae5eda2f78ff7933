public import ApusBackground
public import ApusTimers
public import ApusVirtualTime

/// A phone in a box: one app, the system's rules, and the user's hands, in virtual time.
///
/// One seed decides everything that chance decides; the same seed and the same calls give the same ``log``, byte for
/// byte. Everything runs on the main actor's thread, when the test calls, in one order: the system, then the app.
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
/// Only what uses the ``SimulatedHost`` follows the device: its engine, its main loop, its tasks. What sleeps by other
/// means, and tasks that the app starts by itself, run outside of it; see the asynchronous ``advance(by:)-6pb81``.
@MainActor
public final class SimulatedDevice {
    /// The content of the screen when the device is not locked.
    enum Screen { case home, app, switcher }

    struct Installation {
        let manifest: AppManifest
        /// Runs what comes before the launch.
        let prewarm: (@MainActor (SimulatedHost) throws -> Void)?
        let make: @MainActor (SimulatedHost) throws -> AnyObject
    }

    /// A process that ended, for the leak check.
    struct Remains {
        weak var app: AnyObject?
        let process: VirtualProcess
    }

    /// The device of the test that runs, if the test has the trait `.simulatedPhone` of module ApusTestTraits.
    @TaskLocal public static var current: SimulatedDevice?

    /// The seed of everything that chance decides.
    public let seed: UInt64
    /// The device's clocks and the system's engine. Move them through the device.
    public let time: VirtualTime
    /// The rules. For a process, those hold that were there when it was started; for its background jobs, those of the
    /// present.
    public var policy: SystemPolicy {
        didSet { for part in parts.all { part.policyChanged(policy) } }
    }
    /// The installed app's records. They survive its processes, restarts, and another ``install(_:trackDurations:_:)``.
    public let storage = MemoryRecordStore()
    /// Battery, network, temperature and use of the device.
    public internal(set) var conditions = DeviceConditions(
        network: .available, isOnExternalPower: false, batteryLevel: 1, isLowPowerMode: false, isIdle: false,
        thermalState: .nominal)
    /// Whether the user lets apps refresh in the background. Without that, neither refresh nor processing runs.
    public internal(set) var isBackgroundRefreshOn = true
    /// Whether the screen is locked.
    public internal(set) var isLocked = false
    /// Whether the user is in a call.
    public internal(set) var isInCall = false
    /// How many times the device was started; 1 for a new one.
    public internal(set) var bootNumber = 1
    /// How many processes the app has had.
    public internal(set) var launchCount = 0
    /// Called when the app's process has entered a phase, suspension included, before the app is notified of it. It may
    /// read everything, and must move no time: a picture for the switcher can be taken here, as it is when the app
    /// freezes.
    public var onPhase: (@MainActor (Phase) -> Void)?

    /// Which device of the program it is, from 1.
    let number: Int
    private static var count = 0
    /// The number of the background task that was begun last, by any process of the app.
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
    /// After a restart the system starts nothing by itself before the first unlock.
    var wasUnlockedSinceBoot = true
    var boot = BootReading()
    let parts = DeviceParts()
    var questions = SystemQuestions()
    var timers = SystemTimers()
    var dataProtection = DataProtection.open
    var autoLocking = AutoLock()

    /// A device that is switched on, unlocked, and shows its home screen; no app is installed.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that chance decides.
    ///   - policy: The system's rules.
    ///   - uptime: How long it has been on.
    ///   - wall: The time of day; 2026-01-01T00:00:00Z.
    public init(
        seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy(),
        uptime: UptimeInstant = UptimeInstant(nanoseconds: 3_600_000_000_000),
        wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600)
    ) {
        Self.count += 1
        number = Self.count
        self.seed = seed
        self.policy = policy
        time = VirtualTime(uptime: uptime, wall: wall)
        random = SeededRandom(seed: seed)
        deviceLog = DeviceLog(time: time)
        for type in Self.standardParts { add(type) }
        parts.scene = DeviceScene(self)
    }

    deinit { parts.deviceGone() }

    // MARK: Parts

    /// The notification center. It belongs to the device: its requests outlive the app's processes.
    public var notifications: SimulatedNotificationCenter { part(SimulatedNotificationCenter.self) }
    /// The audio player. What it may do depends on what the installed app declares.
    public var audio: SimulatedAudio { part(SimulatedAudio.self) }
    /// The location service. What it may do depends on what the installed app declares.
    public var location: SimulatedLocation { part(SimulatedLocation.self) }

    /// The background jobs: requests, the rules that decide when they run, and what has run. It belongs to the device:
    /// requests outlive the app's processes.
    public var jobs: SimulatedTaskScheduler { part(SimulatedTaskScheduler.self) }
    /// The background downloads and uploads. They belong to the device: they outlive the app's processes.
    public var transfers: SimulatedTransfers { part(SimulatedTransfers.self) }
    /// The silent pushes.
    var pushes: SimulatedPushes { part(SimulatedPushes.self) }

    // MARK: Reading

    /// The app object of the running process.
    public var app: AnyObject? { runningApp }
    /// The host of the running process.
    public var host: SimulatedHost? { runningHost }
    /// Everything that happened, in order.
    public var log: [DeviceEvent] { deviceLog.events }
    /// The log as text, a line each.
    public var logText: String { log.map { "\($0)\n" }.joined() }
    /// The faults so far, the expected ones too.
    public var faults: [Fault] { deviceLog.faults }
    /// The texts of the system's warnings so far.
    public var warnings: [String] { log.compactMap { if case .warning(let text) = $0.what { text } else { nil } } }
    /// The lines that the app has written so far, with ``SimulatedHost/note(_:)`` and what is built on it.
    public var notes: [String] { log.compactMap { if case .note(let text) = $0.what { text } else { nil } } }

    /// The lines that the app's own process has printed so far, on its standard output and its error output.
    public var output: [String] { log.compactMap { if case .printed(let line) = $0.what { line } else { nil } } }
    /// Whether the lines that the app's own process prints appear in the standard output of the test too, each after
    /// the time since the device was made, as in `[12.500 s] saved`. True unless the device belongs to an exploration.
    public var showsOutput: Bool {
        get { deviceLog.showsOutput }
        set { deviceLog.showsOutput = newValue }
    }
    /// Time since the device was made, sleep and restarts included.
    public var elapsed: Duration { deviceLog.elapsed }

    // MARK: The app

    /// Puts an app on the device, in place of the earlier one; its process is ended, its records and what the
    /// user allowed are kept, as with an update.
    ///
    /// - Parameters:
    ///   - manifest: What the app declares.
    ///   - trackDurations: How long audio items last; others last three minutes.
    ///   - make: Called on the app's main loop in each new process, to build what the process consists of. It has
    ///     ``SystemPolicy/launchLimit``. When it throws, that is a crash.
    public func install(
        _ manifest: AppManifest = AppManifest(), trackDurations: [AudioItem.ID: Duration] = [:],
        _ make: @escaping @MainActor (SimulatedHost) throws -> AnyObject
    ) { install(manifest, trackDurations: trackDurations, prewarm: nil, make) }

    /// The same; `prewarm` runs what comes before the launch when the process is prewarmed, in place of nothing.
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

    // MARK: Judging

    /// Says that faults of this rule are what the test is about. They have to come.
    public func expect(_ rule: Fault.Rule) { expectedRules.insert(rule) }

    /// - Throws: ``DeviceError`` when there were faults that were not expected (an app object that outlived its process
    ///   is one), or an expected one did not come.
    ///
    /// An app object is not checked if its process had tasks that had not returned: those may retain it forever.
    public func verify() throws {
        reportLeaks()
        let faults = faults
        let unexpected = faults.filter { !expectedRules.contains($0.rule) }
        let missing = expectedRules.subtracting(faults.map(\.rule)).sorted { $0.name < $1.name }
        guard unexpected.isEmpty, missing.isEmpty else {
            throw DeviceError(unexpectedFaults: unexpected, missingFaults: missing, seed: seed)
        }
    }

    /// Runs a test on a new device; at its end the app's process is ended, and the device verified.
    ///
    /// - Throws: What `body` throws; ``DeviceError``, see ``verify()``.
    public static func run<Success>(
        seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Success
    ) throws -> Success {
        let device = SimulatedDevice(seed: seed, policy: policy)
        let result = try body(device)
        device.switchOff()
        try device.verify()
        return result
    }

    /// Runs an asynchronous test on a new device, for apps that use `Task { @MainActor in … }`; see
    /// the asynchronous ``advance(by:)-6pb81``. At its end the app's process is ended, and the device verified.
    ///
    /// - Throws: What `body` throws; ``DeviceError``, see ``verify()``.
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

    /// The app object of an ended process has to be gone.
    func reportLeaks() {
        for remains in remains where remains.process.unfinishedTasks == 0 {
            guard let app = remains.app else { continue }
            let message =
                "\(type(of: app)) is still there though its process has ended; look for a cycle, and let the test not hold it"
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
        /// The app. A call may cover it: then the app is inactive.
        case app
        /// The app switcher.
        case switcher
        /// The lock screen.
        case lock
    }

    /// The content of the screen at present.
    public var showing: Showing {
        guard !isLocked else { return .lock }
        return switch screen {
        case .home: .home
        case .app: .app
        case .switcher: .switcher
        }
    }

    /// The phase of the app's process, suspension included; `nil` while none runs.
    public var appPhase: Phase? { runningHost?.phase }

    /// Whether the app's picture is in the switcher, with or without a process.
    public var isInSwitcher: Bool { life.isInSwitcher }

    /// Whether the user scrolls in the app.
    public var isScrolling: Bool { runningHost?.process.mainLoop.isTracking == true }
}
