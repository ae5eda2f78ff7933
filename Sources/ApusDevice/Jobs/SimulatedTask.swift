public import ApusBackground
import ApusTimers

/// One run of a background job in the form of a `BGTask`, with an expiration handler and a completion.
///
/// All members may be used from any thread. They have no effect when the process has ended.
public final class SimulatedTask: Sendable {
    /// A closure that is called on the main loop.
    package typealias ExpirationHandler = @MainActor @Sendable () -> Void

    private struct State {
        var machine: SimulatedTaskMachine
        var title: String
        var subtitle: String
    }

    /// The request that the run carries out.
    public let request: BackgroundJobRequest
    /// The number that identifies the run within the scheduler.
    package let number: Int
    /// The beginning of the run, in nanoseconds of uptime.
    let launched: UInt64

    private let state: Locked<State>
    private let system: JobSystem

    init(
        _ request: BackgroundJobRequest, number: Int, limits: SimulatedTaskMachine.Limits, launched: UInt64,
        system: JobSystem
    ) {
        self.request = request
        self.number = number
        self.launched = launched
        self.system = system
        let shown: ContinuedJob? = if case .continued(let job) = request.kind { job } else { nil }
        state = Locked(
            State(
                machine: SimulatedTaskMachine(limits: limits), title: shown?.title ?? "",
                subtitle: shown?.subtitle ?? ""))
    }

    /// The identifier of the request, under which the handler was registered.
    public var identifier: String { request.identifier }

    /// Called on the main loop when the run must end; the handler is released then, or when the run is completed.
    ///
    /// It is called shortly before the time is over, when the user cancels continued work, or when the system needs the
    /// device for something else; an app cannot distinguish these (Apple DTS,
    /// developer.apple.com/forums/thread/818623). The run must be completed within ``SystemPolicy/Jobs/windUpTime``.
    ///
    /// Without a handler, an expired run is completed without success, and the device's log gets a warning.
    package var expirationHandler: ExpirationHandler? {
        get { state.withLock { $0.machine.handler } }
        set {
            // The old handler is released outside the lock, because the deinitializers of its captured values may run
            // any code.
            let old = state.withLock { $0.machine.setHandler(newValue) }
            withExtendedLifetime(old) {}
        }
    }

    /// Ends the run; if no other run is in progress, the app may be suspended at once.
    ///
    /// The job is not repeated if `success` is false. A second call only logs a warning.
    package func setCompleted(success: Bool) {
        switch state.withLock({ $0.machine.complete() }) {
        case .report(let isExpired, let handler):
            if !system.surroundings.isAppDead() {
                system.log(.app, identifier, .completed(success: success))
                system.end(self, isExpired ? .expired : success ? .succeeded : .failed)
            }
            withExtendedLifetime(handler) {}
        case .warn:
            if !system.surroundings.isAppDead() {
                system.warn("the background job \(identifier) was already completed; complete it once")
            }
        case .ignore: break
        }
    }

    /// The completed and the total units of the work; (0, 0) before the first report.
    public var progress: (completed: Int64, total: Int64) {
        state.withLock { ($0.machine.completedUnits, $0.machine.totalUnits) }
    }

    /// Reports the progress of the work.
    ///
    /// Continued work without progress for ``SystemPolicy/Jobs/progressStall`` expires; other jobs need not report.
    ///
    /// - Parameters:
    ///   - completed: The number of completed units, which is clamped to 0...total.
    ///   - total: The number of all units; at least 1.
    package func report(completed: Int64, of total: Int64) {
        let now = system.now.uptime.nanoseconds
        state.withLock { $0.machine.report(completed: completed, total: total, now: now) }
        system.runs.deadlinesChanged()
    }

    /// The title that the user sees; empty except for continued work.
    public var title: String { state.withLock { $0.title } }
    /// The line that the user sees below the title; empty except for continued work.
    public var subtitle: String { state.withLock { $0.subtitle } }

