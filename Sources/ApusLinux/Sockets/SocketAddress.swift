#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a stream socket can be connected to.
struct SocketAddress: Sendable {
    let family: Int32
    private let bytes: [UInt8]

    /// The addresses of a TCP port, in the order in which they should be tried; none when the name is not known.
    ///
    /// An address in digits is taken as it is; for a name, this waits for the machine's resolver.
    static func resolve(host: String, port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let info = next {
            if let address = info.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.pointee.ai_addrlen))
                addresses.append(SocketAddress(family: info.pointee.ai_family, bytes: Array(bytes)))
            }
            next = info.pointee.ai_next
        }
        return addresses
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
        }
    }
}
