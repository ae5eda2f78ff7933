import HTTPTypes
public import Hummingbird
public import NIOCore

/// Applies ``GuardRules`` to each request, and notes in its context who sent it.
///
/// It throws ``WebError``; put ``ErrorAnswers`` outside of it.
public struct RequestGuard<Context: WebContext>: RouterMiddleware {
    private let rules: GuardRules
    private let entryHint: String

    /// A guard.
    /// - Parameters:
    ///   - rules: which requests are admitted.
    ///   - entryHint: the text of the entry page without the token: how to sign in, in a sentence or two.
    public init(rules: GuardRules, entryHint: String) {
        self.rules = rules
        self.entryHint = entryHint
    }

    /// Lets a request in, or answers it.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        switch rules.verdict(on: request.head) {
        case .admit(let caller):
            admit(context)
            var context = context
            context.caller = caller
            return try await next(request, context)
        case .enter(let cookie):
            admit(context)
            return Response(
                status: .seeOther, headers: [.location: "/", .setCookie: cookie, .cacheControl: "no-store"])
        case .leave(let cookie):
            return Response(status: .noContent, headers: [.setCookie: cookie, .cacheControl: "no-store"])
        case .askForToken:
            return Response(
                status: .unauthorized,
                headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: entryHint + "\n")))
        case .refuse(let error):
            throw error
        }
    }

    /// From here on, the connection is that of an admitted client.
    private func admit(_ context: Context) {
        context.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.admitted)
    }
}

/// Who sent a request that was let in.
public enum Caller: Hashable, Sendable {
    /// A page in a browser: the request came with the cookie, or with any `Origin` header.
    case browser
    /// Anything else: `curl`, a program, the command.
    case script
}

/// What a handler knows of a request beside its head.
public protocol WebContext: RequestContext {
    /// The connection that the request came on.
    var channel: any Channel { get }
    /// Who sent it; `nil` until a guard has let it in.
    var caller: Caller? { get set }
}

/// A context without anything of its own.
public struct WebRequestContext: WebContext {
    /// What the router keeps.
    public var coreContext: CoreRequestContextStorage
    /// The connection that the request came on.
    public let channel: any Channel
    /// Who sent the request; `nil` until a guard has let it in.
    public var caller: Caller?
    /// The most bytes that a handler may collect of a body: 64 KiB.
    public var maxUploadSize: Int { 64 * 1024 }

    /// The context of a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
