import ApusTimers
import HummingbirdCore
import NIOCore

/// Decides which connections a listener serves, and which one it closes for another.
///
/// A connection is *unadmitted* until the guard has admitted one of its requests. When all places are taken, a new
/// connection replaces the oldest unadmitted one without a request in progress, or else the oldest unadmitted one.
/// Connections that are only kept open therefore cannot exclude a client that has the token. When all places belong to
/// admitted clients, a new connection is *held*: it is not read until a place is free.
///
/// ```
/// opened ──► unadmitted ──admitted──► client ──closed──► (free: the oldest held one becomes unadmitted)
///    │           └──evicted for a newer connection──► closed
///    └──no place──► held ──place──► unadmitted
/// ```
struct ConnectionTable {
    /// The identifier of a connection; later connections have greater ones.
    struct ID: Hashable, Comparable {
        fileprivate var number: UInt64
        static func < (a: ID, b: ID) -> Bool { a.number < b.number }
    }

    /// The treatment of a new connection.
    enum Opening: Equatable {
        /// The connection is served; `closing` is the connection that is closed to make room for it, if any.
        case serve(closing: ID?)
        /// The connection waits until ``ConnectionTable/closed(_:)`` returns it.
        case hold
    }

    private enum State: Equatable {
        case idleUnadmitted
        case busyUnadmitted
        case client
    }

    private let places: Int
    private var last: UInt64 = 0
    private var served: [ID: State] = [:]
    /// The held connections, oldest first.
    private var held: [ID] = []

    /// Creates a table.
    ///
    /// - Parameter places: the maximum number of served connections, at least 1.
    init(places: Int) { self.places = places }

    /// Whether another connection may be accepted; it changes from `false` to `true` only when a connection is closed.
    var accepts: Bool { held.isEmpty && (served.count < places || victim != nil) }

    mutating func opened() -> (id: ID, opening: Opening) {
        last += 1
        let id = ID(number: last)
        guard served.count >= places else {
            served[id] = .idleUnadmitted
            return (id, .serve(closing: nil))
        }
        guard let victim else {
            held.append(id)
            return (id, .hold)
        }
        served[victim] = nil
        served[id] = .idleUnadmitted
        return (id, .serve(closing: victim))
    }

    mutating func requestBegan(_ id: ID) { if served[id] == .idleUnadmitted { served[id] = .busyUnadmitted } }

    mutating func answered(_ id: ID) { if served[id] == .busyUnadmitted { served[id] = .idleUnadmitted } }

    mutating func admitted(_ id: ID) { if served[id] != nil { served[id] = .client } }

    /// Removes a connection that was closed.
    ///
    /// - Returns: the held connection that is served from now on, if any.
    mutating func closed(_ id: ID) -> ID? {
        held.removeAll { $0 == id }
        served[id] = nil
        guard served.count < places, !held.isEmpty else { return nil }
        let next = held.removeFirst()
        served[next] = .idleUnadmitted
        return next
    }

    /// The unadmitted connection that is closed for a new one.
    private var victim: ID? {
        served.filter { $0.value == .idleUnadmitted }.keys.min()
            ?? served.filter { $0.value == .busyUnadmitted }.keys.min()
    }
}

/// The limits of a listener's connections: the number of connections, and the time that each phase may take.
public struct ConnectionLimits: Sendable {
    /// The maximum number of connections that are served at once; `nil` for no limit.
    ///
    /// When all places are taken, a new connection replaces the oldest one that has not sent an admitted request. If
    /// there is none, the new connection waits until another one is closed, and further ones wait in the kernel's
    /// queue.
    public var connections: Int? = 256
    /// The time for which a connection may stay without a request, as long as the guard has admitted none of its
    /// requests; `nil` for no limit.
    public var firstRequest: Duration? = .seconds(5)
    /// The time that a connection may spend without a request, or with an incomplete head; whole seconds, or `nil` for
    /// no limit.
    public var idle: Duration? = .seconds(30)
    /// The time that the body of a request may take, counted from its head; `nil` for no limit.
    public var body: Duration? = .seconds(30)
    /// The time for which a client may leave an answer unread before its connection is closed; `nil` for no limit.
    public var stall: Duration? = .seconds(20)

    /// Creates the default limits, for listeners to which other users of the machine can connect.
    public init() {}

    /// No limits, for sockets that only the owner's own processes can reach.
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

/// An event that a listener sends to the ``ConnectionKeeper`` through the pipeline of a connection.
enum ConnectionEvent: Sendable {
    /// The guard has admitted a request.
    case admitted
    /// The connection was held, and is served from now on.
    case served
}

/// The connections of one listener: the ``ConnectionTable``, protected by a lock, and the channels.
final class ConnectionRegister: Sendable {
    private struct State {
        var table: ConnectionTable
        var channels: [ConnectionTable.ID: any Channel] = [:]
    }

    private let state: Locked<State>

    init(places: Int) { state = Locked(State(table: ConnectionTable(places: places))) }

    /// Registers a new connection.
    ///
    /// - Returns: its identifier, and whether it is held until ``ConnectionEvent/served``.
    func opened(_ channel: any Channel) -> (id: ConnectionTable.ID, isHeld: Bool) {
        let (id, victim, isHeld) = state.withLock { state -> (ConnectionTable.ID, (any Channel)?, Bool) in
            let (id, opening) = state.table.opened()
            state.channels[id] = channel
            return switch opening {
            case .serve(let victim): (id, victim.flatMap { state.channels[$0] }, false)
            case .hold: (id, nil, true)
            }
        }
        victim?.close(promise: nil)
        return (id, isHeld)
    }

    func requestBegan(_ id: ConnectionTable.ID) { state.withLock { $0.table.requestBegan(id) } }
    func answered(_ id: ConnectionTable.ID) { state.withLock { $0.table.answered(id) } }
    func admitted(_ id: ConnectionTable.ID) { state.withLock { $0.table.admitted(id) } }

    func closed(_ id: ConnectionTable.ID) {
        let (channel, next) = state.withLock { state in
            (state.channels.removeValue(forKey: id), state.table.closed(id).flatMap { state.channels[$0] })
        }
        next?.pipeline.fireUserInboundEventTriggered(ConnectionEvent.served)
        _ = channel
    }

    fileprivate var accepts: Bool { state.withLock { $0.table.accepts } }
}

extension ConnectionRegister {
    /// The check that Hummingbird makes before it accepts a connection.
    ///
    /// The other methods do nothing, because each connection registers its own beginning and end.
    struct Acceptance: AvailableConnectionsDelegate {
        let register: ConnectionRegister
        mutating func connectionOpened() {}
        mutating func connectionClosed() {}
        func isAcceptingNewConnections() -> Bool { register.accepts }
    }
}
