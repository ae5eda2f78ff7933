import ApusBackground
import ApusTimers

/// The conditions as they change: read repeatedly, but only while there are listeners, because the kernel reports
/// none of them.
final class ConditionsFeed: Sendable {
    /// How often they are read again.
    static let interval: Duration = .seconds(30)
    /// How much later than that they may be read, to share another timer's wake-up.
    static let tolerance: Duration = .seconds(15)

    private let conditions: LinuxConditions
    private let engine: TimerEngine
    private let executor: ActionExecutor
    private let broadcast: Broadcast<DeviceConditions>
    /// Whether the next reading is scheduled or under way.
    private let isReading = Locked(false)

    /// A feed that reads on `executor`, which may be blocked.
    init(_ conditions: LinuxConditions, engine: TimerEngine, mainLoop: any MainLoop, executor: ActionExecutor) {
        self.conditions = conditions
        self.engine = engine
        self.executor = executor
        broadcast = Broadcast(DeviceConditions(), mainLoop: mainLoop)
    }

    /// What they are now. The listeners get it, so that a caller that has acted on a reading is notified of every
    /// change since.
    func read() -> DeviceConditions {
        let now = conditions.read()
        broadcast.set(now)
        return now
    }

    func changes() -> Changes<DeviceConditions> {
        // What they are now is no change for the new listener.
        _ = read()
        let changes = broadcast.changes()
        let begins = isReading.withLock { isReading in
            defer { isReading = true }
            return !isReading
        }
        if begins { readLater() }
        return changes
    }

    private func readLater() {
        engine.schedule(after: Self.interval, tolerance: Self.tolerance, clock: .uptime, on: executor) { [weak self] in
            self?.readAgain()
        }
    }

    private func readAgain() {
        // Under the lock: a listener that comes now finds it either still on or off.
        let continues = isReading.withLock { isReading in
            isReading = broadcast.hasListeners
            return isReading
        }
        guard continues else { return }
        _ = read()
        readLater()
    }
}
