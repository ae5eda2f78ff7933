package import ApusBackground
package import ApusTimers
package import ApusVirtualTime

/// A part of the simulated device, such as its sound or its location service.
///
/// The app's life cycle is not a part. ``SimulatedDevice/standardParts`` lists the parts of every device; a test adds
/// another with ``SimulatedDevice/add(_:)``. docs/device-parts.md shows a whole part.
///
/// All requirements except `init` have default implementations. Unless its comment says otherwise, a requirement is
/// called on the device's thread, for one part after another in the order of the list. An implementation never calls
/// the app's code itself; it passes the code to ``PartSurroundings/mainLoop``.
package protocol DevicePart: AnyObject, Sendable {
    /// Creates the part of one device.
    init(_ surroundings: PartSurroundings)

    // MARK: The app

    /// Notifies the part that an app replaces the earlier one, while no process runs.
    ///
    /// The permissions that the user has given stay, as they do after an update.
    @MainActor func appInstalled(_ app: InstalledApp)
    /// Notifies the part that a process was started, or that a prewarmed process is being launched.
    ///
    /// The app object does not exist yet.
    @MainActor func appLaunched(toForeground: Bool)
    /// Notifies the part that the app object exists.
    @MainActor func appFinishedLaunching()
    /// Notifies the part that the process entered a phase other than `suspended`.
    @MainActor func appEntered(_ phase: Phase)
    /// Notifies the part that the process has reached the state that it was entering, so it can receive events.
    @MainActor func appSettled()
    /// Notifies the part that the app is suspended: none of its code runs from now on.
    @MainActor func appSuspended()
    /// Notifies the part that the suspended app runs again; a call of ``appEntered(_:)`` follows.
    @MainActor func appResumed()
    /// Notifies the part that the user has removed the app from the switcher; its process has not ended yet.
    @MainActor func appForceQuit()
    /// Notifies the part that the process has ended; the part releases the app's handlers.
    @MainActor func processEnded()
    /// Lets the part notify the app of a system event; the app may be running or suspended, or have no process.
    @MainActor func appNotified(of event: SystemEvent)

    // MARK: The device

    /// Notifies the part that a call begins or ends.
    @MainActor func callChanged(isActive: Bool)
    /// Notifies the part that the set of protected files and keychain items that can be read has changed.
    ///
    /// If it has grown, the app is notified after the parts.
    @MainActor func protectedDataStateChanged(to state: ProtectedDataState)
    /// Notifies the part that the device is about to restart; the process has not ended yet.
    @MainActor func deviceRebooting()
    /// Notifies the part that the device has restarted.
    @MainActor func deviceRebooted()
    /// Notifies the part that the device, the user's settings or the state of the app changed.
    ///
    /// It is also called after each notification above, except those of installations, system events, calls and
    /// protected data.
    @MainActor func deviceChanged(to scene: DeviceScene)
    /// Notifies the part that the system's rules were replaced.
    @MainActor func policyChanged(_ policy: SystemPolicy)
    /// Releases the part's references to the app, because the device was released; the process may still live.
    ///
    /// It may be called from any thread.
    func deviceGone()

    // MARK: Questions from the device

    /// The instants by which the app must have finished its work for this part.
    ///
    /// If the app computes past one of them, the action of that limit is executed, which may end the app. The property
    /// may be read from any thread.
    var limits: [ProcessLimit] { get }
    /// Returns the steps that a random user may take with this part now.
    ///
    /// The array is empty while the app does not use the part, so that the part does not change the exploration of
    /// other apps.
    @MainActor func steps(on device: SimulatedDevice) -> [StepChoice]
}

extension DevicePart {
    @MainActor package func appInstalled(_ app: InstalledApp) {}
    @MainActor package func appLaunched(toForeground: Bool) {}
    @MainActor package func appFinishedLaunching() {}
    @MainActor package func appEntered(_ phase: Phase) {}
    @MainActor package func appSettled() {}
    @MainActor package func appSuspended() {}
    @MainActor package func appResumed() {}
    @MainActor package func appForceQuit() {}
    @MainActor package func processEnded() {}
    @MainActor package func appNotified(of event: SystemEvent) {}
    @MainActor package func callChanged(isActive: Bool) {}
    @MainActor package func protectedDataStateChanged(to state: ProtectedDataState) {}
    @MainActor package func deviceRebooting() {}
    @MainActor package func deviceRebooted() {}
    @MainActor package func deviceChanged(to scene: DeviceScene) {}
    @MainActor package func policyChanged(_ policy: SystemPolicy) {}
    package func deviceGone() {}
    package var limits: [ProcessLimit] { [] }
    @MainActor package func steps(on device: SimulatedDevice) -> [StepChoice] { [] }
}

/// The installed app, as the parts see it.
package struct InstalledApp: Sendable {
    package let manifest: AppManifest
    /// The durations of audio items; all others last three minutes.
    package let trackDurations: [AudioItem.ID: Duration]
}

