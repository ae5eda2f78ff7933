import ApusBackground
import ApusTimers

/// The `URLSession` transfers of an app on a simulated phone, in virtual time and without a network.
///
/// The downloads and uploads of a background session continue while the app is suspended or has no process; the tasks
/// of an ordinary session do not. The test is the server:
///
/// ```swift
/// device.transfers.serve { request in
///     request.url.hasSuffix("map.zip") ? .file(bytes: 50_000_000, bytesPerSecond: 500_000) : .failure(.cannotFindHost)
/// }
/// ```
///
/// Apple, documentation/foundation/downloading-files-in-the-background. Requests for credentials, redirections and
/// resume data are not simulated.
public final class SimulatedTransfers: Sendable {
    /// A closure that is called with a session's events.
    package typealias EventHandler = @MainActor @Sendable (TransferEvent) -> Void
    /// A closure that is called with a notice; when the app has handled it, the notice's number is passed to
    /// ``complete(_:)``.
    package typealias NoticeHandler = @MainActor @Sendable (TransferNotice) -> Void

    private struct State {
        var machine: TransferMachine
        var server: (@MainActor @Sendable (TransferRequest) -> TransferReply)?
        var handlers: [String: EventHandler] = [:]
        var noticeHandler: NoticeHandler?
        var timers: [ScheduledTimer] = []
        /// The sessions whose events are about to be passed to the app.
        var delivering: Set<String> = []
        var isReviewAsked = false
    }

