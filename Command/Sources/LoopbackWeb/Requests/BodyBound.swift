import HTTPTypes
public import Hummingbird

/// Refuses a request whose `Content-Length` exceeds what a handler may collect, before its body is read.
///
/// It throws ``WebError``, so ``ErrorAnswers`` must be outside of it. The guard must be outside of it too, because only
/// admitted requests may get this answer.
public struct BodyBound<Context: RequestContext>: RouterMiddleware {
    private let others: [String: Int]

    /// Creates a middleware with the bound `maxUploadSize` of the context, and with other bounds for some paths.
    ///
    /// - Parameter others: the other bounds in bytes, keyed by the request's path.
    public init(others: [String: Int] = [:]) { self.others = others }

    /// Passes a request on, or refuses it with 413.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let bound = others[request.uri.path] ?? context.maxUploadSize
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > bound {
            throw WebError.tooLarge(mostBytes: bound)
        }
        return try await next(request, context)
    }
}
