import ApusTimers
package import PathTrust
import PlatformC

/// Finds the socket of a home's daemon, and connects to it if the user's own daemon listens there: a server of another user
/// would get the commands, and answer what it likes. Each request says which home it is for (``HomeIdentity/header``).
///
/// The folders and the socket must be the user's own, and so must the process that listens (`SO_PEERCRED`, unix(7)).
struct DaemonSocket: Sendable {
    /// The home whose daemon is meant.
    var home: Home

    /// Which file a path is. A new daemon makes a new file.
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

    /// Calls `request` with the path of a socket that is the user's own, and with the home that the request is for; and
    /// again with the next such path, if no daemon listens at the first, or if that one refuses the request as another
    /// home's. The record in a copied home names such a socket.
    /// - Throws: ``DaemonError`` with `notRunning` if no daemon of the home listens, `unavailable` if the socket, or the
    ///   folder it is in, is not the user's own; and what `request` throws.
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
    /// - Throws: ``DaemonError`` with `unavailable` if the process that listens is another user's.
    func connect(to path: String, deadline: Deadline) throws -> SocketConnection {
        let connection = try SocketConnection(path: path, deadline: deadline)
        guard let user = connection.peerUser else { throw SocketConnection.Failure.unconnected(errno) }
        guard user == geteuid() else {
            throw DaemonError(
                .unavailable,
                "the process that listens at \(path) is user \(user)'s, and this one is user \(geteuid())'s; "
                    + "remove that file, or set APUS_HOME")
        }
        return connection
    }

    /// The socket, if there is one.
    /// - Throws: ``DaemonError`` with `unavailable` if it, or a folder above it, is not the user's own.
    private func trusted(_ path: String) throws(DaemonError) -> File? {
        let status: stat?
        do throws(TrustedPath.Failure) { status = try TrustedPath.check(path, as: .socket) } catch {
            // A folder that cannot be entered, or is none, has no socket of this user's.
            guard error.code == EPERM else { return nil }
            throw DaemonError(.unavailable, "the daemon's socket \(error), or set APUS_HOME")
        }
        guard let status else { return nil }
        let slash = path.unicodeScalars.lastIndex(of: "/") ?? path.startIndex
        for folder in [home.path, String(path.unicodeScalars[..<slash])] { try Home.check(folder) }
        return File(status)
    }
}

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
