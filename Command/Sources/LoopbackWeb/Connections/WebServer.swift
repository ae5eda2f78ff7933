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
