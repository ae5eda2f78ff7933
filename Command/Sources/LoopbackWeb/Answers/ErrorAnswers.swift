import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Turns what handlers and other middleware throw into answers; put it outermost.
public struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    private let explain: @Sendable (any Error) -> WebError?

    /// - Parameter explain: the answer to an error of the server's own types, `nil` for others.
    public init(explain: @escaping @Sendable (any Error) -> WebError? = { _ in nil }) { self.explain = explain }

    /// Passes a request on.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The connection cannot be understood any more: the server answers 400 and closes it.
            throw error
        } catch {
            return try answer(to: error, request, context).response(from: request, context: context)
        }
    }

    private func answer(to error: any Error, _ request: Request, _ context: Context) -> WebError {
        if let error = error as? WebError ?? explain(error) { return error }
        switch error {
        case is NIOTooManyBytesError:
            return .tooLarge(mostBytes: context.maxUploadSize)
        case let error as any HTTPResponseError where error.status == .notFound:
            return WebError(.notFound, code: "notFound", message: "there is no \(request.method) \(request.uri.path)")
        case let error as any HTTPResponseError:
            return WebError(error.status, code: "invalid", message: error.status.reasonPhrase)
        default:
            context.logger.error("a request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            return WebError(
                .internalServerError, code: "internal", message: "the server could not answer; its log says why")
        }
    }
}
