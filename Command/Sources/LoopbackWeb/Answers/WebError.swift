import ApusJSON
public import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// An error in the form of an answer: a status, a code for programs and a sentence for people.
///
/// The body is `{"error":{"code","message"}}`.
public struct WebError: HTTPResponseError, Sendable {
    /// The HTTP status, 400 or above.
    public var status: HTTPResponse.Status
    /// The code of the error, for programs.
    public var code: String
    /// The message, a sentence for people.
    public var message: String
    /// The headers in addition to those of every error.
    public var headers: HTTPFields

    /// Creates an error.
    public init(_ status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    /// Returns the error 403 `forbidden`.
    public static func forbidden(_ message: String) -> WebError {
        WebError(.forbidden, code: "forbidden", message: message)
    }

    static let unauthorized = WebError(
        .unauthorized, code: "unauthorized",
        message: "send the token as `Authorization: Bearer TOKEN`, or open the address that contains it",
        headers: [.wwwAuthenticate: "Bearer"])

    /// Returns the error 413 `tooLarge`.
    package static func tooLarge(mostBytes: Int) -> WebError {
        WebError(.contentTooLarge, code: "tooLarge", message: "the body has more than \(mostBytes) bytes")
    }

    private struct Body: Encodable {
        struct Content: Encodable {
            var code: String
            var message: String
        }
        var error: Content
    }

    /// Returns the answer.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try Response.json(Body(error: .init(code: code, message: message)), status: status)
        response.headers.append(contentsOf: headers)
        return response
    }
}

extension Response {
    /// Returns a JSON answer with sorted keys, which caches must not store.
    public static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: try JSONText.bytes(of: value))))
    }
}

/// Converts the errors of handlers and other middleware into answers; it must be the outermost middleware.
public struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    private let explain: @Sendable (any Error) -> WebError?

    /// Creates the middleware.
    ///
    /// - Parameter explain: a closure that returns the answer to an error of the server's own types, or `nil` for
    ///   others.
    public init(explain: @escaping @Sendable (any Error) -> WebError? = { _ in nil }) { self.explain = explain }

    /// Passes a request on, and answers it if the next handler throws an error.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The rest of the connection cannot be parsed, so the server answers 400 and closes the connection.
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
