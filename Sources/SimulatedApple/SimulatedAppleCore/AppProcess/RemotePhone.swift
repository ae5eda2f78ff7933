import ApusBackground
import ApusDevice
import ApusTimers
import Dispatch
import Foundation

/// The phone, as used from an app in a process of its own.
///
/// The frameworks' calls go to the device's process, and the device's events arrive on the main thread.
///
/// Timers, tasks and the main loop belong to this process, whose time is the device's.
final class RemotePhone: PhoneHost {
    private struct Launch {
        var cause: LaunchCause
        var isPrewarmed: Bool
        /// The app's launch, which waits for the launch event in a prewarmed process.
        var body: (@MainActor @Sendable () -> Void)?
    }

    private struct BackgroundTasks {
        var lastToken = 0
        var handlers: [Int: @MainActor @Sendable () -> Void] = [:]
        /// The tokens of the expiration handlers, by the numbers of their background tasks.
        var tokens: [Int: Int] = [:]
    }

    let bootID: String?
    let manifest: AppManifest
    let allowsBackgroundGPU: Bool
    let audio: RemoteAudio
    let location: RemoteLocation
    let notifications: RemoteNotifications
    let jobs: RemoteJobs
    let pushes: RemotePushes
    let transfers: RemoteTransfers
    let records: RemoteRecords

    var engine: TimerEngine { .shared }
    var mainLoop: any MainLoop { RunLoopMainLoop() }

    private let link: AppLink
    private let observers = EventObservers()
    private let phases: Broadcast<Phase>
    private let allConditions: Broadcast<DeviceConditions>
    private let backgroundTasks = Locked(BackgroundTasks())
    private let keptOn = Locked(false)
    /// The handlers of events, by the names of the services.
    private let eventHandlers = Locked<[String: @MainActor @Sendable (Data) -> Void]>([:])
    private let launch: Locked<Launch>

