#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connected stream socket, or one that is about to be; closed with the last reference, so that its number is never
/// another one's while it is in use.
final class StreamSocket: Sendable {
    let descriptor: Int32

    /// - Parameter descriptor: Is closed with this.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Two sockets that are connected to each other, both closed on exec.
    static func pair() throws(SocketError) -> (StreamSocket, StreamSocket) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, streamType, 0, &ends) == 0 else { throw SocketError(errno) }
        let pair = (StreamSocket(owning: ends[0]), StreamSocket(owning: ends[1]))
        pair.0.closeOnExec()
        pair.1.closeOnExec()
        return pair
    }

    /// Begins to connect to `address`, without waiting: it is connected when it can be written to and ``error`` is 0.
    static func connecting(to address: SocketAddress) throws(SocketError) -> StreamSocket {
        let descriptor = socket(address.family, streamType, 0)
        guard descriptor >= 0 else { throw SocketError(errno) }
        let new = StreamSocket(owning: descriptor)
        new.closeOnExec()
        new.setNonBlocking()
        let result = address.withPointer { connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else { throw SocketError(errno) }
        return new
    }

    private static var streamType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private func closeOnExec() { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Reading and writing return at once from now on.
    func setNonBlocking() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// The same socket under another number; `nil` when the process has no more of them.
    func duplicate() -> StreamSocket? {
        let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return other < 0 ? nil : StreamSocket(owning: other)
    }

    /// What went wrong since this was read last; 0 when nothing did.
    var error: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    enum Transfer {
        case bytes(Int)
        /// Later.
        case wouldBlock
        /// The other end is closed (0), or something went wrong.
        case ended(Int32)
    }

    func receive(into buffer: inout [UInt8]) -> Transfer {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count == 0 ? .ended(0) : Self.transfer(count)
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Transfer {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        #if canImport(Glibc)
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
        #elseif canImport(Musl)
            let count = bytes.withUnsafeBytes { Musl.send(descriptor, $0.baseAddress, $0.count, flags) }
        #else
            let count = bytes.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, flags) }
        #endif
        return Self.transfer(count)
    }

    private static func transfer(_ count: Int) -> Transfer {
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .ended(errno)
    }
}

/// Why a socket could not be made or connected.
struct SocketError: Error, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    var description: String { String(cString: strerror(number)) }
}
