package import ApusBackground
package import ApusTimers
package import ApusVirtualTime

/// A part of the simulated device beside the app's life cycle, such as its sound or its location service.
///
/// ``SimulatedDevice/standardParts`` lists the parts of every device; a test adds another with
/// ``SimulatedDevice/add(_:)``. docs/device-parts.md shows a whole part.
///
/// All members but `init` have defaults. The device calls them on its thread, part by part in the order of the list.
/// A part does not call the app's code from them; it gives it to ``PartSurroundings/mainLoop``.
package protocol DevicePart: AnyObject, Sendable {
    /// Makes the part of one device.
    init(_ surroundings: PartSurroundings)

    // MARK: The app

    /// An app replaces the earlier one, and none runs. What the user has allowed stays, as with an update.
    @MainActor func appInstalled(_ app: InstalledApp)
    /// A process was started, or one that was prewarmed is launched; the app is not made yet.
    @MainActor func appLaunched(toForeground: Bool)
    /// The app is made.
    @MainActor func appFinishedLaunching()
    /// The process entered a phase other than `suspended`.
    @MainActor func appEntered(_ phase: Phase)
    /// The process has arrived where it was going, so it can be handed something to do.
    @MainActor func appSettled()
    /// No line of the app runs from now on.
    @MainActor func appSuspended()
    /// The suspended app runs again; a phase follows.
    @MainActor func appResumed()
    /// The user has removed the app from the switcher; its process has not ended yet.
    @MainActor func appForceQuit()
    /// The process is gone. Handlers of the app go with it.
    @MainActor func processEnded()
    /// A running app is notified of an event.
    @MainActor func appNotified(of event: SystemEvent)

    // MARK: The device

    /// A call begins or ends.
    @MainActor func callChanged(isActive: Bool)
    /// The device is about to be started again; the process has not ended yet.
    @MainActor func deviceRebooting()
    /// The device was started again.
    @MainActor func deviceRebooted()
    /// The device, the user's settings or the state of the app changed. It also follows each notification above but
    /// those of installations, system events and calls.
    @MainActor func deviceChanged(to scene: DeviceScene)
    /// The system's rules are others from now on.
    @MainActor func policyChanged(_ policy: SystemPolicy)
    /// The device was released. A part releases here what it holds of the app, whose process may still live. From any
    /// thread.
    func deviceGone()

    // MARK: Questions of the device

    /// The instants by which the app has to be done with something of this part, for code that computes past them. From
    /// any thread.
    var limits: [ProcessLimit] { get }
    /// The steps that a random user may take with this part now; empty while the app does not use it, so that the part
    /// changes no exploration of other apps.
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
    @MainActor package func deviceRebooting() {}
    @MainActor package func deviceRebooted() {}
    @MainActor package func deviceChanged(to scene: DeviceScene) {}
    @MainActor package func policyChanged(_ policy: SystemPolicy) {}
    package func deviceGone() {}
    package var limits: [ProcessLimit] { [] }
    @MainActor package func steps(on device: SimulatedDevice) -> [StepChoice] { [] }
}

/// The installed app, as the parts get it.
package struct InstalledApp: Sendable {
    package let manifest: AppManifest
    /// How long audio items last; others last three minutes.
    package let trackDurations: [AudioItem.ID: Duration]
}

/// Something of which the system notifies a running app at that instant.
package enum SystemEvent: Sendable, Hashable, Codable {
    /// The system takes the interface of an app in the background away. A suspended process gets it when it runs again.
    case sceneDisconnected
    /// The screen was locked: files of the class "complete" are about to be closed. Not for a suspended process.
    case protectedDataWillBecomeUnavailable
    /// The screen was unlocked: such files can be read again. Not for a suspended process.
    case protectedDataDidBecomeAvailable
    /// The user's switch for background refresh, or the low-power mode, changed. Not for a suspended process.
    case backgroundRefreshChanged
    /// Memory is low while the process runs.
    case memoryWarning
    /// The wall clock was set.
    case wallClockSet
}

/// An instant by which the app has to be done with something.
package struct ProcessLimit {
    /// In nanoseconds of uptime.
    let instant: UInt64
    /// Does what the system does to a process that is not done by then.
    let apply: () -> Void
}

/// A part's reason to keep a process running in the background. The time of the process's background tasks stands still
/// meanwhile.
package struct ProcessCover: Sendable, Hashable {
    /// In nanoseconds of uptime; nil when nothing limits it.
    var end: UInt64?
    /// Whether the CPU monitor is off.
    var isComputingFreely = false
}

/// A question of the system to the user: for a permission.
struct SystemQuestion: Sendable {
    /// Whether the user has to be asked; asked again when it is the question's turn.
    let isOpen: @Sendable () -> Bool
    /// The user answers, or need not be asked any more. Called on the main loop of the app's process, if there is one.
    let answer: @Sendable () -> Void
}

