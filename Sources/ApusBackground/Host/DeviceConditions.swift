/// The present conditions of a device, as far as the host knows them; `nil` is "not known here".
public struct DeviceConditions: Sendable, Hashable, Codable {
    /// How the device reaches the network.
    public enum Network: String, Sendable, Hashable, Codable, CaseIterable {
        /// Not at all.
        case none
        /// By a connection that costs, or that the user wants to be spared.
        case constrained
        /// By an ordinary connection.
        case available
    }

    /// How hot the device is.
    public enum ThermalState: String, Sendable, Hashable, Codable, CaseIterable {
        /// As usual.
        case nominal
        /// Warm: postpone what can wait.
        case fair
        /// Hot: the system slows down.
        case serious
        /// Too hot: stop everything that the user does not need now.
        case critical
    }

    /// How the device reaches the network.
    public var network: Network?
    /// Whether it is plugged in. A machine without a battery is.
    public var isOnExternalPower: Bool?
    /// From 0 to 1; `nil` also where there is no battery.
    public var batteryLevel: Double?
    /// Whether the user asked to save energy.
    public var isLowPowerMode: Bool?
    /// Whether no user uses the device at the moment.
    public var isIdle: Bool?
    /// How hot it is.
    public var thermalState: ThermalState?

    /// Conditions of which nothing is known but what is said.
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

    /// Whether the device reaches the network, be it by a connection that costs.
    package var isOnline: Bool? { network.map { $0 != .none } }
}