/// An event of the system; a running app is notified of it at once.
package enum SystemEvent: Sendable, Hashable, Codable {
    /// The system takes away the interface of an app in the background.
    ///
    /// A suspended process is notified when it runs again.
    case sceneDisconnected
    /// The screen was locked, so files of the class "complete" are about to be closed.
    ///
    /// A suspended process is not notified.
    case protectedDataWillBecomeUnavailable
    /// The screen was unlocked, so files of the class "complete" can be read again.
    ///
    /// A suspended process is not notified.
    case protectedDataDidBecomeAvailable
    /// The user's switch for background refresh, or the low-power mode, changed.
    ///
    /// A suspended process is not notified.
    case backgroundRefreshChanged
    /// Memory is low while the process runs.
    case memoryWarning
    /// The wall clock was set.
    case wallClockSet
}

/// An instant by which the app must have finished something, and the consequence if it has not.
package struct ProcessLimit {
    /// The instant in nanoseconds of uptime.
    let instant: UInt64
    /// Applies the system's reaction to a process that has not finished at that instant.
    let apply: () -> Void
}

/// A part's reason to keep a process running in the background.
///
/// While it lasts, the time of the process's background tasks does not run.
package struct ProcessCover: Sendable, Hashable {
    /// The instant at which the reason ends, in nanoseconds of uptime; `nil` if nothing limits it.
    var end: UInt64?
    /// Whether the process may compute without being measured by the CPU monitor.
    var isComputingFreely = false
}

/// A question of the system to the user, for a permission.
struct SystemQuestion: Sendable {
    /// Returns whether the user still has to be asked; it is called again when the question is about to be shown.
    let isOpen: @Sendable () -> Bool
    /// Called after the user has answered, or if the question is no longer needed.
    ///
    /// The call is made on the main loop of the app's process, if there is one.
    let answer: @Sendable () -> Void
}

/// The device as one of its parts sees it.
///
/// A part calls the closures without holding its lock. They may be called from any thread, unless their comments say
/// otherwise.
package struct PartSurroundings: Sendable {
    /// The name of the part's type, which is unique on the device.
    var name = ""
    package var time: VirtualClocks
    /// The system's engine on the clocks of ``time``; its timers run even if the app is suspended or has no process.
    package var engine: TimerEngine
    /// The system's rules when the part was created.
    package var policy = SystemPolicy()
    /// The random generator of this part.
    ///
    /// The device's seed and the part's name determine its sequence, so the draws of one part do not change those of
    /// another.
    package var random = SeededRandom(seed: 0)
    package var log: @Sendable (DeviceEvent.Actor, DeviceEvent.What) -> Void
    /// Reports a mistake for which a real system ends the app.
    package var fault: @Sendable (Fault) -> Void
    /// Reports whether a continuous mode is active, so that the device does not suspend an app that declares the mode.
    ///
    /// A part calls it only when the value changes, so the first call has the value `true`. Each mode is reported by
    /// only one part.
    package var keepAwake: @Sendable (AppManifest.BackgroundMode, Bool) -> Void
    /// Returns the main loop of the app's process; `nil` if none runs.
    ///
    /// The main loop of a suspended app runs nothing until the app is resumed.
    package var mainLoop: @Sendable () -> (any MainLoop)?
    /// Returns the parts of the device; `nil` if the device was released.
    var parts: @Sendable () -> DeviceParts? = { nil }
    /// Returns whether the current process of the app has ended.
    ///
    /// If it has ended, the caller may be a function of the app that has not returned yet. The part must then ignore
    /// the app's call.
    package var isAppDead: @Sendable () -> Bool = { false }
    /// Asks the user a question of the system, as soon as the app is active.
    ///
    /// The question is answered at once if there is no process, or if the user need not be asked.
    var askUser: @Sendable (SystemQuestion) -> Void = { $0.answer() }
    /// Starts the app in the background for this reason, or resumes a suspended app there.
    ///
    /// The closure returns false if that is not allowed. If the second argument is true, the app is started even after
    /// a force quit. The app's code runs at the next step of time.
    package var wake: @MainActor @Sendable (LaunchCause, Bool) -> Bool = { _, _ in false }
    /// Brings the app to the foreground, as the user does; the app's code runs at the next step of time.
    var bringToFront: @MainActor @Sendable () -> Void = {}
    /// Brings the app to the foreground, calls the closure, and runs everything that follows at this instant.
    ///
    /// It must be called on the device's thread.
    package var openApp: @Sendable (_ notify: @Sendable () -> Void) -> Void = { notify in notify() }

    package var host: SimulatedHost? { parts()?.host }
    /// The state of the device and its app when the parts were last notified.
    package var scene: DeviceScene { parts()?.scene ?? DeviceScene() }

    /// Returns the device's part of the given type, which must already have been added.
    func part<Part: DevicePart>(_ type: Part.Type) -> Part {
        guard let part = parts()?.part(type) else {
            fatalError("the device does not have the part \(type) yet; add it before the part that uses it")
        }
        return part
    }

    /// Writes a line of this part into the device's log.
    package func note(_ text: String, by actor: DeviceEvent.Actor = .system) { log(actor, .part(name, text)) }

    /// Replaces a timer by one that calls `action` at an instant, or only cancels it if `instant` is `nil`.
    ///
    /// The action must not retain the part, because the part retains the engine, which retains its timers.
    package func arm(
        _ timer: inout ScheduledTimer?, at instant: (some NanosecondInstant)?, _ action: @escaping @Sendable () -> Void
    ) { timer.replace(with: instant.map { engine.schedule(at: $0, action) }) }

    /// Sets the part's reason to keep the process running, in place of its earlier one; `nil` for none.
    package func keepRunning(_ cover: ProcessCover?) { host?.setCover(cover, of: name) }
}

