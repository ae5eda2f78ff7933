import ApusTimers
public import Logging

/// Manages the background tasks of a host, for implementations of a ``BackgroundHost``.
///
/// Closures are called outside the lock: expiration handlers on the main actor, `whenIdle` on the thread that ended the
/// last background task.
public final class BackgroundTaskRegistry: Sendable {
    typealias BackgroundTaskID = BackgroundTaskLedger<BackgroundTaskRequest>.BackgroundTaskID

    private let logger: Logger
    private let ledger = Locked(BackgroundTaskLedger<BackgroundTaskRequest>())
    private let mainLoop: any MainLoop
    private let whenIdle: @Sendable () -> Void

    /// Creates a registry without background tasks.
    ///
    /// - Parameters:
    ///   - logger: Receives an error for each background task that is released before it was ended.
    ///   - mainLoop: Calls the expiration handlers.
    ///   - whenIdle: Called whenever the last open background task has ended. Another one may have begun since.
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
    /// - Parameter request: The name, the calling place and the expiration handler.
    /// - Returns: The background task.
    /// - Throws: ``BackgroundError`` with the code `tooLate` while background tasks are refused; the handler is then
    ///   called too.
    public func begin(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        switch ledger.withLock({ $0.begin(request) }) {
        case .granted(let id):
            return BackgroundTask(request, logger: logger) { [self] in end(id) }
        case .refused:
            mainLoop.run(request.onExpiration)
            throw BackgroundError(
                code: .tooLate,
                message:
                    "“\(request.name)” asked for time in the background after that time was over; begin the task earlier"
            )
        }
    }

    /// Calls the expiration handler of every open background task on the main loop, and refuses further background
    /// tasks until ``reopen()``.
    ///
    /// The handlers are called once each, in one pass. A background task ends when its handler returns, unless
    /// `endsOnExpiration` of its request is false.
    public func expireAll() {
        let expired = ledger.withLock { $0.expire() }
        for (id, request) in expired {
            mainLoop.run { [self] in
                request.onExpiration()
                if request.endsOnExpiration { end(id) }
            }
        }
    }

    /// Checks that no background task is open, and then refuses new ones, in one step.
    ///
    /// - Returns: `false` if a background task is open; nothing has then changed.
    public func closeIfIdle() -> Bool {
        ledger.withLock { $0.closeIfIdle() }
    }

    /// Grants background tasks again, after a return to the foreground.
    public func reopen() {
        ledger.withLock { $0.reopen() }
    }

    /// Ends a background task; returns `false` if it had already ended.
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

/// The life of all background tasks of a host as a pure state machine.
///
/// A background task is ended exactly once, by the first of `end`, expiration and deinit; the others have no effect.
struct BackgroundTaskLedger<Payload> {
    struct BackgroundTaskID: Hashable, Sendable {
        fileprivate var number: Int
    }

    private enum State {
        /// Background tasks are granted.
        case granting
        /// The open background tasks have expired, and new ones are refused.
        case expired
        /// The app is about to end: no background task is open, and new ones are refused.
        case closed
    }

    private var state = State.granting
    private var nextNumber = 1
    private var open: [BackgroundTaskID: Payload] = [:]

    /// The open background tasks, in the order in which they were begun.
    var openBackgroundTasks: [Payload] { open.sorted { $0.key.number < $1.key.number }.map(\.value) }

    enum BeginAction {
        case granted(BackgroundTaskID)
        /// No background task has begun, and the caller must call the expiration handler.
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
        /// No background task is open any more, so the caller must notify the host.
        case endedLast
        case alreadyEnded
    }

    mutating func end(_ id: BackgroundTaskID) -> EndAction {
        guard open.removeValue(forKey: id) != nil else { return .alreadyEnded }
        return open.isEmpty ? .endedLast : .ended
    }

    /// Returns the background tasks whose handlers must be called, in the order in which they were begun; none if they
    /// have already expired.
    mutating func expire() -> [(id: BackgroundTaskID, payload: Payload)] {
        switch state {
        case .granting:
            state = .expired
            return open.sorted { $0.key.number < $1.key.number }.map { (id: $0.key, payload: $0.value) }
        case .expired, .closed:
            return []
        }
    }

    /// Refuses new background tasks if none is open, and returns whether it did.
    ///
    /// The check and the change are one step, so no background task can begin between them.
    mutating func closeIfIdle() -> Bool {
        guard open.isEmpty else { return false }
        state = .closed
        return true
    }

    /// Grants background tasks again, after the app's return to the foreground.
    mutating func reopen() {
        state = .granting
    }
}
