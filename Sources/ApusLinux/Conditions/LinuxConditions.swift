public import ApusBackground
import ApusTimers

/// The conditions of a Linux machine, from the kernel's files (sysfs and procfs).
///
/// A file that is missing or makes no sense is "not known", never an error.
///
/// | condition | from | rule |
/// |---|---|---|
/// | external power | `/sys/class/power_supply` | a supply that is online, else what the batteries say; without a battery: yes |
/// | battery level | the same | all batteries of the machine together, weighted by size; those of mice and the like do not count |
/// | network | `/proc/net/route`, `/proc/net/ipv6_route` | a default route that is up and not by `lo`. What a connection costs is not known, so never `constrained` |
/// | thermal state | `/sys/class/thermal` | the worst trip point that is reached: active → `fair`, passive → `serious`, hot and critical → `critical` |
/// | low-power mode | `/sys/firmware/acpi/platform_profile` | whether it is `low-power` |
/// | idle | – | not known: logind reports it on the system bus only |
public struct LinuxConditions: Sendable {
    private let files: SystemFiles

    /// The conditions of the machine whose `/sys` and `/proc` are below `root`. Tests point it at a folder.
    public init(root: String = "/") { files = SystemFiles(root: root) }

    /// Reads the files. It blocks for as long as the drivers take, for some batteries tens of milliseconds.
    public func read() -> DeviceConditions {
        let power = PowerSupplies(files)
        return DeviceConditions(
            network: RoutingTable(files).network,
            isOnExternalPower: power.isOnExternalPower,
            batteryLevel: power.level,
            isLowPowerMode: isLowPowerMode,
            thermalState: ThermalZones(files).state)
    }

    /// Which start of the machine this is, from `/proc/sys/kernel/random/boot_id`; `nil` when that cannot be read.
    public var bootID: String? {
        files.text("proc/sys/kernel/random/boot_id").flatMap { $0.isEmpty ? nil : $0 }
    }

    private var isLowPowerMode: Bool? {
        guard let profile = files.text("sys/firmware/acpi/platform_profile"), !profile.isEmpty else { return nil }
        return profile == "low-power"
    }
}

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
