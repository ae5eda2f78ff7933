import ApusClient
import ApusJobs
import HTTPTypes
import Hummingbird
import LoopbackWeb

/// The effect of a request, which decides which callers may send it.
///
/// SECURITY.md lists all requests.
enum Right: Hashable, Sendable {
    /// Shows jobs, runs, output and the daemon's state.
    case read
    /// Cancels, suspends, resumes or starts one job or run, without a change of what the job does.
    case control
    /// Submits or changes one job; ``check(_:_:)`` decides which jobs.
    case define
    /// Affects more than one job (all jobs, queues, the daemon), or removes the history of a job.
    case administer

    /// Returns whether a caller has a right.
    ///
    /// A browser runs code of many origins, so it gets no right to effects outside of the daemon.
    fileprivate static func has(_ caller: Caller?, _ right: Right) -> Bool {
        switch (caller, right) {
        case (.script, _), (.browser, .read), (.browser, .control), (.browser, .define): true
        case (.browser, .administer), (nil, _): false
        }
    }

    /// Checks that a caller may define a job.
    ///
    /// A page may only define jobs that show texts. When a job is changed, it is checked both before and after the
    /// change.
    ///
    /// - Throws: ``WebError`` with 403 `forbidden`.
    static func check(_ caller: Caller?, _ job: JobRequest) throws {
        guard caller != .script, !job.onlyShowsTexts else { return }
        throw WebError.forbidden(
            "a browser can submit and change only countdowns and notifications; use the command line for commands and webhooks"
        )
    }
}

extension JobRequest {
    fileprivate var onlyShowsTexts: Bool {
        guard ActionKind(rawValue: kind) != nil else { return false }
        return (try? LenientJSON.decode(Action.self, from: payload))?.onlyShowsTexts == true
    }
}

/// A router whose routes each state the right that they require.
struct APIRouter {
    typealias Handler = @Sendable (Request, APIContext) async throws -> Response

    let router: Router<APIContext>

    func get(_ path: RouterPath, needs right: Right, use handler: @escaping Handler) {
        on(.get, path, right, handler)
    }

    func post(_ path: RouterPath, needs right: Right, use handler: @escaping Handler) {
        on(.post, path, right, handler)
    }

    func patch(_ path: RouterPath, needs right: Right, use handler: @escaping Handler) {
        on(.patch, path, right, handler)
    }

    func delete(_ path: RouterPath, needs right: Right, use handler: @escaping Handler) {
        on(.delete, path, right, handler)
    }

    private func on(_ method: HTTPRequest.Method, _ path: RouterPath, _ right: Right, _ handler: @escaping Handler) {
        router.on(path, method: method) { request, context in
            guard Right.has(context.caller, right) else {
                throw WebError.forbidden("a browser cannot do this; use the command line")
            }
            return try await handler(request, context)
        }
    }
}
