import ApusBackground
import ApusTesting
import ApusTimers
import LoopbackWeb
import SleeplessApp

/// The app on a simulated phone whose time passes in real time, faster, or only in steps while it is paused.
@MainActor
final class PhoneStage: Stage {
    let feed = ScreenFeed()
    private(set) var device: SimulatedDevice
    /// The phone's seconds per second of real time; zero is a pause.
    var speed: Double { didSet { feed.changed() } }

    /// The manifest of the installed app.
    private(set) var manifest = PhoneStage.manifest

    private let seed: UInt64
    private let tracks: [Track]
    private let lives: Bool
    private var life: Task<Void, Never>?
    private var number = 0
    /// The number of log lines of all earlier phones; the numbers of this phone's lines follow it.
    private var earlierLines = 0
    private var knownLines = 0
    private var shownSecond: UInt64 = 0
    /// The visible state of a suspended app: the snapshot of its last moment.
    private var picture: AppSnapshot?
    private var isMoving = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a phone that shows its home screen.
    ///
    /// - Parameters:
    ///   - seed: The seed of the phone's random numbers.
    ///   - speed: The phone's seconds per second of real time.
    ///   - tracks: The tracks of the app.
    ///   - lives: Whether the phone's time passes by itself.
    init(seed: UInt64, speed: Double, tracks: [Track] = Tracks.all, lives: Bool = true) {
        self.seed = seed
        self.speed = speed
        self.tracks = tracks
        self.lives = lives
        device = SimulatedDevice(seed: seed, wall: Self.morning)
        feed.screen = { [unowned self] in screen() }
        begin(device)
    }

    /// Replaces the phone by a new one.
    func reset() {
        life?.cancel()
        earlierLines += device.log.count
        knownLines = 0
        device = SimulatedDevice(seed: seed, wall: Self.morning)
        begin(device)
        stepped()
    }

    // MARK: Stage

    func screen() -> Screen {
        let app = device.appPhase == .suspended ? picture : (device.app as? App)?.snapshot()
        return Screen(
            revision: feed.revision, host: "simulated",
            device: DeviceScreen(device, phone: number, speed: speed, manifest: manifest),
            linux: nil, app: app)
    }

    func appInFront() throws(WebError) -> App {
        guard device.showing == .app, device.appPhase == .active, let app = device.app as? App else {
            throw Self.notInFront
        }
        device.touch()
        return app
    }

    func settle() {
        device.time.settle()
        stepped()
    }

    func control(_ name: String, _ arguments: Arguments) async throws {
        try await PhoneControls.perform(name, arguments, on: self)
        stepped()
    }

    var lastLine: Int { earlierLines + device.log.count }

    func log(after: Int) -> LogPage {
        let first = max(0, after - earlierLines)
        let lines = lines(from: first).prefix(Self.pageLength)
        return LogPage(events: Array(lines), next: lines.last?.n ?? max(after, earlierLines))
    }

    // MARK: Time

    /// Advances the phone by a long time while the server keeps answering; a later call waits until earlier calls have
    /// ended.
    func move(_ body: @MainActor (SimulatedDevice) async -> Void) async {
        while isMoving { await withCheckedContinuation { waiting.append($0) } }
        isMoving = true
        await body(device)
        isMoving = false
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }

    /// Advances the phone in steps of ten seconds, between which other tasks can run.
    func advance(_ device: SimulatedDevice, by duration: Duration) async {
        let target = device.time.uptime().advanced(by: duration)
        while device === self.device, device.time.uptime() < target {
            device.time.advance(by: min(.seconds(10), device.time.uptime().duration(to: target)))
            stepped()
            await Task.yield()
        }
    }

    private static let pageLength = 2_000
    /// The wall clock of a new phone: 2026-01-01, 9:41 UTC.
    private static let morning = WallInstant(secondsSince1970: 1_767_260_460)

    private func begin(_ device: SimulatedDevice) {
        number += 1
        picture = nil
        device.onPhase = { [weak self, weak device] phase in
            self?.picture = phase == .suspended ? (device?.app as? App)?.snapshot() : nil
        }
        install(Self.manifest, on: device)
        device.location.setRoute(PhoneControls.Route.walk.route)
        guard lives else { return }
        life = Task { [weak self] in
            await device.runInRealTime(speed: { [weak self] in
                guard let self, !isMoving else { return 0 }
                return speed
            }) { self?.stepped() }
        }
    }

    /// Installs the app on the phone, in place of the installed one.
    private func install(_ manifest: AppManifest, on device: SimulatedDevice) {
        self.manifest = manifest
        let lengths = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, Duration.seconds($0.seconds)) })
        device.install(manifest, trackDurations: lengths) { [weak self, tracks] host in
            host.notifications.onForegroundDelivery = { _ in .shown }
            let app = try App(
                Services(
                    host: host, store: host.storage, notifications: host.notifications, audio: host.audio,
                    location: host.location, jobs: host.jobs, tracks: tracks,
                    askToNotify: { _ = await host.notifications.requestAuthorization() },
                    block: { host.work(for: $0) }))
            self?.show(app)
            return app
        }
    }

    /// Installs an update of the app that declares a mode, or does not declare it any more.
    func declare(_ mode: AppManifest.BackgroundMode, _ isDeclared: Bool) {
        var manifest = manifest
        if isDeclared { manifest.backgroundModes.insert(mode) } else { manifest.backgroundModes.remove(mode) }
        install(manifest, on: device)
    }

    static let manifest = AppManifest(
        backgroundModes: [.audio, .location, .fetch, .processing],
        permittedTaskIdentifiers: Set(
            RefreshModel.Kind.allCases.map(\.identifier) + [LessonsModel.endlessRefresh, LessonsModel.exporting]))

    /// Publishes new lines of the log.
    ///
    /// The state is published too, if there are new lines or if the phone's clock shows another second.
    private func stepped() {
        let first = knownLines
        knownLines = device.log.count
        feed.log { lines(from: first) }
        let second = device.time.wall().nanoseconds / 1_000_000_000
        if second != shownSecond || knownLines > first { feed.changed() }
        shownSecond = second
    }

    private func lines(from first: Int) -> [LogLine] {
        let log = device.log
        guard first < log.count else { return [] }
        return log[first...].enumerated().map { LogLine($1, number: earlierLines + first + $0 + 1) }
    }
}
