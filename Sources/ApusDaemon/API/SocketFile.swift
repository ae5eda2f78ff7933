import ApusTimers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of the daemon's socket. Only the owner of the home's store makes one, and it removes only its own: the next
/// daemon may have made another while this one ends.
final class SocketFile: Sendable {
    let path: String
    private let inode = Locked<UInt64?>(nil)

    init(path: String) { self.path = path }

    /// Makes way for a new socket.
    func makeWay() { unlink(path) }

    /// Notes which file the listening socket is, and lets nobody else connect to it.
    func claim() {
        // Who comes between the bind and this meets the check of the peer.
        chmod(path, 0o600)
        let own = current()
        inode.withLock { $0 = own }
    }

    /// Removes the file that was claimed.
    func remove() {
        if let own = inode.withLock({ $0 }), current() == own { unlink(path) }
    }

    private func current() -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