    private let surroundings: PartSurroundings
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        state = Locked(State(machine: TransferMachine(firstDelay: surroundings.policy.firstTransferDelay)))
    }

    // MARK: The test

    /// Sets the server, which answers the transfers that begin from now on.
    ///
    /// Without a server, every transfer fails with ``TransferFailure/cannotFindHost``, and the log has a warning.
    ///
    /// - Parameter answer: Called on the main actor when a transfer begins, once for each transfer.
    public func serve(_ answer: @escaping @MainActor @Sendable (TransferRequest) -> TransferReply) {
        state.exchange(\.server, with: answer)
    }

    // MARK: The app

    /// Sets the handler for a session's events on the main loop; returns false if the process had the session already.
    ///
    /// The handler replaces the earlier one, and is released when the app's process ends.
    package func open(_ session: String, _ settings: TransferSettings, _ handler: @escaping EventHandler) -> Bool {
        guard !surroundings.isAppDead() else { return true }
        let (isFirst, old) = state.withLock { state in
            defer { state.handlers[session] = handler }
            return (state.machine.open(session, settings), state.handlers[session])
        }
        withExtendedLifetime(old) { reviewSoon() }
        return isFirst
    }

    /// Invalidates a session, which ends when its last task has ended.
    ///
    /// With `cancelsTasks`, all tasks that have not ended are cancelled now.
    package func invalidate(_ session: String, cancelsTasks: Bool) {
        guard !surroundings.isAppDead() else { return }
        state.withLock { $0.machine.invalidate(session, cancelsTasks: cancelsTasks) }
        reviewSoon()
    }

    /// Adds a task to a session; the task does not begin until it is resumed.
    package func add(_ request: TransferRequest, to session: String) -> TransferRecord {
        if surroundings.isAppDead() { return TransferRecord(0, request) }
        return state.withLock { $0.machine.add(request, to: session) }
    }

    package func change(_ number: Int, of session: String, _ change: TransferChange) {
        guard !surroundings.isAppDead() else { return }
        let (now, scene) = (now, surroundings.scene)
        let key = TransferMachine.Key(session: session, number: number)
        state.withLock { $0.machine.change(key, change, scene, now: now) }
        reviewSoon()
    }

    /// Returns the tasks of a session that have not ended.
    package func records(of session: String) -> [TransferRecord] {
        let now = now
        return state.withLock { $0.machine.records(of: session, now: now) }
    }

    /// Returns a task; `nil` if the app has been notified that the task has ended.
    package func record(_ number: Int, of session: String) -> TransferRecord? {
        let now = now
        return state.withLock { $0.machine.record(TransferMachine.Key(session: session, number: number), now: now) }
    }

    /// Called on the main loop with each notice for the app; released when the app's process ends.
    package var onNotice: NoticeHandler? {
        get { state.withLock { $0.noticeHandler } }
        set { if !surroundings.isAppDead() { state.exchange(\.noticeHandler, with: newValue) } }
    }

    /// Notes that the app has handled the events of a notice.
    package func complete(_ notice: Int) {
        guard !surroundings.isAppDead() else { return }
        guard state.withLock({ $0.machine.complete(notice) }) else {
            return surroundings.log(
                .system, .warning("the events of a background session were already completed, or their time is over"))
        }
        surroundings.log(.app, .transfer("events completed"))
        runsChanged()
        reviewSoon()
    }

    // MARK: Reviewing

    /// Reviews the state at the next step of time, on the device's thread.
    private func reviewSoon() {
        let isNew = state.withLock { state in
            defer { state.isReviewAsked = true }
            return !state.isReviewAsked
        }
        guard isNew else { return }
        surroundings.engine.schedule(after: .zero) { [weak self] in MainActor.assumeIsolated { self?.review() } }
    }

    /// Executes the actions that follow from the current state.
    @MainActor
    private func review() {
        var hasAsked = true
        while hasAsked {
            let (now, scene) = (now, surroundings.scene)
            let actions = state.withLock { state in
                state.isReviewAsked = false
                return state.machine.update(scene, now: now)
            }
            hasAsked = false
            for action in actions {
                if case .ask = action { hasAsked = true }
                perform(action)
            }
        }
        waitForNext()
    }

    @MainActor
    private func perform(_ action: TransferMachine.Action) {
        let now = now
        switch action {
        case .log(let key, let text):
            surroundings.log(.system, .transfer("\(OrdinarySessionName.shown(key.session)) \(key.number) \(text)"))
        case .ask(let key, let request):
            let reply = answer(request)
            state.withLock { $0.machine.answered(key, reply, now: now) }
        case .deliver(let session): deliver(session)
        case .notify(let session):
            state.withLock { $0.machine.begin(session, isWake: false, now: now) }
            runsChanged()
            handOverNotices()
        case .wake(let session):
            // The notice begins before the app is started, because the start notifies this part, which then passes the
            // notice to the app.
            state.withLock { $0.machine.begin(session, isWake: true, now: now) }
            guard surroundings.wake(.transfers(session), false) else {
                surroundings.log(.system, .transfer("\(session): the app could not be started"))
                return state.withLock { $0.machine.abandon(session) }
            }
            runsChanged()
        }
    }

    @MainActor
    private func answer(_ request: TransferRequest) -> TransferReply {
        if let server = state.withLock({ $0.server }) { return server(request) }
        surroundings.log(
            .system,
            .warning("there is no server for \(request.url); set one with device.transfers.serve before the transfer"))
        return .failure(.cannotFindHost)
    }

    private func waitForNext() {
        let now = now
        let old = state.withLock { state in
            let next = state.machine.wakeups(now: now)
            defer {
                state.timers = [
                    next.uptime.map { look(at: UptimeInstant(nanoseconds: $0)) }, next.continuous.map { look(at: $0) },
                    next.wall.map { look(at: $0) },
                ].compactMap(\.self)
            }
            return state.timers
        }
        for timer in old { timer.cancel() }
    }

    private func look<Instant: NanosecondInstant>(at instant: Instant) -> ScheduledTimer {
        surroundings.engine.schedule(at: instant) { [weak self] in
            MainActor.assumeIsolated {
                self?.endOverdue()
                self?.review()
            }
        }
    }

    // MARK: Handing over

    /// Passes the notices to the app, if it can receive events: it runs, and its state is not changing.
    @MainActor
    private func handOverNotices() {
        guard surroundings.scene.isAppAtRest, let mainLoop = surroundings.mainLoop() else { return }
        for notice in state.withLock({ $0.machine.takeNotices() }) {
            surroundings.log(.system, .transfer("\(notice.session): events handed over"))
            mainLoop.run { [weak self] in
                guard let self else { return }
                if let handler = onNotice {
                    handler(notice)
                } else {
                    surroundings.log(
                        .system,
                        .warning("the app does not handle the events of its background session \(notice.session)"))
                    complete(notice.number)
                }
                reviewSoon()
            }
        }
    }

    @MainActor
    private func deliver(_ session: String) {
        guard let mainLoop = surroundings.mainLoop(), state.withLock({ $0.delivering.insert(session).inserted })
        else { return }
        mainLoop.run { [weak self] in
            guard let self else { return }
            state.withLock { _ = $0.delivering.remove(session) }
            while let (handler, event) = next(session) { handler(event) }
            reviewSoon()
        }
    }

    private func next(_ session: String) -> (EventHandler, TransferEvent)? {
        let scene = surroundings.scene
        return state.withLock { state in
            guard let handler = state.handlers[session], let event = state.machine.takeEvent(session, scene) else {
                return nil
            }
            if event == .invalidated { state.handlers[session] = nil }
            return (handler, event)
        }
    }

    // MARK: Time limits

    /// Keeps the process running while the app handles events, so that the time of its background tasks does not run.
    private func runsChanged() {
        surroundings.keepRunning(state.withLock { $0.machine.end }.map { ProcessCover(end: $0) })
    }

    /// Reports a fault for each notice whose events the app has not handled in time; the app may then be suspended.
    ///
    /// There is no other consequence. This is a choice, because Apple says that the handler must be called, but not
    /// what happens to an app that does not call it.
    private func endOverdue() {
        let now = now
        let overdue = state.withLock { $0.machine.takeOverdue(now: now) }
        guard !overdue.isEmpty else { return }
        runsChanged()
        for run in overdue {
            surroundings.fault(
                Fault(
                    .transferEventsNotCompleted,
                    "the events of the background session \(run.notice.session) were not completed in time; call the "
                        + "completion handler of handleEventsForBackgroundURLSession within 30 s, from "
                        + "urlSessionDidFinishEvents"))
        }
    }

    private var now: ClockReading { ClockReading(surroundings.time) }
}

