import PathTrust
package import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder in which a daemon keeps its files: the database, the socket and the log.
///
/// The folder is `$APUS_HOME`, else `$XDG_STATE_HOME/apus`, else `~/.local/state/apus`. The socket is in
/// `$XDG_RUNTIME_DIR/apus` if that variable names a folder of the user and `APUS_HOME` is not set, because with
/// `APUS_HOME` no file outside the home is used. The name of a socket outside the home is made from the home's device
/// and inode, so that homes can share the folder. A daemon records the path of its socket in the home, for callers with
/// another environment.
///
/// A home must belong to the effective user, and other users must not be able to write it or to replace the folders
/// above it, because a job that another user added would run as this user.
public struct Home: Sendable, Hashable {
    /// The absolute path of the folder.
    public var path: String
    /// The user's own folder for sockets, if the environment names one.
    private var sharedSocketFolder: String?

    /// The path of the socket that a daemon creates.
    public var socketPath: String {
        guard let sharedSocketFolder, let identity = HomeIdentity(path) else { return path + "/apus.sock" }
        return "\(sharedSocketFolder)/\(identity).sock"
    }

    /// Whether the folder exists.
    package var exists: Bool { HomeIdentity(path) != nil }

    /// The path of the database file.
    public var databasePath: String { path + "/apus.db" }
    /// The path of the log of a background daemon.
    public var logPath: String { path + "/apus.log" }
    /// The path of the file that contains the path of the running daemon's socket.
    package var socketRecordPath: String { path + "/socket" }
    /// The path of the file that records the location of the jobs if they are not in the database file.
    package var storeRecordPath: String { path + "/store" }
    /// The path of the folder with one record for each running command.
    public var runningPath: String { path + "/running" }
    /// The path of the file with the address and the token of the HTTP listener, which exists while the listener does.
    public var httpPath: String { path + "/http.json" }

    /// The path of the file with the token and the cookie of the HTTP listener.
    ///
    /// The file is kept when a daemon ends, so that an open page can use the next daemon.
    public var secretsPath: String { path + "/http-secrets.json" }

    /// Creates a home whose files are all in the folder at `path`, including the socket.
    public init(path: String) {
        self.path = path
    }

    /// Creates the home that an environment names.
    ///
    /// - Throws: ``DaemonError`` with `invalid` if the environment names no absolute folder, or if `APUS_HOME` is
    ///   relative and the working directory cannot be used.
    public init(environment: [String: String]) throws {
        func folder(_ variable: String) -> String? {
            guard let value = environment[variable], !value.isEmpty else { return nil }
            return value
        }
        if let home = folder("APUS_HOME") {
            self.init(path: try Self.absolute(home))
            return
        }
        if let state = folder("XDG_STATE_HOME"), state.unicodeScalars.first == "/" {
            self.init(path: state + "/apus")
        } else if let user = folder("HOME"), user.unicodeScalars.first == "/" {
            self.init(path: user + "/.local/state/apus")
        } else {
            throw DaemonError(
                .invalid, "there is no home to keep jobs in: set APUS_HOME, XDG_STATE_HOME or HOME to an absolute path")
        }
        if let runtime = folder("XDG_RUNTIME_DIR"), runtime.unicodeScalars.first == "/", Self.mayBeOwn(runtime) {
            sharedSocketFolder = runtime + "/apus"
        }
    }

    var socketFolder: String {
        String(socketPath.unicodeScalars.prefix(upTo: socketPath.unicodeScalars.lastIndex(of: "/")!))
    }

    /// Creates the missing folders, which only their owner can use, and checks the others.
    ///
    /// - Throws: ``DaemonError`` with `unavailable`, naming the folder, the problem and the remedy, or with `invalid`
    ///   if the path of the socket is too long.
    public func prepare() throws {
        for folder in [path, runningPath] { try Self.check(folder, creating: true) }
        // The socket's name contains the home's inode, so it is known only once the home exists.
        let socketPath = socketPath
        try Self.check(socketFolder, creating: true)
        // sockaddr_un has 108 bytes on Linux and 104 on Darwin, including the terminating zero.
        guard socketPath.utf8.count < 104 else {
            throw DaemonError(
                .invalid,
                "the socket's path is too long for the system (\(socketPath.utf8.count) bytes, 103 at most): \(socketPath); choose a shorter APUS_HOME"
            )
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw DaemonError(
                .unavailable,
                "\(path) cannot be written (\(String(cString: strerror(errno)))): check its owner and permissions, or set APUS_HOME"
            )
        }
    }

    /// Checks the home without creating or changing anything.
    ///
    /// - Returns: whether it exists.
    /// - Throws: ``DaemonError`` with `unavailable`, naming the folder and the problem.
    package func examine() throws -> Bool {
        guard try Self.check(path) else { return false }
        guard access(path, W_OK | X_OK) == 0 else {
            throw DaemonError(.unavailable, "\(path) cannot be written (\(String(cString: strerror(errno))))")
        }
        return true
    }

    /// Checks a folder of the home, and creates a missing one if `creating` is set.
    ///
    /// - Returns: whether it exists.
    /// - Throws: ``DaemonError`` with `unavailable`.
    @discardableResult
    static func check(_ folder: String, creating: Bool = false) throws(DaemonError) -> Bool {
        do throws(TrustedPath.Failure) {
            return try TrustedPath.checkFolder(folder, creating: creating)
        } catch {
            let advice = error.code == EPERM ? "" : ": check the owner and permissions of the folder above it"
            throw DaemonError(.unavailable, "\(folder) cannot be used: \(error)\(advice), or set APUS_HOME")
        }
    }

    /// Returns whether a folder may be used for sockets.
    ///
    /// A folder of another user must not be used (XDG Base Directory Specification); `su` leaves such a folder in the
    /// environment. A missing folder may be used, because ``prepare()`` creates it.
    private static func mayBeOwn(_ folder: String) -> Bool {
        do throws(TrustedPath.Failure) {
            try TrustedPath.checkFolder(folder)
            return true
        } catch {
            return error.code != EPERM
        }
    }

    /// Returns an absolute path without a slash at its end; a relative path starts from the working directory.
    package static func absolute(_ path: String) throws(DaemonError) -> String {
        var path = path
        if path.unicodeScalars.first != "/" {
            let folder = try ProcessEnvironment.workingDirectory()
            path = (folder == "/" ? "" : folder) + "/" + path
        }
        while path.utf8.count > 1, path.unicodeScalars.last == "/" { path.unicodeScalars.removeLast() }
        return path
    }
}

/// The identity of a home's folder, whatever path leads to it.
///
/// A copy of a home, or a new folder at the path of a removed one, is another home.
package struct HomeIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The header with which a request names the home whose daemon must answer it.
    package static let header = "Apus-Home"

    private let device: UInt64
    private let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Creates the identity of the home at a path; `nil` if nothing is found there.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// A text that is unique among the folders of this machine, for the name of a file and the value of ``header``.
    package var description: String { String(device, radix: 16) + "-" + String(inode, radix: 16) }
}
