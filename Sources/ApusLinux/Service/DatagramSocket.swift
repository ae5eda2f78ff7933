import PlatformC

/// A sender of single messages to datagram sockets of this machine.
enum DatagramSocket {
    /// Sends `message` to a path, or to a name in the abstract namespace, which begins with `@`; returns an errno, or
    /// 0.
    ///
    /// It waits at most a second for a receiver that does not receive.
    static func send(_ message: String, to name: String) -> Int32 {
        var bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/") else { return EAFNOSUPPORT }
        if isAbstract { bytes[0] = 0 }

        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A path may end with a zero byte; a name in the abstract namespace ends where the address ends.
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.size - capacity
        let length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))

        let descriptor = unixSocket(datagramSocket)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))

        let text = Array(message.utf8)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, sendingFlags, $0, length)
            }
        }
        return sent == text.count ? 0 : sent < 0 ? errno : EMSGSIZE
    }
}
