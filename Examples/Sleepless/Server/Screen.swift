import ApusBackground
import ApusTesting
import ApusTimers
import SleeplessApp

/// The answer of `GET /screen`, and the content of the event `screen`.
struct Screen: Encodable, Sendable {
    var revision: Int
    var host: String
    @Nullable var device: DeviceScreen?
    @Nullable var linux: LinuxScreen?
    @Nullable var app: AppSnapshot?
}

/// The simulated phone, as it is seen from outside.
struct DeviceScreen: Codable, Sendable, Hashable {
    struct Notification: Codable, Sendable, Hashable {
        var id: String
        var title: String
        var body: String
        var at: String
    }

    /// A pending notification request.
    struct Pending: Codable, Sendable, Hashable {
        var id: String
        var title: String
        @Nullable var due: String?
    }

    /// An open background task.
    struct BackgroundTaskLine: Codable, Sendable, Hashable {
        var id: String
        var name: String
        var since: String
    }

    struct Job: Codable, Sendable, Hashable {
        var id: String
        var whyNot: [String]
    }

    /// A running job.
    struct Running: Codable, Sendable, Hashable {
        var id: String
        var title: String
        /// Whether the user sees the job, and can cancel it.
        var isContinued: Bool
    }

    struct Playing: Codable, Sendable, Hashable {
        var title: String
        var isPlaying: Bool
    }

    struct FaultLine: Codable, Sendable, Hashable {
        var rule: String
        var message: String
        @Nullable var place: String?
    }

    var phone: Int
    var now: String
    var speed: Double
    var showing: String
    var process: String
    var pid: Int
    @Nullable var budget: Double?
    var backgroundTasks: [BackgroundTaskLine]
    @Nullable var battery: Double?
    @Nullable var isCharging: Bool?
    @Nullable var isLowPower: Bool?
    @Nullable var network: String?
    @Nullable var thermal: String?
    var backgroundRefresh: Bool
    /// The time without a touch after which the screen locks itself, in seconds.
    @Nullable var autoLock: Double?
    var isInCall: Bool
    var isInSwitcher: Bool
    var isScrolling: Bool
    var notifications: [Notification]
    var pendingNotifications: [Pending]
    var notificationAuthorization: String
    var jobs: [Job]
    var running: [Running]
    /// The modes that the app declares.
    var modes: [String]
    @Nullable var playing: Playing?
    var faults: [FaultLine]
    var boot: Int

    @MainActor
    init(_ device: SimulatedDevice, phone: Int, speed: Double, manifest: AppManifest) {
        let conditions = device.conditions
        self.phone = phone
        self.speed = speed
        now = device.time.wall().iso8601
        showing = device.showing.rawValue
        process = device.appPhase?.rawValue ?? "none"
        pid = device.launchCount
        _budget = Nullable(wrappedValue: device.host?.backgroundTimeRemaining.map(\.inSeconds))
        backgroundTasks = (device.host?.openBackgroundTasks ?? []).map { task in
            BackgroundTaskLine(id: task.id.description, name: task.name, since: task.begun.iso8601)
        }
        _battery = Nullable(wrappedValue: conditions.batteryLevel)
        _isCharging = Nullable(wrappedValue: conditions.isOnExternalPower)
        _isLowPower = Nullable(wrappedValue: conditions.isLowPowerMode)
        _network = Nullable(wrappedValue: conditions.network?.rawValue)
        _thermal = Nullable(wrappedValue: conditions.thermalState?.rawValue)
        backgroundRefresh = device.isBackgroundRefreshOn
        _autoLock = Nullable(wrappedValue: device.autoLock?.inSeconds)
        isInCall = device.isInCall
        isInSwitcher = device.isInSwitcher
        isScrolling = device.isScrolling
        notifications = device.notifications.shown.reversed().map { shown in
            Notification(
                id: shown.request.identifier, title: shown.request.notification.title,
                body: shown.request.notification.body, at: shown.instant.iso8601)
        }
        pendingNotifications = device.notifications.waiting.map { request in
            Pending(
                id: request.identifier, title: request.notification.title,
                due: device.notifications.nextInstant(of: request.identifier).map(\.iso8601))
        }
        notificationAuthorization = device.notifications.authorization.rawValue
        jobs = device.jobs.pendingRequests().map { request in
            Job(id: request.identifier, whyNot: device.jobs.obstacles(for: request.identifier).map(\.description))
        }
        running = device.jobs.running.map { task in
            Running(id: task.identifier, title: task.title, isContinued: task.isContinued)
        }
        modes = manifest.backgroundModes.map(\.rawValue).sorted()
        let audio = device.audio.state
        _playing = Nullable(
            wrappedValue: audio.current.map { Playing(title: $0.title, isPlaying: audio.isPlaying) })
        faults = device.faults.map { FaultLine(rule: $0.rule.name, message: $0.message, place: $0.place) }
        boot = device.bootNumber
    }
}

/// The Linux process, as it is seen from outside.
struct LinuxScreen: Codable, Sendable, Hashable {
    struct Conditions: Codable, Sendable, Hashable {
        @Nullable var network: String?
        @Nullable var isOnExternalPower: Bool?
        @Nullable var battery: Double?
        @Nullable var isLowPower: Bool?
        @Nullable var thermal: String?
    }

    var phase: String
    @Nullable var budget: Double?
    var conditions: Conditions
    /// The text that says how notifications are shown here.
    var notifications: String

    init(_ host: any BackgroundHost, notifications: String) {
        let conditions = host.conditions
        phase = host.phase.rawValue
        _budget = Nullable(wrappedValue: host.backgroundTimeRemaining?.inSeconds)
        self.conditions = Conditions(
            network: conditions.network?.rawValue, isOnExternalPower: conditions.isOnExternalPower,
            battery: conditions.batteryLevel, isLowPower: conditions.isLowPowerMode,
            thermal: conditions.thermalState?.rawValue)
        self.notifications = notifications
    }
}

extension Duration {
    var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }

    /// Creates a duration from a number of seconds, to the nearest nanosecond.
    ///
    /// The number is rounded, because 0.1 is not a binary fraction and must not become less than a tenth of a second.
    init(inSeconds seconds: Double) { self = .nanoseconds(Int64((seconds * 1e9).rounded())) }
}

extension SimulatedTask {
    /// Whether the user has started the job, and sees it.
    fileprivate var isContinued: Bool { if case .continued = request.kind { true } else { false } }
}