    /// Changes the texts that the user sees for continued work; other jobs show none.
    package func updateTitle(_ title: String, subtitle: String) {
        guard case .continued = request.kind else { return }
        state.withLock { state in
            guard !state.machine.isOver else { return }
            (state.title, state.subtitle) = (title, subtitle)
        }
    }

    /// The remaining time of the run, on the uptime clock; `nil` if nothing limits it, as with continued work.
    public var timeRemaining: Duration? {
        let now = system.now.uptime.nanoseconds
        return end.map { .nanoseconds(Int64(clamping: $0 > now ? $0 - now : 0)) }
    }

    // MARK: Calls of the system

    /// The instant by which the run must be completed, in nanoseconds of uptime; `nil` if nothing limits it.
    var end: UInt64? { state.withLock { $0.machine.end } }
    /// The next instant at which the run expires or is overdue, in nanoseconds of uptime.
    var nextInstant: UInt64? { state.withLock { $0.machine.nextInstant } }
    /// Returns whether the run must expire now, whether it is overdue, or whether nothing is to be done.
    func pass(now: UInt64) -> SimulatedTaskMachine.PassAction { state.withLock { $0.machine.pass(now: now) } }

    /// Passes the run to the app, unless the app already has it: calls the launch handler on the main loop.
    ///
    /// It must not be called while the process is still entering a phase, such as at its launch.
    @MainActor
    func handOver() {
        guard let mainLoop = system.surroundings.mainLoop(), state.withLock({ $0.machine.handOver() }) else { return }
        mainLoop.run { [self] in
            let now = system.now.uptime.nanoseconds
            guard state.withLock({ $0.machine.begin(now: now) }) else { return }
            guard let handler = system.launchHandler(identifier) else {
                system.warn("there is no launch handler for \(identifier); register one in every launch")
                abandon()
                return system.end(self, .noHandler)
            }
            system.runs.changed()
            handler(self)
        }
    }

    /// Expires the run by calling its expiration handler on the main loop; a run without a handler ends at once.
    @MainActor
    func expire() {
        guard !system.surroundings.isAppDead() else { return }
        let now = system.now.uptime.nanoseconds
        switch state.withLock({ $0.machine.expire(now: now) }) {
        case .call:
            system.log(.system, identifier, .expired)
            system.surroundings.mainLoop()?.run { [self] in state.withLock { $0.machine.takeHandler() }?() }
            system.runs.changed()
        case .fail:
            system.log(.system, identifier, .expired)
            system.warn(
                "the background job \(identifier) was not completed in time, and has no expiration handler; set one")
            system.end(self, .expired)
        case .ignore: break
        }
    }

    /// Ends the run without notifying the app, because the run's process ends.
    ///
    /// - Parameters:
    ///   - event: The text in the device's log.
    ///   - why: The reason in the run's record.
    func kill(_ event: String, why: String) {
        abandon()
        system.log(.system, identifier, .ended(event))
        system.end(self, .killed(why))
    }

    func abandon() {
        let handler = state.withLock { $0.machine.abandon() }
        withExtendedLifetime(handler) {}
    }
}

/// The life of one run of a background job on the device: a pure state machine.
///
/// Instants are nanoseconds of uptime.
///
/// A run first waits for its process, and then runs. When its time is over, it is notified once; from then on, it must
/// be completed within ``Limits/windUp``. A run without an expiration handler is not notified, and fails (Apple,
/// documentation/backgroundtasks/bgtask/expirationhandler).
struct SimulatedTaskMachine {
    typealias Handler = @MainActor @Sendable () -> Void

    struct Limits {
        /// The longest time of the run; `nil` if nothing limits it.
        var limit: UInt64?
        /// The longest time from the call of the expiration handler to the completion of the run.
        var windUp: UInt64
        /// The longest time without progress; `nil` if the run need not report any.
        var stall: UInt64?
    }

    private enum Stage {
        case waiting
        /// The call of the launch handler is on its way to the main loop.
        case handedOver
        case running(since: UInt64)
        /// The run was notified of its end, or is about to be, and must be completed by this instant.
        case expiring(end: UInt64)
        case completed
        /// The run has ended without the app, because its process or the device is gone, or there is no launch handler.
        case abandoned
    }

