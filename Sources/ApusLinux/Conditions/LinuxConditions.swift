public import ApusBackground
import ApusTimers

/// The conditions of a Linux machine, from the kernel's files (sysfs and procfs).
///
/// A file that is missing or has unexpected contents leaves its condition unknown; it is never an error.
///
/// | condition | from | rule |
/// |---|---|---|
/// | external power | `/sys/class/power_supply` | whether a charger delivers power; if none reports it, by the state of the batteries; true without a battery |
/// | battery level | the same | the charge of all batteries of the machine together, weighted by capacity; batteries of mice and the like are ignored |
/// | network | `/proc/net/route`, `/proc/net/ipv6_route` | whether there is a default route that is up and does not use `lo`; never `constrained`, because the cost of a connection is unknown |
/// | thermal state | `/sys/class/thermal` | the worst trip point that is reached: active → `fair`, passive → `serious`, hot and critical → `critical` |
/// | low-power mode | `/sys/firmware/acpi/platform_profile` | whether the profile is `low-power` |
/// | idle | – | unknown, because logind reports it on the system bus only |
public struct LinuxConditions: Sendable {
    private let files: SystemFiles

    /// Creates the reader of the machine whose `/sys` and `/proc` are below `root`; tests pass a folder.
    public init(root: String = "/") { files = SystemFiles(root: root) }

    /// Reads the files.
    ///
    /// It blocks for as long as the drivers take, which is tens of milliseconds for some batteries.
    public func read() -> DeviceConditions {
        let power = PowerSupplies(files)
        return DeviceConditions(
            network: RoutingTable(files).network,
            isOnExternalPower: power.isOnExternalPower,
            batteryLevel: power.level,
            isLowPowerMode: isLowPowerMode,
            thermalState: ThermalZones(files).state)
    }

    /// The identifier of the machine's start, from `/proc/sys/kernel/random/boot_id`; `nil` if it cannot be read.
    public var bootID: String? {
        files.text("proc/sys/kernel/random/boot_id").flatMap { $0.isEmpty ? nil : $0 }
    }

    private var isLowPowerMode: Bool? {
        guard let profile = files.text("sys/firmware/acpi/platform_profile"), !profile.isEmpty else { return nil }
        return profile == "low-power"
    }
}

/// Reads the conditions repeatedly while there are listeners, because the kernel does not report changes.
final class ConditionsFeed: Sendable {
    /// The time between two readings.
    static let interval: Duration = .seconds(30)
    /// The additional time by which a reading may be late, to share the wake-up of another timer.
    static let tolerance: Duration = .seconds(15)

    private let conditions: LinuxConditions
    private let engine: TimerEngine
    private let executor: ActionExecutor
    private let broadcast: Broadcast<DeviceConditions>
    /// Whether the next reading is scheduled or in progress.
    private let isReading = Locked(false)

    /// Creates a feed that reads on `executor`, which the reading may block.
    init(_ conditions: LinuxConditions, engine: TimerEngine, mainLoop: any MainLoop, executor: ActionExecutor) {
        self.conditions = conditions
        self.engine = engine
        self.executor = executor
        broadcast = Broadcast(DeviceConditions(), mainLoop: mainLoop)
    }

    /// Reads the conditions, and sends them to the listeners.
    ///
    /// Later readings are compared with this one, so a caller that listens is notified of every change since then.
    func read() -> DeviceConditions {
        let now = conditions.read()
        broadcast.set(now)
        return now
    }

    func changes() -> Changes<DeviceConditions> {
        // The present conditions are not a change for the new listener.
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
        // The decision is made under the lock. So a listener that is added at the same time either keeps the readings
        // running, or finds them stopped and starts them again.
        let continues = isReading.withLock { isReading in
            isReading = broadcast.hasListeners
            return isReading
        }
        guard continues else { return }
        _ = read()
        readLater()
    }
}
