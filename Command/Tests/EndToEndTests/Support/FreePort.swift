import ApusTimers
import Foundation

enum FreePort {
    private static let given = Locked<Set<UInt16>>([])

    /// Returns a port that was free a moment ago at all addresses of this machine, and that no other test was given.
    static func any() -> Int {
        // The ports are below those that the kernel gives to outgoing connections, so that none of these takes the port
        // meanwhile.
        for port in (UInt16(20_000)..<32_000).shuffled().prefix(1_000)
        where given.withLock({ $0.insert(port).inserted }) {
            if isFree(port) { return Int(port) }
        }
        fatalError("1,000 ports were tried, and none is free")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