extension ScheduledTimer? {
    /// Stores `next`, which is already scheduled, and cancels the former timer.
    ///
    /// In the other order, there would be a moment without a timer, in which the thread that drives time could move
    /// past the instant of `next`.
    mutating func replace(with next: ScheduledTimer?) {
        let former = self
        self = next
        former?.cancel()
    }
}

/// A part that answers the app's requests and sends events to the app.
///
/// Requests, answers and events are values, so an app in its own process uses the same interface as an app in the
/// test's process.
package protocol DeviceService: DevicePart {
    associatedtype Request: Codable & Sendable
    associatedtype Reply: Codable & Sendable
    /// An event that ``PartSurroundings/send(_:of:)`` sends to the app; `Never` for a service that only answers.
    associatedtype Event: Codable & Sendable

    /// Answers a request of the running process, from any thread.
    func answer(_ request: Request) -> Reply
}

extension SimulatedHost {
    /// Sends a request to a service of the device, and returns its answer.
    package func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply {
        part(service).answer(request)
    }

    /// Calls `handler` on the main loop with a service's events, in place of the earlier handler.
    ///
    /// The handler is released when the process ends.
    package func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void
    ) {
        // The old handler is released outside the lock, because the deinitializers of its captured values may run any
        // code.
        let old: (any Sendable)? = state.withLock { state in
            guard !process.isEnded else { return nil }
            return state.eventHandlers.updateValue(EventHandler<Service>(handle: handler), forKey: "\(service)")
        }
        withExtendedLifetime(old) {}
    }

    /// Returns the service with this type name; `nil` if the device has none.
    package func service(named name: String) -> (any DeviceService)? {
        parts.all.lazy.compactMap { $0 as? any DeviceService }.first { "\(type(of: $0))" == name }
    }

    fileprivate func deliver<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        process.mainLoop.run { [weak self] in
            // The handler is looked up only when the main loop runs this closure, because an app that has just been
            // started may set the handler after the event was sent.
            let handler = self?.state.withLock { $0.eventHandlers["\(service)"] } as? EventHandler<Service>
            handler?.handle(event)
        }
    }
}

extension PartSurroundings {
    /// Sends an event to the app, on the main loop of its process; without a process or a handler, the event is lost.
    package func send<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        host?.deliver(event, of: service)
    }
}

private struct EventHandler<Service: DeviceService>: Sendable {
    let handle: @MainActor @Sendable (Service.Event) -> Void
}

/// The state of the device and its app, on which the rules of the parts depend.
package struct DeviceScene: Sendable {
    var conditions = DeviceConditions()
    var isBackgroundRefreshOn = true
    var wasUnlockedSinceBoot = true
    var isInSwitcher = false
    var wasForceQuit = false
    /// Whether the user sees the app, or is about to see it.
    var isAppInFront = false
    /// Whether the process has reached the state that it was entering, so that it can receive events.
    var isAppAtRest = false
    /// Whether the process is being notified of its end.
    var isAppEnding = false
    /// Whether the app has no process, or a suspended or prewarmed one.
    var isAppStopped = true
    var isLocked = false

    init() {}

    @MainActor
    init(_ device: SimulatedDevice) {
        conditions = device.conditions
        isBackgroundRefreshOn = device.isBackgroundRefreshOn
        wasUnlockedSinceBoot = device.wasUnlockedSinceBoot
        isLocked = device.isLocked
        isInSwitcher = device.life.isInSwitcher
        wasForceQuit = device.life.wasForceQuit
        switch device.life.state {
        case .active, .inactive: (isAppInFront, isAppAtRest) = (true, true)
        case .launching(let toForeground): isAppInFront = toForeground
        case .background: isAppAtRest = true
        case .ending: isAppEnding = true
        case .leaving, .suspended, .notRunning, .prewarmed: break
        }
        isAppStopped = [.suspended, .notRunning, .prewarmed].contains(device.life.state)
    }
}
