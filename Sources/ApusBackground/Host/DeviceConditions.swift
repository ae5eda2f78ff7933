/// The current conditions of a device, as far as the host knows them.
///
/// `nil` means that the host does not know the condition.
public struct DeviceConditions: Sendable, Hashable, Codable {
    /// The kind of connection to the network.
    public enum Network: String, Sendable, Hashable, Codable, CaseIterable {
        /// There is no connection.
        case none
        /// The connection is metered, or the user has asked to save data.
        case constrained
        /// There is an ordinary connection.
        case available
    }

    /// The thermal state of the device.
    public enum ThermalState: String, Sendable, Hashable, Codable, CaseIterable {
        /// The temperature is normal.
        case nominal
        /// The device is warm: postpone work that can wait.
        case fair
        /// The device is hot, and the system reduces its speed.
        case serious
        /// The device is too hot: stop all work that the user does not need now.
        case critical
    }

    /// The kind of connection to the network.
    public var network: Network?
    /// Whether the device is connected to external power; `true` for a machine without a battery.
    public var isOnExternalPower: Bool?
    /// The charge of the battery, from 0 to 1; `nil` if the charge is unknown or there is no battery.
    public var batteryLevel: Double?
    /// Whether the user has asked to save energy.
    public var isLowPowerMode: Bool?
    /// Whether no user is using the device.
    public var isIdle: Bool?
    /// The thermal state of the device.
    public var thermalState: ThermalState?

    /// Creates conditions; a condition whose argument is left out is unknown.
    public init(
        network: Network? = nil, isOnExternalPower: Bool? = nil, batteryLevel: Double? = nil,
        isLowPowerMode: Bool? = nil, isIdle: Bool? = nil, thermalState: ThermalState? = nil
    ) {
        self.network = network
        self.isOnExternalPower = isOnExternalPower
        self.batteryLevel = batteryLevel
        self.isLowPowerMode = isLowPowerMode
        self.isIdle = isIdle
        self.thermalState = thermalState
    }

    /// Whether the device has any connection, even a constrained one.
    package var isOnline: Bool? { network.map { $0 != .none } }
}
