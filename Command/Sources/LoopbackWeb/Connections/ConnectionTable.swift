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
