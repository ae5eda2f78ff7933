import ApusBackground
import ApusLinux
import Foundation
import Testing

@Suite("The conditions of a Linux machine")
struct LinuxConditionsTests {
    private func read(_ files: [String: String]) throws -> DeviceConditions {
        let root = try FakeRoot(files)
        return withExtendedLifetime(root) { LinuxConditions(root: root.path).read() }
    }

    private static func supply(_ name: String, _ values: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ("sys/class/power_supply/\(name)/\($0)", $1 + "\n") })
    }

    private func power(_ supplies: [String: [String: String]]) throws -> DeviceConditions {
        try read(
            supplies.reduce(into: [:]) { files, supply in
                files.merge(Self.supply(supply.key, supply.value)) { $1 }
            })
    }

    @Test("an empty machine is on external power, and nothing else is known")
    func nothing() throws {
        #expect(try read([:]) == DeviceConditions(isOnExternalPower: true))
    }

    @Test("this machine's own files are read without a trap")
    func thisMachine() {
        let conditions = LinuxConditions().read()
        #expect(conditions.isIdle == nil)
        #expect((0...1).contains(conditions.batteryLevel ?? 0))
    }

    // MARK: Power

    @Test("a laptop on its charger, and off it", arguments: [("1", true), ("0", false)])
    func laptop(online: String, isOnExternalPower: Bool) throws {
        let conditions = try power([
            "AC": ["type": "Mains", "online": online],
            "BAT0": ["type": "Battery", "present": "1", "capacity": "57", "status": "Unknown"],
        ])
        #expect(conditions.isOnExternalPower == isOnExternalPower)
        #expect(conditions.batteryLevel == 0.57)
    }

    @Test(
        "without a charger that reports its state, the state of the battery decides",
        arguments: [
            ("Charging", true), ("Full", true), ("Not charging", true), ("Discharging", false), ("Unknown", nil),
            ("?", nil),
        ])
    func batteryOnly(status: String, isOnExternalPower: Bool?) throws {
        let conditions = try power(["BAT0": ["type": "Battery", "capacity": "100", "status": status]])
        #expect(conditions.isOnExternalPower == isOnExternalPower)
        #expect(conditions.batteryLevel == 1)
    }

    @Test("several batteries count by their sizes, and equally where a size is not known")
    func severalBatteries() throws {
        let small = ["type": "Battery", "capacity": "90", "energy_full": "10000000", "status": "Discharging"]
        var large = ["type": "Battery", "capacity": "50", "energy_full": "30000000", "status": "Charging"]
        var conditions = try power(["BAT0": small, "BAT1": large])
        #expect(conditions.batteryLevel == 0.6)
        #expect(conditions.isOnExternalPower == true)
        large["energy_full"] = "0"
        conditions = try power(["BAT0": small, "BAT1": large])
        #expect(conditions.batteryLevel == 0.7)
    }

    @Test("the battery of a mouse and an empty slot are not the machine's")
    func foreignBatteries() throws {
        let conditions = try power([
            "hidpp": ["type": "Battery", "scope": "Device", "capacity": "5", "status": "Discharging"],
            "BAT1": ["type": "Battery", "present": "0", "capacity": "0", "status": "Discharging"],
        ])
        #expect(conditions == DeviceConditions(isOnExternalPower: true))
    }

    @Test("a USB charger is external power")
    func usb() throws {
        let battery = ["type": "Battery", "capacity": "5", "status": "Discharging"]
        #expect(
            try power(["BAT0": battery, "ucsi": ["type": "USB", "online": "2"]]).isOnExternalPower == true)
    }

    @Test(
        "an invalid capacity leaves the level unknown, and one above 100 is full",
        arguments: [
            ("", nil), ("much", nil), ("-1", nil), ("57.5", nil), ("9999999999999999999999", nil), ("104", 1.0),
        ])
    func malformedCapacity(text: String, level: Double?) throws {
        let conditions = try power(["BAT0": ["type": "Battery", "capacity": text, "status": "Full"]])
        #expect(conditions.batteryLevel == level)
    }

    // MARK: Network

    private static let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    @Test(
        "there is a network when a default route is up",
        arguments: [
            ("eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n", DeviceConditions.Network.available),
            ("eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n", .none),
            ("eth0\t00000000\t0101A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0\n", .none),
            ("*\t00000000\t00000000\t0201\t0\t0\t100\t00000000\t0\t0\t0\n", .none),
            ("lo\t00000000\t00000000\t0001\t0\t0\t100\t00000000\t0\t0\t0\n", .none),
            ("eth0\t00000000\t0101A8C0\tflag\t0\t0\t100\t00000000\t0\t0\t0\n", .none),
            ("eth0\t00000000\n", .none), ("", .none),
        ])
    func ipv4(route: String, network: DeviceConditions.Network) throws {
        #expect(try read(["proc/net/route": Self.header + route]).network == network)
    }

    private static let zeros = String(repeating: "0", count: 32)

    @Test(
        "a default route of IPv6 suffices",
        arguments: [
            ("00 \(zeros) 00 fe80 00000400 00000001 00000000 00000003 eth0", DeviceConditions.Network.available),
            ("00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200 lo", .none),
            ("40 \(zeros) 00 \(zeros) 00000100 00000001 00000000 00000001 eth0", .none),
            ("00 short", .none),
        ])
    func ipv6(route: String, network: DeviceConditions.Network) throws {
        let files = ["proc/net/route": Self.header, "proc/net/ipv6_route": "\(Self.zeros) \(route)\n"]
        #expect(try read(files).network == network)
    }

    @Test("a file that is no routing table leaves the network unknown")
    func malformedTable() throws {
        #expect(try read(["proc/net/route": "<html>"]).network == nil)
        let root = try FakeRoot()
        try root.write(Data([0xFF, 0xFE, 0x00, 0x80]), to: "proc/net/route")
        #expect(LinuxConditions(root: root.path).read().network == nil)
    }

    // MARK: Heat and saving

    @Test(
        "the worst trip point that is reached determines the thermal state",
        arguments: [
            ("39000", DeviceConditions.ThermalState.nominal), ("40000", .fair), ("85000", .serious),
            ("95000", .critical),
            ("120000", .critical), ("hot", nil), ("", nil),
        ])
    func thermal(temperature: String, state: DeviceConditions.ThermalState?) throws {
        let zone = "sys/class/thermal/thermal_zone0"
        let conditions = try read([
            "\(zone)/temp": temperature,
            "\(zone)/trip_point_0_type": "critical", "\(zone)/trip_point_0_temp": "105000",
            "\(zone)/trip_point_1_type": "active", "\(zone)/trip_point_1_temp": "40000",
            "\(zone)/trip_point_2_type": "passive", "\(zone)/trip_point_2_temp": "85000",
            "\(zone)/trip_point_3_type": "hot", "\(zone)/trip_point_3_temp": "95000",
            "\(zone)/trip_point_4_type": "critical", "\(zone)/trip_point_4_temp": "-274000",
            "\(zone)/trip_point_5_temp": "1000",
            "sys/class/thermal/thermal_zone1/temp": "99000",
            "sys/class/thermal/cooling_device0/temp": "99000",
        ])
        #expect(conditions.thermalState == state)
    }

    @Test(
        "the platform's profile determines the low-power mode",
        arguments: [("low-power\n", true), ("balanced\n", false), ("performance", false), ("", nil)])
    func profile(text: String, isLowPowerMode: Bool?) throws {
        #expect(try read(["sys/firmware/acpi/platform_profile": text]).isLowPowerMode == isLowPowerMode)
    }

    @Test("the boot's identifier is the kernel's")
    func bootID() throws {
        let root = try FakeRoot(["proc/sys/kernel/random/boot_id": "4f7c\n"])
        #expect(LinuxConditions(root: root.path).bootID == "4f7c")
        #expect(LinuxConditions(root: root.path + "/nothing").bootID == nil)
    }
}
