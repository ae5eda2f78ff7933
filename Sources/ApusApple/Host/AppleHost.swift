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

    /// An app with UIKit as a host. Make one while the app launches, and keep it; all members may then be used from any
    /// thread.
    ///
    /// - Phases come from `UIApplication`'s notifications, which are posted with scenes and without (Apple,
    ///   developer.apple.com/documentation/uikit/uiscenedelegate/scenedidenterbackground(_:)): the app is `inactive`
    ///   when it resigns being active and when it enters the foreground, `active` when it has become active,
    ///   `background` when it has entered that, and `terminated` when it is notified of its termination. Apple's
    ///   systems announce no suspension, so `Phase.suspended` is never entered here: after it, the app continues in
    ///   the phase that it was in. Observers are called before UIKit's notification returns, so they have as long as
    ///   UIKit's own methods: about 5 s.
    /// - Background tasks are those of `UIApplication`, by whose rules they are granted and expire; see
    ///   ``beginBackgroundTask(_:)``.
    /// - While a host was made, the battery is monitored (`UIDevice.isBatteryMonitoringEnabled`).
    ///
    /// On Linux the same code runs on a simulated phone (`SimulatedPhone`), in its time.
    public final class AppleHost: BackgroundHost {
        /// Where the app's timers live. On Apple's systems its threads stand still while the app is suspended.
        public let engine: TimerEngine
        /// Where expiration handlers and the observers of everything but phases are called.
        public let mainLoop: any MainLoop
        /// The kernel's name for this start of the device (`kern.bootsessionuuid`); `nil` where it cannot be read.
        public let bootID: String?
        /// False: a phone ends an app whose background tasks are open when their handlers have returned (Apple DTS,
        /// developer.apple.com/forums/thread/85066).
        public var waitsForExpiredTasks: Bool { false }

        private let application: UIApplication
        private let logger: Logger
        private let phases: Broadcast<Phase>
        private let observers = NotificationObservers()
        private let device: AppleConditions
        private let startTask: @Sendable (@escaping @Sendable () async -> Void) -> Void

        /// A host for the app that runs: `UIApplication.shared` has to be there.
        ///
        /// - Parameters:
        ///   - engine: Where timers live; `nil` is `TimerEngine.shared`, and on Linux the simulated phone's.
        ///   - mainLoop: Where handlers are called; `nil` is an ``AppleMainLoop``, and on Linux the simulated phone's.
        ///   - logger: Gets background tasks that were released without an end.
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
                    // UIKit posts these on the main thread.
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

        /// The phase that UIKit has announced last; never `Phase.suspended`.
        public var phase: Phase { phases.value }

        /// A new sequence of the phases that are announced from now on.
        public func phaseChanges() -> PhaseChanges { phases.changes() }

        /// Calls `observer` on the main actor whenever a phase is entered, before UIKit's notification of it returns,
        /// until the observation is cancelled or dropped.
        public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
            phases.observe(observer)
        }

        // MARK: Background tasks

        /// How much longer the app may run in the background, as `UIApplication` estimates; `nil` in the foreground and
        /// while nothing limits it, where UIKit answers with a huge number.
        public var backgroundTimeRemaining: Duration? {
            let seconds = application.backgroundTimeRemaining
            // More than a year is no estimate.
            guard seconds < 365 * 86_400 else { return nil }
            return .seconds(max(0, seconds))
        }

        /// Asks for time to finish something, with `beginBackgroundTask(withName:expirationHandler:)`.
        ///
        /// UIKit grants background tasks a little later, so one that comes too late may be answered with a call of its
        /// expiration handler (Apple,
        /// developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)):
        /// then this returns a background task that has ended already.
        ///
        /// - Parameter request: The name, the place and the expiration handler.
        /// - Returns: The background task, which must be ended.
        /// - Throws: `BackgroundError` with the code `tooLate` when UIKit gives no identifier; the handler is called
        ///   on the main loop then too.
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

        /// The battery, the low-power mode and the temperature. The rest is not known: `nil`.
        public var conditions: DeviceConditions { device.broadcast.value }

        /// A new sequence of the conditions from now on. A suspended app is notified of changes when it runs again.
        public func conditionChanges() -> Changes<DeviceConditions> { device.broadcast.changes() }

        /// Starts asynchronous work: on the global executor, and on Linux on that of the simulated process.
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

    /// What the process runs on, where nothing else was asked for: the system's own clocks and threads on Apple's systems,
    /// on Linux those of the running process of the simulated phone. So an app's code is the same on both.
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

            /// What the app declares in `UIBackgroundModes`.
            static var declaredModes: Set<String> {
                Set(SimulatedPhone.process.host.manifest.backgroundModes.map(\.rawValue))
            }
        #else
            static var current: AppleSystem {
                AppleSystem(engine: .shared, mainLoop: AppleMainLoop(), bootID: bootSessionID) { work in
                    Task { await work() }
                }
            }

            /// What the app declares in `UIBackgroundModes`.
            static var declaredModes: Set<String> {
                Set(Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String] ?? [])
            }

            /// The kernel's name for this start of the device; `nil` where an app may not read it.
            private static var bootSessionID: String? {
                var size = 0
                guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
                var bytes = [UInt8](repeating: 0, count: size)
                guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
                return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        #endif
    }

    /// Calls the observers of phases before UIKit's notification returns, and not in a later turn of the main loop.
    ///
    /// When the app has said that it entered the background, the system may suspend it; when it was notified of its
    /// termination, it does. What an observer saves has to be saved before: it has the time that UIKit's own methods
    /// have, about 5 s (Apple,
    /// developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:)).
    final class PhaseLoop: MainLoop {
        private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

        /// Keeps `work` for the next ``flush()``. There is one after each change of the phase.
        func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
            waiting.withLock { $0.append(work) }
        }

        /// Runs what waits, and what comes of it.
        @MainActor func flush() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    /// Observers of Foundation's notification center, which end with this object.
    ///
    /// For `@unchecked Sendable`: the tokens, of which the compiler does not know that they may go from thread to thread,
    /// are touched under `lock` only, and mean something to the center alone.
    final class NotificationObservers: @unchecked Sendable {
        private let lock = Locked(())
        private var tokens: [any NSObjectProtocol] = []

        /// Calls `handler` on the thread on which a notification of that name is posted, before the posting returns.
        func observe(_ name: Notification.Name, _ handler: @escaping @Sendable (Notification) -> Void) {
            let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: handler)
            lock.withLock { _ in tokens.append(token) }
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
