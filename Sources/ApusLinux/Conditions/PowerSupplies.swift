/// The power supplies in `/sys/class/power_supply`: batteries, and their chargers (kernel.org,
/// Documentation/ABI/testing/sysfs-class-power).
struct PowerSupplies {
    private enum Status {
        case charging
        case discharging
        case unknown

        init(_ text: String?) {
            switch text {
            // "Not charging" means that the battery is plugged in and deliberately kept below full.
            case "Charging", "Full", "Not charging": self = .charging
            case "Discharging": self = .discharging
            default: self = .unknown
            }
        }
    }

    private struct Battery {
        var status: Status
        /// The charge, from 0 to 1; `nil` if it is unknown.
        var level: Double?
        /// The capacity in µWh; `nil` if it is measured in another unit.
        var size: Double?
    }

    private var batteries: [Battery] = []
    /// Whether each charger delivers power, for the chargers that report this.
    private var online: [Bool] = []

    init(_ files: SystemFiles) {
        let folder = "sys/class/power_supply"
        for name in files.names(in: folder) {
            let supply = "\(folder)/\(name)"
            // This is the battery of a mouse or a keyboard.
            if files.text("\(supply)/scope") == "Device" { continue }
            switch files.text("\(supply)/type") {
            case "Battery", "UPS":
                // This is an empty slot.
                if files.number("\(supply)/present") == 0 { continue }
                let capacity = files.number("\(supply)/capacity").flatMap { $0 >= 0 ? $0 : nil }
                let size = files.number("\(supply)/energy_full").flatMap { $0 > 0 ? Double($0) : nil }
                batteries.append(
                    Battery(
                        status: Status(files.text("\(supply)/status")),
                        // Worn batteries have been seen to report more than 100 %.
                        level: capacity.map { Double(min($0, 100)) / 100 }, size: size))
            case "Mains", "USB", "Wireless":
                // Some USB supplies report 2, "programmable".
                if let value = files.number("\(supply)/online") { online.append(value > 0) }
            default: break
            }
        }
    }

    /// Whether the machine is on external power; `nil` if that is unknown.
    ///
    /// A machine without a battery always is.
    var isOnExternalPower: Bool? {
        if batteries.isEmpty { return true }
        if !online.isEmpty { return online.contains(true) }
        let statuses = batteries.map(\.status)
        // Several batteries are used one after another, so one battery that charges is enough to prove external power.
        if statuses.contains(.charging) { return true }
        return statuses.contains(.discharging) ? false : nil
    }

    /// The charge of all batteries together, weighted by capacity if all capacities are known; `nil` without a battery,
    /// or if the charge of any battery is unknown.
    var level: Double? {
        let levels = batteries.compactMap(\.level)
        guard !levels.isEmpty, levels.count == batteries.count else { return nil }
        let sizes = batteries.compactMap(\.size)
        let weights = sizes.count == batteries.count ? sizes : Array(repeating: 1, count: levels.count)
        let charge = zip(levels, weights).reduce(0) { $0 + $1.0 * $1.1 }
        return charge / weights.reduce(0, +)
    }
}
