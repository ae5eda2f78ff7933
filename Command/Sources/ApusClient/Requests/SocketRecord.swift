import ApusTimers
package import PathTrust
import PlatformC

/// The file in which a daemon says where its socket is. The caller's environment may name another place: cron and `su`
/// have no `XDG_RUNTIME_DIR`, and neither has a daemon that they start.
///
/// A daemon writes it when it answers and removes it at its end. One that was left by a daemon that was killed names a
/// socket without a listener, and is ignored.
package final class SocketRecord: Sendable {
    private let path: String
    private let inode = Locked<UInt64?>(nil)

    package init(path: String) { self.path = path }

    /// Replaces the record of an earlier daemon. The store's lock makes this the only writer.
    package func write(socketPath: String) throws(TrustedPath.Failure) {
        let status = try TrustedPath.replaceFile(path, with: socketPath + "\n")
        inode.withLock { $0 = UInt64(status.st_ino) }
    }

    /// Removes the record that was written, but not one that the next daemon has written since.
    package func remove() {
        var status = stat()
        guard let own = inode.withLock({ $0 }), lstat(path, &status) == 0, UInt64(status.st_ino) == own else { return }
        unlink(path)
    }

    /// The path that the record of a home names; `nil` without one, or with one that is not to be trusted.
    package static func socketPath(recordedAt path: String) -> String? {
        guard let file = try? TrustedPath.open(path, O_RDONLY) else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        let text = String(validating: bytes.prefix(max(0, count)), as: UTF8.self) ?? ""
        guard text.unicodeScalars.first == "/", text.unicodeScalars.last == "\n" else { return nil }
        return String(text.dropLast())
    }
}
