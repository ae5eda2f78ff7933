import ApusBackground
import ApusTimers
import ApusVirtualTime

extension SimulatedDevice {
    /// The parts of every device, in the order in which they are created and notified.
    static let standardParts: [any DevicePart.Type] = [
        SimulatedTaskScheduler.self,
        SimulatedAudio.self,
        SimulatedPushes.self,
        SimulatedNotificationCenter.self,
        SimulatedLocation.self,
        SignificantChanges.self,
        SimulatedTransfers.self,
        SimulatedKeychain.self,
        SimulatedIntents.self,
        SimulatedAlarms.self,
        SimulatedActivities.self,
    ]

    /// Returns the device's part of this type, and adds it first if the device has none.
    @discardableResult
    package func add<Part: DevicePart>(_ type: Part.Type) -> Part {
        if let part = parts.part(type) { return part }
        let name = "\(type)"
        let names = parts.all.map { "\(Swift.type(of: $0))" }
        guard !names.contains(name) else {
            fatalError("the device already has a part named \(name); add each part once")
        }
        let part = Part(surroundings(of: name))
        parts.add(part)
        return part
    }

    /// Returns the part of this type, which the device must have.
    package func part<Part: DevicePart>(_ type: Part.Type) -> Part { parts.required(type) }

    // MARK: Notifying

    /// Notifies each part of an event, and then notifies all parts that the state of the device may have changed.
    func notifyParts(_ notify: (any DevicePart) -> Void = { _ in }) {
        parts.scene = DeviceScene(self)
        for part in parts.all { notify(part) }
        for part in parts.all { part.deviceChanged(to: parts.scene) }
    }

    /// Notifies the app of an event; a suspended app receives it when it runs again.
    func notifyApp(of event: SystemEvent) {
        for part in parts.all { part.appNotified(of: event) }
    }

    /// Notifies a running app of an event; a suspended or prewarmed app never receives it.
    func notifyRunningApp(of event: SystemEvent) {
        if life.state != .suspended, life.state != .prewarmed { notifyApp(of: event) }
    }

    // MARK: The surroundings of a part

    private func surroundings(of name: String) -> PartSurroundings {
        let (log, time) = (deviceLog, time)
        let parts = { @Sendable [weak parts] in parts }
        let isAppDead = { @Sendable in parts()?.host?.process.isEnded == true }
        let askUser = { @MainActor @Sendable [weak self] (question: SystemQuestion) in
            if let self { self.ask(question) } else { question.answer() }
        }
        return PartSurroundings(
            name: name, time: time.clocks, engine: time.engine, policy: policy,
            random: SeededRandom(seed: seed, stream: name),
            log: { actor, what in if actor != .app || !isAppDead() { log.add(actor, what) } },
            fault: { fault in
                if let host = parts()?.host { host.fault(fault) } else { log.add(.app, .fault(fault)) }
            },
            keepAwake: { mode, isActive in parts()?.host?.setContinuousMode(mode, isActive: isActive) },
            mainLoop: { parts()?.host?.process.mainLoop },
            parts: parts, isAppDead: isAppDead,
            askUser: { question in
                guard question.isOpen(), let host = parts()?.host else { return question.answer() }
                host.process.mainLoop.run { askUser(question) }
            },
            wake: { [weak self] why, despiteForceQuit in
                self?.wakeInBackground(why, despiteForceQuit: despiteForceQuit) ?? false
            },
            bringToFront: { [weak self] in self?.comeToFront() },
            openApp: { [weak self] notify in
                MainActor.assumeIsolated {
                    self?.open()
                    notify()
                    self?.time.settle()
                }
            })
    }
}

/// The parts of one device in their order, with the host and the scene that they see.
///
/// It may be used from any thread.
final class DeviceParts: Sendable {
    private struct State {
        var all: [any DevicePart] = []
        var host: SimulatedHost?
        var scene = DeviceScene()
    }

    private let state = Locked(State())

    var all: [any DevicePart] { state.withLock { $0.all } }

    /// The host of the app's process, from its start until the parts were notified of its end.
    var host: SimulatedHost? {
        get { state.withLock { $0.host } }
        // The former host is released outside the lock, because its deinitializer may run any code.
        set { state.exchange(\.host, with: newValue) }
    }

    var scene: DeviceScene {
        get { state.withLock { $0.scene } }
        set { state.withLock { $0.scene = newValue } }
    }

    func add(_ part: any DevicePart) { state.withLock { $0.all.append(part) } }

    func part<Part: DevicePart>(_ type: Part.Type) -> Part? { all.lazy.compactMap { $0 as? Part }.first }

    func required<Part: DevicePart>(_ type: Part.Type) -> Part {
        guard let part = part(type) else {
            fatalError("the device has no \(type); add it with add(_:), or to SimulatedDevice.standardParts")
        }
        return part
    }

    /// Releases the process's host, because the device was released.
    ///
    /// The host and the parts retain each other, and the process may outlive the device.
    func deviceGone() {
        host = nil
        for part in all { part.deviceGone() }
    }
}

extension SeededRandom {
    /// Creates a generator whose sequence depends only on the seed and the name.
    convenience init(seed: UInt64, stream name: String) {
        // The hash is FNV-1a.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        self.init(seed: seed ^ hash)
    }
}