/// The device as one of its parts sees it.
///
/// A part calls these outside its lock, from any thread unless said otherwise.
package struct PartSurroundings: Sendable {
    /// The name of the part's type, which is unique on the device.
    var name = ""
    /// The device's clocks.
    package var time: VirtualClocks
    /// The system's engine on those clocks: its timers run although the app is suspended or dead.
    package var engine: TimerEngine
    /// The system's rules when the part was made.
    package var policy = SystemPolicy()
    /// Decides what chance decides for this part. The device's seed and the part's name determine its sequence, so no
    /// part changes what another draws.
    package var random = SeededRandom(seed: 0)
    /// Writes a line into the device's log.
    package var log: @Sendable (DeviceEvent.Actor, DeviceEvent.What) -> Void
    /// Reports what a real system ends the app for.
    package var fault: @Sendable (Fault) -> Void
    /// Says whether a continuous mode is active, so that the device does not suspend an app that declares it. Called
    /// with changes only; it begins with `false`. One part speaks for a mode.
    package var keepAwake: @Sendable (AppManifest.BackgroundMode, Bool) -> Void
    /// The main loop of the app's process; nil when none runs. The loop of a suspended app does not run what it is
    /// given until the app is resumed.
    package var mainLoop: @Sendable () -> (any MainLoop)?
    /// The parts of the device; nil when the device is gone.
    var parts: @Sendable () -> DeviceParts? = { nil }
    /// Whether what calls now may be the rest of a function whose process was ended under it: that has no effect.
    package var isAppDead: @Sendable () -> Bool = { false }
    /// Asks the user a question of the system, over the app that is in front: at once, or when the app is there.
    /// Without an app the user answers at once.
    var askUser: @Sendable (SystemQuestion) -> Void = { $0.answer() }
    /// Starts the app in the background, or lets a suspended one continue there, for that reason, after a force quit
    /// too if the second argument says so; its code runs with the next step of time. False when that may not be.
    package var wake: @MainActor @Sendable (LaunchCause, Bool) -> Bool = { _, _ in false }
    /// Brings the app to the front, calls the closure, and carries out what follows. On the device's thread.
    package var openApp: @Sendable (_ notify: @Sendable () -> Void) -> Void = { notify in notify() }

    /// The host of the app's process, if there is one.
    package var host: SimulatedHost? { parts()?.host }
    /// The device and its app when the parts were notified last.
    package var scene: DeviceScene { parts()?.scene ?? DeviceScene() }

    /// Another part, which comes earlier in the list.
    func part<Part: DevicePart>(_ type: Part.Type) -> Part {
        guard let part = parts()?.part(type) else {
            preconditionFailure("\(type) is not an earlier part of the device")
        }
        return part
    }

    /// Writes a line of this part into the device's log.
    package func note(_ text: String, by actor: DeviceEvent.Actor = .system) { log(actor, .part(name, text)) }

    /// Says that this part has the process running until then, in place of what it said before; nil when it does not.
    package func keepRunning(_ cover: ProcessCover?) { host?.setCover(cover, of: name) }
}

extension ScheduledTimer? {
    /// Stores `next`, which is scheduled by then, and cancels the former timer. In the other order, no timer would be
    /// armed in between, and the thread that drives time could move past what is due while another thread is here.
    mutating func replace(with next: ScheduledTimer?) {
        let former = self
        self = next
        former?.cancel()
    }
}

/// A part that answers the app's requests and sends it events, as values: an app in a process of its own reaches it as
/// one in the test's process does.
package protocol DeviceService: DevicePart {
    /// A request of the app.
    associatedtype Request: Codable & Sendable
    associatedtype Reply: Codable & Sendable
    /// An event that ``PartSurroundings/send(_:of:)`` hands to the app; `Never` for a service that only answers.
    associatedtype Event: Codable & Sendable

    /// Answers a request of the process that runs. From any thread.
    func answer(_ request: Request) -> Reply
}

extension SimulatedHost {
    /// Asks a service of the device.
    package func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply {
        part(service).answer(request)
    }

    /// Calls `handler` on the main loop with a service's events, in place of the earlier handler. It goes with the
    /// process.
    package func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void
    ) {
        // Released outside the lock: what it captured may do anything when it goes.
        let old: (any Sendable)? = state.withLock { state in
            guard !process.isEnded else { return nil }
            return state.eventHandlers.updateValue(EventHandler<Service>(handle: handler), forKey: "\(service)")
        }
        withExtendedLifetime(old) {}
    }

    /// The service of that name, if the device has it.
    package func service(named name: String) -> (any DeviceService)? {
        parts.all.lazy.compactMap { $0 as? any DeviceService }.first { "\(type(of: $0))" == name }
    }

    fileprivate func deliver<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        process.mainLoop.run { [weak self] in
            // Looked up when it runs: an app that was only just started has set it by then.
            let handler = self?.state.withLock { $0.eventHandlers["\(service)"] } as? EventHandler<Service>
            handler?.handle(event)
        }
    }
}

extension PartSurroundings {
    /// Hands an event to the app, on the main loop of its process. Without a process, or a handler, it is lost.
    package func send<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        host?.deliver(event, of: service)
    }
}

private struct EventHandler<Service: DeviceService>: Sendable {
    let handle: @MainActor @Sendable (Service.Event) -> Void
}

/// The state of the device and its app that the rules of parts depend on.
package struct DeviceScene: Sendable {
    var conditions = DeviceConditions()
    var isBackgroundRefreshOn = true
    var wasUnlockedSinceBoot = true
    var isInSwitcher = false
    var wasForceQuit = false
    /// The user sees the app, or is about to.
    var isAppInFront = false
    /// The process has arrived where it was going, so that it can be handed something to do.
    var isAppAtRest = false
    /// The process is notified of its end.
    var isAppEnding = false
    /// The app has no process, or a suspended one.
    var isAppStopped = true

    init() {}

    @MainActor
    init(_ device: SimulatedDevice) {
        conditions = device.conditions
        isBackgroundRefreshOn = device.isBackgroundRefreshOn
        wasUnlockedSinceBoot = device.wasUnlockedSinceBoot
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
