import ApusTimers
import Hummingbird
import Logging
import NIOCore

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

/// The daemon's listeners: the socket, and loopback when asked.
struct Listeners {
    private let configuration: Daemon.Configuration
    private let socket: SocketFile
    /// What a request to the HTTP listener must know.
    let token: String
    /// The HTTP listener's URL.
    let url: String?
    var expected: Int { configuration.http == nil ? 1 : 2 }

    init(configuration: Daemon.Configuration, socket: SocketFile, random: any RandomSource) throws {
        self.configuration = configuration
        self.socket = socket
        token = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
        guard let http = configuration.http else {
            url = nil
            return
        }
        guard http.port != 0 else {
            throw DaemonError(.invalid, "http: choose a port from 1 to 65535")
        }
        let address = "http://\(http.host.contains(":") ? "[\(http.host)]" : http.host):\(http.port)"
        url = address
        let record = #"{"token":"\#(token)","url":"\#(address)"}"# + "\n"
        let created = FileManager.default.createFile(
            atPath: configuration.home.httpPath, contents: Data(record.utf8), attributes: [.posixPermissions: 0o600])
        guard created else { throw DaemonError(.unavailable, "\(configuration.home.httpPath) cannot be written") }
    }

    /// Removes the record of the HTTP listener.
    func forget() {
        if configuration.http != nil { unlink(configuration.home.httpPath) }
    }

    func applications(
        routes: Routes, logger: Logger, readiness: Readiness
    ) -> [Application<RouterResponder<APIContext>>] {
        let socket = socket
        var quiet = logger
        // It tells an orderly end as an error.
        quiet.logLevel = .critical
        var applications = [
            Application(
                router: routes.router(guardedBy: PeerCheck()),
                configuration: .init(address: .unixDomainSocket(path: socket.path)),
                onServerRunning: { _ in
                    socket.claim()
                    readiness.oneMore()
                },
                logger: quiet)
        ]
        if let http = configuration.http {
            let names = [http.host, "localhost", "127.0.0.1", "[::1]"]
            let check = TokenCheck(token: token, hosts: Set(names.map { "\($0):\(http.port)" }))
            applications.append(
                Application(
                    router: routes.router(guardedBy: check),
                    configuration: .init(address: .hostname(http.host, port: http.port)),
                    onServerRunning: { _ in readiness.oneMore() },
                    logger: quiet))
        }
        return applications
    }
}

/// Calls once when everything expected has happened.
final class Readiness: Sendable {
    private let missing: Locked<Int>
    private let action: @Sendable () -> Void

    init(expected: Int, action: @escaping @Sendable () -> Void) {
        missing = Locked(expected)
        self.action = action
    }

    func oneMore() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isComplete { action() }
    }
}
