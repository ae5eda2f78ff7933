import ApusClient
import ApusTimers
import PlatformC

/// The file of the daemon's socket. Only the owner of the home's store makes one, and it removes only its own: the next
/// daemon may have made another while this one ends.
final class SocketFile: Sendable {
    let path: String
    private let inode = Locked<UInt64?>(nil)

    init(path: String) { self.path = path }

    /// Removes the socket that a daemon which was killed has left.
    func removeStale() { unlink(path) }

    /// Notes which file the listening socket is, and closes it to other users.
    func claim() {
        // Connections that are made between the bind and this are refused by the check of the peer.
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
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
