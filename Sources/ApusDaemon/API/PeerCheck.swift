import Hummingbird
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the API knows of a request beside its head: the connection it came on.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// A submission holds a payload of at most 64 KiB, and JSON around it.
    var maxUploadSize: Int { 256 * 1024 }
}

/// Answers only to processes of the daemon's own user (and root), by the credentials that the kernel keeps for a
/// connection on a Unix socket (`SO_PEERCRED`, unix(7)). The socket's mode, 0600, says the same; this holds even if
/// somebody changes the mode.
struct PeerCheck: RouterMiddleware {
    typealias Context = APIContext

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let peer = try await Self.peerUser(of: context.channel), Self.admits(peer, daemon: geteuid()) else {
            throw APIError(status: .forbidden, code: "forbidden", message: "this daemon answers to its own user only")
        }
        return try await next(request, context)
    }

    static func admits(_ peer: uid_t, daemon: uid_t) -> Bool { peer == daemon || peer == 0 }

    #if os(Linux)
        /// `struct ucred` of unix(7), which Glibc's module does not export.
        private struct Credentials: Sendable {
            var process: Int32 = 0
            var user: UInt32 = .max
            var group: UInt32 = .max
        }

        private static func peerUser(of channel: any Channel) async throws -> uid_t? {
            guard let provider = channel as? any SocketOptionProvider else { return nil }
            let credentials: Credentials = try await provider.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
            return credentials.user
        }
    #else
        /// `struct xucred` of unix(4).
        private static func peerUser(of channel: any Channel) async throws -> uid_t? {
            guard let provider = channel as? any SocketOptionProvider else { return nil }
            let credentials: xucred = try await provider.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: 0), name: NIOBSDSocket.Option(rawValue: LOCAL_PEERCRED)
            ).get()
            return credentials.cr_uid
        }
    #endif
}

/// Guards the HTTP listener: a token that only this user can read, and the listener's own name in `Host`, so that a
/// page of another site in the user's browser reaches nothing (DNS rebinding).
struct TokenCheck: RouterMiddleware {
    typealias Context = APIContext
    var token: String
    var hosts: Set<String>

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, hosts.contains(host) else {
            throw APIError(status: .forbidden, code: "forbidden", message: "the Host header does not name this daemon")
        }
        guard let given = request.headers[.authorization], Self.equal(given, "Bearer \(token)") else {
            throw APIError(
                status: .unauthorized, code: "unauthorized",
                message: "send the token that `apus serve` printed, as `Authorization: Bearer TOKEN`")
        }
        return try await next(request, context)
    }

    /// Compares in a time that does not tell how much of the token was right.
    private static func equal(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
