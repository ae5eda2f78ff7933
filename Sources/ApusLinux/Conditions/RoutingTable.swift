import ApusBackground

/// The kernel's routing tables, which show whether there is a default route that is up and leaves this machine.
///
/// They are `/proc/net/route` and `/proc/net/ipv6_route` (written by Linux's net/ipv4/fib_trie.c and net/ipv6/route.c).
/// They show neither whether a server at the other end responds, nor what the connection costs.
struct RoutingTable {
    // These are RTF_UP and RTF_REJECT of linux/route.h.
    private static let isUp: UInt32 = 0x1
    private static let rejects: UInt32 = 0x200

    /// Whether there is a default route, for IPv4 and for IPv6; `nil` if the table cannot be read.
    private let hasDefaultIPv4: Bool?
    private let hasDefaultIPv6: Bool?

    init(_ files: SystemFiles) {
        hasDefaultIPv4 = files.text("proc/net/route").flatMap(Self.ipv4)
        hasDefaultIPv6 = files.text("proc/net/ipv6_route").map(Self.ipv6)
    }

    /// The network, as far as the tables show it; `nil` if the table for IPv4 cannot be read and IPv6 has no default
    /// route.
    ///
    /// A machine without IPv6 has no table for it.
    var network: DeviceConditions.Network? {
        if hasDefaultIPv4 == true || hasDefaultIPv6 == true { return .available }
        return hasDefaultIPv4 == false ? DeviceConditions.Network.none : nil
    }

    private static func ipv4(_ text: String) -> Bool? {
        let lines = table(text)
        guard let header = lines.first, header.first == "Iface" else { return nil }
        // The columns are Iface Destination Gateway Flags RefCnt Use Metric Mask …
        return lines.dropFirst().contains { line in
            guard line.count >= 8, line[1] == "00000000", line[7] == "00000000" else { return false }
            return leadsOut(flags: line[3], device: line[0])
        }
    }

    private static func ipv6(_ text: String) -> Bool {
        let everywhere = String(repeating: "0", count: 32)
        // The columns are the destination, its prefix length, the source, its prefix length, the next hop, the metric,
        // two counters, the flags, and the device.
        return table(text).contains { line in
            guard line.count >= 10, line[0] == everywhere, line[1] == "00" else { return false }
            return leadsOut(flags: line[8], device: line[9])
        }
    }

    private static func table(_ text: String) -> [[String]] {
        text.unicodeScalars.split(separator: "\n").map { line in line.split { $0 == " " || $0 == "\t" }.map(String.init)
        }
    }

    private static func leadsOut(flags: String, device: String) -> Bool {
        guard let flags = UInt32(flags, radix: 16) else { return false }
        return flags & isUp != 0 && flags & rejects == 0 && device != "lo"
    }
}
