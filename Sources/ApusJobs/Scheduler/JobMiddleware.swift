/// Code around submissions and handlers, for traces, measurements, and context that travels with jobs.
///
/// The default of ``onSubmit(_:)`` leaves the request unchanged, and that of ``handle(_:next:)`` only runs the handler.
/// List middleware in ``JobScheduler/Configuration/middleware``. The first one is the outermost: its ``onSubmit(_:)``
/// is called first, and its ``handle(_:next:)`` encloses those of the others.
public protocol JobMiddleware: Sendable {
    /// Changes a request, or leaves it unchanged.
    ///
    /// It is called for each submitted request before the request is validated, in the task of the caller.
    ///
    /// - Throws: An error, which refuses the whole submission and is thrown to the caller.
    func onSubmit(_ request: inout JobRequest) throws

    /// Handles an attempt: calls `next` once, which runs the handler, and returns or throws what `next` does.
    ///
    /// It is called for each attempt, in the handler's task. Its own errors are treated as errors of the handler.
    func handle(_ run: RunContext, next: () async throws -> Void) async throws
}

extension JobMiddleware {
    /// Leaves the request unchanged.
    public func onSubmit(_ request: inout JobRequest) throws {}

    /// Runs the handler.
    public func handle(_ run: RunContext, next: () async throws -> Void) async throws { try await next() }
}

extension [any JobMiddleware] {
    /// Returns the handler enclosed by the middleware, of which the first is the outermost.
    func enclosing(
        _ handler: @escaping @Sendable (RunContext) async throws -> Void
    ) -> @Sendable (RunContext) async throws -> Void {
        reversed().reduce(handler) { inner, middleware in
            { run in try await middleware.handle(run) { try await inner(run) } }
        }
    }

    /// Returns the requests as the middleware changes them.
    func submitted(_ requests: [JobRequest]) throws -> [JobRequest] {
        if isEmpty { return requests }
        return try requests.map { request in
            var request = request
            for middleware in self { try middleware.onSubmit(&request) }
            return request
        }
    }
}
