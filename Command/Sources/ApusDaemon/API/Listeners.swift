import ApusClient
import ApusSQLite
import ApusTimers
import Hummingbird
import Logging
import LoopbackWeb
import NIOCore
import PathTrust
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The daemon's listeners: the socket, and the HTTP listener for browsers and programs, if there is one.
struct Listeners {
    private let configuration: Daemon.Configuration
    private let socket: SocketFile
    private let secrets: GuardRules.Secrets?
    /// The token that requests to the HTTP listener need; `nil` without such a listener.
    var token: String? { secrets?.token }
    /// The URL of the HTTP listener; `nil` without one.
    var url: String? { configuration.http?.url }
    var expected: Int { configuration.http == nil ? 1 : 2 }

    init(configuration: Daemon.Configuration, socket: SocketFile, random: any RandomSource, logger: Logger) throws {
        self.configuration = configuration
        self.socket = socket
        guard let http = configuration.http else {
            secrets = nil
            return
        }
        guard http.port != 0 else {
            throw DaemonError(.invalid, "http: port 0 cannot be used; choose a port from 1 to 65535")
        }
        let secrets = try SecretsFile(path: configuration.home.secretsPath, random: random, logger: logger).secrets()
        self.secrets = secrets
        let record = #"{"token":"\#(secrets.token)","url":"\#(http.url)"}"# + "\n"
        do throws(TrustedPath.Failure) {
            try TrustedPath.replaceFile(configuration.home.httpPath, with: record)
        } catch {
            throw DaemonError(.unavailable, error.description)
        }
    }

    /// Removes the record of the HTTP listener.
    func forget() {
        if configuration.http != nil { unlink(configuration.home.httpPath) }
    }

    /// Returns one closure for each listener, which serves requests until it is cancelled or throws an error.
    func servers(
        routes: Routes, logger: Logger, readiness: Readiness
    ) -> [@Sendable () async throws -> Void] {
        let socket = socket
        var quiet = logger
        // The server logs an orderly end as an error, so its errors are not logged.
        quiet.logLevel = .critical
        let onSocket = WebServer(
            router: routes.onSocket(), address: .unixDomainSocket(path: socket.path), limits: .none, logger: quiet
        ) { _ in
            socket.claim()
            readiness.oneMore()
        }
        var servers: [@Sendable () async throws -> Void] = [{ try await onSocket.serveUntilCancelled() }]
        if let http = configuration.http, let secrets {
            let onHTTP = WebServer(
                router: Dashboard(http: http, secrets: secrets).router(routes),
                address: .hostname(http.host, port: http.port), adding: SecurityHeaders.fields(), logger: quiet
            ) { _ in readiness.oneMore() }
            servers.append {
                do {
                    try await onHTTP.serveUntilCancelled()
                } catch let error as IOError where error.errnoCode == EADDRINUSE {
                    throw DaemonError(
                        .unavailable,
                        "http: another program listens at \(http.host):\(http.port); choose another port, or find the program with: ss -ltnp 'sport = :\(http.port)'"
                    )
                } catch let error as IOError {
                    throw DaemonError(
                        .unavailable, "http: the daemon cannot listen at \(http.host):\(http.port)", cause: error)
                }
            }
        }
        return servers
    }
}

/// Calls an action once all expected events have happened.
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

/// The file of the daemon's socket.
///
/// Only the daemon that has the home's lock creates this file. The daemon removes only its own file, because the next
/// daemon may have created another one while this daemon ends.
final class SocketFile: Sendable {
    let path: String
    private let inode = Locked<UInt64?>(nil)

    init(path: String) { self.path = path }

    /// Removes the socket that a killed daemon has left.
    func removeStale() { unlink(path) }

    /// Records the identity of the listening socket's file, and denies other users access to the file.
    func claim() {
        // Until this call, other users may be able to connect; the check of the peer refuses their requests.
        chmod(path, 0o600)
        let own = current()
        inode.withLock { $0 = own }
    }

    /// Removes the claimed file, unless another file has replaced it.
    func remove() {
        if let own = inode.withLock({ $0 }), current() == own { unlink(path) }
    }

    private func current() -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
