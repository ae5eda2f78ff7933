/// What one connection may cost, and how many there are.
public struct ConnectionLimits: Sendable {
    /// How many connections are served at once; `nil` for any number. When all places are taken, a new connection takes
    /// the place of the oldest that has not sent an admitted request yet; if there is none, it waits until a connection
    /// is closed, and further ones wait in the kernel's queue.
    public var connections: Int? = 256
    /// How long a connection may be without a request until one is admitted by the guard; `nil` for ever.
    public var firstRequest: Duration? = .seconds(5)
    /// How long a connection may be without a request, and how long the head of one may take. Whole seconds; `nil` for
    /// ever.
    public var idle: Duration? = .seconds(30)
    /// How long the body of a request may take, from its head on; `nil` for ever.
    public var body: Duration? = .seconds(30)
    /// How long an answer waits for a client that does not read: the connection is closed then; `nil` for ever.
    public var stall: Duration? = .seconds(20)

    /// The limits as they are by default, for listeners that other users of the machine can connect to.
    public init() {}

    /// None, for sockets that only the owner's own processes reach.
    public static let none: ConnectionLimits = {
        var limits = ConnectionLimits()
        limits.connections = nil
        limits.firstRequest = nil
        limits.idle = nil
        limits.body = nil
        limits.stall = nil
        return limits
    }()
}
