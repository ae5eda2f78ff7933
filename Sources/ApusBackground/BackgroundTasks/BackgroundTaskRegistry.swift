import ApusTimers
public import Logging

/// Keeps a host's background tasks. For those who implement a ``BackgroundHost``.
///
/// Handlers run outside the lock: expiration handlers on the main actor, `whenIdle` on the thread that ended the last
/// background task.
public final class BackgroundTaskRegistry: Sendable {
    typealias BackgroundTaskID = BackgroundTaskLedger<BackgroundTaskRequest>.BackgroundTaskID

    private let logger: Logger
    private let ledger = Locked(BackgroundTaskLedger<BackgroundTaskRequest>())
    private let mainLoop: any MainLoop
    private let whenIdle: @Sendable () -> Void

    /// A registry without background tasks.
    ///
    /// - Parameters:
    ///   - logger: Where faults are reported.
    ///   - mainLoop: Where expiration handlers are called.
    ///   - whenIdle: Called whenever the last open background task was ended. Another caller may have begun one since.
    public init(
        logger: Logger = Logger(label: "apus.background"),
        mainLoop: any MainLoop = SystemMainLoop(),
        whenIdle: @escaping @Sendable () -> Void = {}
    ) {
        self.logger = logger
        self.mainLoop = mainLoop
        self.whenIdle = whenIdle
    }

    /// The names of the open background tasks, in the order in which they were begun.
    public var openNames: [String] { ledger.withLock { $0.openBackgroundTasks.map(\.name) } }

    /// Begins a background task.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The background task.
    /// - Throws: ``BackgroundError`` with the code `tooLate` after expiry; the handler is called then too.
    public func begin(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        switch ledger.withLock({ $0.begin(request) }) {
        case .granted(let id):
            return BackgroundTask(request, logger: logger) { [self] in end(id) }
        case .refused:
            mainLoop.run(request.onExpiration)
            throw BackgroundError(
                code: .tooLate,
                message: "“\(request.name)” asked for time in the background when it was over; begin the task earlier")
        }
    }

    /// Calls the handler of every open background task, once, in one pass on the main loop. A background task ends when
    /// its handler returns, unless its request wants to end it itself. Grants nothing more until ``reopen()``.
    public func expireAll() {
        let expired = ledger.withLock { $0.expire() }
        for (id, request) in expired {
            mainLoop.run { [self] in
                request.onExpiration()
                if request.endsOnExpiration { end(id) }
            }
        }
    }

    /// Grants nothing more if nothing is open, in one step. `false` when something is open.
    public func closeIfIdle() -> Bool {
        ledger.withLock { $0.closeIfIdle() }
    }

    /// Grants background tasks again, after a return to the foreground.
    public func reopen() {
        ledger.withLock { $0.reopen() }
    }

    /// Ends a background task; `false` if it had been ended before.
    @discardableResult
    func end(_ id: BackgroundTaskID) -> Bool {
        switch ledger.withLock({ $0.end(id) }) {
        case .ended:
            return true
        case .endedLast:
            whenIdle()
            return true
        case .alreadyEnded:
            return false
        }
    }
}

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
