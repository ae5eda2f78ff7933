/// The life of one run of a background job on the device, as a pure state machine. Instants are nanoseconds of uptime.
///
/// A run waits for its process, runs, and is notified once that its time is over; then it has a while to be completed.
/// One that has no expiration handler is not notified: it has failed (Apple, documentation/backgroundtasks/bgtask/
/// expirationhandler).
struct SimulatedTaskMachine {
    typealias Handler = @MainActor @Sendable () -> Void

    struct Limits {
        /// How long it may run; nil when nothing limits it.
        var limit: UInt64?
        /// How long it has from its expiration handler to its completion.
        var windUp: UInt64
        /// How long it may run without progress; nil when it need not make any.
        var stall: UInt64?
    }

    private enum Stage {
        case waiting
        /// Its handler is on the way to the main loop.
        case handedOver
        case running(since: UInt64)
        /// It was notified, or is about to be, and has to be completed by then.
        case expiring(end: UInt64)
        case completed
        /// Its process has ended.
        case abandoned
    }

    let limits: Limits
    private(set) var handler: Handler?
    private(set) var completedUnits: Int64 = 0
    private(set) var totalUnits: Int64 = 0
    private var progressedAt: UInt64 = 0
    private var stage = Stage.waiting

    init(limits: Limits) { self.limits = limits }

    // MARK: What it does

    var isOver: Bool {
        switch stage {
        case .waiting, .handedOver, .running, .expiring: false
        case .completed, .abandoned: true
        }
    }

    var isExpiring: Bool {
        switch stage {
        case .expiring: true
        case .waiting, .handedOver, .running, .completed, .abandoned: false
        }
    }

    /// When it has to be over at the latest; nil when nothing limits it.
    var end: UInt64? {
        switch stage {
        case .running(let since): limits.limit.map { since + $0 }
        case .expiring(let end): end
        case .waiting, .handedOver, .completed, .abandoned: nil
        }
    }

    /// When something happens to it if it does nothing.
    var nextInstant: UInt64? {
        switch stage {
        case .running(let since):
            [
                limits.limit.map { since + ($0 > limits.windUp ? $0 - limits.windUp : 0) },
                limits.stall.map { progressedAt + $0 },
            ].compactMap(\.self).min()
        case .expiring(let end): end
        case .waiting, .handedOver, .completed, .abandoned: nil
        }
    }

    // MARK: Beginning

    /// True the first time.
    mutating func handOver() -> Bool {
        guard case .waiting = stage else { return false }
        stage = .handedOver
        return true
    }

    /// Its launch handler is about to be called. False when it is over already.
    mutating func begin(now: UInt64) -> Bool {
        guard case .handedOver = stage else { return false }
        stage = .running(since: now)
        progressedAt = now
        return true
    }

    // MARK: Ending

    enum ExpireAction {
        /// Call the handler, on the main loop.
        case call
        /// No handler to call: it has failed. Release the handler.
        case fail
        case ignore
    }

    /// Its time is over, or it was cancelled.
    mutating func expire(now: UInt64) -> ExpireAction {
        guard case .running(let since) = stage else { return .ignore }
        guard handler != nil else {
            stage = .completed
            return .fail
        }
        stage = .expiring(end: min(now + limits.windUp, limits.limit.map { since + $0 } ?? .max))
        return .call
    }

    /// The handler of an expired run, once.
    mutating func takeHandler() -> Handler? {
        switch stage {
        case .expiring: handler.take()
        case .waiting, .handedOver, .running, .completed, .abandoned: nil
        }
    }

    enum PassAction {
        /// Its time is nearly over.
        case expire
        /// It was not completed in time.
        case overdue
        case nothing
    }

    /// Time has passed.
    func pass(now: UInt64) -> PassAction {
        guard let nextInstant, nextInstant <= now else { return .nothing }
        // The main loop may have been busy for so long that no handler could be called.
        if let end, end <= now { return handler == nil && !isExpiring ? .expire : .overdue }
        return .expire
    }

    enum CompleteAction {
        /// Report to the system, and release the handler.
        case report(isExpired: Bool, Handler?)
        /// The app is mistaken.
        case warn
        case ignore
    }

    mutating func complete() -> CompleteAction {
        switch stage {
        case .waiting, .handedOver, .running:
            stage = .completed
            return .report(isExpired: false, handler.take())
        case .expiring:
            stage = .completed
            return .report(isExpired: true, handler.take())
        case .completed: return .warn
        case .abandoned: return .ignore
        }
    }

    /// Its process has ended. Returns the handler, to release it.
    mutating func abandon() -> Handler? {
        if !isOver { stage = .abandoned }
        return handler.take()
    }

    // MARK: What the app says

    /// Gives the handler that is not needed any more.
    mutating func setHandler(_ new: Handler?) -> Handler? {
        switch stage {
        case .waiting, .handedOver, .running:
            let old = handler
            handler = new
            return old
        case .expiring where handler != nil:
            // Its call is on the way: the last one that was set counts.
            let old = handler
            handler = new
            return old
        case .expiring, .completed, .abandoned: return new
        }
    }

    /// Units that are done. Only what brings the work forward counts as progress.
    mutating func report(completed: Int64, total: Int64, now: UInt64) {
        let total = max(1, total)
        let completed = min(total, max(0, completed))
        // Compared without division: completed / total > completedUnits / totalUnits.
        let isForward =
            totalUnits == 0
            ? completed > 0
            : completed.multipliedFullWidth(by: totalUnits) > completedUnits.multipliedFullWidth(by: total)
        if isForward { progressedAt = now }
        (completedUnits, totalUnits) = (completed, total)
    }
}
