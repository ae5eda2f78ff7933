import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

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
