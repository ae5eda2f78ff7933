import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The parts that every simulated device has, and what joins them to its life cycle.
@MainActor
final class DeviceParts: DevicePart {
    /// Brings the app to the front, then calls the closure and carries out what follows.
    typealias OpenApp = @MainActor @Sendable (_ notify: @Sendable () -> Void) -> Void

    /// Shows the user a question when the app is in front.
    typealias AskUser = @MainActor @Sendable (SystemQuestion) -> Void

    /// Brings the process to where it can be handed something; false when that may not be.
    typealias WakeApp = @MainActor @Sendable (_ why: LaunchCause, _ despiteForceQuit: Bool) -> Bool

    /// What the parts reach of the device, from any thread.
    private final class Desk: Sendable {
        let host = Locked<SimulatedHost?>(nil)
        let open = Locked<OpenApp?>(nil)
        let ask = Locked<AskUser?>(nil)
        let wake = Locked<WakeApp?>(nil)
    }

    let notifications: SimulatedNotificationCenter
    let audio: SimulatedAudio
    let location: SimulatedLocation
    let significantChanges: SignificantChanges
    let jobs: SimulatedTaskScheduler
    let pushes: SimulatedPushes
    let transfers: SimulatedTransfers

    private let desk: Desk
    private var isSuspended = false

    init(time: VirtualTime, log: DeviceLog, policy: SystemPolicy, random: SeededRandom) {
        let desk = Desk()
        self.desk = desk
        let engine = time.engine
        let isAppDead: @Sendable () -> Bool = { desk.host.withLock { $0 }?.process.isEnded == true }
        func surroundings(_ mode: AppManifest.BackgroundMode?) -> PartSurroundings {
            PartSurroundings(
                time: time.clocks, engine: engine,
                log: { actor, what in if actor != .app || !isAppDead() { log.add(actor, what) } },
                fault: { fault in
                    if let host = desk.host.withLock({ $0 }) { host.fault(fault) } else { log.add(.app, .fault(fault)) }
                },
                keepAwake: { isActive in
                    if let mode { desk.host.withLock { $0 }?.setContinuousMode(mode, isActive: isActive) }
                },
                mainLoop: { desk.host.withLock { $0 }?.process.mainLoop },
                isAppDead: isAppDead,
                askUser: { question in
                    guard question.isOpen(), let host = desk.host.withLock({ $0 }) else { return question.answer() }
                    host.process.mainLoop.run {
                        if let ask = desk.ask.withLock({ $0 }) { ask(question) } else { question.answer() }
                    }
                },
                wake: { why, despiteForceQuit in desk.wake.withLock { $0 }?(why, despiteForceQuit) ?? false })
        }
        notifications = SimulatedNotificationCenter(
            surroundings(nil), pendingLimit: policy.pendingNotificationLimit, overflow: policy.notificationOverflow,
            openApp: { notify in MainActor.assumeIsolated { desk.open.withLock { $0 }?(notify) } })
        audio = SimulatedAudio(surroundings(.audio), isModeDeclared: false)
        location = SimulatedLocation(surroundings(.location), isModeDeclared: false)
        significantChanges = SignificantChanges(
            surroundings(nil), location: location, launchesAfterForceQuit: policy.locationLaunchesAfterForceQuit)
        jobs = SimulatedTaskScheduler(
            JobSystem(surroundings(nil), policy: policy.jobs, random: random) { desk.host.withLock { $0 } })
        pushes = SimulatedPushes(surroundings(.remoteNotification), policy: policy) { desk.host.withLock { $0 } }
        transfers = SimulatedTransfers(surroundings(nil), policy: policy) { desk.host.withLock { $0 } }
    }

    // The process's host and the parts hold each other as long as the process lives, and a device may go before it.
    deinit {
        let host = desk.host.withLock { host in
            defer { host = nil }
            return host
        }
        withExtendedLifetime(host) {}
        jobs.system.deviceGone()
        pushes.processEnded()
        transfers.deviceGone()
        significantChanges.processEnded()
    }

    /// How the user's tap on a notification brings the app to the front.
    func openApp(with open: @escaping OpenApp) { desk.open.withLock { $0 = open } }

    /// How the user is asked.
    func askUser(with ask: @escaping AskUser) { desk.ask.withLock { $0 = ask } }

    /// How the system starts the app in the background, or lets it continue there.
    func wakeApp(with wake: @escaping WakeApp) { desk.wake.withLock { $0 = wake } }

    /// An app replaces the earlier one. What the user allowed stays, as with an update.
    func install(_ manifest: AppManifest, trackDurations: [AudioItem.ID: Duration]) {
        audio.appInstalled(
            durations: trackDurations, isModeDeclared: manifest.backgroundModes.contains(.audio))
        location.appInstalled(manifest)
        jobs.system.appInstalled(manifest)
        pushes.appInstalled(manifest)
        transfers.appInstalled()
    }

    /// A process that was prewarmed is launched; of its start the parts know.
    func prewarmedAppLaunches(_ device: SimulatedDevice) {
        appForegrounded(device.life.state == .launching(toForeground: true))
        device.notifyJobs(.changed)
    }

    func device(_ device: SimulatedDevice, did event: DevicePartEvent) {
        switch event {
        case .launched:
            desk.host.withLock { $0 = device.runningHost }
            isSuspended = false
            // Before the app enters a phase, so that what it asks for while it is made is judged rightly.
            appForegrounded(device.life.state == .launching(toForeground: true))
            device.notifyJobs(.launched)
        case .phase(.suspended):
            isSuspended = true
            audio.appSuspended()
            location.appSuspended()
            device.notifyJobs(.changed)
        case .phase(let phase):
            if isSuspended {
                isSuspended = false
                audio.appResumed()
                location.appResumed()
            }
            appForegrounded(phase == .active || phase == .inactive)
            device.notifyJobs(.changed)
        case .ended:
            device.notifyJobs(.ended)
            notifications.processEnded()
            audio.processEnded()
            location.processEnded()
            significantChanges.processEnded()
            // Last: what they end is the process's.
            desk.host.withLock { $0 = nil }
        case .call(let isActive):
            if isActive { audio.beginInterruption() } else { audio.endInterruption(shouldResume: true) }
        case .rebooted:
            device.notifyJobs(.changed)
        case .memoryWarning, .sceneDisconnected, .wallClockSet, .protectedDataWillBecomeUnavailable,
            .protectedDataDidBecomeAvailable, .backgroundRefreshChanged:
            break
        }
    }

    private func appForegrounded(_ isInFront: Bool) {
        notifications.appForegrounded(isInFront)
        location.appForegrounded(isInFront)
    }
}
