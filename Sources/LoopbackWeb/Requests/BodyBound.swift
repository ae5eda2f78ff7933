import HTTPTypes
public import Hummingbird

/// Refuses a request whose `Content-Length` is more than a handler may collect, before anything of its body is read.
///
/// It throws ``WebError``; put ``ErrorAnswers`` outside of it, and the guard too: what it answers is for admitted requests.
public struct BodyBound<Context: RequestContext>: RouterMiddleware {
    /// The bound is the context's `maxUploadSize`.
    public init() {}

    /// Passes a request on, or refuses it with 413.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > context.maxUploadSize {
            throw WebError.tooLarge(mostBytes: context.maxUploadSize)
        }
        return try await next(request, context)
    }
}
