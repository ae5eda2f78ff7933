public import ApusBackground
import ApusTimers

/// One run of a background job in the form that `BGTask` has it: with an expiration handler and a completion.
///
/// All members may be used from any thread. When the process has ended, nothing here has an effect.
public final class SimulatedTask: Sendable {
    /// Called on the main loop.
    package typealias ExpirationHandler = @MainActor @Sendable () -> Void

    private struct State {
        var machine: SimulatedTaskMachine
        var title: String
        var subtitle: String
    }

    /// What is carried out.
    public let request: BackgroundJobRequest
    /// Which of the scheduler's runs this is.
    package let number: Int
    /// When it began, in nanoseconds of uptime.
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

    /// The identifier of the request; that under which the handler was registered.
    public var identifier: String { request.identifier }

    /// Called on the main loop shortly before the time is over, when the user cancels continued work, or when the system
    /// needs the device for something else: these cannot be distinguished (Apple DTS,
    /// developer.apple.com/forums/thread/818623). The run has to be completed within
    /// ``SystemPolicy/Jobs/windUpTime``.
    ///
    /// Without one, an expired run is completed without success, with a warning in the device's log. It is released when
    /// it was called and when the run is completed.
    package var expirationHandler: ExpirationHandler? {
        get { state.withLock { $0.machine.handler } }
        set {
            // Released outside the lock: what it captured may do anything when it goes.
            let old = state.withLock { $0.machine.setHandler(newValue) }
            withExtendedLifetime(old) {}
        }
    }

    /// Ends the run. The app may be suspended right after its last one; `false` does not bring the job again. The second
    /// time it is a warning in the device's log.
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
                system.warn("the background job \(identifier) was completed before")
            }
        case .ignore: break
        }
    }

    /// How far the work is, in units. All of it, (0, 0), before the first report.
    public var progress: (completed: Int64, total: Int64) {
        state.withLock { ($0.machine.completedUnits, $0.machine.totalUnits) }
    }

    /// Says how far the work is. Continued work that does not come forward for ``SystemPolicy/Jobs/progressStall``
    /// expires; other work need not report.
    ///
    /// - Parameters:
    ///   - completed: Units that are done; brought into 0...total.
    ///   - total: Units that there are; at least 1.
    package func report(completed: Int64, of total: Int64) {
        let now = system.now.uptime.nanoseconds
        state.withLock { $0.machine.report(completed: completed, total: total, now: now) }
        system.runs.deadlinesChanged()
    }

    /// What the user reads; empty but for continued work.
    public var title: String { state.withLock { $0.title } }
    /// What the user reads below it; empty but for continued work.
    public var subtitle: String { state.withLock { $0.subtitle } }

    /// Changes what the user reads of continued work; other jobs show nothing.
    package func updateTitle(_ title: String, subtitle: String) {
        guard case .continued = request.kind else { return }
        state.withLock { state in
            guard !state.machine.isOver else { return }
            (state.title, state.subtitle) = (title, subtitle)
        }
    }

    /// How much longer the run may take, on the uptime clock; `nil` when nothing limits it, as with continued work.
    public var timeRemaining: Duration? {
        let now = system.now.uptime.nanoseconds
        return end.map { .nanoseconds(Int64(clamping: $0 > now ? $0 - now : 0)) }
    }

    // MARK: What the system does

    /// When it has to be over at the latest, in nanoseconds of uptime; nil when nothing limits it.
    var end: UInt64? { state.withLock { $0.machine.end } }
    /// When something happens to it if it does nothing.
    var nextInstant: UInt64? { state.withLock { $0.machine.nextInstant } }
    /// What the time that has passed means for it.
    func pass(now: UInt64) -> SimulatedTaskMachine.PassAction { state.withLock { $0.machine.pass(now: now) } }

    /// Gives it to the app, once, when the process has arrived where it was going. The launch handler is called on the
    /// main loop.
    @MainActor
    func handOver() {
        guard let mainLoop = system.surroundings.mainLoop(), state.withLock({ $0.machine.handOver() }) else { return }
        mainLoop.run { [self] in
            let now = system.now.uptime.nanoseconds
            guard state.withLock({ $0.machine.begin(now: now) }) else { return }
            guard let handler = system.launchHandler(identifier) else {
                system.warn("there is no launch handler for \(identifier)")
                abandon()
                return system.end(self, .noHandler)
            }
            system.runs.changed()
            handler(self)
        }
    }

    /// Its time is over, or it is cancelled: its handler is called on the main loop, or it has failed.
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
            system.warn("the background job \(identifier) was not completed in time, and has no expiration handler")
            system.end(self, .expired)
        case .ignore: break
        }
    }

    /// Its process ends, without a word to the app.
    ///
    /// - Parameters:
    ///   - event: What the device's log says.
    ///   - why: What the run's record says.
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
