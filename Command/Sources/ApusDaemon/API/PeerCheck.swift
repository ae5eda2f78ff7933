import ApusClient
import HTTPTypes
import Hummingbird
import LoopbackWeb
import NIOCore
import PlatformC

/// The context of an API request, with its connection and its sender.
struct APIContext: WebContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    var caller: Caller?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The maximum size of a body in bytes: a submission contains a payload of at most 64 KiB, and JSON around it.
    var maxUploadSize: Int { 256 * 1024 }
}

/// Admits only processes of the daemon's own user and of root.
///
/// The user is taken from the credentials that the kernel stores for a connection on a Unix socket (`SO_PEERCRED`,
/// unix(7)). The mode of the socket, 0600, has the same effect; this check holds even if the mode is changed.
struct PeerCheck: RouterMiddleware {
    typealias Context = APIContext

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        // The `Host` may be missing, because clients of earlier versions send none.
        guard !request.head.hasSeveralHosts else { throw WebError.oneHost }
        guard let peer = try await Self.peerUser(of: context.channel), Self.admits(peer, daemon: geteuid()) else {
            throw WebError.forbidden("this daemon answers only its own user")
        }
        var context = context
        context.caller = .script
        return try await next(request, context)
    }

    static func admits(_ peer: uid_t, daemon: uid_t) -> Bool { peer == daemon || peer == 0 }

    #if os(Linux)
        private static func peerUser(of channel: any Channel) async throws -> uid_t? {
            guard let provider = channel as? any SocketOptionProvider else { return nil }
            let credentials: PeerCredentials.Credentials = try await provider.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
            return credentials.user
        }
    #else
        /// Returns the user in `struct xucred` (unix(4)).
        private static func peerUser(of channel: any Channel) async throws -> uid_t? {
            guard let provider = channel as? any SocketOptionProvider else { return nil }
            let credentials: xucred = try await provider.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: 0), name: NIOBSDSocket.Option(rawValue: LOCAL_PEERCRED)
            ).get()
            return credentials.cr_uid
        }
    #endif
}

/// Refuses requests that are for the daemon of another home.
///
/// The header `Apus-Home` of a request names the client's home. It is another home than the daemon's if it was copied
/// together with the record of the HTTP listener, which still leads to this daemon. Requests without the header are
/// accepted.
struct HomeCheck: RouterMiddleware {
    typealias Context = APIContext

    let home: Home
    let identity: HomeIdentity

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        if let wanted = request.headers[HTTPField.Name(HomeIdentity.header)!], wanted != identity.description {
            throw WebError(
                .misdirectedRequest, code: DaemonError.Code.otherHome.description,
                message: "this daemon keeps the jobs of \(home.path), and the request is for another home")
        }
        return try await next(request, context)
    }
}
