import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// The simulated phone on which the app runs.
@preconcurrency @MainActor
open class UIDevice: NSObject {
    /// The source of the phone's power.
    public enum BatteryState: Int, Sendable {
        /// The app does not monitor the battery.
        case unknown = 0
        /// The phone runs on its battery.
        case unplugged = 1
        /// The phone is connected to a charger, and the battery is not full.
        case charging = 2
        /// The phone is connected to a charger, and the battery is full.
        case full = 3
    }

    /// The phone.
    public class var current: UIDevice {
        let process = SimulatedPhone.process
        return process.shared.object(of: UIDevice.self) { UIDevice(process) }
    }

    /// The text `iPhone`.
    open var name: String { "iPhone" }
    /// The text `iPhone`.
    open var model: String { "iPhone" }
    /// The text `iOS`.
    open var systemName: String { "iOS" }
    /// The version of iOS whose rules are simulated.
    open var systemVersion: String { "26.0" }

    /// The kind of device: `phone`.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
    /// An identifier of the phone for the apps of one developer, always the same here.
    open var identifierForVendor: UUID? { UUID(uuidString: "5E1C3A53-0000-4000-8000-000000000001") }

    /// Whether ``batteryLevel`` and ``batteryState`` have values, and their changes are posted.
    open var isBatteryMonitoringEnabled = false

    /// The battery's charge, from 0 to 1; -1 without monitoring.
    open var batteryLevel: Float {
        guard isBatteryMonitoringEnabled, let level = host.conditions.batteryLevel else { return -1 }
        return Float(level)
    }

    /// The source of the phone's power; `unknown` without monitoring.
    open var batteryState: BatteryState { isBatteryMonitoringEnabled ? Self.batteryState(host.conditions) : .unknown }

    private let host: any PhoneHost
    private var last: DeviceConditions

    private init(_ process: PhoneProcess) {
        host = process.host
        last = host.conditions
        super.init()
        let host = host
        let changes = host.conditionChanges()
        host.start { [weak self] in
            for await conditions in changes {
                host.mainLoop.run { [weak self] in self?.changed(to: conditions) }
            }
        }
    }

    private func changed(to conditions: DeviceConditions) {
        let former = last
        last = conditions
        guard isBatteryMonitoringEnabled else { return }
        if former.batteryLevel != conditions.batteryLevel { post(UIDevice.batteryLevelDidChangeNotification) }
        if Self.batteryState(former) != Self.batteryState(conditions) {
            post(UIDevice.batteryStateDidChangeNotification)
        }
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }

    private static func batteryState(_ conditions: DeviceConditions) -> BatteryState {
        guard conditions.isOnExternalPower == true else { return .unplugged }
        return conditions.batteryLevel ?? 0 >= 1 ? .full : .charging
    }
}

extension UIDevice {
    /// Posted when the charge has changed.
    nonisolated public class var batteryLevelDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")
    }
    /// Posted when the charger was connected or disconnected, or the battery has become full or is no longer full.
    nonisolated public class var batteryStateDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
    }
}

// These declarations belong to Foundation on Apple's systems; Foundation on Linux does not have them.
extension ProcessInfo {
    /// The temperature of the phone, in four steps.
    public enum ThermalState: Int, Sendable {
        /// Normal.
        case nominal = 0
        /// Warm.
        case fair = 1
        /// Hot.
        case serious = 2
        /// Too hot.
        case critical = 3
    }

    /// Whether the simulated phone is in low-power mode.
    public var isLowPowerModeEnabled: Bool { SimulatedPhone.process.host.conditions.isLowPowerMode == true }

    /// The temperature of the simulated phone.
    public var thermalState: ThermalState {
        switch SimulatedPhone.process.host.conditions.thermalState {
        case .nominal, nil: .nominal
        case .fair: .fair
        case .serious: .serious
        case .critical: .critical
        }
    }
}
