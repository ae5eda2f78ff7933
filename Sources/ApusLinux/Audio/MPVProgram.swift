import CApus
import Foundation

/// The program mpv, from 0.33 on.
struct MPVProgram: Sendable {
    /// The name of the program, looked for where the shell does, or its path.
    let name: String
    /// Arguments beside the required ones.
    let arguments: [String]

    /// Where it is; `nil` when it is not there.
    var path: String? {
        if name.unicodeScalars.contains("/") { return Self.isExecutable(name) ? Self.absolute(name) : nil }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.unicodeScalars.split(separator: ":").map { "\(String($0))/\(name)" }.first(
            where: Self.isExecutable
        ).map(Self.absolute)
    }

    /// Starts it: what is said on the socket, mpv hears.
    ///
    /// The other end is mpv's only connection, and mpv quits when it is closed (`--input-ipc-client` in its manual). So
    /// mpv ends with the player, and also with this process, whatever kills it: the kernel closes the socket. Nothing
    /// is left in the file system, and no other process can connect. mpv has a session of its own, so that Ctrl-C,
    /// which is the end of the terminal's other programs, leaves the sound to the host's grace period.
    func launch(_ path: String) throws(SocketError) -> StreamSocket {
        let (ours, others) = try StreamSocket.pair()
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard output >= 0 else { throw SocketError(errno) }
        defer { close(output) }
        // A descriptor that is passed on is 3 there.
        let own = [
            "--no-config", "--idle=yes", "--no-video", "--audio-display=no", "--no-terminal", "--load-scripts=no",
            "--ytdl=no", "--input-ipc-client=fd://3",
        ]
        var process: Int32 = 0
        let result = Self.withCStrings([path] + own + arguments) { argv in
            capus_spawn_detached(path, argv, environ, output, others.descriptor, &process)
        }
        withExtendedLifetime(others) {}
        guard result == 0 else { throw SocketError(result) }
        return ours
    }

    private static func isExecutable(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func absolute(_ path: String) -> String {
        path.unicodeScalars.first == "/" ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
