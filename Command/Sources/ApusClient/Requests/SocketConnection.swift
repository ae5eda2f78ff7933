import ApusTimers
import PlatformC

/// A connection to a Unix socket, whose methods block the calling thread at most until their deadlines.
///
/// ``interrupt()`` may be called on any thread at any time; the other methods must not be called concurrently.
final class SocketConnection: Sendable {
    /// The reason why nothing could be sent or received.
    enum Failure: Error, Equatable, CustomStringConvertible {
        /// The deadline has passed.
        case late
        /// The connection could not be made; the value is the system's error code.
        case unconnected(Int32)
        /// The connection is broken; the value is the system's error code, or 0 if the server has ended the connection.
        case lost(Int32)

        var description: String {
            switch self {
            case .late: "it took too long"
            case .lost(0): "it was closed"
            case .unconnected(let code), .lost(let code): String(cString: strerror(code))
            }
        }
    }

    private let descriptor: Int32

    /// Connects to a socket.
    init(path: String, deadline: Deadline) throws(Failure) {
        descriptor = unixSocket(streamSocket)
        guard descriptor >= 0 else { throw .unconnected(errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .unconnected(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // connect(2) waits while the server accepts no connections and its queue is full.
        let milliseconds = Int(deadline.milliseconds)
        if milliseconds == 0 { throw .late }
        var patience = timeval(tv_sec: milliseconds / 1_000, tv_usec: .init(milliseconds % 1_000 * 1_000))
        if milliseconds > 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw errno == EAGAIN ? .late : .unconnected(errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The user of the process that listened when the connection was made; `nil` if the kernel does not report it.
    var peerUser: uid_t? { PeerCredentials.user(of: descriptor) }

    /// Whether the connection cannot be reused, because the server has closed it or has sent bytes without a request.
    var isStale: Bool { wait(for: Int16(POLLIN), milliseconds: 0) != 0 }

    /// Ends all sending and receiving, both in progress and later.
    func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends all bytes.
    func send(_ bytes: [UInt8], deadline: Deadline) throws(Failure) {
        let flags = Int32(MSG_DONTWAIT) | sendingFlags
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress! + sent, $0.count - sent, flags) }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), deadline: deadline)
            } else if errno != EINTR {
                throw .lost(errno)
            }
        }
    }

    /// Receives the available bytes, and waits for at least one.
    ///
    /// - Returns: the number of bytes; 0 if the server has ended the connection.
    func receive(into buffer: inout [UInt8], deadline: Deadline) throws(Failure) -> Int {
        while true {
            try wait(for: Int16(POLLIN), deadline: deadline)
            let count = buffer.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            guard errno == EAGAIN || errno == EINTR else { throw .lost(errno) }
        }
    }

    private func wait(for events: Int16, deadline: Deadline) throws(Failure) {
        while true {
            let milliseconds = deadline.milliseconds
            if milliseconds == 0 { throw .late }
            if wait(for: events, milliseconds: milliseconds) != 0 { return }
        }
    }

    /// Waits for events on the connection.
    ///
    /// - Returns: a number above 0 if there is an event; 0 if the time has passed, or if a signal arrived.
    private func wait(for events: Int16, milliseconds: Int32) -> Int32 {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return max(0, poll(&entry, 1, milliseconds))
    }
}

/// Calls send(2), whose name a method of the connection hides.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

/// The connections that are kept after an answer, for the next requests of this process.
///
/// The daemon may have closed them since.
enum KeptConnections {
    private static let kept = Locked<[String: (file: DaemonSocket.File, connections: [SocketConnection])]>([:])

    /// Returns a kept connection to the given socket file; `nil` if there is none that is still open.
    ///
    /// The daemon may close the connection before the next request arrives.
    static func take(at path: String, _ file: DaemonSocket.File) -> SocketConnection? {
        kept.withLock { kept in
            guard kept[path]?.file == file else {
                kept[path] = nil
                return nil
            }
            while let connection = kept[path]?.connections.popLast() {
                if !connection.isStale { return connection }
            }
            return nil
        }
    }

    static func keep(_ connection: SocketConnection, at path: String, _ file: DaemonSocket.File) {
        kept.withLock { kept in
            if kept[path]?.file != file { kept[path] = (file, []) }
            kept[path]?.connections.append(connection)
        }
    }
}

/// The process at the other end of a Unix socket, as the kernel recorded it for connect(2) or listen(2).
package enum PeerCredentials {
    #if os(Linux)
        /// `struct ucred` of unix(7), which Glibc's module does not export.
        package struct Credentials: Sendable {
            package var process: Int32 = 0
            package var user: UInt32 = .max
            package var group: UInt32 = .max
        }
    #endif

    /// Returns the effective user of the process at the other end; `nil` if the kernel does not report it, with the
    /// reason in `errno`.
    static func user(of descriptor: Int32) -> uid_t? {
        #if os(Linux)
            var credentials = Credentials()
            var length = socklen_t(MemoryLayout<Credentials>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
            return credentials.user
        #else
            var user = uid_t()
            var group = gid_t()
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #endif
    }
}
