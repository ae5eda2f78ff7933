import ApusTimers
import HummingbirdCore
import NIOCore

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
