public import ApusTimers
public import HTTPTypes
public import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
public import ServiceLifecycle

/// A listener with a router, which does nothing while no client asks.
///
/// It is what Hummingbird's `Application` is, without the service that formats the time of day once a second.
public struct WebServer: Service {
    private let respond: @Sendable (Request, any Channel, Logger) async throws -> Response
    private let address: BindAddress
    private let limits: ConnectionLimits
    private let headers: HTTPFields
    private let engine: TimerEngine
    let logger: Logger
    private let onServerRunning: @Sendable (any Channel) async -> Void

    /// A server. It listens when it is run.
    /// - Parameters:
    ///   - router: answers the requests.
    ///   - address: where it listens.
    ///   - limits: what connections may cost.
    ///   - headers: what every answer carries, also those that the server gives by itself; a handler's own value wins.
    ///   - engine: runs the timeouts, but for ``ConnectionLimits/idle``, which Hummingbird counts by itself; and says
    ///     the `Date` of the answers.
    ///   - logger: for the server.
    ///   - onServerRunning: called with the listener's channel when it listens.
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

    /// Serves until a graceful shutdown. Most callers want ``serveUntilCancelled(endingWithin:)``.
    /// - Throws: what the system says if the address cannot be listened at.
    public func run() async throws {
        let register = limits.connections.map { ConnectionRegister(places: $0) }
        let (respond, logger, onServerRunning) = (respond, logger, onServerRunning)
        let channel = WebChannel(limits: limits, headers: headers, register: register, engine: engine) {
            (request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws -> Void in
            let response: Response
            do {
                response = try await respond(request, channel, logger)
            } catch let error as HTTPParserError {
                // The connection cannot be understood any more: 400 is answered, and it is closed.
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // Not the parser's own error, which would be answered too.
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

    /// What comes after the request's head cannot be understood, and its answer has begun.
    private struct BrokenRequest: Error {}
}

extension WebServer {
    /// Serves until the calling task is cancelled, and then ends in order: no more connections are taken, requests that
    /// have begun are answered, and connections without one are closed.
    ///
    /// Cancelling `run()` instead ends the process now and then: a connection that was accepted and not yet looked at
    /// is dropped by SwiftNIO, which traps (swift-nio issue 2637). For the same reason what takes too long is not
    /// cancelled either, but abandoned.
    /// - Parameter limit: how long the end is waited for, in real time. A connection that takes longer is served on,
    ///   until it or the process ends.
    /// - Throws: what `run()` throws.
    public func serveUntilCancelled(endingWithin limit: Duration = .seconds(2)) async throws {
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [self], logger: logger))
        let end = End()
        // A task of its own, which the cancellation does not reach.
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

/// Comes once, and is waited for once, whether that is cancelled or not.
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
