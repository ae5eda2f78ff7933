/// Which claims are open: the whole life of a host's background tasks as a pure state machine.
///
/// A claim is ended exactly once, whichever of `end`, expiry and deinit comes first; the others find it gone.
struct BackgroundTaskLedger<Payload> {
    struct ClaimID: Hashable, Sendable {
        fileprivate var number: Int
    }

    private enum State {
        /// Claims are granted.
        case granting
        /// The open claims were told to wind up; nothing more is granted.
        case expired
        /// The app is about to end; nothing is open, nothing more is granted.
        case closed
    }

    private var state = State.granting
    private var nextNumber = 1
    private var open: [ClaimID: Payload] = [:]

    /// What is open, in the order in which it was begun.
    var openClaims: [Payload] { open.sorted { $0.key.number < $1.key.number }.map(\.value) }

    enum BeginAction {
        case granted(ClaimID)
        /// Call the expiration handler instead.
        case refused
    }

    mutating func begin(_ payload: Payload) -> BeginAction {
        switch state {
        case .granting:
            let id = ClaimID(number: nextNumber)
            nextNumber += 1
            open[id] = payload
            return .granted(id)
        case .expired, .closed:
            return .refused
        }
    }

    enum EndAction: Equatable {
        case ended
        /// Nothing is open any more: tell the host.
        case endedLast
        case alreadyEnded
    }

    mutating func end(_ id: ClaimID) -> EndAction {
        guard open.removeValue(forKey: id) != nil else { return .alreadyEnded }
        return open.isEmpty ? .endedLast : .ended
    }

    /// The claims whose handlers are to be called, in the order in which they were begun; none the second time.
    mutating func expire() -> [(id: ClaimID, payload: Payload)] {
        switch state {
        case .granting:
            state = .expired
            return open.sorted { $0.key.number < $1.key.number }.map { (id: $0.key, payload: $0.value) }
        case .expired, .closed:
            return []
        }
    }

    /// Grants nothing more if nothing is open, in one step, so that no claim slips in between; says whether it did.
    mutating func closeIfIdle() -> Bool {
        guard open.isEmpty else { return false }
        state = .closed
        return true
    }

    /// The app came back to the foreground: claims are granted again.
    mutating func reopen() {
        state = .granting
    }
}
