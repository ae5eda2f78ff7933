public import ApusTimers
public import HTTPTypes
public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
public import ServiceLifecycle

/// An HTTP listener with a router, which does nothing while no client sends a request.
///
/// It corresponds to Hummingbird's `Application`, without the service that formats the time of day once a second.
public struct WebServer: Service {
    private let respond: @Sendable (Request, any Channel, Logger) async throws -> Response
    private let address: BindAddress
    private let limits: ConnectionLimits
    private let headers: HTTPFields
    private let engine: TimerEngine
    let logger: Logger
    private let onServerRunning: @Sendable (any Channel) async -> Void

    /// Creates a server, which listens when it is run.
    ///
    /// - Parameters:
    ///   - router: the router that answers the requests.
    ///   - address: the address at which the server listens.
    ///   - limits: the limits of the connections.
    ///   - headers: the headers of every answer, including the server's own answers; a value that a handler sets takes
    ///     precedence.
    ///   - engine: the engine of the timeouts, whose wall clock is also the source of the answers' `Date`. Only
    ///     ``ConnectionLimits/idle`` is measured by Hummingbird instead.
    ///   - logger: the logger of the server.
    ///   - onServerRunning: a closure that is called with the listener's channel when it listens.
    public init<Builder: HTTPResponderBuilder>(
        router: Builder, address: BindAddress, limits: ConnectionLimits = .init(), adding headers: HTTPFields = [:],
        engine: TimerEngine = .shared, logger: Logger,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) where Builder.Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let responder = router.buildResponder()
        respond = { request, channel, logger in
            let context = Builder.Responder.Context(source: .init(channel: channel, logger: logger))
            return try await responder.respond(to: request, context: context)
        }
        self.address = address
        self.limits = limits
        self.headers = headers
        self.engine = engine
        self.logger = logger
        self.onServerRunning = onServerRunning
    }

    /// Serves requests until a graceful shutdown; most callers use ``serveUntilCancelled(endingWithin:)``.
    ///
    /// - Throws: the system's error if the server cannot listen at the address.
    public func run() async throws {
        let register = limits.connections.map { ConnectionRegister(places: $0) }
        let (respond, logger, onServerRunning) = (respond, logger, onServerRunning)
        let channel = WebChannel(limits: limits, headers: headers, register: register, engine: engine) {
            (request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws -> Void in
            let response: Response
            do {
                response = try await respond(request, channel, logger)
            } catch let error as HTTPParserError {
                // The rest of the connection cannot be parsed, so the server answers 400 and closes the connection.
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // The parser's own error is not thrown, because the server would answer it although this answer has
                // already begun.
                throw BrokenRequest()
            }
        }
        let configuration = ServerConfiguration(
            address: address, availableConnectionsDelegate: register.map { ConnectionRegister.Acceptance(register: $0) }
        )
        try await channel.server(
            configuration: configuration, onServerRunning: onServerRunning,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ).run()
    }

    /// An error that says that the rest of a request cannot be parsed, and that its answer has begun.
    private struct BrokenRequest: Error {}
}

extension WebServer {
    /// Serves requests until the calling task is cancelled, and then ends in order.
    ///
    /// At the end, the listener accepts no more connections, answers the requests that have begun, and closes
    /// connections without a request.
    ///
    /// Cancelling `run()` instead occasionally ends the process: SwiftNIO drops a connection that was accepted and not
    /// handled yet, which traps (swift-nio issue 2637). For the same reason, the server is not cancelled if it has not
    /// ended within `limit`; this function then returns without waiting for it.
    ///
    /// - Parameter limit: the maximum time to wait for the end, in real time; a connection that takes longer is served
    ///   until it or the process ends.
    /// - Throws: the errors of `run()`.
    public func serveUntilCancelled(endingWithin limit: Duration = .seconds(2)) async throws {
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [self], logger: logger))
        let end = End()
        // The server runs in a separate task, which a cancellation of the calling task does not reach.
        Task {
            do {
                try await group.run()
                end.come(.success(()))
            } catch {
                end.come(.failure(error))
            }
        }
        try await withTaskCancellationHandler {
            try await end.wait()
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
            TimerEngine.shared.schedule(after: limit, tolerance: .milliseconds(100)) { end.come(.success(())) }
        }
    }
}

/// The end of a server, which is signalled once and awaited once; a cancellation does not end the wait.
private final class End: Sendable {
    private struct State {
        var result: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
    }

    private let state = Locked(State())

    func come(_ result: Result<Void, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiter.take()
        }
        waiter?.resume(with: result)
    }

    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
