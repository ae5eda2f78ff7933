import HTTPTypes
public import Hummingbird
import NIOCore

/// Applies ``GuardRules`` to each request, and notes in its context who sent it.
///
/// It throws ``WebError``; put ``ErrorAnswers`` outside of it.
public struct RequestGuard<Context: WebContext>: RouterMiddleware {
    private let rules: GuardRules
    private let way: String

    /// A guard.
    /// - Parameters:
    ///   - rules: who is let in.
    ///   - way: what a person reads who opens the entry page without the token: how to get in, in a sentence or two.
    public init(rules: GuardRules, way: String) {
        self.rules = rules
        self.way = way
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
        case .showTheWay:
            return Response(
                status: .unauthorized,
                headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: way + "\n")))
        case .refuse(let error):
            throw error
        }
    }

    /// From here on, the connection is no stranger's.
    private func admit(_ context: Context) {
        context.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.admitted)
    }
}
