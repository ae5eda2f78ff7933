import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// The phone that the app runs on: the simulated one.
@preconcurrency @MainActor
open class UIDevice: NSObject {
    /// Where the phone's energy comes from.
    public enum BatteryState: Int, Sendable {
        /// The monitoring is off.
        case unknown = 0
        /// From the battery.
        case unplugged = 1
        /// From the charger, and the battery is not full.
        case charging = 2
        /// From the charger, and the battery is full.
        case full = 3
    }

    /// The phone.
    public class var current: UIDevice {
        let process = SimulatedPhone.process
        return process.shared.object(of: UIDevice.self) { UIDevice(process) }
    }

    /// "iPhone".
    open var name: String { "iPhone" }
    /// "iPhone".
    open var model: String { "iPhone" }
    /// "iOS".
    open var systemName: String { "iOS" }
    /// The version whose rules the simulation has.
    open var systemVersion: String { "26.0" }

    /// Whether ``batteryLevel`` and ``batteryState`` are known, and changes of them are posted.
    open var isBatteryMonitoringEnabled = false

    /// The charge, from 0 to 1; -1 without monitoring.
    open var batteryLevel: Float {
        guard isBatteryMonitoringEnabled, let level = host.conditions.batteryLevel else { return -1 }
        return Float(level)
    }

    /// Where the energy comes from.
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
    /// The charge has changed.
    nonisolated public class var batteryLevelDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")
    }
    /// The charger was plugged in or out, or the battery is full.
    nonisolated public class var batteryStateDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
    }
}

// In Foundation on Apple's systems; Foundation on Linux does not have them.
extension ProcessInfo {
    /// How hot the phone is.
    public enum ThermalState: Int, Sendable {
        /// As usual.
        case nominal = 0
        /// Warm.
        case fair = 1
        /// Hot.
        case serious = 2
        /// Too hot.
        case critical = 3
    }

    /// Whether the user of the simulated phone saves energy.
    public var isLowPowerModeEnabled: Bool { SimulatedPhone.process.host.conditions.isLowPowerMode == true }

    /// How hot the simulated phone is.
    public var thermalState: ThermalState {
        switch SimulatedPhone.process.host.conditions.thermalState {
        case .nominal, nil: .nominal
        case .fair: .fair
        case .serious: .serious
        case .critical: .critical
        }
    }
}
