import ApusSQLite
import ApusTimers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the socket of a home's daemon, and makes sure that the user's own daemon listens on it before anything is
/// sent: a server of another user would get the commands, and answer what it likes.
///
/// The folders and the socket must be the user's own, and so must the process that listens (`SO_PEERCRED`, unix(7)). To
/// ask for that takes a connection of its own, so it is done once for each socket: a new daemon makes a new file.
struct DaemonSocket: Sendable {
    /// The home whose daemon is meant.
    var home: Home
    /// Whether to look at ``Home/socketPath`` only, and not at what the home's record names.
    var ignoresRecord = false

    /// Which file a path was when its server was found to be the user's own.
    private struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64
        var changed: Int64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            #if canImport(Darwin)
                changed = Int64(status.st_ctimespec.tv_sec) * 1_000_000_000 + Int64(status.st_ctimespec.tv_nsec)
            #else
                changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
            #endif
        }
    }

    private static let known = Locked<[String: Identity]>([:])

    /// The path to connect to.
    /// - Throws: ``DaemonError`` with `notRunning` if no daemon listens, `unavailable` if what listens, or the folder it is
    ///   in, is not the user's own.
    func path() throws(DaemonError) -> String {
        let recorded = ignoresRecord ? nil : SocketRecord.socketPath(recordedAt: home.socketRecordPath)
        if let recorded, recorded != home.socketPath, try isTrusted(recorded) { return recorded }
        if try isTrusted(home.socketPath) { return home.socketPath }
        throw DaemonError(.notRunning, "no daemon answers at \(home.socketPath)")
    }

    /// Whether the user's own daemon listens there.
    /// - Returns: `false` if nothing listens there.
    /// - Throws: ``DaemonError`` with `unavailable` if it is another user's.
    private func isTrusted(_ path: String) throws(DaemonError) -> Bool {
        let status: stat?
        do throws(TrustedPath.Failure) { status = try TrustedPath.check(path, as: .socket) } catch {
            // A folder that cannot be entered, or is none, has no socket of this user's.
            guard error.code == EPERM else { return false }
            throw DaemonError(.unavailable, "the daemon's socket \(error), or set APUS_HOME")
        }
        guard let status else { return false }
        let identity = Identity(status)
        if Self.known.withLock({ $0[path] }) == identity { return true }
        for folder in [home.path, String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])] {
            try Home.check(folder)
        }
        guard let user = try Self.listener(at: path) else { return false }
        guard user == geteuid() else {
            throw DaemonError(
                .unavailable,
                "the process that listens at \(path) is user \(user)'s, and this one is user \(geteuid())'s; "
                    + "stop it and remove that file, or set APUS_HOME")
        }
        Self.known.withLock { $0[path] = identity }
        return true
    }

    /// The user of the process that listens; `nil` if none does.
    private static func listener(at path: String) throws(DaemonError) -> uid_t? {
        func failure(_ code: Int32) -> DaemonError {
            DaemonError(.unavailable, "\(path) cannot be connected to (\(String(cString: strerror(code))))")
        }
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #elseif canImport(Musl)
            let descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // A server that accepts nothing and whose queue is full must not hold the caller for ever.
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw failure(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            if [ECONNREFUSED, ENOENT].contains(errno) { return nil }
            throw failure(errno)
        }
        guard let user = PeerCredentials.user(of: descriptor) else { throw failure(errno) }
        return user
    }
}
