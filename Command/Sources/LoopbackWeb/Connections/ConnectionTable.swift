import ApusTimers
import HummingbirdCore
import NIOCore

/// Which connections a listener serves, and which one it closes for another.
///
/// A connection is *unadmitted* until the guard has admitted a request of it. When all places are taken, the oldest
/// unadmitted connection without a request in progress is closed for the new one. So connections that are only kept open
/// cannot keep a client with the token out. When all places belong to admitted clients, a new connection is *held*: it is
/// not read until a place is free.
///
/// ```
/// opened ──► unadmitted ──admitted──► client ──closed──► (free: the oldest held one becomes unadmitted)
///    │           └──evicted for a newer connection──► closed
///    └──no place──► held ──place──► unadmitted
/// ```
struct ConnectionTable {
    /// A connection; later ones are greater.
    struct ID: Hashable, Comparable {
        fileprivate var number: UInt64
        static func < (a: ID, b: ID) -> Bool { a.number < b.number }
    }

    /// What is done with a new connection.
    enum Opening: Equatable {
        /// It is served, and the other one is closed for it, if any.
        case serve(closing: ID?)
        /// It waits until ``ConnectionTable/closed(_:)`` returns it.
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
    /// Oldest first.
    private var held: [ID] = []

    /// - Parameter places: how many connections are served at once, from 1.
    init(places: Int) { self.places = places }

    /// Whether another connection may be accepted. It changes from `false` to `true` only when a connection is closed.
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

    /// - Returns: the held connection that is served from now on, if any.
    mutating func closed(_ id: ID) -> ID? {
        held.removeAll { $0 == id }
        served[id] = nil
        guard served.count < places, !held.isEmpty else { return nil }
        let next = held.removeFirst()
        served[next] = .idleUnadmitted
        return next
    }

    /// The unadmitted connection that is closed for another connection.
    private var victim: ID? {
        served.filter { $0.value == .idleUnadmitted }.keys.min()
            ?? served.filter { $0.value == .busyUnadmitted }.keys.min()
    }
}

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

/// What a listener says to the ``ConnectionKeeper`` of a connection, as an event of its pipeline.
enum ConnectionEvent: Sendable {
    /// The guard has admitted a request.
    case admitted
    /// The connection was held, and is served from now on.
    case served
}

/// The connections of one listener: the ``ConnectionTable`` with its lock, and the channels that it decides about.
final class ConnectionRegister: Sendable {
    private struct State {
        var table: ConnectionTable
        var channels: [ConnectionTable.ID: any Channel] = [:]
    }

    private let state: Locked<State>

    init(places: Int) { state = Locked(State(table: ConnectionTable(places: places))) }

    /// - Returns: the new connection, and whether it is held until ``ConnectionEvent/served``.
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
    /// Lets Hummingbird ask before it accepts; what is opened and closed, the connections say themselves.
    struct Acceptance: AvailableConnectionsDelegate {
        let register: ConnectionRegister
        mutating func connectionOpened() {}
        mutating func connectionClosed() {}
        func isAcceptingNewConnections() -> Bool { register.accepts }
    }
}
