import ApusClient
import ApusJobs
import HTTPTypes
import Hummingbird
import LoopbackWeb

/// The effect of a request, which decides the callers that may send it. SECURITY.md lists all requests.
enum Right: Hashable, Sendable {
    /// Shows jobs, runs, output and the daemon's state.
    case read
    /// Cancels, suspends, resumes or starts one job or run, and leaves what the job does as it is.
    case control
    /// Submits or changes one job. ``check(_:_:)`` says which jobs.
    case define
    /// Concerns more than one job (all jobs, queues, the daemon), or removes what is known of a job.
    case administer

    /// A browser runs code of many strangers: what it is allowed stays within the daemon.
    fileprivate static func has(_ caller: Caller?, _ right: Right) -> Bool {
        switch (caller, right) {
        case (.script, _), (.browser, .read), (.browser, .control), (.browser, .define): true
        case (.browser, .administer), (nil, _): false
        }
    }

    /// For a job before it is changed and after: that of a page only shows texts.
    /// - Throws: ``WebError`` with 403 `forbidden`.
    static func check(_ caller: Caller?, _ job: JobRequest) throws {
        guard caller != .script, !job.onlyShowsTexts else { return }
        throw WebError.forbidden(
            "a browser can submit and change countdowns and notifications; commands and webhooks are for the command line"
        )
    }
}

extension JobRequest {
    fileprivate var onlyShowsTexts: Bool {
        guard ActionKind(rawValue: kind) != nil else { return false }
        return (try? LenientJSON.decode(Action.self, from: payload))?.onlyShowsTexts == true
    }
}

/// A router of which each route states the right that it needs.
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
                throw WebError.forbidden("a browser cannot do this; the command line can")
            }
            return try await handler(request, context)
        }
    }
}
