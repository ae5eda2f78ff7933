import ApusClient
import HTTPTypes
import Hummingbird
import LoopbackWeb

/// Refuses requests that are meant for the daemon of another home, which the record in a copied home leads here. Requests
/// without the header are for the daemon that listens.
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