extension SimulatedTransfers: DevicePart {
    package func appInstalled(_ app: InstalledApp) {
        state.withLock { $0.machine.appInstalled() }
        runsChanged()
    }

    package func appSettled() { handOverNotices() }
    package func appForceQuit() { state.withLock { $0.machine.forceQuit() } }

    package func processEnded() {
        releaseHandlers()
        state.withLock { $0.machine.processEnded() }
        runsChanged()
    }

    package func deviceRebooting() {
        let now = now
        state.withLock { $0.machine.rebooting(now: now) }
    }

    /// Reviews the state at the next step of time.
    ///
    /// A review may start the app, and the other parts must be notified before that.
    package func deviceChanged(to scene: DeviceScene) { reviewSoon() }

    package func deviceGone() {
        releaseHandlers()
        let old = state.withLock { state in
            defer { (state.server, state.timers) = (nil, []) }
            return (state.server, state.timers)
        }
        for timer in old.1 { timer.cancel() }
    }

    /// Releases the handlers outside the lock, because the deinitializers of captured values may run any code.
    private func releaseHandlers() {
        let old = state.withLock { state in
            defer { (state.handlers, state.noticeHandler, state.delivering) = ([:], nil, []) }
            return (state.handlers, state.noticeHandler)
        }
        withExtendedLifetime(old) {}
    }
}

extension Fault.Rule {
    /// The app did not handle the events of a background session in time.
    ///
    /// Apple, documentation/foundation/downloading-files-in-the-background: the completion handler must be called. The
    /// simulation makes two choices: a missing call is a fault, and the time is 30 seconds.
    public static let transferEventsNotCompleted = Fault.Rule("transferEventsNotCompleted")
}
