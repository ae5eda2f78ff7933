/// Which background tasks are open: the whole life of a host's background tasks as a pure state machine.
///
/// A background task is ended exactly once, whichever of `end`, expiry and deinit comes first; the others find it gone.
struct BackgroundTaskLedger<Payload> {
    struct BackgroundTaskID: Hashable, Sendable {
        fileprivate var number: Int
    }

    private enum State {
        /// Background tasks are granted.
        case granting
        /// The open background tasks were expired; nothing more is granted.
        case expired
        /// The app is about to end; nothing is open, nothing more is granted.
        case closed
    }

    private var state = State.granting
    private var nextNumber = 1
    private var open: [BackgroundTaskID: Payload] = [:]

    /// What is open, in the order in which it was begun.
    var openBackgroundTasks: [Payload] { open.sorted { $0.key.number < $1.key.number }.map(\.value) }

    enum BeginAction {
        case granted(BackgroundTaskID)
        /// Call the expiration handler instead.
        case refused
    }

    mutating func begin(_ payload: Payload) -> BeginAction {
        switch state {
        case .granting:
            let id = BackgroundTaskID(number: nextNumber)
            nextNumber += 1
            open[id] = payload
            return .granted(id)
        case .expired, .closed:
            return .refused
        }
    }

    enum EndAction: Equatable {
        case ended
        /// Nothing is open any more: notify the host.
        case endedLast
        case alreadyEnded
    }

    mutating func end(_ id: BackgroundTaskID) -> EndAction {
        guard open.removeValue(forKey: id) != nil else { return .alreadyEnded }
        return open.isEmpty ? .endedLast : .ended
    }

    /// The background tasks whose handlers are to be called, in the order in which they were begun; none the second
    /// time.
    mutating func expire() -> [(id: BackgroundTaskID, payload: Payload)] {
        switch state {
        case .granting:
            state = .expired
            return open.sorted { $0.key.number < $1.key.number }.map { (id: $0.key, payload: $0.value) }
        case .expired, .closed:
            return []
        }
    }

    /// Grants nothing more if nothing is open, in one step, so that no background task slips in between; says whether
    /// it did.
    mutating func closeIfIdle() -> Bool {
        guard open.isEmpty else { return false }
        state = .closed
        return true
    }

    /// The app came back to the foreground: background tasks are granted again.
    mutating func reopen() {
        state = .granting
    }
}
