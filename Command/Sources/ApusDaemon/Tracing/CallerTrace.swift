import ApusClient
import HTTPTypes
import Hummingbird
import Tracing

/// Runs a request in its caller's trace, if the request says which: the jobs that it submits belong there.
struct CallerTrace: RouterMiddleware {
    typealias Context = APIContext

    var tracer: SpanTracer

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var caller = ServiceContext.topLevel
        tracer.extract(request.headers, into: &caller, using: Fields())
        return try await ServiceContext.withValue(caller) { try await next(request, context) }
    }

    private struct Fields: Extractor {
        func extract(key: String, from fields: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { fields[$0] }
        }
    }
}
