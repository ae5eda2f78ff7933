import ApusBackground

/// The sensors in `/sys/class/thermal` that have trip points: temperatures at which the system acts (kernel.org,
/// Documentation/driver-api/thermal/sysfs-api).
struct ThermalZones {
    private let states: [DeviceConditions.ThermalState]

    init(_ files: SystemFiles) {
        let folder = "sys/class/thermal"
        states = files.names(in: folder).filter { $0.hasPrefix("thermal_zone") }.compactMap { zone in
            Self.state(files, "\(folder)/\(zone)")
        }
    }

    /// The worst state of all sensors; `nil` without a sensor that has trip points.
    var state: DeviceConditions.ThermalState? {
        let order = DeviceConditions.ThermalState.allCases
        return order.last { states.contains($0) }
    }

    private static func state(_ files: SystemFiles, _ zone: String) -> DeviceConditions.ThermalState? {
        guard let temperature = files.number("\(zone)/temp") else { return nil }
        let trips = files.names(in: zone).filter { $0.hasPrefix("trip_point_") && $0.hasSuffix("_temp") }
        var state: DeviceConditions.ThermalState?
        for trip in trips {
            // The temperature is in thousandths of a degree; trip points at 0 and below are turned off.
            guard let threshold = files.number("\(zone)/\(trip)"), threshold > 0,
                let reached = meaning(files.text("\(zone)/\(trip.dropLast("temp".count))type"))
            else { continue }
            let order = DeviceConditions.ThermalState.allCases
            let now = temperature >= threshold ? reached : .nominal
            state = order.last { $0 == now || $0 == state }
        }
        return state
    }

    private static func meaning(_ type: String?) -> DeviceConditions.ThermalState? {
        switch type {
        // At an active trip point, the system turns a fan on.
        case "active": .fair
        // At a passive trip point, the system slows itself down.
        case "passive": .serious
        // At a hot or critical trip point, the firmware must act, or the machine is about to turn itself off.
        case "hot", "critical": .critical
        default: nil
        }
    }
}
