#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where one daemon keeps everything: the database, the socket, the log.
///
/// The folder is `$APUS_HOME`, else `$XDG_STATE_HOME/apus`, else `~/.local/state/apus`. The socket is in
/// `$XDG_RUNTIME_DIR/apus` when that variable is set and `APUS_HOME` is not: with `APUS_HOME`, nothing outside it is
/// touched.
public struct Home: Sendable, Hashable {
    /// The folder, absolute.
    public var path: String
    /// The socket's path.
    public var socketPath: String

    /// The database file.
    public var databasePath: String { path + "/apus.db" }
    /// What a daemon in the background prints.
    public var logPath: String { path + "/apus.log" }
    /// Records of the commands that run now, one file each.
    public var runningPath: String { path + "/running" }
    /// Address and token of the HTTP listener, while there is one.
    public var httpPath: String { path + "/http.json" }

    /// The token and the cookie of the HTTP listener. They stay, so that an open page finds the next daemon.
    public var secretsPath: String { path + "/http-secrets.json" }

    /// A home in that folder, with everything inside it.
    public init(path: String) {
        self.path = path
        socketPath = path + "/apus.sock"
    }

    /// The home that an environment names.
    /// - Throws: ``DaemonError`` with `invalid` if the environment names none, or a relative folder.
    public init(environment: [String: String]) throws {
        func folder(_ variable: String) -> String? {
            guard let value = environment[variable], !value.isEmpty else { return nil }
            return value
        }
        if let home = folder("APUS_HOME") {
            self.init(path: Self.absolute(home))
            return
        }
        if let state = folder("XDG_STATE_HOME"), state.hasPrefix("/") {
            self.init(path: state + "/apus")
        } else if let user = folder("HOME"), user.hasPrefix("/") {
            self.init(path: user + "/.local/state/apus")
        } else {
            throw DaemonError(
                .invalid, "there is no home to keep jobs in: set APUS_HOME, XDG_STATE_HOME or HOME to an absolute path")
        }
        if let runtime = folder("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
            socketPath = runtime + "/apus/apus.sock"
        }
    }

    /// Makes the folders, readable by their owner only.
    /// - Throws: ``DaemonError`` with `unavailable`, naming the folder and why.
    public func prepare() throws {
        for folder in [path, runningPath, String(socketPath.prefix(upTo: socketPath.lastIndex(of: "/")!))] {
            try Self.makeFolder(folder)
        }
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

    private static func makeFolder(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DaemonError(
                .unavailable,
                "\(folder) cannot be made: check the owner and permissions of the folder above it, or set APUS_HOME",
                cause: error)
        }
    }

    private static func absolute(_ path: String) -> String {
        var path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
