import Foundation

enum FreePort {
    /// A port that was free a moment ago.
    static func any() -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // Below the ports that the kernel gives to outgoing connections, one of which could take it meanwhile.
        address.sin_port = UInt16.random(in: 20_000..<32_000).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = bind(socket, generic, length)
                _ = getsockname(socket, generic, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
