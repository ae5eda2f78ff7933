/// What stands between a scheduler and its callers and handlers: for traces, measurements, and context that travels with
/// jobs.
///
/// Each method has a default that does nothing. List middleware in ``JobScheduler/Configuration/middleware``; the first
/// is the outermost: its ``onSubmit(_:)`` is called first, and its ``handle(_:next:)`` encloses those of the others.
public protocol JobMiddleware: Sendable {
    /// Called for each request that is submitted, in its caller's task, before it is checked: it may be changed.
    /// - Throws: an error refuses the whole submission, whose caller gets it.
    func onSubmit(_ request: inout JobRequest) throws

    /// Called for each attempt, in the handler's task; calls `next` once, which runs the handler, and returns or throws
    /// what that does. What it throws itself is treated as if the handler had thrown it.
    func handle(_ run: RunContext, next: () async throws -> Void) async throws
}

extension JobMiddleware {
    /// Changes nothing.
    public func onSubmit(_ request: inout JobRequest) throws {}

    /// Runs the handler.
    public func handle(_ run: RunContext, next: () async throws -> Void) async throws { try await next() }
}

extension [any JobMiddleware] {
    /// The handler within them, the first being the outermost. The handler itself if there are none.
    func enclosing(
        _ handler: @escaping @Sendable (RunContext) async throws -> Void
    ) -> @Sendable (RunContext) async throws -> Void {
        reversed().reduce(handler) { inner, middleware in
            { run in try await middleware.handle(run) { try await inner(run) } }
        }
    }

    /// The requests as they change them.
    func submitted(_ requests: [JobRequest]) throws -> [JobRequest] {
        if isEmpty { return requests }
        return try requests.map { request in
            var request = request
            for middleware in self { try middleware.onSubmit(&request) }
            return request
        }
    }
}
