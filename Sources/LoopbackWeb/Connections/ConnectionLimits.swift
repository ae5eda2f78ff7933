public import ApusTimers
public import HTTPTypes
public import Hummingbird
import HummingbirdCore
import NIOCore

/// What one connection may cost, and how many there are.
public struct ConnectionLimits: Sendable {
    /// How many connections are held at once; more wait in the kernel's queue until one is closed.
    public var connections = 256
    /// How long a connection may be without a request, and how long the head of one may take. Whole seconds.
    public var idle: Duration = .seconds(30)
    /// How long the body of a request may take, from its head on.
    public var body: Duration = .seconds(30)
    /// How long an answer waits for a client that does not read: the connection is closed then.
    public var stall: Duration = .seconds(20)

    /// The limits as they are by default.
    public init() {}

    /// The server of a Hummingbird application: HTTP/1.1 under these limits.
    ///
    /// An answer that is complete before its request has arrived ends the connection, so that nobody uploads for
    /// nothing.
    /// - Parameters:
    ///   - headers: what every answer carries, also those that the server gives by itself; a handler's own value wins.
    ///   - engine: runs the timeouts, but for ``idle``, which Hummingbird counts by itself.
    /// - Returns: for `Application(server:)`.
    public func server(adding headers: HTTPFields, engine: TimerEngine = .shared) -> HTTPServerBuilder {
        .http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionKeeper(limits: self, headers: headers, engine: engine)],
                idleTimeout: .seconds(idle.components.seconds)))
    }

    /// The configuration of a Hummingbird application that listens there.
    public func configuration(host: String, port: Int) -> ApplicationConfiguration {
        ApplicationConfiguration(
            address: .hostname(host, port: port), availableConnectionsDelegate: MaximumAvailableConnections(connections)
        )
    }
}
