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