    let limits: Limits
    private(set) var handler: Handler?
    private(set) var completedUnits: Int64 = 0
    private(set) var totalUnits: Int64 = 0
    private var progressedAt: UInt64 = 0
    private var stage = Stage.waiting

    init(limits: Limits) { self.limits = limits }

    // MARK: State

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

    /// The instant by which the run must be completed; `nil` if nothing limits it.
    var end: UInt64? {
        switch stage {
        case .running(let since): limits.limit.map { since + $0 }
        case .expiring(let end): end
        case .waiting, .handedOver, .completed, .abandoned: nil
        }
    }

    /// The next instant at which the run expires or is overdue.
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

    /// Notes that the run is passed to the app; returns false if it was passed before, or if it is over.
    mutating func handOver() -> Bool {
        guard case .waiting = stage else { return false }
        stage = .handedOver
        return true
    }

    /// Begins the run, whose launch handler is about to be called; returns false if the run is over.
    mutating func begin(now: UInt64) -> Bool {
        guard case .handedOver = stage else { return false }
        stage = .running(since: now)
        progressedAt = now
        return true
    }

    // MARK: Ending

    enum ExpireAction {
        /// Call the handler on the main loop.
        case call
        /// End the run as failed, because it has no handler.
        case fail
        case ignore
    }

    /// Expires the run, because its time is over or it was cancelled.
    mutating func expire(now: UInt64) -> ExpireAction {
        guard case .running(let since) = stage else { return .ignore }
        guard handler != nil else {
            stage = .completed
            return .fail
        }
        stage = .expiring(end: min(now + limits.windUp, limits.limit.map { since + $0 } ?? .max))
        return .call
    }

    /// Returns the handler of an expired run, and removes it, so that it is called only once.
    mutating func takeHandler() -> Handler? {
        switch stage {
        case .expiring: handler.take()
        case .waiting, .handedOver, .running, .completed, .abandoned: nil
        }
    }

    enum PassAction {
        /// Expire the run, because its time is nearly over or it has made no progress for too long.
        case expire
        /// End the process, because the run was not completed in time.
        case overdue
        case nothing
    }

    /// Returns whether the run must expire now, whether it is overdue, or whether nothing is to be done.
    func pass(now: UInt64) -> PassAction {
        guard let nextInstant, nextInstant <= now else { return .nothing }
        // If the main loop was busy until `end`, the run is overdue although its handler could not be called.
        if let end, end <= now { return handler == nil && !isExpiring ? .expire : .overdue }
        return .expire
    }

    enum CompleteAction {
        /// Report the completion to the system, and release the handler.
        case report(isExpired: Bool, Handler?)
        /// Log a warning, because the app has already completed the run.
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

    /// Ends the run without the app, and returns the handler so that the caller can release it.
    mutating func abandon() -> Handler? {
        if !isOver { stage = .abandoned }
        return handler.take()
    }

    // MARK: Calls of the app

    /// Sets the handler, and returns the handler to release: the earlier one, or this one if it comes too late.
    mutating func setHandler(_ new: Handler?) -> Handler? {
        switch stage {
        case .waiting, .handedOver, .running:
            let old = handler
            handler = new
            return old
        case .expiring where handler != nil:
            // The call of the expiration handler is on its way to the main loop, and uses the handler that was set
            // last.
            let old = handler
            handler = new
            return old
        case .expiring, .completed, .abandoned: return new
        }
    }

    /// Sets the completed and the total units; only an increase of the completed share counts as progress.
    mutating func report(completed: Int64, total: Int64, now: UInt64) {
        let total = max(1, total)
        let completed = min(total, max(0, completed))
        // This compares the shares without division: completed / total > completedUnits / totalUnits.
        let isForward =
            totalUnits == 0
            ? completed > 0
            : completed.multipliedFullWidth(by: totalUnits) > completedUnits.multipliedFullWidth(by: total)
        if isForward { progressedAt = now }
        (completedUnits, totalUnits) = (completed, total)
    }
}
