import HTTPTypes
public import Hummingbird
public import NIOCore

/// Applies ``GuardRules`` to each request, and stores the caller in the request's context.
///
/// It throws ``WebError``, so ``ErrorAnswers`` must be outside of it.
public struct RequestGuard<Context: WebContext>: RouterMiddleware {
    private let rules: GuardRules
    private let entryHint: String

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - rules: the rules that decide about requests.
    ///   - entryHint: the text of the page that a caller without the token gets; it explains in one or two sentences
    ///     how to sign in.
    public init(rules: GuardRules, entryHint: String) {
        self.rules = rules
        self.entryHint = entryHint
    }

    /// Passes an admitted request on, and answers any other.
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

    /// Marks the connection as that of an admitted client.
    private func admit(_ context: Context) {
        context.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.admitted)
    }
}

/// The sender of an admitted request.
public enum Caller: Hashable, Sendable {
    /// A page in a browser: the request has the cookie or an `Origin`, or, without secrets, a `Sec-Fetch-Site`.
    case browser
    /// Any other client: `curl`, a program, the command.
    case script
}

/// The context of a request whose handler needs its connection and its caller.
public protocol WebContext: RequestContext {
    /// The connection of the request.
    var channel: any Channel { get }
    /// The sender of the request; `nil` until a guard has admitted it.
    var caller: Caller? { get set }
}

/// A context with only the properties that ``WebContext`` requires.
public struct WebRequestContext: WebContext {
    /// The storage of the router.
    public var coreContext: CoreRequestContextStorage
    /// The connection of the request.
    public let channel: any Channel
    /// The sender of the request; `nil` until a guard has admitted it.
    public var caller: Caller?
    /// The maximum size of a body that a handler may collect, in bytes: 64 KiB.
    public var maxUploadSize: Int { 64 * 1024 }

    /// Creates the context of a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
