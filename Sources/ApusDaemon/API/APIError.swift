import ApusJobs
import HTTPTypes
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error as the API answers it: a status, a word for programs and a sentence for people.
struct APIError: HTTPResponseError {
    var status: HTTPResponse.Status
    var code: String
    var message: String

    func response(from request: Request, context: some RequestContext) throws -> Response {
        try .json(WireError(error: .init(code: code, message: message)), status: status)
    }
}

/// Turns errors of the scheduler, the parsers and the router into answers.
struct ErrorAnswers: RouterMiddleware {
    typealias Context = APIContext

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        } catch let error as JobError {
            return try Self.answer(Self.status(of: error.code), error.code.description, error.message)
        } catch let error as TextError {
            return try Self.answer(.badRequest, "invalid", "\(error)")
        } catch let error as DaemonError {
            return try Self.answer(
                error.code == .notRunning ? .serviceUnavailable : .badRequest, error.code.description, error.message)
        } catch let error as DecodingError {
            return try Self.answer(
                .badRequest, "invalid", "the body is not what this address takes: \(Self.explain(error))")
        } catch let error as HTTPError where error.status == .notFound {
            return try Self.answer(.notFound, "notFound", "there is no \(request.method) \(request.uri.path)")
        } catch let error as any HTTPResponseError {
            return try Self.answer(error.status, "invalid", error.status.reasonPhrase)
        }
    }

    private static func answer(_ status: HTTPResponse.Status, _ code: String, _ message: String) throws -> Response {
        try .json(WireError(error: .init(code: code, message: message)), status: status)
    }

    private static func status(of code: JobError.Code) -> HTTPResponse.Status {
        switch code {
        case .invalid: .badRequest
        case .notFound: .notFound
        case .ambiguous, .alreadyExists, .conflict: .conflict
        case .full: .init(code: 507, reasonPhrase: "Insufficient Storage")
        default: .serviceUnavailable
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not a \(type)"
        case .valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "it is not JSON" : "\(path(context.codingPath)): \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String { keys.map(\.stringValue).joined(separator: ".") }
}

extension Response {
    /// A JSON answer.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let data = try encoder.encode(value)
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}