    init(_ link: AppLink, _ status: AppStatus) {
        self.link = link
        bootID = status.bootID
        manifest = status.manifest
        allowsBackgroundGPU = status.allowsBackgroundGPU
        phases = Broadcast(status.phase, mainLoop: observers)
        allConditions = Broadcast(status.conditions, mainLoop: observers)
        audio = RemoteAudio(link)
        location = RemoteLocation(link)
        notifications = RemoteNotifications(link)
        jobs = RemoteJobs(link)
        pushes = RemotePushes(link)
        transfers = RemoteTransfers(link)
        launch = Locked(Launch(cause: status.launchCause, isPrewarmed: status.isPrewarmed))
        records = RemoteRecords(link)
    }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .launch(let status): launch(status)
        case .phase(let phase): phases.announce(phase)
        case .conditions(let conditions): allConditions.set(conditions)
        case .system(let event): link.process.report(event)
        case .backgroundTaskExpires(let token):
            backgroundTasks.withLock { $0.handlers[token] }?()
            link.perform(.expirationHandlerReturned)
        case .audioSession, .audioItemEnded: audio.handle(event)
        case .location, .locationAuthorization: location.handle(event)
        case .notificationComes, .notificationOpened, .notificationAuthorization: notifications.handle(event)
        case .service(let name, let event): eventHandlers.withLock { $0[name] }?(event)
        case .pushComes(let push): pushes.onPush?(push)
        case .transfersEnded, .transfer: transfers.handle(event)
        case .taskBegins, .taskExpires: jobs.handle(event)
        case .mediaCommand(let name): link.process.perform(mediaCommand: name)
        case .screen(let number, let request): link.perform(.screen(number, link.process.answer(request)))
        }
        observers.runAll()
    }

    /// Launches the app: at once, or, if this process was prewarmed, when the launch event arrives.
    @MainActor
    func atLaunch(_ body: @escaping @MainActor @Sendable () -> Void) {
        let isPrewarmed = launch.withLock { launch in
            if launch.isPrewarmed { launch.body = body }
            return launch.isPrewarmed
        }
        if !isPrewarmed { body() }
    }

    @MainActor
    private func launch(_ status: AppStatus) {
        phases.set(status.phase)
        allConditions.set(status.conditions)
        let body = launch.withLock { launch in
            defer { launch = Launch(cause: status.launchCause, isPrewarmed: false) }
            return launch.body
        }
        body?()
    }

    // MARK: PhoneHost

    var launchCause: LaunchCause { launch.withLock { $0.cause } }
    var phase: Phase { phases.value }
    var conditions: DeviceConditions { allConditions.value }
    func conditionChanges() -> Changes<DeviceConditions> { allConditions.changes() }
    var keepsScreenOn: Bool {
        get { keptOn.withLock { $0 } }
        set {
            keptOn.withLock { $0 = newValue }
            link.perform(.keepScreenOn(newValue))
        }
    }

    var settings: PhoneSettings { link.ask(.settings, for: PhoneSettings.self) }
    func groupContainer(_ group: String) -> URL? { link.ask(.groupContainer(group), for: URL?.self) }

    var backgroundTimeRemaining: Duration? {
        link.ask(.timeRemaining, for: Int64?.self).map { .nanoseconds($0) }
    }

    func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        phases.observe(observer)
    }

    func start(_ work: @escaping @Sendable () async -> Void) { Task { await work() } }
    func note(_ text: String) { link.perform(.note(text)) }
    func warn(_ text: String) { link.perform(.warn(text)) }
    func logSound(_ line: String) { link.perform(.sound(line)) }
    func fault(_ fault: Fault) { link.perform(.fault(fault)) }
    func work(for duration: Duration) { link.work(for: max(0, duration.wholeNanoseconds)) }

    func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply {
        link.ask(.service("\(service)", ServiceJSON.encode(request)), for: Service.Reply.self)
    }

    func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void
    ) {
        let old = eventHandlers.withLock { handlers in
            handlers.updateValue({ handler(ServiceJSON.decode(Service.Event.self, from: $0)) }, forKey: "\(service)")
        }
        // The old handler is released outside the lock, because the release can run any code of the app.
        withExtendedLifetime(old) { link.perform(.observeService("\(service)")) }
    }

    func beginBackgroundTask(_ name: String, expirationHandler: (@MainActor @Sendable () -> Void)?) -> Int {
        let token = keep(expirationHandler)
        let number = link.ask(.beginBackgroundTask(name, token: token), for: Int.self)
        backgroundTasks.withLock { $0.tokens[number] = token }
        return number
    }

    func beginActivity(_ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void) -> Int? {
        let token = keep(expirationHandler)
        let number = link.ask(.beginActivity(name, token: token), for: Int?.self)
        let refused = backgroundTasks.withLock { backgroundTasks in
            guard let number else { return backgroundTasks.handlers.removeValue(forKey: token) }
            backgroundTasks.tokens[number] = token
            return nil
        }
        return withExtendedLifetime(refused) { number }
    }

    /// Stores a handler, and returns the token with which the device later calls it.
    private func keep(_ handler: (@MainActor @Sendable () -> Void)?) -> Int {
        backgroundTasks.withLock { backgroundTasks in
            backgroundTasks.lastToken += 1
            backgroundTasks.handlers[backgroundTasks.lastToken] = handler
            return backgroundTasks.lastToken
        }
    }

    func endBackgroundTask(_ number: Int) {
        // The handler is released outside the lock, because the release can run any code of the app.
        let handler = backgroundTasks.withLock { backgroundTasks in
            backgroundTasks.tokens.removeValue(forKey: number).flatMap {
                backgroundTasks.handlers.removeValue(forKey: $0)
            }
        }
        withExtendedLifetime(handler) { link.perform(.endBackgroundTask(number)) }
    }
}

extension PhoneProcess {
    convenience init(_ phone: RemotePhone) {
        self.init(
            host: phone, audio: phone.audio, location: phone.location, notifications: phone.notifications,
            jobs: phone.jobs,
            pushes: phone.pushes, transfers: phone.transfers, records: phone.records, patience: .zero,
            groupContainer: { phone.groupContainer($0) }, settings: { phone.settings })
    }
}

/// The pending calls of observers of the phase and the conditions.
///
/// They are made at the end of the event that causes them, before anything else runs on the main run loop.
private final class EventObservers: MainLoop {
    private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
    }

    @MainActor
    func runAll() {
        while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }
}

/// The main run loop of the process; work of the `default` mode waits while the user scrolls.
private struct RunLoopMainLoop: MainLoop {
    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        switch mode {
        case .common: DispatchQueue.main.async { MainActor.assumeIsolated(work) }
        case .default:
            RunLoop.main.perform(inModes: [.default]) { MainActor.assumeIsolated(work) }
            // Work on the main queue wakes the run loop.
            DispatchQueue.main.async {}
        }
    }
}
