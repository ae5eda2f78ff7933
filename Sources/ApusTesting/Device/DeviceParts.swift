import ApusBackground
import ApusTimers

/// The parts that every simulated device has, and what joins them to its life cycle.
@MainActor
final class DeviceParts: DevicePart {
    /// What the parts reach of the device, from any thread.
    private final class Desk: Sendable {
        let host = Locked<SimulatedHost?>(nil)
        let open = Locked<(@MainActor @Sendable () -> Void)?>(nil)
    }

    let notifications: SimulatedNotificationCenter
    private(set) var audio: SimulatedAudio
    private(set) var location: SimulatedLocation

    private let desk: Desk
    private let surroundings: @Sendable (AppManifest.BackgroundMode?) -> PartSurroundings
    private var isSuspended = false

    init(time: VirtualTime, log: DeviceLog, policy: SystemPolicy) {
        let desk = Desk()
        self.desk = desk
        let engine = time.engine
        surroundings = { [weak time] mode in
            guard let time else { preconditionFailure("parts are made by a device, which has its time") }
            return PartSurroundings(
                time: time.clocks, engine: engine,
                log: { actor, what in log.add(actor, what) },
                fault: { fault in log.add(.app, .fault(fault)) },
                keepAwake: { isActive in
                    if let mode { desk.host.withLock { $0 }?.setContinuousMode(mode, isActive: isActive) }
                },
                mainLoop: { desk.host.withLock { $0 }?.process.mainLoop })
        }
        notifications = SimulatedNotificationCenter(
            surroundings(nil), pendingLimit: policy.pendingNotificationLimit, overflow: policy.notificationOverflow,
            openApp: { MainActor.assumeIsolated { desk.open.withLock { $0 }?() } })
        audio = SimulatedAudio(surroundings(.audio), isModeDeclared: false)
        location = SimulatedLocation(surroundings(.location), isModeDeclared: false)
    }

    /// How the user's tap on a notification brings the app to the front.
    func openApp(with open: @escaping @MainActor @Sendable () -> Void) { desk.open.withLock { $0 = open } }

    /// An app takes the place of the one that was there: another player and another location service, for their rules
    /// depend on what it declares. What the user allowed does not go over to it.
    func install(_ manifest: AppManifest, trackDurations: [AudioItem.ID: Duration]) {
        audio = SimulatedAudio(
            surroundings(.audio), durations: trackDurations,
            isModeDeclared: manifest.backgroundModes.contains(.audio))
        location = SimulatedLocation(
            surroundings(.location), isModeDeclared: manifest.backgroundModes.contains(.location))
    }

    func device(_ device: SimulatedDevice, did event: DevicePartEvent) {
        switch event {
        case .launched:
            desk.host.withLock { $0 = device.runningHost }
            isSuspended = false
        case .phase(.suspended):
            isSuspended = true
            audio.appSuspended()
            location.appSuspended()
        case .phase(let phase):
            if isSuspended {
                isSuspended = false
                audio.appResumed()
                location.appResumed()
            }
            let isInFront = phase == .active || phase == .inactive
            notifications.appForegrounded(isInFront)
            location.appForegrounded(isInFront)
        case .ended:
            notifications.processEnded()
            audio.processEnded()
            location.processEnded()
            // Last: what they end is the process's.
            desk.host.withLock { $0 = nil }
        case .call(let isActive):
            if isActive { audio.beginInterruption() } else { audio.endInterruption(shouldResume: true) }
        case .rebooted:
            break
        }
    }
}
