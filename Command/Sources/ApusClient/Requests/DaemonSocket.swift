import ApusTimers
package import PathTrust
import PlatformC

/// Finds the socket of a home's daemon, and connects to it if the daemon belongs to the same user.
///
/// A server of another user would receive the commands, and could send any answers. The folders and the socket must
/// therefore belong to this user, and so must the process that listens (`SO_PEERCRED`, unix(7)). Each request names its
/// home (``HomeIdentity/header``).
struct DaemonSocket: Sendable {
    var home: Home

    /// The identity of a socket's file; each daemon creates a new file.
    struct File: Hashable, Sendable {
        private var device: UInt64
        private var inode: UInt64
        private var changed: Int64

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            changed = status.changed.nanoseconds
        }
    }

    /// Calls `request` with the path of a socket that belongs to this user, and with the identity of the home.
    ///
    /// If no daemon listens there, or if the daemon refuses the request because it serves another home, the next such
    /// path is tried. The second case occurs in a copied home, whose record names the socket of the original.
    ///
    /// - Throws: ``DaemonError`` with `notRunning` if no daemon of the home listens, or with `unavailable` if the
    ///   socket or its folder does not belong to this user; and the errors of `request`.
    func reach<Answer>(_ request: (_ path: String, File, HomeIdentity) throws -> Answer) throws -> Answer {
        let (own, recorded) = (home.socketPath, SocketRecord.socketPath(recordedAt: home.socketRecordPath))
        if let identity = HomeIdentity(home.path) {
            for path in recorded == own ? [own] : [recorded, own].compactMap({ $0 }) {
                guard let file = try trusted(path) else { continue }
                do { return try request(path, file, identity) } catch let error as DaemonError
                    where [.otherHome, .notRunning].contains(error.code)
                {}
            }
        }
        throw DaemonError(.notRunning, "no daemon answers at \(own)")
    }

    /// Connects to a socket.
    ///
    /// - Throws: ``DaemonError`` with `unavailable` if the process that listens belongs to another user, or
    ///   ``SocketConnection/Failure``.
    func connect(to path: String, deadline: Deadline) throws -> SocketConnection {
        let connection = try SocketConnection(path: path, deadline: deadline)
        guard let user = connection.peerUser else { throw SocketConnection.Failure.unconnected(errno) }
        guard user == geteuid() else {
            throw DaemonError(
                .unavailable,
                "the process that listens at \(path) belongs to user \(user), and this one to user \(geteuid()); "
                    + "remove that file, or set APUS_HOME")
        }
        return connection
    }

    /// Returns the identity of the socket's file; `nil` if there is none.
    ///
    /// - Throws: ``DaemonError`` with `unavailable` if the socket or a folder above it does not belong to this user.
    private func trusted(_ path: String) throws(DaemonError) -> File? {
        let status: stat?
        do throws(TrustedPath.Failure) { status = try TrustedPath.check(path, as: .socket) } catch {
            // If a part of the path is a file, or a folder that cannot be entered, this user has no socket there.
            guard error.code == EPERM else { return nil }
            throw DaemonError(.unavailable, "the daemon's socket \(error), or set APUS_HOME")
        }
        guard let status else { return nil }
        let slash = path.unicodeScalars.lastIndex(of: "/") ?? path.startIndex
        for folder in [home.path, String(path.unicodeScalars[..<slash])] { try Home.check(folder) }
        return File(status)
    }
}

/// The file in which a daemon records the path of its socket.
///
/// The environment of a caller may lead to another path: cron and `su` set no `XDG_RUNTIME_DIR`, and a daemon that they
/// start has none either.
///
/// A daemon writes the file when it begins to answer, and removes it at its end. The record of a killed daemon names a
/// socket without a listener, and is ignored.
package final class SocketRecord: Sendable {
    private let path: String
    private let inode = Locked<UInt64?>(nil)

    package init(path: String) { self.path = path }

    /// Writes the record, in place of the record of an earlier daemon.
    ///
    /// The home's lock makes the daemon the only writer.
    package func write(socketPath: String) throws(TrustedPath.Failure) {
        let status = try TrustedPath.replaceFile(path, with: socketPath + "\n")
        inode.withLock { $0 = UInt64(status.st_ino) }
    }

    /// Removes the record that this object has written, but not one that the next daemon has written since.
    package func remove() {
        var status = stat()
        guard let own = inode.withLock({ $0 }), lstat(path, &status) == 0, UInt64(status.st_ino) == own else { return }
        unlink(path)
    }

    /// Returns the path in the record of a home; `nil` if there is no record, or none that can be trusted.
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
