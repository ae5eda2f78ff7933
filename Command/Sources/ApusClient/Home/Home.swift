import PathTrust
package import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where one daemon keeps everything: the database, the socket, the log.
///
/// The folder is `$APUS_HOME`, else `$XDG_STATE_HOME/apus`, else `~/.local/state/apus`. The socket is in
/// `$XDG_RUNTIME_DIR/apus` when that variable names a folder of the user's own and `APUS_HOME` is not set: with
/// `APUS_HOME`, nothing outside it is touched. A socket outside the home is named after the home's device and inode, so
/// that homes can share the folder. A daemon records in the home where its socket is, for callers with another environment.
///
/// Only a home of the effective user is used, which others cannot write, in folders that others cannot replace: a job
/// that another user planted would run as this one.
public struct Home: Sendable, Hashable {
    /// The folder, absolute.
    public var path: String
    /// A folder of the user's own for sockets, if the environment names one.
    private var sharedSocketFolder: String?

    /// The path of the socket that a daemon makes.
    public var socketPath: String {
        guard let sharedSocketFolder, let identity = HomeIdentity(path) else { return path + "/apus.sock" }
        return "\(sharedSocketFolder)/\(identity).sock"
    }

    /// Whether the folder is there.
    package var exists: Bool { HomeIdentity(path) != nil }

    /// The database file.
    public var databasePath: String { path + "/apus.db" }
    /// What a daemon in the background prints.
    public var logPath: String { path + "/apus.log" }
    /// Where the socket of the daemon that runs now is.
    package var socketRecordPath: String { path + "/socket" }
    /// Where the jobs are, if not in the database file.
    package var storeRecordPath: String { path + "/store" }
    /// Records of the commands that run now, one file each.
    public var runningPath: String { path + "/running" }
    /// Address and token of the HTTP listener, while there is one.
    public var httpPath: String { path + "/http.json" }

    /// The token and the cookie of the HTTP listener. They stay, so that an open page finds the next daemon.
    public var secretsPath: String { path + "/http-secrets.json" }

    /// A home in that folder, with everything inside it.
    public init(path: String) {
        self.path = path
    }

    /// The home that an environment names.
    /// - Throws: ``DaemonError`` with `invalid` if the environment names none, or a relative folder.
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

    /// The folder of ``socketPath``.
    var socketFolder: String {
        String(socketPath.unicodeScalars.prefix(upTo: socketPath.unicodeScalars.lastIndex(of: "/")!))
    }

    /// Makes the folders that are missing, for their owner only, and checks the others.
    /// - Throws: ``DaemonError`` with `unavailable`, naming the folder, what is wrong with it and what to do.
    public func prepare() throws {
        for folder in [path, runningPath] { try Self.check(folder, creating: true) }
        // Known only when the home exists.
        let socketPath = socketPath
        try Self.check(socketFolder, creating: true)
        // sockaddr_un has 108 bytes on Linux and 104 on Darwin, the closing zero included.
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

    /// Checks the home without making or changing anything.
    /// - Returns: whether it is there.
    /// - Throws: ``DaemonError`` with `unavailable`, naming the folder, what is wrong with it and what to do.
    package func examine() throws -> Bool {
        guard try Self.check(path) else { return false }
        guard access(path, W_OK | X_OK) == 0 else {
            throw DaemonError(.unavailable, "\(path) cannot be written (\(String(cString: strerror(errno))))")
        }
        return true
    }

    /// Checks a folder of the home, making it if asked to.
    /// - Returns: whether it is there.
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

    /// Whether a folder for sockets may be used: one of another user, as `su` leaves it in the environment, may not
    /// (XDG Base Directory Specification). One that is missing is made.
    private static func mayBeOwn(_ folder: String) -> Bool {
        do throws(TrustedPath.Failure) {
            try TrustedPath.checkFolder(folder)
            return true
        } catch {
            return error.code != EPERM
        }
    }

    /// A path without a slash at its end; a relative one starts from the working directory.
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

/// The folder that a home is, whatever path leads to it: a copy of a home, or a new folder at the path of a removed one, is
/// another home.
package struct HomeIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The header with which a request says whose daemon it is meant for.
    package static let header = "Apus-Home"

    private let device: UInt64
    private let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The home at that path; `nil` if nothing can be found there.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Unique among the folders of this machine, as the name of a file and as the value of ``header``.
    package var description: String { String(device, radix: 16) + "-" + String(inode, radix: 16) }
}
