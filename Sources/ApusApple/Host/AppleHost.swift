#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import ApusDevice
    public import ApusTimers
    import Foundation
    public import Logging
    import UIKit

    #if os(Linux)
        import ApusVirtualTime
        import SimulatedAppleCore
    #else
        import Darwin
        import Foundation
    #endif

    /// The host of an app with UIKit.
    ///
    /// Create one while the app launches, and keep it. All members may then be used from any thread.
    ///
    /// - Phases come from `UIApplication`'s notifications, which are posted in apps with and without scenes (Apple,
    ///   developer.apple.com/documentation/uikit/uiscenedelegate/scenedidenterbackground(_:)): the app is `inactive`
    ///   when it resigns being active and when it enters the foreground, `active` when it has become active,
    ///   `background` when it has entered the background, and `terminated` when it is notified of its termination.
    ///   Apple's systems announce no suspension, so `Phase.suspended` is never entered here: after a suspension, the
    ///   app continues in its previous phase. Observers are called before UIKit's notification returns, so they have as
    ///   much time as UIKit's own methods: about 5 s.
    /// - Background tasks are those of `UIApplication`, by whose rules they are granted and expire; see
    ///   ``beginBackgroundTask(_:)``.
    /// - Creating a host enables the monitoring of the battery (`UIDevice.isBatteryMonitoringEnabled`).
    ///
    /// On Linux the same code runs on a simulated phone (`SimulatedPhone`) and uses the phone's clocks.
    public final class AppleHost: BackgroundHost {
        /// The engine of the app's timers; on Apple's systems, its threads stand still while the app is suspended.
        public let engine: TimerEngine
        /// The main loop on which expiration handlers and all observers are called, except the observers of phases.
        public let mainLoop: any MainLoop
        /// The kernel's identifier of this start of the device (`kern.bootsessionuuid`); `nil` where it cannot be read.
        public let bootID: String?
        /// Whether the system waits for expired background tasks: false.
        ///
        /// A phone ends an app whose background tasks are still open when their handlers have returned (Apple DTS,
        /// developer.apple.com/forums/thread/85066).
        public var waitsForExpiredTasks: Bool { false }

        private let application: UIApplication
        private let logger: Logger
        private let phases: Broadcast<Phase>
        private let observers = NotificationObservers()
        private let device: AppleConditions
        private let startTask: @Sendable (@escaping @Sendable () async -> Void) -> Void

        /// Creates a host for the running app; `UIApplication.shared` must exist.
        ///
        /// - Parameters:
        ///   - engine: The engine of the app's timers; `nil` for `TimerEngine.shared`, or on Linux the simulated
        ///     phone's engine.
        ///   - mainLoop: The loop on which handlers are called; `nil` for an ``AppleMainLoop``, or on Linux the
        ///     simulated phone's main loop.
        ///   - logger: Receives an error for each background task that is released before it was ended.
        @MainActor
        public init(
            engine: TimerEngine? = nil, mainLoop: (any MainLoop)? = nil, logger: Logger = Logger(label: "apus.apple")
        ) {
            let system = AppleSystem.current
            self.engine = engine ?? system.engine
            self.mainLoop = mainLoop ?? system.mainLoop
            self.logger = logger
            bootID = system.bootID
            startTask = system.start
            application = .shared
            device = AppleConditions(mainLoop: self.mainLoop)
            let loop = PhaseLoop()
            let phases = Broadcast(Phase(application.applicationState), mainLoop: loop)
            self.phases = phases
            for (name, phase) in Self.phases {
                observers.observe(name) { _ in
                    if phase == .terminated { phases.finish(phase) } else { phases.set(phase) }
                    // UIKit posts these notifications on the main thread.
                    MainActor.assumeIsolated { loop.flush() }
                }
            }
        }

        private static var phases: [(Notification.Name, Phase)] {
            [
                (UIApplication.didBecomeActiveNotification, .active),
                (UIApplication.willResignActiveNotification, .inactive),
                (UIApplication.didEnterBackgroundNotification, .background),
                (UIApplication.willEnterForegroundNotification, .inactive),
                (UIApplication.willTerminateNotification, .terminated),
            ]
        }

        // MARK: Phases

        /// The phase that UIKit announced last; never `Phase.suspended`.
        public var phase: Phase { phases.value }

        /// Returns a new sequence of the phases that are announced from now on.
        public func phaseChanges() -> PhaseChanges { phases.changes() }

        /// Calls `observer` on the main actor whenever a phase is entered, before UIKit's notification of it returns.
        ///
        /// - Returns: The token of the observation, which lasts until the token is cancelled or released.
        public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
            phases.observe(observer)
        }

        // MARK: Background tasks

        /// The time for which the app may still run in the background, as `UIApplication` estimates it.
        ///
        /// It is `nil` in the foreground and while nothing limits the time; UIKit then returns a huge number.
        public var backgroundTimeRemaining: Duration? {
            let seconds = application.backgroundTimeRemaining
            // More than a year means that there is no limit.
            guard seconds < 365 * 86_400 else { return nil }
            return .seconds(max(0, seconds))
        }

        /// Asks for time to finish work in the background, with `beginBackgroundTask(withName:expirationHandler:)`.
        ///
        /// UIKit grants background tasks a little later, and may answer a request that comes too late by calling its
        /// expiration handler (Apple,
        /// developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)). The
        /// returned background task has then already ended.
        ///
        /// - Parameter request: The name, the place in the source and the expiration handler.
        /// - Returns: The background task, which must be ended.
        /// - Throws: `BackgroundError` with the code `tooLate` when UIKit gives no identifier; the handler is then also
        ///   called on the main loop.
        public func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
            let task = AppleBackgroundTask(request, of: application, mainLoop: mainLoop)
            guard task.begin() else {
                throw BackgroundError(
                    code: .tooLate,
                    message:
                        "“\(request.name)” asked for time in the background when none was granted; begin the task earlier"
                )
            }
            return BackgroundTask(request, logger: logger) { task.end() }
        }

        // MARK: The device

        /// The battery, the low-power mode and the thermal state; the other conditions are unknown (`nil`).
        public var conditions: DeviceConditions { device.broadcast.value }

        /// Returns a new sequence of the conditions from now on.
        ///
        /// A suspended app is notified of changes when it runs again.
        public func conditionChanges() -> Changes<DeviceConditions> { device.broadcast.changes() }

        /// Starts asynchronous work on the global executor; on Linux, on the executor of the simulated process.
        public func start(_ work: @escaping @Sendable () async -> Void) { startTask(work) }
    }

    extension Phase {
        fileprivate init(_ state: UIApplication.State) {
            self =
                switch state {
                case .active: .active
                case .background: .background
                default: .inactive
                }
        }
    }

    /// The defaults of the system: the system's clocks and threads on Apple's systems, and the clocks and threads of
    /// the simulated phone's running process on Linux.
    ///
    /// An app's code is therefore the same on Apple's systems and on Linux.
    struct AppleSystem: Sendable {
        var engine: TimerEngine
        var mainLoop: any MainLoop
        var bootID: String?
        var start: @Sendable (@escaping @Sendable () async -> Void) -> Void

        #if os(Linux)
            static var current: AppleSystem {
                let host = SimulatedPhone.process.host
                return AppleSystem(engine: host.engine, mainLoop: host.mainLoop, bootID: host.bootID) { host.start($0) }
            }

            /// The values of `UIBackgroundModes` that the app declares.
            static var declaredModes: Set<String> {
                Set(SimulatedPhone.process.host.manifest.backgroundModes.map(\.rawValue))
            }
        #else
            static var current: AppleSystem {
                AppleSystem(engine: .shared, mainLoop: AppleMainLoop(), bootID: bootSessionID) { work in
                    Task { await work() }
                }
            }

            /// The values of `UIBackgroundModes` that the app declares.
            static var declaredModes: Set<String> {
                Set(Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String] ?? [])
            }

            /// The kernel's identifier of this start of the device; `nil` where an app may not read it.
            private static var bootSessionID: String? {
                var size = 0
                guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
                var bytes = [UInt8](repeating: 0, count: size)
                guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
                return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        #endif
    }

    /// A main loop that calls the observers of phases before UIKit's notification returns.
    ///
    /// When UIKit notifies the app that it has entered the background, the system may suspend the app as soon as the
    /// notification has returned. When UIKit notifies the app of its termination, the system ends the app afterwards.
    /// In both cases, an observer must save its data before the notification returns. The observers have as much time
    /// as UIKit's own methods: about 5 s
    /// (Apple, developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:)).
    final class PhaseLoop: MainLoop {
        private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

        /// Keeps `work` for the next ``flush()``, which follows each change of the phase.
        func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
            waiting.withLock { $0.append(work) }
        }

        /// Runs the waiting work, including any work that is added meanwhile.
        @MainActor func flush() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    /// Observers of Foundation's notification center; they are removed when this object is released.
    ///
    /// The class is `@unchecked Sendable` because the compiler does not know the tokens to be thread-safe. They are
    /// accessed only under `lock` and in the deinitializer, and only the center uses them.
    final class NotificationObservers: @unchecked Sendable {
        private let lock = Locked(())
        private var tokens: [any NSObjectProtocol] = []

        /// Adds an observer, called on the thread that posts a notification of this name, before the posting returns.
        func observe(_ name: Notification.Name, _ handler: @escaping @Sendable (Notification) -> Void) {
            let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: handler)
            lock.withLock { _ in tokens.append(token) }
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
